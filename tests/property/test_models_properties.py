"""What holds for every table: levels are the best parameters that hold, and nothing but the counts matters."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.models import Groups, Level, PrivacyModel, models
from pellucid.models.delta_presence import DeltaPresence
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.k_map import KMap
from pellucid.models.l_diversity import LDiversity
from pellucid.models.t_closeness import TCloseness
from pellucid.models.table_risk import TableRisk
from plain import models as plain
from plain.random_tables import random_paths
from plain.tables import attribute, tree

Rows = list[tuple[int, int]]  # a group and a code


def numbers(values: int, null: bool) -> Attribute:
    """A column of numbers that every model but the hierarchical one can look at."""
    book = pl.Series("pay", ([None] if null else []) + [code * 0.25 for code in range(values - null)], pl.Float64)
    return attribute(Role.SENSITIVE, Kind.NUMBER, book, [-1] * null + list(range(values - null)), values)


@st.composite
def tables(draw: st.DrawFn, most_groups: int = 4) -> tuple[Rows, Attribute]:
    """Rows whose groups are numbered without gaps and whose codes all occur, as in a codebook."""
    rows = draw(st.lists(st.tuples(st.integers(0, most_groups - 1), st.integers(0, 4)), min_size=1, max_size=25))
    labels = {label: number for number, label in enumerate(sorted({label for label, _ in rows}))}
    codes = {code: number for number, code in enumerate(sorted({code for _, code in rows}))}
    null = draw(st.booleans()) and len(codes) > 1
    return [(labels[label], codes[code]) for label, code in rows], numbers(len(codes), null)


def groups_of(rows: Rows, column: Attribute, population: dict[int, int] | None = None, absent: int = 0) -> Groups:
    labels, codes = np.array(rows, dtype=np.int32).T
    people = None if population is None else np.array([population[g] for g in range(labels.max() + 1)])
    return Groups.of(labels.copy(), codes.copy(), column, population=people, absent=absent)


def surveyed(groups: Groups) -> list[PrivacyModel]:
    """An instance of every model that has something to say."""
    every = [model for kind in dict.fromkeys(models().values()) for model in kind.surveyed(groups)]
    return [model for model in every if model.unfit(groups) is None]


def with_parameters(model: PrivacyModel, **parameters: object) -> PrivacyModel:
    given = {name: getattr(model, name) for name in type(model).model_fields}
    return type(model)(**{**given, **parameters})


@settings(deadline=None)
@given(tables(), st.randoms())
def test_counting_equals_counting_by_hand_and_parts_merge(table: tuple[Rows, Attribute], random: Random) -> None:
    rows, column = table
    groups = groups_of(rows, column)
    by_hand: dict[int, Counter[int]] = {}
    for label, code in rows:
        by_hand.setdefault(label, Counter())[code] += 1
    for group in range(len(groups)):
        part = slice(groups.starts[group], groups.starts[group + 1])
        assert groups.codes[part].tolist() == sorted(by_hand[group])
        assert dict(zip(groups.codes[part].tolist(), groups.counts[part].tolist(), strict=True)) == by_hand[group]
        assert groups.sizes[group] == sum(by_hand[group].values())
    exempt = {row for row in range(len(rows)) if random.random() < 0.3 and rows[row][0] != rows[0][0]}
    labels = np.array([-1 if row in exempt else label for row, (label, _) in enumerate(rows)], dtype=np.int32)
    _, labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)
    codes = np.array([code for _, code in rows], dtype=np.int32)
    left = Groups.of(labels, codes, column)
    assert left.table_counts.tolist() == groups.table_counts.tolist()
    assert left.rows == len(rows) - len(exempt)


@settings(deadline=None)
@given(st.lists(tables(most_groups=1), min_size=1, max_size=3), st.randoms())
def test_groups_counted_in_parts_are_merged(parts: list[tuple[Rows, Attribute]], random: Random) -> None:
    column = numbers(5, null=False)
    rows = [[(random.randrange(len(part)), code) for _, code in part] for part, _ in parts]
    rows = [[(0, 0)] + [(label, code) for label, code in part] for part in rows]

    def counted(part: Rows) -> Groups:
        counts = np.zeros((max(label for label, _ in part) + 1, 5), np.int64)
        for label, code in part:
            counts[label, code] += 1
        return Groups.of_counts(counts, counts.sum(axis=0), column)

    whole, together = counted([row for part in rows for row in part]), Groups.merge([counted(part) for part in rows])
    for name in ("sizes", "starts", "codes", "counts", "table_counts"):
        assert getattr(whole, name).tolist() == getattr(together, name).tolist()


@settings(deadline=None)
@given(tables())
def test_a_level_holds_and_anything_better_does_not(table: tuple[Rows, Attribute]) -> None:
    rows, column = table
    population = {group: 3 + count for group, count in Counter(label for label, _ in rows).items()}
    groups = groups_of(rows, column, population, absent=len(rows) % 2)
    for model in surveyed(groups):
        level = model.level(groups)
        main, direction = next(iter(model.directions.items()))
        if level.level is None or math.isinf(level.level):
            assert not model.check(groups).holds
            continue
        best = Fraction(level.exact if level.exact is not None else str(level.level))
        integer = type(model).model_fields[main].annotation is int
        step = Fraction(1) if integer else Fraction(1, 10**12)
        better = best + step if direction == "largest" else best - step
        at = {name: value for name, value in level.parameters.items() if name in type(model).model_fields}
        for value, expected in ((best, not model.strict or level.exact is None), (better, False)):
            try:
                asked = with_parameters(model, **{**at, main: int(value) if integer else value})
            except ModelError:  # the best value is the end of the range: t = 0, k = 1, low = 1
                assert not expected
                continue
            verdict = asked.check(groups)
            assert verdict.holds is expected, (asked, level)
            assert verdict.level == level.level
            assert verdict.worst == level.worst
            # the vectorised predicate says the same, except about a population and the table as a whole
            if not isinstance(model, KMap | DeltaPresence | TableRisk):
                dense = np.zeros((len(groups), len(column)), np.int64)
                dense[groups.groups_of_entries, groups.codes] = groups.counts
                assert asked.check_counts(dense, groups.table_counts, attribute=column).all() == expected


def comparable(level: Level) -> tuple[Any, ...]:
    """What must not change when things are only named or ordered differently; of equally bad groups, any is named."""
    return level.model, level.level, level.exact, level.parameters, level.meaning


@settings(deadline=None)
@given(tables(), st.randoms())
def test_order_and_numbering_change_nothing(table: tuple[Rows, Attribute], random: Random) -> None:
    rows, column = table
    first = [comparable(model.level(groups_of(rows, column))) for model in surveyed(groups_of(rows, column))]
    size = max(label for label, _ in rows) + 1
    renumber = random.sample(range(size), size)
    shuffled = [(renumber[label], code) for label, code in random.sample(rows, len(rows))]
    again = groups_of(shuffled, column)
    second = [comparable(model.level(again)) for model in surveyed(again)]
    assert first == second


@settings(deadline=None)
@given(tables(), st.randoms())
def test_relabelling_values_changes_nothing_where_values_are_only_names(
    table: tuple[Rows, Attribute], random: Random
) -> None:
    rows, column = table
    relabel = random.sample(range(len(column)), len(column))
    one, two = groups_of(rows, column), groups_of([(label, relabel[code]) for label, code in rows], column)
    for model in surveyed(one):
        if model.label not in ("ordered t-closeness", "(k,e)-anonymity"):
            assert comparable(model.level(one)) == comparable(model.level(two))


@settings(deadline=None)
@given(tables())
def test_merging_two_groups_worsens_no_level(table: tuple[Rows, Attribute]) -> None:
    rows, column = table
    population = {group: 5 + count for group, count in Counter(label for label, _ in rows).items()}
    apart = groups_of(rows, column, population)
    if len(apart) < 2:
        return
    population[0] += population[len(apart) - 1]
    merged = groups_of([(label % (len(apart) - 1), code) for label, code in rows], column, population)
    for model in surveyed(apart):
        direction = next(iter(model.directions.values()))
        before, after = model.level(apart).level, model.level(merged).level
        before = math.inf if before is None else before
        after = math.inf if after is None else after
        assert after >= before if direction == "largest" else after <= before, model


def test_entropy_of_some_values_only_may_get_worse_by_merging() -> None:
    column = attribute(Role.SENSITIVE, Kind.CATEGORY, pl.Series("s", ["flu", "hiv"]), [0, 1], 1)
    model = EntropyLDiversity(l=Fraction(2), sensitive=("hiv",))
    assert model.check_counts(np.array([[2, 2], [9, 0]]), np.array([11, 2]), attribute=column).tolist() == [True, True]
    assert not model.check_counts(np.array([11, 2]), np.array([11, 2]), attribute=column)


def test_a_row_more_may_worsen_every_model_but_those_of_size() -> None:
    before, after, table = np.array([2, 2]), np.array([3, 2]), np.array([5, 5])
    assert LDiversity(l=2).check_counts(before, table)
    assert not LDiversity(l=2).check_counts(after, table)
    assert TCloseness(t=Fraction(0)).check_counts(before, table)
    assert not TCloseness(t=Fraction(0)).check_counts(after, table)
    assert KAnonymity(k=4).check_counts(after, table)


@settings(deadline=None)
@given(tables())
def test_levels_are_ordered_as_the_models_imply(table: tuple[Rows, Attribute]) -> None:
    groups = groups_of(*table)
    simple, distinct = LDiversity(l=1).level(groups).level, DistinctLDiversity(l=1).level(groups).level
    entropy = EntropyLDiversity(l=Fraction(1)).level(groups).level
    assert simple is not None
    assert distinct is not None
    assert entropy is not None
    assert 1 <= simple <= entropy <= distinct <= KAnonymity(k=1).level(groups).level  # type: ignore[operator]
    for distance in ("equal", "ordered"):
        t = TCloseness(t=Fraction(0), distance=distance).level(groups).level  # type: ignore[arg-type]
        assert t is not None
        assert 0 <= t <= 1


@settings(deadline=None)
@given(tables())
def test_every_group_has_the_distance_of_the_definition(table: tuple[Rows, Attribute]) -> None:
    groups = groups_of(*table)
    equal = TCloseness(t=Fraction(0)).figures(groups)["t"]
    ordered = TCloseness(t=Fraction(0), distance="ordered").figures(groups)["t"]
    whole = groups.table_counts
    ranks = range(len(whole))
    for group in range(len(groups)):
        counts = np.zeros(len(whole), np.int64)
        part = slice(groups.starts[group], groups.starts[group + 1])
        counts[groups.codes[part]] = groups.counts[part]
        assert equal.exact(group) == plain.total_variation(counts.tolist(), whole.tolist())
        assert ordered.exact(group) == plain.ordered_distance(counts.tolist(), whole.tolist())
        if len(whole) > 1:
            by_scipy = wasserstein_distance(ranks, ranks, counts, whole) / (len(whole) - 1)
            assert ordered.floats[group] == pytest.approx(by_scipy, abs=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_hierarchical_distance_is_the_cheapest_flow(seed: int) -> None:
    random = Random(seed)
    paths = random_paths(random)
    picks: list[int | None] = [random.choice([None, *range(len(paths))]) for _ in range(random.randint(2, 30))]
    column, codes = tree("s", paths, picks)
    labels = np.array([random.randrange(2) if row else 0 for row in range(len(picks))], dtype=np.int32)
    groups = Groups.of(labels, np.array(codes, dtype=np.int32), column)
    model = TCloseness(t=Fraction(0), distance="hierarchical")
    assert model.unfit(groups) is None
    figures = model.figures(groups)["t"]
    used = sorted({pick for pick in picks if pick is not None}, key=lambda pick: paths[pick])
    places = ([(-1,)] if None in picks else []) + [paths[pick] for pick in used]
    height = max(len(path) for path in paths)

    def cost(one: tuple[int, ...], two: tuple[int, ...]) -> int:
        """How many levels up two leaves meet."""
        shared = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
        return 0 if one == two else height - shared

    rows = groups.table_rows
    for group in range(len(groups)):
        size = int(groups.sizes[group])
        own = groups.of_group(group)
        network = nx.DiGraph()
        for i, place in enumerate(places):
            network.add_node(("group", i), demand=-own.get(column.values[i], 0) * rows)
            network.add_node(("table", i), demand=int(groups.table_counts[i]) * size)
            for j, other in enumerate(places):
                network.add_edge(("group", i), ("table", j), weight=cost(place, other))
        cheapest = nx.min_cost_flow_cost(network)
        assert figures.exact(group) == Fraction(cheapest, size * rows * height)


@settings(deadline=None)
@given(tables(most_groups=8), st.integers(1, 12))
def test_looking_stretch_by_stretch_changes_nothing(table: tuple[Rows, Attribute], entries: int) -> None:
    rows, column = table
    population = {group: 3 + count for group, count in Counter(label for label, _ in rows).items()}
    groups = groups_of(rows, column, population)
    parts = list(groups.stretches(entries))
    assert [size for part in parts for size in part.sizes.tolist()] == groups.sizes.tolist()
    assert parts[0].of_group(0) == groups.of_group(0)
    dense = np.zeros((len(groups), len(column)), np.int64)
    dense[groups.groups_of_entries, groups.codes] = groups.counts
    values = tuple(column.values.to_list()[:2])
    some = [LDiversity(l=2, sensitive=values), EntropyLDiversity(l=Fraction(2), sensitive=values, together=True)]
    for model in [*surveyed(groups), *some]:
        countable = not isinstance(model, KMap | DeltaPresence | TableRisk)
        level, verdict = model.level(groups), model.check(groups)
        met = model.check_counts(dense, groups.table_counts, attribute=column) if countable else None
        with patch("pellucid.models.model.STRETCH", entries):
            assert model.level(groups) == level
            assert model.check(groups) == verdict
            if met is not None:
                again = model.check_counts(dense, groups.table_counts, attribute=column)
                assert again.tolist() == met.tolist()


@settings(max_examples=30, deadline=None)
@given(tables(), st.integers(0, 3))
def test_integers_beyond_64_bits_change_nothing(table: tuple[Rows, Attribute], power: int) -> None:
    """Counts multiplied by 10**10 give the same shares; products of them no longer fit a machine word."""
    rows, column = table
    groups = groups_of(rows, column)
    factor = 10 ** (power * 3)
    large = Groups(
        groups.sizes * factor,
        groups.starts,
        groups.codes,
        groups.counts * factor,
        groups.table_counts * factor,
        column,
    )
    for distance in ("equal", "ordered"):
        model = TCloseness(t=Fraction(1, 3), distance=distance)  # type: ignore[arg-type]
        assert model.level(groups).exact == model.level(large).exact
        assert model.check(groups).holds == model.check(large).holds
