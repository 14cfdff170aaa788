"""Cells of people and values: what the kernel finds is what listing every arrangement finds; learning too."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.posterior.permanents import balanced, marginals
from pellucid.risk.inference import cells as layouts
from pellucid.risk.inference.cell_posteriors import Contradiction, by_kinds, large_group, to_posteriors
from pellucid.risk.inference.cells import Cells, Looks
from pellucid.risk.inference.learning import draw_groups, learn
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups
from plain.cells import learned, posteriors


def some_release(random: np.random.Generator, *, rows: int = 40, values: int = 6, largest: int = 5) -> Evidence:
    """Groups of up to so many people, with values as they come; some rows are in no group."""
    frame = pl.DataFrame(
        {
            "a": random.integers(0, 4, rows),
            "b": random.integers(0, 3, rows),
            "s": random.integers(0, values, rows),
        }
    )
    labels = np.repeat(np.arange(rows), random.integers(1, largest + 1, rows))[:rows]
    labels = random.permutation(labels)
    labels[random.random(rows) < 0.1] = -1
    _, numbered = np.unique(labels, return_inverse=True)
    numbered = numbered - (labels.min() < 0)
    table = pc.read(frame, quasi=["a", "b"], sensitive="s", identifier=None)
    return evidence_of_groups(table, numbered)


def plainly(layout: Cells, held: np.ndarray[Any, Any], group: int) -> list[list[float]] | None:
    counts = layout.counts[layout.value_starts[group] : layout.value_starts[group + 1]].tolist()
    return posteriors(layout.of_group(held, group).tolist(), counts)


@pytest.mark.parametrize("seed", range(12))
def test_posteriors_are_the_shares_of_arrangements(seed: int) -> None:
    """Some forty groups each, of one to five people; weights of 0, and of very different sizes."""
    random = np.random.default_rng(seed)
    layout = Cells.of(some_release(random, rows=120))
    weights = random.random(layout.total) ** random.choice([1, 8, 60], layout.total)
    weights[random.random(layout.total) < 0.1] = 0.0
    expected = [plainly(layout, weights, group) for group in range(len(layout))]
    possible = np.array([number for number, one in enumerate(expected) if one is not None])
    some = layout.some(possible)
    held = weights[layout.places(possible)]
    assert to_posteriors(some, held)
    for place, group in enumerate(possible.tolist()):
        np.testing.assert_allclose(some.of_group(held, place), expected[group], rtol=1e-9, atol=1e-12)
    for group in np.flatnonzero([one is None for one in expected]).tolist():
        with pytest.raises(Contradiction):
            to_posteriors(layout.some(np.array([group])), weights[layout.block(group)].copy())


@pytest.mark.parametrize(("people", "different"), [(7, True), (8, True), (9, False), (11, True), (13, False)])
def test_groups_that_are_too_large_to_list_agree_with_counting_slot_by_slot(people: int, different: bool) -> None:
    random = np.random.default_rng(people)
    groups = 19  # more than two times the lanes of the kernel, and some left over
    of_group = np.arange(people) if different else np.arange(people) // 2
    frame = pl.DataFrame({"q": random.integers(0, 3, people * groups), "s": np.tile(of_group, groups)})
    table = pc.read(frame, quasi="q", sensitive="s")
    layout = Cells.of(evidence_of_groups(table, np.repeat(np.arange(groups), people)))
    weights = random.random(layout.total) ** 5
    held = weights.copy()
    assert to_posteriors(layout, held)
    slots = np.repeat(np.arange(int(layout.distinct[0])), layout.counts[: int(layout.distinct[0])])
    by_slot = marginals(np.stack([layout.of_group(weights, g)[:, slots] for g in range(groups)]))
    for group in range(groups):
        by_value = np.stack([by_slot[group][:, slots == v].sum(axis=1) for v in range(int(layout.distinct[0]))], axis=1)
        np.testing.assert_allclose(layout.of_group(held, group), by_value, rtol=1e-9, atol=1e-12)


def test_sums_that_floats_do_not_hold_are_counted_otherwise() -> None:
    frame = pl.DataFrame({"q": [0] * 8, "s": range(8)})
    layout = Cells.of(evidence_of_groups(pc.read(frame, quasi="q", sensitive="s"), [0] * 8))
    weights = np.full((8, 8), 1e-60) + np.eye(8, k=1)
    weights[:, 0] = 1.0  # nearly every arrangement is nearly impossible
    held = weights.ravel().copy()
    assert to_posteriors(layout, held)
    np.testing.assert_allclose(held.reshape(8, 8), marginals(weights[None])[0], rtol=1e-9, atol=1e-12)


def test_large_groups_are_scaled_or_counted_by_kinds() -> None:
    random = np.random.default_rng(5)
    frame = pl.DataFrame({"q": random.integers(0, 3, 60), "s": random.integers(0, 4, 60)})
    layout = Cells.of(evidence_of_groups(pc.read(frame, quasi="q", sensitive="s"), np.repeat([0, 1, 2], 20)))
    by_kind = random.random((3, 4))
    kinds = np.asarray(frame["q"]).astype(np.int32)
    weights = np.concatenate([by_kind[kinds[layout.members[a:a + 20]]][:, held_codes(layout, g)].ravel()
                              for g, a in enumerate((0, 20, 40))])  # fmt: skip
    scaled, counted = weights.copy(), weights.copy()
    assert not to_posteriors(layout, scaled)
    assert to_posteriors(layout, counted, exactly=True, kinds=kinds)
    for group in range(3):
        counts = layout.counts[layout.value_starts[group] : layout.value_starts[group + 1]]
        own = layout.of_group(weights, group)
        np.testing.assert_allclose(layout.of_group(scaled, group), balanced(own, counts), rtol=1e-8)
        np.testing.assert_allclose(layout.of_group(counted, group), large_group(own, counts), rtol=1e-9)
    assert by_kinds(own, counts, kinds[:20], budget=3) is None


def held_codes(layout: Cells, group: int) -> np.ndarray[Any, Any]:
    return layout.codes[layout.value_starts[group] : layout.value_starts[group + 1]]


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_learning_is_expectation_and_maximisation(seed: int, dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "DENSE", 1 << 20 if dense else 0)
    monkeypatch.setattr(layouts, "AT_ONCE", 16)  # several stretches
    random = np.random.default_rng(100 + seed)
    evidence = some_release(random)
    layout = Cells.of(evidence)
    prior = pc.Learned(iterations=4, smoothing=0.3)
    found = learn(evidence, layout, prior)
    people = evidence.people
    columns = [people.codes[i].tolist() for i in (0, 1)]
    groups = [(evidence.members(g).tolist(), *(x.tolist() for x in evidence.counts(g))) for g in range(len(layout))]
    sizes = [len(people.attributes[i]) for i in (0, 1)]
    expected = learned(list(zip(*columns, strict=True)), sizes, groups, iterations=4, smoothing=0.3)
    for group, (rows, codes, _) in enumerate(groups):
        own = layout.of_group(found.cells, group)
        for place, row in enumerate(rows):
            np.testing.assert_allclose(own[place], [expected[row][code] for code in codes], rtol=1e-9, atol=1e-12)
    most, code = layout.likeliest(found.cells)
    inside = evidence.grouping.labels >= 0
    assert (code[~inside] == -1).all()
    assert all(most[row] == pytest.approx(max(expected[row].values())) for row in np.flatnonzero(inside).tolist())
    chances = layout.chances(found.cells, np.array([0, 2]))
    told = [expected[row].get(0, 0) + expected[row].get(2, 0) for row in range(len(inside))]
    np.testing.assert_allclose(chances, told, rtol=1e-9, atol=1e-12)


def test_pairs_that_occur_are_numbered_where_all_of_them_would_be_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = some_release(np.random.default_rng(3))
    layout = Cells.of(evidence)
    held = np.random.default_rng(4).random(layout.total)
    dense = Looks.of(evidence.people.codes[0], 4, 6, layout)
    monkeypatch.setattr(layouts, "DENSE", 0)
    sparse = Looks.of(evidence.people.codes[0], 4, 6, layout)
    assert dense.width == 6
    assert sparse.width == 0
    assert sparse.of_pair is not None
    np.testing.assert_allclose(sparse.sums(layout, held), dense.sums(layout, held)[sparse.of_pair])


@pytest.mark.parametrize("dense", [True, False])
def test_a_lot_of_everybody_is_everybody(dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who draws all groups learns what everybody tells; the interval then only says how fifths differ."""
    monkeypatch.setattr(layouts, "DENSE", 1 << 20 if dense else 0)
    evidence = some_release(np.random.default_rng(11), rows=200)
    layout = Cells.of(evidence)
    prior = pc.Learned(iterations=3)
    whole = learn(evidence, layout, prior, lot=None)
    inside = int((evidence.grouping.labels >= 0).sum())
    drawn = learn(evidence, layout, prior, lot=inside - 1)
    assert whole.lot is None
    assert drawn.lot is not None
    assert inside - 10 < drawn.lot < inside
    np.testing.assert_allclose(drawn.cells, whole.cells, atol=0.2)


def test_the_same_groups_are_drawn_by_everybody() -> None:
    sizes = np.random.default_rng(2).integers(1, 9, 500)
    drawn = draw_groups(sizes, 700)
    assert (drawn == draw_groups(sizes, 700)).all()
    assert 690 < int(sizes[drawn].sum()) <= 700
    assert 0.35 < np.mean(drawn < 250) < 0.65  # by lot, and not the first ones
