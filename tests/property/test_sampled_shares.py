"""What is too much to count is sampled: the intervals hold the truth, and too little to go by is an error."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from time import process_time

import numpy as np
import pytest

import pellucid as pc
from pellucid.core.coins import Coins
from pellucid.errors import AttackError
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import OverBudget
from pellucid.posterior.merged_classes import merged_classes
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.sampling import draw, sampled
from pellucid.posterior.shape import Buckets, Merged, Shape
from pellucid.risk import infer
from pellucid.risk.views.known_groups import evidence_of_groups
from plain.arrangements import shares
from plain.tables import line, secret, table_of

WHOLE = (("a", 9), ("b", 9), ("c", 9))


def random_shape(random: Random) -> tuple[Shape, SensitiveColumn]:
    column = SensitiveColumn(["a", "b", "c"], [random.randint(1, 3) for _ in range(3)])
    column.counts[0] += (4 - column.total) % 2 + max(0, 4 - column.total)
    half = column.total // 2
    model = LDiversity(l=2)
    return random.choice(
        [
            (Merged((half, column.total - half), model, WHOLE), column),
            (
                Refused((1, half, column.total - half - 1), ((True, False, True), (True, True, False)), model, WHOLE),
                column,
            ),
            (Buckets((2,) * half, model, Fraction(1, 3), WHOLE), column),
        ]
    )


def test_intervals_hold_the_truth() -> None:
    """Of 150 groups about 7 may be missed by an interval of 95 %; these hold for all values of a part at once."""
    held = tried = 0
    for seed in range(150):
        shape, column = random_shape(Random(f"sampled {seed}"))
        truth = shares(shape, column)
        if truth is None:
            continue
        found = sampled(shape, column, wanted=300, seed=seed)
        exact = np.array(truth, dtype=np.float64)
        assert abs(found.shares - exact).max() < 0.2
        tried += 1
        held += bool(((found.lower[0] <= exact[0] + 1e-12) & (exact[0] <= found.upper[0] + 1e-12)).all())
    assert tried > 100
    assert held >= 0.95 * tried


def test_draws_are_equally_likely_by_rows() -> None:
    drawn = draw(SensitiveColumn(["a", "b", "c"], [3, 2, 1]), (2, 4), 40_000, np.random.default_rng(1))
    assert (drawn.sum(axis=2) == [2, 4]).all()
    assert (drawn.sum(axis=1) == [3, 2, 1]).all()
    both = (drawn[:, 0, 0] == 2).mean()  # both rows of the first part have a: 3/6 * 2/5
    assert abs(both - 0.2) < 4 * (0.2 * 0.8 / 40_000) ** 0.5


def test_what_hardly_ever_fits_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.posterior.sampling.MOST", 1_000_000)
    column = SensitiveColumn(["a", "b"], [150, 180])
    rare = Merged(
        (30, 300), pc.DistinctLDiversity(l=2, sensitive=("a", "b")), (("a", 150), ("b", 180))
    )  # 30 of 30 alike
    with pytest.raises(AttackError, match="at least 200 are needed"):
        sampled(rare, column)


def test_what_hardly_ever_fits_is_walked_where_values_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 15 of 30 rows have one of 30 values that 330 rows share: no draw finds that, a walk does."""
    monkeypatch.setattr("pellucid.posterior.sampling.MOST", 1_000_000)
    model, counts = LDiversity(l=2, sensitive=("a",)), {"a": 30, "b": 300}
    rare = Merged((30, 300), model, tuple(counts.items()))
    found = sampled(rare, SensitiveColumn(list(counts), list(counts.values())))
    exact = merged_classes([30, 300], counts, model)[0]["a"]
    assert 0.5 < exact < 0.7
    assert found.lower[0, 0] <= exact <= found.upper[0, 0]
    assert found.upper[0, 0] - found.lower[0, 0] < 0.1


def test_too_much_to_count_is_noticed_before_counting() -> None:
    """Eight cells of thirty rows: every way to deal a value to them would be millions."""
    left = tuple(tuple(bool(cell >> cut & 1) for cell in range(8)) for cut in range(3))
    column = SensitiveColumn(["a", "b", "c"], [80, 80, 80])
    start = process_time()
    with pytest.raises(OverBudget, match="3 refused cuts of 240 rows"):
        Refused((30,) * 8, left, LDiversity(l=2), WHOLE).shares(column)
    assert process_time() - start < 2


def attacked(budget: int) -> pc.Beliefs:
    random = Random("sampled attack")
    values = [random.choice([0, 0, 1, 1, 2, 3, 4]) for _ in range(60)]
    table = table_of([line("q", [random.randrange(40) for _ in values]), secret("s", values)], range(60))
    method = pc.GreedyGrouping(l=3)
    labels = method.group(table, Coins.from_seed(1), threads=1).labels
    return infer(
        evidence_of_groups(table, labels.tolist(), method=method), pc.Adversary(knows="algorithm"), budget=budget
    )


def test_an_attack_past_its_budget_says_so_and_samples() -> None:
    exact, estimated = attacked(3_000_000), attacked(20)
    assert not exact.sampled
    assert "sampled" not in exact.engine
    assert "sampled for" in estimated.engine
    assert estimated.confidence == 0.95
    assert any("confidence 0.95" in note for note in estimated.notes)
    assert estimated.lower is not None
    assert estimated.upper is not None
    assert (estimated.lower <= estimated.risk).all()
    assert (estimated.risk <= estimated.upper).all()
    held = (estimated.lower <= exact.risk + 1e-12) & (exact.risk <= estimated.upper + 1e-12)
    assert held.mean() >= 0.95
    assert (estimated.lower < estimated.upper).any()
