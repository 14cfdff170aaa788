"""The public report tells nothing about single people or groups, and nothing that the release does not tell."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import pellucid as pc
from pellucid.audit.source import opened
from pellucid.reports.published import FEWEST_ROWS
from report.marked import ROLES, Marked, marked_table, published

PERSONAL = re.compile(r"(Who|Town|Mother|Ill)x\d+x")
COMMON = re.compile(r"<figure>\s*<p[^>]*>How common the values of ill are, in all rows</p>.*?</figure>", re.DOTALL)


def without_common_values(page: str) -> str:
    """The page less the one picture that names sensitive values, over all rows."""
    left, found = COMMON.subn("", page)
    assert found == 1
    return left


def cells(release: pc.Release) -> set[str]:
    """Everything that stands in a quasi-identifier of the release."""
    frames = opened(release).tables.values()
    columns = [frame[name] for frame in frames for name in frame.columns if name in ROLES["quasi"]]
    return {str(value) for column in columns for value in column.unique().to_list()} - {"*"}


def test_no_sensitive_value_stands_beside_less_than_the_whole_table(marked: Marked) -> None:
    page = marked.page("public")
    left = without_common_values(page.html)
    assert PERSONAL.findall(left) == []
    assert PERSONAL.findall(json.dumps(page.summary)) == []


def test_the_search_would_find_a_leak(hybrid: Marked) -> None:
    private = hybrid.page("private").html
    assert {"Who", "Town", "Ill"} <= {match[1] for match in PERSONAL.finditer(private)}


def test_no_published_cell_and_no_original_one_is_shown(marked: Marked) -> None:
    page = marked.page("public").html
    values = cells(marked.release) | {str(age) for age in marked.table["age"].to_list()}
    assert [value for value in values if value in page] == []


def test_a_value_that_few_have_is_not_named(marked: Marked) -> None:
    page = marked.page("public").html
    counts = dict(marked.table["ill"].value_counts().iter_rows())
    assert {"Illx6x", "Illx7x"} <= {value for value, rows in counts.items() if rows < FEWEST_ROWS}
    for value, rows in counts.items():
        assert (value in page) == (rows >= FEWEST_ROWS), (value, rows)


def test_the_page_is_the_same_whoever_has_which_value(marked: Marked) -> None:
    permuted = marked.table.with_columns(marked.table["ill"].shuffle(seed=1))
    other = marked.table.with_columns(ill=pl.lit("Illx9x"))
    assert not permuted["ill"].equals(marked.table["ill"])
    page = marked.page("public").html
    assert marked.page("public", permuted).html == page
    assert marked.page("public", other).html == page


def test_attacks_and_scores_that_are_given_stay_out(hybrid: Marked) -> None:
    attacks = pc.attack_all(hybrid.release, truth=hybrid.table, adversaries=["nothing", "algorithm"], **ROLES)
    scores = pc.measure(hybrid.release, hybrid.table, [pc.QueryError(queries=10)], **ROLES)
    with_them = pc.report(hybrid.release, hybrid.table, audience="public", attacks=attacks, scores=scores, **ROLES)
    assert with_them.html == hybrid.page("public").html


def test_a_table_that_does_not_fit_is_not_told_about() -> None:
    marked = published(pc.Hybrid(l=3), None, seed=5)
    stranger = marked_table(6).with_columns(town=pl.lit("Townx99x"), age=pl.lit(5))
    assert marked.page("public", stranger).html == marked.page("public").html


def test_the_promise_is_told_as_a_bound(hybrid: Marked) -> None:
    page = hybrid.page("public").html
    assert hybrid.release.recipe["sentence"].replace("'", "&#39;") in page
    assert "at most 1/3" in page
    assert "before seeing the release, the attacker thinks all ways of handing out the published values" in page.lower()


@pytest.mark.parametrize("seed", range(3))
def test_utility_is_rounded_to_whole_percent(seed: int) -> None:
    marked = published(pc.Hybrid(l=2), None, seed=seed)
    figure = re.search(r"How much of each column is kept</p>(.*?)</figure>", marked.page("public").html, re.DOTALL)
    assert figure is not None
    told = re.findall(r">([^<>]*%)<", figure[1])
    assert len(told) >= len(ROLES["quasi"])
    assert all(re.fullmatch(r"(over |under )?\d+\s?%", one) for one in told), told
