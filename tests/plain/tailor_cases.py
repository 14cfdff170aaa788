"""Models for Tailor with random parameters, each with its plain worst-case size, for columns made to suit them.

Tailor for any model, as it is defined: both sides of a cut have at least the rows of which any choice passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Table
from pellucid.models import PrivacyModel, models
from pellucid.models.all_of import together
from pellucid.models.sensitive import DiversityModel
from plain import models as predicates
from plain import worst_cases
from plain.models import Counts, Sets
from plain.running import Running
from plain.transparent import Group, Inputs, canonical_cut

# the model, its plain worst-case size, and its predicate, both of a group's counts and the table's
Case = tuple[PrivacyModel, Callable[[Counts, Counts], int | None], Callable[[Counts, Counts], bool]]
Made = Callable[[Random, Attribute], Case]
LeastRows = Callable[[Sequence[int]], int]  # of the rows of a group


def sets(random: Random, attribute: Attribute) -> tuple[dict[str, object], Sets | None]:
    """Now and then a set of sensitive values, as the models and as the definitions take it."""
    if random.random() < 0.4:
        return {}, None
    values = len(attribute)
    codes = random.sample(range(values), random.randint(1, min(values, 3)))
    together = random.random() < 0.5
    named = tuple(attribute.values.to_list()[code] for code in codes)
    each = [frozenset([code]) for code in codes]
    return {"sensitive": named, "together": together}, [frozenset(codes)] if together else each


def k_anonymity(random: Random, _attribute: Attribute) -> Case:
    k = random.randint(1, 9)
    if random.random() < 0.3:
        model = models()["maximum re-identification risk"](risk=Fraction(2, 2 * k - 1) if k > 1 else 1)
    else:
        model = models()["k-anonymity"](k=k)
    return model, lambda some, _: worst_cases.k_anonymity(some, k), lambda some, _: sum(some) >= k


def simple(random: Random, attribute: Attribute) -> Case:
    l = random.randint(1, 4)
    given, protected = sets(random, attribute)
    return (
        models()["l-diversity"](l=l, **given),
        lambda some, _: worst_cases.simple(some, l, protected),
        lambda some, _: predicates.simple(some, l, protected),
    )


def alpha_k(random: Random, attribute: Attribute) -> Case:
    alpha, k = Fraction(random.randint(1, 12), random.choice([12, 24])), random.randint(1, 6)
    alpha = alpha if random.random() < 0.8 else alpha - Fraction(1, 10**12)  # too fine for 32 bits
    given, protected = sets(random, attribute)
    return (
        models()["(alpha,k)-anonymity"](alpha=alpha, k=k, **given),
        lambda some, _: worst_cases.alpha_k(some, alpha, k, protected),
        lambda some, _: predicates.alpha_k(some, alpha, k, protected),
    )


def distinct(random: Random, attribute: Attribute) -> Case:
    l = random.choice([1, 2, 2, 3, 4, 6])
    given, protected = sets(random, attribute)
    return (
        models()["distinct l-diversity"](l=l, **given),
        lambda some, _: worst_cases.distinct(some, l, protected),
        lambda some, _: predicates.distinct(some, l, protected),
    )


def recursive(random: Random, attribute: Attribute) -> Case:
    c, l = Fraction(random.randint(1, 20), random.choice([2, 4, 7])), random.choice([1, 2, 2, 3, 4])
    given, protected = sets(random, attribute)
    return (
        models()["recursive (c,l)-diversity"](c=c, l=l, **given),
        lambda some, _: worst_cases.recursive(some, c, l, protected),
        lambda some, _: predicates.recursive(some, c, l, protected),
    )


def entropy(random: Random, _attribute: Attribute) -> Case:
    l = random.choice([Fraction(1), Fraction(2), Fraction(3), Fraction(4), 1 + Fraction(random.randint(1, 30), 10)])
    return (
        models()["entropy l-diversity"](l=l),
        lambda some, _: worst_cases.entropy(some, l),
        lambda some, _: predicates.entropy(some, l),
    )


def equal_t(random: Random, _attribute: Attribute) -> Case:
    t = Fraction(random.randint(4, 20), 20)
    return (
        models()["t-closeness"](t=t),
        lambda some, table: worst_cases.total_variation(some, table, t),
        lambda some, table: predicates.total_variation(some, table) <= t,
    )


def ordered_t(random: Random, _attribute: Attribute) -> Case:
    t = Fraction(random.randint(3, 16), 20)
    return (
        models()["ordered t-closeness"](t=t, distance="ordered"),
        lambda some, table: worst_cases.ordered_distance(some, table, t),
        lambda some, table: predicates.ordered_distance(some, table) <= t,
    )


def k_e(random: Random, attribute: Attribute) -> Case:
    k, e, different = random.randint(1, 4), Fraction(random.choice([0, 1, 2, 5, 11]), 2), random.random() < 0.3
    numbers = [None if value is None else Fraction(str(value)) for value in attribute.values]
    return (
        models()["(k,e)-anonymity"](k=k, e=e, distinct=different),
        lambda some, _: worst_cases.k_e(some, numbers, k, e, different),
        lambda some, _: predicates.k_e(some, numbers, k, e, different),
    )


def beta(random: Random, _attribute: Attribute) -> Case:
    bound = Fraction(random.randint(0, 40), 4)
    bound = bound if random.random() < 0.8 else bound + Fraction(1, 10**12)
    return (
        models()["beta-likeness"](beta=bound),
        lambda some, table: worst_cases.beta_likeness(some, table, bound),
        lambda some, table: predicates.beta_likeness(some, table, bound),
    )


def enhanced_beta(random: Random, _attribute: Attribute) -> Case:
    bound = Fraction(random.randint(0, 40), 4)
    return (
        models()["enhanced beta-likeness"](beta=bound),
        lambda some, table: worst_cases.enhanced_beta_likeness(some, table, bound),
        lambda some, table: predicates.enhanced_beta_likeness(some, table, bound),
    )


def delta_disclosure(random: Random, _attribute: Attribute) -> Case:
    delta = Fraction(random.randint(1, 30), 10)
    return (
        models()["delta-disclosure"](delta=delta),
        lambda some, table: worst_cases.delta_disclosure(some, table, delta),
        lambda some, table: predicates.delta_disclosure(some, table, delta),
    )


def several(random: Random, attribute: Attribute) -> Case:
    """Two or three models at once, each satisfied; they name the same values where they name some."""
    about: set[object] = {1, 2}
    made: list[Case] = []
    while len(about) > 1:
        made = [CASES[name](random, attribute) for name in random.sample(sorted(set(CASES) - {SEVERAL}), 2)]
        made += [k_anonymity(random, attribute)] * (random.random() < 0.4)
        about = {(one.protects, one.as_one) for one, _, __ in made if isinstance(one, DiversityModel)}
    least, holds = at_least(made), [one for _, __, one in made]
    return together([one for one, _, __ in made]), least, lambda some, table: all(one(some, table) for one in holds)


def at_least(made: Sequence[Case]) -> Callable[[Counts, Counts], int | None]:
    """The largest of theirs."""

    def least(some: Counts, table: Counts) -> int | None:
        sizes = [size(some, table) for _, size, __ in made]
        return None if any(size is None for size in sizes) else max(size for size in sizes if size is not None)

    return least


SEVERAL = "several models"
CASES: dict[str, Made] = {
    SEVERAL: several,
    "k-anonymity": k_anonymity,
    "l-diversity": simple,
    "(alpha,k)-anonymity": alpha_k,
    "distinct l-diversity": distinct,
    "recursive (c,l)-diversity": recursive,
    "entropy l-diversity": entropy,
    "t-closeness": equal_t,
    "ordered t-closeness": ordered_t,
    "(k,e)-anonymity": k_e,
    "beta-likeness": beta,
    "enhanced beta-likeness": enhanced_beta,
    "delta-disclosure": delta_disclosure,
}


def of_numbers(random: Random, attribute: Attribute) -> Attribute:
    """The sensitive column with numbers for values, the first of them null now and then; halves among them."""
    values = len(attribute)
    null = random.random() < 0.3
    numbers = sorted(random.sample(range(4 * values), values - null))
    book: Sequence[float | None] = [None] * null + [number / 2 for number in numbers]
    positions = np.array([-1] * null + numbers, dtype=np.int64)
    series = pl.Series(attribute.name, book, dtype=pl.Float64)
    return replace(attribute, kind=Kind.NUMBER, values=series, has_null=null, positions=positions, width=4 * values)


def with_numbers(random: Random, table: Table) -> Table:
    """A table whose sensitive columns are numbers, so that every model has something to say about them."""
    made = [of_numbers(random, a) if a.role is Role.SENSITIVE else a for a in table.attributes]
    return replace(table, attributes=tuple(made))


def needed(inputs: Inputs, column: int, least: Callable[[Sequence[int], Sequence[int]], int | None]) -> LeastRows:
    """The least number of rows by one sensitive column, from counts per code; 1 more than all when there is none."""
    codes = [values[column] for values in inputs.sensitive]
    table = [codes.count(code) for code in range(max(codes) + 1)]
    known: dict[tuple[int, ...], int] = {}

    def of(rows: Sequence[int]) -> int:
        counts = [0] * len(table)
        for row in rows:
            counts[codes[row]] += 1
        if tuple(counts) not in known:
            found = least(counts, table)
            known[tuple(counts)] = len(rows) + 1 if found is None else found
        return known[tuple(counts)]

    return of


def tailored(inputs: Inputs, least: Sequence[LeastRows], rows: Sequence[int] | None = None) -> list[Group]:
    """Cut while a group has at least twice the rows that a side needs, by the column that needs most."""
    group = list(range(len(inputs.codes)) if rows is None else rows)
    side = max(one(group) for one in least)
    if len(group) < 2 * side:
        return [sorted(group)]
    sizes = range(side, len(group) - side + 1)
    left, right = canonical_cut(group, inputs.codes, inputs.order, inputs.geometry, sizes)
    return [leaf for part in (left, right) for leaf in tailored(inputs, least, part)]


class RunningTailored(Running):
    """The same, fast enough for thousands of tables (see :mod:`plain.running`)."""

    def tailored(self, least: Sequence[LeastRows], rows: Sequence[int] | None = None) -> list[Group]:
        group = list(range(len(self.codes)) if rows is None else rows)
        side = max(one(group) for one in least)
        if len(group) < 2 * side:
            return [sorted(group)]
        lines = [self.line(group, i) for i in range(len(self.rulers))]
        i, k = self.best([[[row] for row in line] for line in lines], range(side, len(group) - side + 1))
        return [leaf for part in (lines[i][:k], lines[i][k:]) for leaf in self.tailored(least, part)]
