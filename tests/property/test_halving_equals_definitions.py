"""The groups of Mondrian and Audited are those of the plain definitions, whichever path the model takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from pellucid.anonymize.layout.halving import pascal
from pellucid.anonymize.methods.audited import Audited
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible
from pellucid.kernels import median
from pellucid.models import PrivacyModel, of
from plain import halving
from plain.halving import Satisfies
from plain.random_tables import FAMILIES, random_table
from plain.tables import line, secret, table_of
from plain.transparent import Inputs, as_grouping, inputs_of

CHUNKS = 6
TABLES_PER_CHUNK = 200


def groups_of(labels: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    found: dict[int, list[int]] = {}
    for row, label in enumerate(labels):
        found.setdefault(label, []).append(row)
    return tuple(tuple(found[label]) for label in range(len(found)))


def read(table: Table, coins: Coins) -> Inputs:
    return inputs_of(table, None if table.order is not None else coins.order(len(table)).tolist())


def diverse(l: int) -> Satisfies:
    return lambda values: l * max(Counter(values).values()) <= len(values)


def asked(model: PrivacyModel, table: Table) -> Satisfies:
    """A model as the package answers it for one group; the models have plain definitions of their own."""
    (column,) = table.having(Role.SENSITIVE)
    attribute = table.attributes[column]
    whole = np.bincount(table.codes[column], minlength=len(attribute))
    return lambda values: bool(
        model.check_counts(np.bincount(values, minlength=len(attribute)), whole, attribute=attribute)
    )


def compare(table: Table, mondrian: Mondrian, satisfies: Satisfies, coins: Coins, threads: int = 1) -> int:
    inputs = read(table, coins)
    expected = halving.mondrian(
        inputs.codes,
        inputs.order,
        inputs.sensitive,
        satisfies,
        inputs.geometry,
        strict=mondrian.strict,
        retry=mondrian.retry,
    )
    found = mondrian.group(table, coins, threads=threads)
    assert groups_of(found.labels.tolist()) == as_grouping(expected)
    return len(expected)


def random_setting(random: Random, table: Table, l: int) -> tuple[Mondrian, Satisfies]:
    """A way to ask for privacy that the table can bear."""
    how = {"strict": random.random() < 0.5, "retry": random.random() < 0.5}
    (column,) = table.having(Role.SENSITIVE)
    values = table.attributes[column].values.to_list()
    if random.random() < 0.4:
        return Mondrian(l=l, **how), diverse(l)
    if random.random() < 0.3:
        k = random.randint(1, len(table))
        return Mondrian(k=k, **how), lambda group: len(group) >= k
    some = random.sample(values, min(len(values), random.choice([1, 2, 3])))
    if random.random() < 0.35:
        rows = random.randint(1, min(2 * l, len(table)))
        beside = random.choice([None, "t-closeness=0.4", "distinct l-diversity=2", f"l-diversity={l}"])
        several = Mondrian(k=rows, l=l if random.random() < 0.7 or beside is None else None, model=beside, **how)
        return several, asked(several.required, table)
    model = of(
        random.choice(
            [
                {"name": "l-diversity", "l": l, "sensitive": some},
                {"name": "(alpha,k)-anonymity", "alpha": f"{random.randint(1, l)}/{l}", "k": random.randint(1, l)},
                {"name": "distinct l-diversity", "l": min(l, len(values))},
                {"name": "t-closeness", "t": random.choice(["1/2", "0.2", "0.3"])},
                {"name": "beta-likeness", "beta": random.choice([1, 2])},
                {"name": "entropy l-diversity", "l": 1},
            ]
        )
    )
    assert isinstance(model, PrivacyModel)
    return Mondrian(model=model, **how), asked(model, table)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_mondrian_is_its_definition(chunk: int) -> None:
    groups = 0
    for number in range(TABLES_PER_CHUNK):
        random = Random(f"mondrian {chunk} {number}")
        table, l = random_table(random, largest=70, identifier=random.random() < 0.8)
        mondrian, satisfies = random_setting(random, table, l)
        groups += compare(table, mondrian, satisfies, Coins.from_seed(number), threads=1 if number % 4 else 2)
    assert groups > 2 * TABLES_PER_CHUNK


@pytest.mark.parametrize("family", FAMILIES)
def test_mondrian_of_some_thousand_rows_is_its_definition(family: str) -> None:
    random = Random(f"thousands {family}")
    table, l = random_table(random, family=family, rows=1300, attributes=4)
    for strict in (False, True):
        for retry in (False, True):
            how = {"strict": strict, "retry": retry}
            assert compare(table, Mondrian(l=l, **how), diverse(l), Coins.from_seed(1)) > 0
            compare(table, Mondrian(k=5, **how), lambda group: len(group) >= 5, Coins.from_seed(1), threads=2)
    model = of("t-closeness=0.4")
    assert isinstance(model, PrivacyModel)
    compare(table, Mondrian(model=model), asked(model, table), Coins.from_seed(1), threads=2)


def test_fifty_thousand_rows_on_two_threads_fall_into_the_groups_of_the_definition() -> None:
    """Enough rows for the threads to share the tree."""
    random = Random("fifty thousand")
    n, l = 52_000, 8
    quasi = [
        line("age", [random.randrange(79) for _ in range(n)]),
        line("income", [int(500 * random.paretovariate(2)) for _ in range(n)]),
        line("place", random.sample(range(10 * n), n)),
    ]
    hidden = secret("s", [min(random.randrange(50), random.randrange(80)) for _ in range(n)])
    table = table_of([*quasi, hidden], random.sample(range(n), n))
    assert compare(table, Mondrian(l=l), diverse(l), Coins.from_seed(1), threads=2) > 1000


def test_the_random_tables_tell_the_settings_apart() -> None:
    """If strict or retry changed nothing on these tables, the comparison would not see a kernel that ignores them."""
    different: Counter[str] = Counter()
    for number in range(100):
        random = Random(f"mondrian 0 {number}")
        table, l = random_table(random, largest=70, identifier=True)
        coins = Coins.from_seed(1)

        def labels(l: int = l, table: Table = table, coins: Coins = coins, **how: bool) -> list[int]:
            return Mondrian(l=l, **how).group(table, coins, threads=1).labels.tolist()

        different["strict"] += labels(strict=True) != labels(strict=False)
        different["retry"] += labels(retry=True) != labels(retry=False)
    assert min(different.values()) >= 10


def random_audit(random: Random, table: Table, l: int) -> tuple[Audited, dict[str, Any]]:
    """A model that Audited takes and the table can bear, and the same for the plain definition."""
    (column,) = table.having(Role.SENSITIVE)
    values = table.attributes[column].values.to_list()
    chosen = random.random()
    if chosen < 0.5:
        return Audited(l=l), {"share": Fraction(1, l), "least": l}
    if chosen < 0.7:
        share, k = Fraction(random.randint(2, 3), 2 * l + random.randint(0, 1)), random.randint(1, l)
        share = max(min(share, Fraction(1)), Fraction(1, l))
        model = of({"name": "(alpha,k)-anonymity", "alpha": str(share), "k": k})
        return Audited(model=model), {"share": share, "least": k}
    some = random.sample(values, min(len(values), random.choice([1, 2, 3])))
    codes = [values.index(value) for value in some]
    together = random.random() < 0.4 and 2 * len(some) * l <= len(values)
    model = of({"name": "l-diversity", "l": l, "sensitive": some, "together": together})
    if together:
        return Audited(model=model), {"share": Fraction(1, l), "class_of": lambda code: 0 if code in codes else None}
    return Audited(model=model), {"share": Fraction(1, l), "class_of": lambda code: code if code in codes else None}


def audited_groups(table: Table, coins: Coins, **how: Any) -> tuple[tuple[int, ...], ...]:
    inputs = read(table, coins)
    return as_grouping(halving.audited(inputs.codes, inputs.order, inputs.sensitive, geometry=inputs.geometry, **how))


def found_groups(method: Audited, table: Table, coins: Coins, threads: int = 1) -> tuple[tuple[int, ...], ...]:
    return groups_of(method.group(table, coins, threads=threads).labels.tolist())


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_audited_is_its_definition(chunk: int) -> None:
    audits = 0
    for number in range(TABLES_PER_CHUNK):
        random = Random(f"audited {chunk} {number}")
        table, l = random_table(random, largest=70, identifier=random.random() < 0.8)
        method, how = random_audit(random, table, l)
        coins = Coins.from_seed(number)
        try:
            found = found_groups(method, table, coins, threads=1 if number % 4 else 2)
        except Infeasible:
            continue
        assert found == audited_groups(table, coins, **how)
        audits += found != audited_groups(table, coins, **how, audit=False)
    assert audits >= 3  # the audit decided


@pytest.mark.parametrize("family", FAMILIES)
def test_audited_of_some_thousand_rows_is_its_definition(family: str) -> None:
    table, l = random_table(Random(f"audited thousands {family}"), family=family, rows=1301, attributes=4)
    coins = Coins.from_seed(1)
    expected = audited_groups(table, coins, share=Fraction(1, l), least=l)
    assert found_groups(Audited(l=l), table, coins, threads=2) == expected


def partitions(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    if n == 0:
        yield ()
    for first in range(min(n, largest), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def certain(sides: tuple[int, int], counts: Sequence[int], share: Fraction) -> bool:
    """Whether some value does not fit into the two sides, so that every cut is refused."""
    return any(count > int(share * sides[0]) + int(share * sides[1]) for count in counts)


@pytest.mark.parametrize("l", [2, 3, 4])
def test_an_audit_of_any_counts_is_exact(l: int) -> None:
    """Every multiset of up to 17 rows; and the simple bound alone is never more generous."""
    exact, simple = pascal(512), pascal(1)
    verdicts: Counter[int] = Counter()
    for n in range(2 * l + 1, 18, 2):
        sides, share = (n - n // 2, n // 2), Fraction(1, l)
        for counts in partitions(n, n // l):
            verdict = median.audit(np.array(counts, np.int64), n, 1, l, exact)
            left = halving.first_side_when_refused(sides, counts, range(len(counts)), share)
            if left is None:
                assert verdict == 2
            elif certain(sides, counts, share):
                assert verdict == 0
            else:
                posteriors = [(left[v] / sides[0], (c - left[v]) / sides[1]) for v, c in enumerate(counts)]
                highest = max(max(pair) for pair in posteriors)
                assert verdict == int(highest <= share)
                assert highest <= Fraction(2, 2 * l - 1)  # what relaxed Mondrian without retry claims
            assert median.audit(np.array(counts, np.int64), n, 1, l, simple) <= verdict
            verdicts[verdict] += 1
    assert min(verdicts[0], verdicts[1]) > 0


def test_the_simple_bound_of_an_audit_holds_for_any_share() -> None:
    """Random counts of up to some hundred rows, some values protected, shares that are not 1/l."""
    settled: Counter[int] = Counter()
    alone, with_counting = pascal(1), pascal(128)
    for number in range(600):
        random = Random(f"bound {number}")
        n = 2 * random.choice([random.randint(1, 20), random.randint(20, 60)]) + 1
        share = Fraction(random.randint(1, 4), random.randint(4, 9))
        counts: list[int] = []
        while sum(counts) < n:
            most = min(int(share * n), n - sum(counts))
            counts.append(random.randint(max(1, most - random.choice([0, 1, 3, n])), most) if most else n - sum(counts))
        protected = [v for v, c in enumerate(counts) if c <= share * n and random.random() < 0.8]
        asked = np.array([counts[v] for v in protected], np.int64)
        simple = median.audit(asked, n, share.numerator, share.denominator, alone)
        whole = median.audit(asked, n, share.numerator, share.denominator, with_counting)
        sides = (n - n // 2, n // 2)
        left = halving.first_side_when_refused(sides, counts, protected, share)
        safe = left is None or all(
            left[v] <= share * sides[0] and counts[v] - left[v] <= share * sides[1] for v in protected
        )
        assert bool(whole) == (safe and not certain(sides, asked.tolist(), share))
        assert safe or simple == 0
        assert (whole == 2) == (simple == 2)
        settled[simple] += 1
    assert settled[1] > 80
