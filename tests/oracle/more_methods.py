"""Methods with parameters that a plain draw leaves out: other models, l = 3, some values only, k, SoftCut, ART."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pellucid as pc
from oracle.attacker import Law
from pellucid.anonymize.method import Method
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import ModelError
from pellucid.models import parse
from plain import consecutive, protected, strata
from plain.soft_cut import PlainCuts
from plain.transparent import Inputs, NotEligibleError, inputs_of

MODELS = (
    "l-diversity=3",
    "t-closeness=0.2",
    "t-closeness=0.4",
    "entropy l-diversity=2",
    "entropy l-diversity=1.5",
    "distinct l-diversity=3",
    "recursive (c,l)-diversity=2,2",
    "recursive (c,l)-diversity=1,2",
    "(alpha,k)-anonymity=0.6,2",
    "(alpha,k)-anonymity=0.5,3",
    "beta-likeness=1",
    "enhanced beta-likeness=1",
    "delta-disclosure=1",
    "k-anonymity=3",
)
ProtectedLaw = Callable[[Inputs, int, Sequence[int] | None, int], Law]
LAWS: dict[str, tuple[type[Method], ProtectedLaw]] = {
    "hybrid": (pc.Hybrid, protected.hybrid_law),
    "ace": (pc.Ace, protected.ace_law),
    "anatomy": (pc.Anatomy, protected.anatomy_law),
    "soft-cut": (pc.SoftCut, protected.soft_cut_law),
}
DRAWN = (
    *(*LAWS, *LAWS, "mondrian", "mondrian", "mondrian", "incognito", "greedy", "greedy", "symmetric", "tailor"),
    *("audited", "three", "three", "randomized", "randomized", "alpha-k", "art"),
)


def codes_named(table: Table, values: Sequence[Any]) -> list[int]:
    """The codes of some sensitive values of a table."""
    (column,) = table.having(Role.SENSITIVE)
    held = table.attributes[column].values.to_list()
    return [held.index(value) for value in values if value in held]


def as_one(t: Inputs, chosen: Sequence[int]) -> tuple[Inputs, list[int]]:
    """The same with one value, the first of them, for all that are chosen."""
    first = min(chosen)
    return replace(t, sensitive=[(first if code in chosen else code,) for (code,) in t.sensitive]), [first]


def protecting(
    law: ProtectedLaw, l: int, values: tuple[Any, ...] | None, k: int | None, *, together: bool = False
) -> Callable[[Table], Law]:
    """The law of a method that protects some values and makes groups of at least k; nothing where it refuses."""

    def of(table: Table) -> Law:
        t = inputs_of(table)
        chosen = None if values is None else codes_named(table, values)
        if chosen is not None and len(chosen) < len(values or ()):
            return {}
        if together and chosen is not None:
            t, chosen = as_one(t, chosen)
        try:
            protected.check(range(len(table)), t, l, chosen, k or 1)
            return law(t, l, chosen, k or 1)
        except NotEligibleError:
            return {}

    return of


def stratified(method: pc.Strata) -> Callable[[Table], Law]:
    """The law of Strata with one sensitive column."""

    def of(table: Table) -> Law:
        t = inputs_of(table)
        chosen = None if method.values is None else codes_named(table, method.values)  # type: ignore[arg-type]
        if len(t.codes) < method.size or (chosen is not None and len(chosen) < len(method.values or ())):
            return {}
        if method.together and chosen is not None:
            t, chosen = as_one(t, chosen)
        cuts = PlainCuts(t.codes, t.order, t.geometry)
        names = [table.attributes[i].name for i in table.having(Role.QUASI)]
        alike = strata.parted(t, [names.index(name) for name in method.same])
        if min(map(len, alike)) < method.size:
            return {}
        parts = [part for rows in alike for part in strata.strata(cuts, rows, method.size)]
        return strata.law(t, method.l, method.inside, (chosen,), parts, method.fewest)

    return of


def randomized(l: int, p: str | Fraction) -> Callable[[Table], Law]:
    """Randomized greedy grouping."""

    def of(table: Table) -> Law:
        t = inputs_of(table)
        values = [value for (value,) in t.sensitive]
        if not consecutive.diverse(l)(values):
            return {}
        line = consecutive.in_line(t.codes, t.order)
        law = consecutive.greedy_law(line, values, consecutive.diverse(l), l, Fraction(p))
        return {groups: chance for groups, chance in law.items() if groups}

    return of


def draw_protecting(random: Random) -> tuple[Method, Callable[[Table], Law] | None]:
    """A method that is told some values to protect, by a parameter of its own or by its model, each or as one."""
    some = random.choice([("a",), ("a",), ("a", "b"), ("a", "b"), ("b", "c")])
    kinds = [pc.Mondrian, pc.Tailor, pc.Tailor, pc.Audited, pc.Incognito, pc.GreedyGrouping, pc.SymmetricGrouping]
    lots = [*LAWS, *LAWS, *LAWS]
    kind = random.choice(
        [*kinds, "alpha-k", "alpha-k", "binary", "binary", "mask", "art", "random", *["sets"] * 4, *lots]
    )
    if kind == "sets":
        l, named = random.choice([2, 2, 3]), random.choice([("ab", "bc"), ("a", "bc"), ("ab", "cd"), ("ac", "b")])
        sets = [pc.LDiversity(l=l, sensitive=tuple(some), together=True) for some in named]
        return random.choice([pc.Mondrian, pc.Tailor, pc.Tailor, pc.Incognito])(model=sets), None
    if isinstance(kind, type):
        model = parse(random.choice(["l-diversity=2", "l-diversity=2", "l-diversity=3", *MODELS]))
        given = {name: getattr(model, name) for name in model.model_fields_set}
        try:
            model = type(model)(**given, sensitive=some, together=random.random() < 0.5)
        except ModelError:  # it is about all values
            model = parse("l-diversity=2")
        how = {"strict": random.random() < 0.5, "retry": random.random() < 0.5} if kind is pc.Mondrian else {}
        return kind(model=model, **how), None
    order, l = random.choice(["lexicographic", "hilbert"]), random.choice([2, 2, 3])
    if kind in LAWS:
        made, law = LAWS[kind]
        k, together = random.choice([1, 1, 2, 3]), random.random() < 0.8
        return made(l=l, values=some, k=k, together=together), protecting(law, l, some, k, together=together)
    if kind == "random":
        return pc.RandomizedGreedyGrouping(l=2, p=0, binary=some), None
    if kind == "mask":
        from oracle import disguised  # which names codes as this module does

        masking = pc.Mask(k=2, l=2, sensitive=some, donors=random.choice(["highest", "all"]))
        return masking, lambda table: disguised.mask_law(table, masking)
    methods: dict[str, Callable[[], Method]] = {
        "alpha-k": lambda: pc.AlphaK(
            alpha=random.choice([0.5, 0.5, 0.34]),
            k=random.choice([1, 1, 2]),
            sensitive=some,
            together=random.random() < 0.5,
        ),
        "binary": lambda: random.choice([pc.GreedyGrouping, pc.SymmetricGrouping])(l=l, binary=some, order=order),
        "art": lambda: pc.ART(r=2, support=1, sensitive=some, together=random.random() < 0.5),
    }
    return methods[kind](), None


def draw_more(random: Random) -> tuple[Method, Callable[[Table], Law] | None]:
    """A method, and the law of its coins where it has any."""
    kind = random.choice(DRAWN)
    how = {"strict": random.random() < 0.5, "retry": random.random() < 0.5}
    model = parse(random.choice(MODELS))
    order = random.choice(["lexicographic", "hilbert"])
    if kind in LAWS:
        made, law = LAWS[kind]
        l = random.choice([2, 2, 2, 3])
        values = random.choice([None, ("a",), ("a",), ("a", "b")])
        k = random.choice([None, None, 2, 3]) if values is None else random.choice([None, 2, 3])
        given = {name: one for name, one in (("values", values), ("k", k)) if one is not None}
        return made(l=l, **given), protecting(law, l, values, k)
    if kind == "randomized":
        l, p = random.choice([2, 2, 3]), random.choice(["0.01", "0.02", "0.1", "0.9", "0.97", "0.99"])
        return pc.RandomizedGreedyGrouping(l=l, p=float(p)), randomized(l, p)
    methods: dict[str, Callable[[], Method]] = {
        "mondrian": lambda: pc.Mondrian(model=model, **how),
        "incognito": lambda: pc.Incognito(model=model),
        "greedy": lambda: pc.GreedyGrouping(model=model, order=order),
        "symmetric": lambda: pc.SymmetricGrouping(model=model, order=order),
        "tailor": lambda: pc.Tailor(model=model),
        "audited": lambda: pc.Audited(model=model),
        "alpha-k": lambda: pc.AlphaK(alpha=0.5, k=random.choice([2, 3]), sensitive=random.choice([None, ("a",)])),
        "art": lambda: pc.ART(r=random.choice([2, 2, 3]), support=random.choice([1, 2])),
        "three": lambda: random.choice(
            [
                pc.Mondrian(l=3, **how),
                pc.GreedyGrouping(l=3, order=order),
                pc.SymmetricGrouping(l=3, order=order),
                pc.Tailor(l=3),
                pc.Audited(l=3),
                pc.Incognito(l=3),
                pc.OptGen(l=3),
            ]
        ),
    }
    return methods[kind](), None
