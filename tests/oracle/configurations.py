"""Whole configurations of an attack, drawn at random: how a table is published, and what the attacker is given.

One :class:`Publishing` is drawn from its seed: people, columns (numbers, categories, trees, domains, nulls, what is
carried), an identifier or none, a method with its parameters, a way of recoding, and a population that is the table's
people or more. All its worlds are published once; every attack on any of its releases is then one configuration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import comb, factorial, prod
from random import Random
from typing import Any

import polars as pl

import pellucid as pc
from oracle import clustered, disguised, more_columns, more_methods
from oracle.attacker import Attacker, Law, Setting, World, by_any_order, every_world, multisets
from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.method import Method
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.anonymize.recode import RECODERS, Recoder
from pellucid.anonymize.recode.taxonomic import Taxonomic
from pellucid.anonymize.withholding import asks_of_group_alone
from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.errors import PellucidError
from pellucid.models import parse
from plain import consecutive, laws
from plain.transparent import NotEligibleError, inputs_of

AVERAGED = "means of "  # how seeds begin whose groups become their means or medians
SEVERAL = "several "  # how seeds begin whose methods are asked for several things at once
OF_SEVERAL = 0.03  # how often others are
NARROW = "net "  # how seeds begin of which only the first kinds of columns and methods are drawn
NAMES = ["Ann", "Bob", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida", "Jim"]
TREE = {"*": {"north": ["oslo", "riga"], "south": ["rome", "nice"]}}
ILLNESSES = {"*": {"sick": ["a", "b"], "well": ["c", "d"]}}
TOWNS = ["oslo", "riga", "rome", "nice"]
MOST_WORLDS = 420
DISGUISED = 0.01  # how often a method is drawn that publishes what is not true or finds rules in it; walks are slow
SETS = 0.12  # how often sets are drawn that are too large to be listed
CLUSTERS = 0.08  # how often rows belong together
MICROAGGREGATED = 0.04  # how often groups are made of whoever is closest to the farthest
ALIKE = 0.06  # how often most people look the same, so that groups are published alike
STRATA = 0.05  # how often people are in strata
SOME_VALUES = 0.08  # how often some values alone are protected, each or as one
ROUNDED = 0.15  # how often columns are read less exactly than they are written
PROTECTED = "ill"
WHO = "name"


@dataclass(frozen=True)
class Drawn:
    """A method, and the exact law of its coins where it has any.

    Where some values are protected and no k is said, k = 1 is: publishing would say another one.
    """

    method: Method
    law: Callable[[Table], Law] | None = None

    def __post_init__(self) -> None:
        method = self.method
        if isinstance(method, ProtectingMethod) and method.values is not None and method.k is None:
            object.__setattr__(self, "method", method.model_copy(update={"k": 1}))


def _model(text: str, **more: Any) -> Any:
    made = parse(text)
    return type(made)(**{name: getattr(made, name) for name in made.model_fields_set}, **more)


def _by_law(law: laws.MethodLaw, l: int) -> Callable[[Table], Law]:
    def of(table: Table) -> Law:
        t = inputs_of(table)
        try:
            return law(t.codes, t.order, t.sensitive, l, t.geometry)
        except NotEligibleError:
            return {}

    return of


def _anatomy(l: int) -> Callable[[Table], Law]:
    def of(table: Table) -> Law:
        values = [value for (value,) in inputs_of(table, range(len(table))).sensitive]
        if not consecutive.diverse(l)(values):
            return {}
        return consecutive.anatomy_law(range(len(values)), values, l)

    return of


def draw_method(random: Random) -> Drawn:
    """A method with parameters."""
    kind = random.choice(
        ["mondrian"] * 4
        + ["greedy"] * 3
        + ["symmetric", "audited", "audited", "tailor", "incognito", "alpha-k", "opt-gen"]
        + ["hybrid", "ace", "anatomy", "randomized"]
    )
    how = {"strict": random.random() < 0.5, "retry": random.random() < 0.5}
    order = random.choice(["lexicographic", "lexicographic", "hilbert"])
    some = random.choice(["t-closeness=0.3", "entropy l-diversity=1.8", "distinct l-diversity=2", "k-anonymity=2"])
    if kind == "mondrian":
        odd = random.random() < 0.25
        return Drawn(pc.Mondrian(model=_model(some), **how) if odd else pc.Mondrian(l=2, **how))
    if kind == "greedy":
        if random.random() < 0.2:
            return Drawn(pc.GreedyGrouping(l=2, binary=("a",)))
        if random.random() < 0.2:
            return Drawn(pc.GreedyGrouping(model=_model(some)))
        return Drawn(pc.GreedyGrouping(l=2, order=order))
    if kind == "randomized":
        p = random.choice(["0", "0.25", "0.5", "1"])
        return Drawn(pc.RandomizedGreedyGrouping(l=2, p=float(p)), more_methods.randomized(2, Fraction(p)))
    return {
        "symmetric": lambda: Drawn(pc.SymmetricGrouping(l=2, order=order)),
        "audited": lambda: Drawn(pc.Audited(l=2)),
        "tailor": lambda: Drawn(pc.Tailor(l=2)),
        "incognito": lambda: Drawn(pc.Incognito(l=2) if random.random() < 0.7 else pc.Incognito(k=2)),
        "alpha-k": lambda: Drawn(pc.AlphaK(alpha=0.5, k=2)),
        "opt-gen": lambda: Drawn(pc.OptGen(l=2)),
        "hybrid": lambda: Drawn(pc.Hybrid(l=2), _by_law(laws.hybrid_law, 2)),
        "ace": lambda: Drawn(pc.Ace(l=2), _by_law(laws.ace_law, 2)),
        "anatomy": lambda: Drawn(pc.Anatomy(l=2), _anatomy(2)),
    }[kind]()


def draw_column(random: Random, people: int, tree: bool) -> tuple[list[Any], Column]:
    """The values of a quasi-identifier, and how it is read."""
    kind = random.choice(["few", "few", "few", "some", "wide", "domain", "nulls", "category", "tree"])
    if tree and random.random() < 0.7:
        kind = "tree"
    if kind == "tree":
        return [random.choice(TOWNS) for _ in range(people)], Column(role="quasi", taxonomy={"tree": TREE})
    if kind == "category":
        return [random.choice("uvw") for _ in range(people)], Column(role="quasi", kind="category")
    top = {"few": 1, "some": 4, "wide": 30}.get(kind, 2)
    values: list[Any] = [random.randint(0, top) for _ in range(people)]
    if kind == "nulls":
        values = [None if random.random() < 0.25 else value for value in values]
    domain = (0, random.choice([5, 20])) if kind == "domain" else None
    return values, Column(role="quasi", kind="number", domain=domain)


def _weigh(columns: dict[str, Column], random: Random) -> None:
    """Let some quasi-identifiers of some tables matter more than others."""
    for name, column in columns.items():
        if column.role is Role.QUASI and random.random() < 0.15:
            columns[name] = column.model_copy(update={"importance": random.choice([2, 3, 50])})


def with_several(random: Random) -> Method:
    """A method of which several things are asked at once; of full-domain recoding also an objective."""
    kinds = ["k-anonymity=2", "k-anonymity=3", "l-diversity=2", "distinct l-diversity=2", "t-closeness=0.5"]
    kinds += ["entropy l-diversity=1.8", "recursive (c,l)-diversity=2,2", "beta-likeness=2"]
    asked = random.sample(kinds, random.choice([2, 2, 3]))
    kind = random.choice(["mondrian", "mondrian", "tailor", "incognito", "mdav"])
    if kind == "tailor":
        return pc.Tailor(model=asked) if random.random() < 0.6 else pc.Tailor(l=2, model=asked)
    if kind == "mondrian":
        how = {"strict": random.random() < 0.5, "retry": random.random() < 0.5}
        return pc.Mondrian(model=asked, **how) if random.random() < 0.5 else pc.Mondrian(k=2, l=2, **how)
    if kind == "mdav":
        return pc.Mdav(k=2, model=asked[0] if random.random() < 0.5 else asked)
    if random.random() < 0.5:
        asked[-1] = random.choice(["average re-identification risk=0.5", "sample uniqueness=0.2"])
    if random.random() < 0.3:
        asked = ["k-anonymity=2", random.choice(["average re-identification risk=0.4", "sample uniqueness=0.25"])]
    objective = random.choice(["loss", "entropy", "precision", "discernibility", "class-size"])
    weight = Fraction(1) if objective == "class-size" else random.choice([Fraction(1), Fraction(1, 2), Fraction(2)])
    budget = random.choice([None, None, Fraction(1, 4), Fraction(1, 2)])
    return pc.Incognito(model=asked, objective=objective, suppression_weight=weight, max_suppressed=budget)


def _other(drawn: Drawn, seed: str) -> Drawn:
    """Let some of those that recode whole columns withhold rows, where their model allows it; or microaggregate.

    Of coins of their own, so that what other seeds draw stays what it was.
    """
    random, method = Random(f"withheld {seed}"), drawn.method
    of_several = Random(f"several {seed}")
    if seed.startswith(SEVERAL) or of_several.random() < OF_SEVERAL:
        return Drawn(with_several(of_several))
    if random.random() < MICROAGGREGATED:
        return Drawn(pc.Mdav(k=random.choice([2, 2, 3])))
    if not isinstance(method, pc.Incognito) or not asks_of_group_alone(method.required) or random.random() < 0.4:
        return drawn
    return Drawn(method.model_copy(update={"max_suppressed": Fraction(random.choice(["1/4", "1/3", "1/2", "3/4"]))}))


@dataclass(eq=False)
class Publishing:
    """What is published, how, and of whom. Everything follows from the seed."""

    seed: str
    population: pl.DataFrame  # in an order of its own
    members: tuple[int, ...]
    values: tuple[Any, ...]
    schema: Schema
    drawn: Drawn
    recoder: Recoder | None
    named: bool  # whether an identifier orders the rows
    domain: tuple[Any, ...]
    put: Method | None = None  # the method as it is asked for, where that names a node instead of values

    @classmethod
    def draw(cls, seed: str) -> Publishing | None:
        """One of them; None where its method refuses the table, or its worlds are too many."""
        random = Random(seed)
        wide = not seed.startswith(NARROW)
        special = None if seed.startswith((NARROW, AVERAGED, SEVERAL)) else cls._special(seed)
        if special is not None:
            return special(seed)
        try:
            drawn = Drawn(*more_methods.draw_more(random)) if wide and random.random() < 0.5 else draw_method(random)
            drawn = _other(drawn, seed) if wide else drawn
        except PellucidError:
            return None  # a model that the method does not take
        rows = random.choice([4, 4, 5, 5, 6])
        extra = random.choice([0, 0, 0, 1, 1, 2]) if rows < 6 else random.choice([0, 0, 0, 1])
        people = rows + extra
        recode = random.choice([None, None, None, "intervals", "suppression", "taxonomy", "anatomy"])
        tree = recode == "taxonomy" or drawn.method.recoder == "taxonomy"
        columns: dict[str, Column] = {WHO: Column(role="identifier")}
        data: dict[str, list[Any]] = {WHO: random.sample(NAMES, people)}
        if wide and random.random() < 0.25:  # numbers, which are ordered as such, or as texts
            data[WHO] = random.sample(range(7, 17), people)
            data[WHO] = data[WHO] if random.random() < 0.6 else [str(number) for number in data[WHO]]
        for number in range(random.choice([1, 1, 2, 2, 3])):
            name = f"q{number}"
            if wide and random.random() < 0.5:
                _, data[name], columns[name] = more_columns.draw_more(random, people)
            else:
                data[name], columns[name] = draw_column(random, people, tree)
        if random.random() < 0.12:
            data["c"], columns["c"] = [random.randint(0, 1) for _ in range(people)], Column(role="carry", kind="number")
            if wide and random.random() < 0.4:
                _, data["c"], columns["c"] = more_columns.draw_more(random, people, "carry")
        columns[PROTECTED] = Column(role="sensitive")
        _weigh(columns, Random(f"importance of {seed}"))
        named = random.random() < 0.9
        if not named and rows == 4 and drawn.law is None and drawn.method.name != "incognito":
            columns.pop(WHO)
        else:
            named = True
        members = tuple(sorted(random.sample(range(people), rows)))
        domain: tuple[Any, ...] = tuple("abcd"[: random.choice([2, 3, 3, 4])])
        if wide and not _names_values(drawn.method) and random.random() < 0.15:
            domain = random.choice([(1, 2, 3), (5, 10), ("a", "b", None)])
        values = tuple(random.choice(domain) for _ in range(rows))
        if wide and getattr(drawn.method, "values", None) is not None and random.random() < 0.5:
            columns[PROTECTED] = Column(role="sensitive", protect=drawn.method.values)
        if wide and random.random() < 0.3:  # where the sensitive column and the identifier stand in the table
            columns = dict(random.sample(list(columns.items()), len(columns)))
        if wide and (rounding := Random(f"rounded {seed}")).random() < ROUNDED:
            columns = {name: more_columns.rounded(rounding, column) for name, column in columns.items()}
        population = pl.DataFrame([_series(name, data[name], columns.get(name)) for name in data])
        recoder = None if recode is None else RECODERS[recode]()
        if wide and random.random() < 0.2:
            recoder = random.choice([pc.Intervals(split=True), pc.Intervals(largest_set=1), Taxonomic(largest_set=1)])
        if seed.startswith(AVERAGED):
            recoder = pc.Means(statistic=random.choice(["mean", "median"]))
        made = cls(seed, population, members, values, Schema(columns=columns), drawn, recoder, named, domain)
        return made if made.usable else None

    @classmethod
    def _special(cls, seed: str) -> Callable[[str], Publishing | None] | None:
        """How a publishing of a kind of its own is drawn, where the seed says so; each has coins of its own."""
        kinds = {"sets of": (SETS, cls.of_large_sets), "disguised": (DISGUISED, cls.of_disguised)}
        kinds |= {"clusters of": (CLUSTERS, cls.of_clusters), "alike": (ALIKE, cls.of_alike)}
        kinds |= {"strata of": (STRATA, cls.of_strata), "some values of": (SOME_VALUES, cls.of_some_values)}
        for name, (often, drawing) in kinds.items():
            if (random := Random(f"{name} {seed}")).random() < often:
                return partial(drawing, random=random)
        return None

    @classmethod
    def of_large_sets(cls, seed: str, random: Random) -> Publishing | None:
        """Two columns of categories whose sets are often too large to be listed: what is published of many is ``*``."""
        values = random.choice(["aaabbcc", "aaabbcd", "aaabbbc"])
        data = {WHO: random.sample(NAMES, 7), "q0": random.choices("uvwxyz", k=7), "q1": random.choices("kl", k=7)}
        columns = {WHO: Column(role="identifier"), PROTECTED: Column(role="sensitive")}
        columns |= {name: Column(role="quasi", kind="category") for name in ("q0", "q1")}
        strict, retry = random.random() < 0.8, random.random() < 0.5
        drawn = Drawn(pc.Mondrian(l=2, strict=strict, retry=retry))
        if random.random() < 0.2:
            drawn = draw_method(random)
        recoder = random.choice([pc.Intervals, pc.Intervals, Taxonomic])(largest_set=random.choice([1, 1, 2]))
        shuffled = tuple(random.sample(values, 7))
        schema = Schema(columns=columns)
        made = cls(seed, pl.DataFrame(data), tuple(range(7)), shuffled, schema, drawn, recoder, True, tuple("abcd"))
        return made if made.usable else None

    @classmethod
    def of_disguised(cls, seed: str, random: Random) -> Publishing | None:
        """Mask, SpuriousRecords or Injector, of few rows."""
        rows, extra = random.choice([(4, 0), (4, 0), (4, 1), (5, 0)])
        people = rows + extra
        data: dict[str, list[Any]] = {WHO: random.sample(NAMES, people)}
        columns = {WHO: Column(role="identifier"), PROTECTED: Column(role="sensitive")}
        for number in range(random.choice([1, 2])):
            data[f"q{number}"] = [random.randint(0, random.choice([1, 4])) for _ in range(people)]
            columns[f"q{number}"] = Column(role="quasi", kind="number")
        members = tuple(sorted(random.sample(range(people), rows)))
        domain = tuple("abc")
        values = tuple(random.choice(domain) for _ in range(rows))
        drawn, schema = Drawn(*disguised.draw(random)), Schema(columns=columns)
        made = cls(seed, pl.DataFrame(data), members, values, schema, drawn, None, True, domain)
        return made if made.usable else None

    @classmethod
    def of_withheld(cls, seed: str, random: Random) -> Publishing | None:
        """Whole columns recoded, and rows withheld that would stand in the way."""
        rows, extra = random.choice([(4, 0), (5, 0), (5, 0), (4, 1), (4, 2), (5, 1)])
        people = rows + extra
        data: dict[str, list[Any]] = {WHO: random.sample(NAMES, people)}
        columns = {WHO: Column(role="identifier"), PROTECTED: Column(role="sensitive")}
        for number in range(random.choice([1, 2])):
            data[f"q{number}"], columns[f"q{number}"] = draw_column(random, people, tree=True)
        model = random.choice(["k-anonymity=2", "k-anonymity=2", "l-diversity=2", "distinct l-diversity=2"])
        method = pc.Incognito(model=model, max_suppressed=random.choice(["1/4", "1/3", "1/2"]))
        members = tuple(sorted(random.sample(range(people), rows)))
        domain = tuple("abc"[: random.choice([2, 3])])
        values = tuple(random.choice(domain) for _ in range(rows))
        recoder = random.choice([None, None, RECODERS["suppression"](), pc.Intervals(), pc.Means()])
        frame = pl.DataFrame([_series(name, data[name], columns.get(name)) for name in data])
        made = cls(seed, frame, members, values, Schema(columns=columns), Drawn(method), recoder, True, domain)
        return made if made.usable else None

    @classmethod
    def of_alike(cls, seed: str, random: Random) -> Publishing | None:
        """Most people look the same, and groups of different sizes are published alike: a reader takes them for one.

        Such a class has a value less often than one of its groups: of a, b and a, b, c together it is 2/5, not 1/2.
        """
        letters = random.choice(["aabbc", "aabbc", "abbcd", "aabbcc", "aaabbbc"])
        values = random.sample(letters, len(letters))
        people = len(values)
        data: dict[str, list[Any]] = {WHO: random.sample(NAMES, people)}
        columns = {WHO: Column(role="identifier"), PROTECTED: Column(role="sensitive")}
        for number in range(random.choice([1, 2])):
            common = random.random() < 0.7
            data[f"q{number}"] = [1 if common else random.randint(0, 1) for _ in range(people)]
            columns[f"q{number}"] = Column(role="quasi", kind="number")
        made, law = more_methods.LAWS[random.choice(["hybrid", "ace", "soft-cut"])]
        protect, k = random.choice([(None, None), (None, None), (("a",), None), (("a",), 2)])
        given = {name: one for name, one in (("values", protect), ("k", k)) if one is not None}
        drawn = Drawn(made(l=2, **given), more_methods.protecting(law, 2, protect, k))
        recoder = random.choice([None, RECODERS["suppression"](), RECODERS["taxonomy"]()])
        everybody, schema = tuple(range(people)), Schema(columns=columns)
        drawn_of = cls(seed, pl.DataFrame(data), everybody, tuple(values), schema, drawn, recoder, True, tuple("abcd"))
        return drawn_of if drawn_of.usable else None

    @classmethod
    def of_some_values(cls, seed: str, random: Random) -> Publishing | None:
        """Some values alone are protected, each by itself or as one, by every method that can be told so."""
        rows, extra = random.choice([(4, 0), (5, 0), (5, 0), (6, 0), (4, 1), (5, 1)])
        people = rows + extra
        data: dict[str, list[Any]] = {WHO: random.sample(NAMES, people)}
        columns = {WHO: Column(role="identifier"), PROTECTED: Column(role="sensitive")}
        try:
            drawn = Drawn(*more_methods.draw_protecting(random))
        except PellucidError:
            return None  # a model that the method does not take
        for number in range(random.choice([1, 1, 2])):
            name = f"q{number}"
            data[name], columns[name] = draw_column(random, people, tree=drawn.method.recoder == "taxonomy")
        members = tuple(sorted(random.sample(range(people), rows)))
        domain = tuple("abcd"[: random.choice([2, 3, 3, 4])])
        values = tuple(random.choice(domain) for _ in range(rows))
        recoder = random.choice([None, None, None, RECODERS["suppression"](), RECODERS["anatomy"]()])
        node = _by_a_node(drawn.method) if {"a", "b"} <= set(values) and random.random() < 0.5 else None
        if node is not None:  # the same promise, put otherwise
            columns[PROTECTED] = Column(role="sensitive", taxonomy={"tree": ILLNESSES})
        frame = pl.DataFrame([_series(name, data[name], columns.get(name)) for name in data])
        made = cls(seed, frame, members, values, Schema(columns=columns), drawn, recoder, True, domain, node)
        return made if made.usable else None

    @classmethod
    def of_strata(cls, seed: str, random: Random) -> Publishing | None:
        """People in strata, some of whom look alike, recoded so that strata read alike now and then."""
        people = random.choice([4, 5, 6, 6, 7])
        data: dict[str, list[Any]] = {WHO: random.sample(NAMES, people)}
        columns = {WHO: Column(role="identifier"), PROTECTED: Column(role="sensitive")}
        for number in range(random.choice([1, 1, 2])):
            data[f"q{number}"], columns[f"q{number}"] = draw_column(random, people, tree=random.random() < 0.2)
        l = random.choice([2, 2, 2, 3])
        given: dict[str, Any] = {"l": l, "size": random.choice([max(2, l), 3, 4])}
        given["inside"] = random.choice(["hybrid", "hybrid", "lot", "none"])
        if given["inside"] != "lot" and random.random() < 0.3:
            given["values"], given["together"] = random.choice(
                [(("a",), False), (("a", "b"), True), (("b", "c"), True)]
            )
        letters = "".join(random.choice(["aab", "aaab", "ab", "abc"]) for _ in range(people))
        values = tuple(random.sample(letters, people))
        recode = random.choice(
            ["intervals", "intervals", "intervals", "suppression", "suppression", "taxonomy", "anatomy"]
        )
        recoder = RECODERS[recode]() if random.random() < 0.8 else pc.Intervals(largest_set=1)
        held = Counter(data["q0"])
        if min(held.values()) >= given["size"] and random.random() < 0.5:
            given["same"] = ("q0",)
        if given["inside"] != "lot" and random.random() < 0.4:
            given["k"] = random.randint(2, given["size"])
        method = pc.Strata(**given)
        drawn, everybody = Drawn(method, more_methods.stratified(method)), tuple(range(people))
        frame = pl.DataFrame([_series(name, data[name], columns.get(name)) for name in data])
        made = cls(seed, frame, everybody, values, Schema(columns=columns), drawn, recoder, True, tuple("abc"))
        return made if made.usable else None

    @classmethod
    def of_clusters(cls, seed: str, random: Random) -> Publishing | None:
        """A few households, or patients with several stays, and a method that takes them as one."""
        sizes = random.choice(clustered.SIZES)
        people = sum(sizes)
        data: dict[str, list[Any]] = {WHO: random.sample(NAMES, people)}
        columns = {WHO: Column(role="identifier"), PROTECTED: Column(role="sensitive")}
        for number in range(random.choice([1, 1, 2])):
            data[f"q{number}"], columns[f"q{number}"] = draw_column(random, people, tree=False)
        homes = [home for home, size in enumerate(sizes) for _ in range(size)]
        data[clustered.HOME], columns[clustered.HOME] = random.sample(homes, people), Column(role="cluster")
        method = clustered.draw_method(random, max(sizes))
        domain = tuple("abcdef"[: random.choice([3, 4, 6])])
        values = tuple(random.choice(domain) for _ in range(people))
        recoder = random.choice(
            [None, None, pc.Intervals(split=True), RECODERS["suppression"](), RECODERS["anatomy"]()]
        )
        frame = pl.DataFrame([_series(name, data[name], columns.get(name)) for name in data])
        drawn = Drawn(method, clustered.law_of(method))
        everybody = tuple(range(people))
        made = cls(seed, frame, everybody, values, Schema(columns=columns), drawn, recoder, True, domain)
        return made if made.usable else None

    @cached_property
    def units(self) -> list[tuple[int, ...]]:
        """The rows of every unit, where rows belong together; else there are none."""
        method = self.drawn.method
        if not self.schema.names(Role.CLUSTER) or not isinstance(method, ClusterMethod):
            return []
        return clustered.rows_of_units(self.setting.table(self.truth), method)

    @property
    def disguises(self) -> bool:
        """Whether what is published may not be true."""
        return bool(self.release.recipe["changes"])

    @cached_property
    def setting(self) -> Setting:
        """For everybody of the population."""
        return self.setting_of(range(self.population.height))

    def setting_of(self, people: Sequence[int]) -> Setting:
        """For some of them."""
        law = self.drawn.law
        if not self.named:
            law = self._any_order
        frame = self.population[list(people)]
        return Setting(frame, PROTECTED, {"schema": self.schema}, self.drawn.method, self.recoder, law)

    def _any_order(self, table: Table) -> Law:
        def groups_of(ordered: Table) -> list[list[int]] | None:
            try:
                found = self.drawn.method.group(ordered, Coins.from_seed(0), threads=1)
            except PellucidError:
                return None
            return [found.members[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)]

        return by_any_order(table, groups_of)

    @property
    def truth(self) -> World:
        return World(self.members, self.values)

    @cached_property
    def release(self) -> pc.Release:
        """One release of the true table."""
        return pc.publish(
            self.setting.frame(self.truth),
            self.put or self.drawn.method,
            schema=self.schema,
            recode=self.recoder,
            threads=1,
        )

    @cached_property
    def usable(self) -> bool:
        """Whether the table is published at all, and its worlds can be listed."""
        try:
            release = self.release
        except PellucidError:
            return False
        number = comb(self.population.height, len(self.members)) * sum(map(_ways, self._multisets(release)))
        return number <= MOST_WORLDS

    def _multisets(self, release: pc.Release, domain: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        if release.recipe["changes"]:  # any value of the domain may be behind what is published
            return multisets((), len(self.values), self.domain)
        hidden = release.private.labels < 0
        published = [value for value, out in zip(self.values, hidden.tolist(), strict=True) if not out]
        return multisets(published, int(hidden.sum()), self.domain if domain is None else domain)

    @cached_property
    def among(self) -> Attacker:
        """The attacker who knows the population."""
        worlds = list(every_world(self.population.height, self._multisets(self.release)))
        return Attacker(self.setting, worlds)

    @cached_property
    def table_known(self) -> Attacker:
        """The attacker who knows exactly the people of the table (numbered within it)."""
        if self.population.height == len(self.members):
            return self.among
        return self._knowing_the_table(self.domain)

    @cached_property
    def values_known(self) -> Attacker:
        """The same, who knows also which values occur in the table: whoever is suppressed has one of these."""
        domain = sorted(set(self.values), key=str)
        return self.table_known if set(domain) == set(self.domain) else self._knowing_the_table(domain)

    def _knowing_the_table(self, domain: Sequence[Any]) -> Attacker:
        worlds = every_world(len(self.members), self._multisets(self.release, domain))
        return Attacker(self.setting_of(self.members), list(worlds))


def _series(name: str, values: list[Any], column: Column | None) -> pl.Series:
    """A column of the population; nulls alone are numbers where numbers are meant."""
    number = column is not None and column.kind == "number" and not any(isinstance(one, float) for one in values)
    return pl.Series(name, values, pl.Int64) if number else pl.Series(name, values)


def _by_a_node(method: Method) -> Method | None:
    """The method that names a node instead of the values below it, which count as one; None where it names others."""
    for name in ("values", "sensitive", "binary"):
        if getattr(method, name, None) == ("a", "b") and method.as_one:
            return method.model_copy(update={name: ("sick",)})
    return None


def _names_values(method: Method) -> bool:
    """Whether a method's own parameter names values."""
    return any(getattr(method, name, None) is not None for name in ("values", "sensitive", "binary"))


def _ways(multiset: Sequence[Any]) -> int:
    return factorial(len(multiset)) // prod(factorial(multiset.count(value)) for value in set(multiset))


def names_of(publishing: Publishing) -> list[str]:
    """Everybody's name, in the order of the population."""
    return publishing.population[WHO].to_list()


def quasi_of(schema: Schema) -> list[str]:
    """The quasi-identifiers."""
    return schema.names(Role.QUASI)
