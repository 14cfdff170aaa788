"""The shapes that the papers report come out on the quick data, where they are stable."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema import Role
from pellucid.errors import InputError
from research import Reproduction, experiments, has_data, reproduce
from research.wong import check_2
from research.wong_mask import share_of_first_step


@cache
def quick(name: str) -> Reproduction:
    needed = experiments()[name].data
    if not has_data(needed):
        pytest.skip(f"{needed} is absent; say where it is with PELLUCID_DATA")
    return reproduce(name, quick=True)


def claims(found: Reproduction, words: str) -> list[bool]:
    """Whether the claims with these words hold; there must be some."""
    held = [finding.holds for finding in found.findings if words in finding.claim]
    assert held, f"no claim of {found.experiment.name} says {words!r}"
    return held


def test_credibility_of_problematic_rows_is_near_nine_tenths_at_m_2() -> None:
    found = quick("wong-fig2")
    assert all(claims(found, "about 0.9"))
    assert all(claims(found, "falls with m"))
    assert all(claims(found, "1,566"))
    assert all(claims(found, "uncovers people"))
    assert all(claims(found, "more with m"))
    assert all(claims(found, "more quasi-identifiers"))


@pytest.mark.parametrize("name", sorted(experiments()))
def test_every_experiment_runs_in_full(name: str, thorough: bool) -> None:
    """What the quick data hide, such as rows that fill no bucket."""
    needed = experiments()[name].data
    if not thorough or not has_data(needed):
        pytest.skip("in full with --thorough, where the data are")
    assert reproduce(name).findings


def test_two_tables_err_less_with_more_selective_queries_and_more_with_larger_groups() -> None:
    assert quick("wong-fig5").agrees
    found = quick("wong-fig6")
    assert all(claims(found, "falls with the selectivity"))
    assert all(claims(found, "larger at m = 10"))


def test_under_t_closeness_more_is_uncovered_as_t_falls_and_nothing_beyond_twice_t() -> None:
    found = quick("cormode-fig3cd")
    assert all(claims(found, "rises as t falls"))
    assert all(claims(found, "at most twice t"))


def test_randomized_groups_err_less_than_unconnected_tables_and_anatomizing_helps() -> None:
    found = quick("cormode-fig5")
    assert all(claims(found, "RGG errs less than Base"))
    assert all(claims(found, "anatomizing lowers"))
    assert all(claims(found, "falls with the selectivity"))


def test_correlation_is_what_sets_hybrid_behind_mondrian() -> None:
    assert quick("xiao-correlation").agrees


def test_the_first_step_dominates_mask() -> None:
    found = quick("wong-fig3")
    assert all(claims(found, "most of Mask's time"))
    assert all(claims(found, "distorts nothing"))
    assert all(claims(found, "distortion falls with k"))


def test_the_share_of_the_first_step_is_of_the_grouping_and_not_of_the_recoding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("research.wong_mask.release_of", None)  # whoever recodes fails
    table = pc.read("census:2000", schema=pc.datasets.schema_of("census:2000"))
    (column,) = table.having(Role.SENSITIVE)
    mask = pc.Mask(k=5, l=2, sensitive=table.attributes[column].values[0])
    assert share_of_first_step(table, mask) > 0


def test_the_number_of_sensitive_rows_is_the_one_that_was_counted() -> None:
    row = {"m": 2, "QI size": 5, "problematic rows": 7, "problematic share": 0.1, "uncovered share": 0.1, "seconds": 1}
    rows = [
        {**row, "varied": varied, "sensitive rows": 1234, "average credibility": 0.9} for varied in ("m", "QI size")
    ]
    (found,) = [finding for finding in check_2(pl.DataFrame(rows)) if "1,566" in finding.claim]
    assert not found.holds
    assert found.ours == "1234"


def test_greedy_grouping_is_attacked_within_the_tight_bound() -> None:
    found = quick("cormode-fig3")
    assert all(claims(found, "vulnerable at every l"))
    assert all(claims(found, "largest risk"))
    assert claims(found, "below 10 %") == [True, False]  # the paper says so of most; the frequent value differs


def test_risks_of_randomized_greedy_grouping_fall_with_p_but_not_to_the_promise() -> None:
    found = quick("cormode-fig4")
    assert len(claims(found, "fewer are vulnerable")) == 2
    assert all(claims(found, "fewer are vulnerable"))
    assert all(claims(found, "largest risk falls with p"))
    assert not any(claims(found, "down to 1/l"))  # erratum 8


def test_hybrid_errs_no_more_than_tailor_and_ace() -> None:
    found = quick("xiao-fig11")
    assert all(claims(found, "than Tailor"))
    assert all(claims(found, "than Ace"))
    assert all(claims(found, "rises with l"))


def test_soft_cut_is_beside_the_papers_methods() -> None:
    found = quick("xiao-fig11")
    assert set(found.frame["method"]) == {"Hybrid", "Tailor", "Ace", "Mondrian", "Mask", "SoftCut", "Strata"}
    assert all(claims(found, "Strata errs less than Mondrian"))
    assert all(claims(found, "no more than Mask"))
    assert all(claims(found, "at most 5 % more than Hybrid"))
    assert all(claims(found, "SoftCut errs less than Mondrian everywhere (OCC"))


def test_the_error_falls_with_selectivity() -> None:
    assert all(claims(quick("xiao-fig13"), "falls with expected selectivity"))


def test_art_has_no_violation_and_every_comparator_has() -> None:
    found = quick("robustness-fig1")
    assert all(claims(found, "ART has no violation"))
    assert len(claims(found, "has violations")) == 4
    assert all(claims(found, "has violations"))
    assert all(claims(found, "Δ grows"))
    assert all(claims(found, "Δ of ART is below"))
    assert all(claims(found, "Δ of Anatomy is above"))


def test_risk_falls_and_loss_rises_with_k_and_l() -> None:
    found = quick("hemantha-table5-1")
    assert all(claims(found, "risk falls"))
    assert all(claims(found, "loss rises"))
    assert all(claims(found, "smallest class grows"))


def test_an_experiment_writes_data_charts_and_words(tmp_path: Path) -> None:
    found = reproduce("xiao-fig15", quick=True, out=tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".png", ".svg", ".html", ".txt"}
    words = (tmp_path / "xiao-fig15.txt").read_text()
    assert found.experiment.reports in words
    assert found.experiment.remark in words


def test_absent_data_is_told_before_anything_is_computed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PELLUCID_DATA", str(tmp_path))
    with pytest.raises(InputError, match="set PELLUCID_DATA"):
        reproduce("wong-fig2", quick=True)


def test_an_unknown_experiment_is_told_with_those_that_exist() -> None:
    with pytest.raises(InputError, match="wong-fig2"):
        reproduce("wong-fig22")


def test_every_experiment_says_what_the_paper_reports_and_where_we_differ() -> None:
    assert all(len(one.reports) > 60 and len(one.remark) > 60 for one in experiments().values())
