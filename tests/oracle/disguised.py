"""Mask, SpuriousRecords and Injector, with the exact laws of their coins: publishings that the net draws now and then.

**Mask and SpuriousRecords** publish what is not true, so that a world is any way to hand out values of the domain, and
not of what is published alone. Their laws are those of :mod:`plain.disguise`, over the groups of Mondrian at k, which
draws nothing where an identifier orders the rows. An attack walks from the true table and changes values inside groups:
its figures are those of somebody who is told who is in which group and which values each group has, and are compared
with these. **Injector** has the law of :mod:`plain.injector`: all orders of the rows, and every place to begin, which
takes n! runs for each world; so tables have four or five rows.

**SoftCut is drawn as well** (:mod:`oracle.more_methods`), and never tries a cut in the net. Of n rows, c of them with
the most frequent value, it tries one only where n - l c >= 4 l l and l c > n / 2, and only below a cut that is made:
at l = 2 of 34 rows or more in a table of more than 48. Such a node alone has C(34, 9) = 52 million worlds or more, each
with a law over all draws, so that they cannot be listed. Tries are enumerated by :mod:`oracle.soft_cut`, with rules
that allow smaller sides; what attacks say of larger tables is compared in tests/contract/test_soft_cut_attacked.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random

import pellucid as pc
from oracle.attacker import Disguised, Law
from oracle.more_methods import codes_named
from pellucid.anonymize.method import Method
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from pellucid.errors import PellucidError
from plain import disguise, injector
from plain.transparent import inputs_of

Groups = tuple[tuple[int, ...], ...]


def draw(random: Random) -> tuple[Method, Callable[[Table], Law]]:
    """A method, and the law of its coins."""
    kind = random.choice(["mask", "spurious", "injector"])
    if kind == "mask":
        masking = pc.Mask(k=2, l=2, sensitive=("a",), donors=random.choice(["highest", "all"]))
        return masking, lambda table: mask_law(table, masking)
    if kind == "spurious":
        adding = pc.SpuriousRecords(k=2, l=2)
        return adding, lambda table: spurious_law(table, adding)
    ruling = pc.Injector(l=2, expectation=random.choice([0.5, 0.9]), size=random.choice([1, 2]))
    return ruling, lambda table: injector_law(table, ruling)


def mask_law(table: Table, method: pc.Mask) -> Law:
    """What is published of each row."""
    groups, values = _groups(table, method.k), _values(table)
    protected = set(codes_named(table, method.sensitive))
    if groups is None or len(protected) < len(method.sensitive):
        return {}
    law = disguise.mask_law(groups, values, protected, method.l, method.donors)
    return {Disguised(groups, sensitive=published): chance for published, chance in law.items()}


def spurious_law(table: Table, method: pc.SpuriousRecords) -> Law:
    """Which records are added to which group."""
    groups, values = _groups(table, method.k), _values(table)
    if groups is None:
        return {}
    found: dict[Disguised, Fraction] = defaultdict(Fraction)
    for published, chance in disguise.spurious_law(groups, values, method.l).items():
        added = [
            (number, value)
            for number, (group, records) in enumerate(zip(groups, published, strict=True))
            for value in (Counter(records) - Counter(values[row] for row in group)).elements()
        ]
        found[Disguised(groups, added=tuple(added))] += chance
    return found


def injector_law(table: Table, method: pc.Injector) -> Law:
    """Who is dealt together and who joins whom."""
    values = _values(table)
    if max(Counter(values).values()) * method.l > len(values):
        return {}
    rows = inputs_of(table).codes
    never = injector.excluded(rows, values, Fraction(repr(method.expectation)), min(method.size, len(rows[0])))
    found: dict[Groups, Fraction] = defaultdict(Fraction)
    for labels, chance in injector.law(values, never, method.l).items():
        numbers = sorted({label for label in labels if label >= 0})
        groups = (tuple(row for row, label in enumerate(labels) if label == number) for number in numbers)
        found[tuple(sorted(groups))] += chance
    return found


def _groups(table: Table, k: int) -> Groups | None:
    """Relaxed Mondrian at k; None where it refuses."""
    try:
        found = pc.Mondrian(k=k).group(table, Coins.from_seed(0), threads=1)
    except PellucidError:
        return None
    return tuple(tuple(found.members[a:b].tolist()) for a, b in pairwise(found.starts.tolist()))


def _values(table: Table) -> list[int]:
    return [value for (value,) in inputs_of(table).sensitive]
