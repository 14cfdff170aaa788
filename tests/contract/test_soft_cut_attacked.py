"""What is said of SoftCut's releases: bounds where a cut may have been refused, exact elsewhere, all within 1/l."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.risk.facts import Has, Not
from plain.soft_cut import smallest_side

pytestmark = pytest.mark.filterwarnings(
    "ignore::pellucid.core.attribute_disclosure.TellingColumnWarning"
)  # of the region
ROLES = {"quasi": ["region", "side"], "sensitive": "s", "identifier": "name"}


def refused_table() -> pl.DataFrame:
    """120 people in two far regions; in the first, a cut is tried whose one side has too many of value 0."""
    rows = []
    for side, many in enumerate((16, 4)):
        values = [0] * many + [1 + 30 * side + i // 2 for i in range(30 - many)]
        rows += [("near", side, value) for value in values]
    rows += [("far", 0, 1000 + i // 2) for i in range(60)]
    names = [f"p{i:03}" for i in range(len(rows))]
    regions, sides, values = zip(*rows, strict=True)
    of_region = [0 if region == "near" else 9 for region in regions]
    return pl.DataFrame({"name": names, "region": of_region, "side": sides, "s": [f"v{v}" for v in values]})


@pytest.fixture(scope="module")
def release() -> pc.Release:
    return pc.publish(refused_table(), SoftCut(l=2), **ROLES)


def test_beliefs_below_a_refusal_are_bounds_within_one_in_l(release: pc.Release) -> None:
    beliefs = pc.attack(release, truth=refused_table(), **ROLES)
    sizes = release.private.grouping.sizes[release.private.labels]
    assert beliefs.max_risk == pytest.approx(0.5)
    assert beliefs.upper is not None
    assert beliefs.lower is not None
    for g in np.unique(sizes):
        most, least = (Fraction(1, 2), Fraction(1, 2)) if g == 2 else (Fraction(2, g + 1), Fraction(1, 2 * g - 1))
        assert np.allclose(beliefs.upper[sizes == g], float(most))
        assert np.allclose(beliefs.lower[sizes == g], float(least))
    assert (sizes[:60] >= 3).all()
    assert "at most 0.5" in beliefs.explain("p000")
    assert "at most" not in beliefs.explain("p100")
    assert any("60 people" in note for note in beliefs.notes)


def test_exact_figures_are_fractions(release: pc.Release) -> None:
    beliefs = pc.attack(release, truth=refused_table(), exact=True, **ROLES)
    group = int(release.private.grouping.sizes[release.private.labels[0]])
    assert set(beliefs.posterior_of(0).values()) == {Fraction(2, group + 1)}


def test_facts_about_neighbours_are_counted_with_the_bound(release: pc.Release) -> None:
    """Of three people one is known: the other two are known up to a factor of two, at most 2/3."""
    table, labels = refused_table(), release.private.labels
    three = next(group for group in range(len(release.private.grouping)) if (labels == group).sum() == 3)
    first, second, third = np.flatnonzero(labels == three).tolist()
    told = Has(table["name"][second], table["s"][second])
    informed = pc.Adversary(knows="algorithm", facts=(told,))
    beliefs = pc.attack(release, informed, truth=table, **ROLES)
    assert beliefs.risk[second] == 1
    assert beliefs.risk[first] == pytest.approx(2 / 3)
    assert beliefs.posterior(table["name"][third], table["s"][first]) == pytest.approx(2 / 3)
    denied = pc.Adversary(knows="algorithm", facts=(Not(table["name"][first], table["s"][second]),))
    beliefs = pc.attack(release, denied, truth=table, **ROLES)
    assert beliefs.risk[first] == pytest.approx(2 / 3)


def test_a_prior_by_which_people_differ_is_counted_with_the_bound(release: pc.Release) -> None:
    table, labels = refused_table(), release.private.labels
    flat = {side: {value: 1 / table["s"].n_unique() for value in table["s"].unique()} for side in (0, 1)}
    adversary = pc.Adversary(knows="algorithm", prior=pc.Distribution(("side",), flat))
    beliefs = pc.attack(release, adversary, truth=table, **ROLES)
    sizes = release.private.grouping.sizes[labels]
    assert np.allclose(beliefs.risk, np.where(sizes == 2, 0.5, 2 / (sizes + 1)))


def test_every_attacker_and_every_answer_treats_it_as_the_others(release: pc.Release) -> None:
    report = pc.attack_all(release, truth=refused_table(), **ROLES)
    assert "could not be tried" not in str(report) or "0 could not be tried" in str(report)
    asked = [pc.LDiversity(l=2), pc.TransparentLDiversity(l=2)]
    assert [v.holds for v in pc.verify(release, asked, truth=refused_table(), **ROLES)] == [True, True]
    (stricter,) = pc.verify(release, [pc.TransparentLDiversity(l=3)], truth=refused_table(), **ROLES)
    assert (stricter.holds, stricter.level) == (False, 2)
    assert pc.attack(release, truth=refused_table(), **ROLES).share_above(0.5) == 0


@pytest.mark.parametrize("l", [2, 3, 4])
def test_no_cut_of_a_small_table_is_tried_so_its_figures_are_exact(l: int) -> None:
    """The smallest table with a tried cut, by trying all sizes, has more than 12 * l * l rows."""
    fewest = min(
        n + l * c
        for n in range(1, 20 * l * l)
        for c in range(1, n // (l + 1) + 1)
        if n < 2 * l * c and 2 * smallest_side(n, c, l) <= n
    )
    assert fewest > 12 * l * l


def test_a_group_larger_than_l_in_a_small_table_has_its_frequency() -> None:
    table = pl.DataFrame({"name": ["a", "b", "c"], "region": [1, 2, 3], "side": [0, 0, 1], "s": ["x", "y", "z"]})
    beliefs = pc.attack(pc.publish(table, SoftCut(l=2), **ROLES), truth=table, **ROLES)
    assert beliefs.max_risk == pytest.approx(1 / 3)
    assert beliefs.upper is None
