"""The public page of every method and recoding: a function of the release and of what was declared, about nobody."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.anonymize.recode import RECODERS
from pellucid.core.schema import Roles, Schema
from pellucid.errors import Infeasible, MethodError
from pellucid.metrics import measure
from pellucid.metrics.kept import Kept
from pellucid.publishing import release_of
from pellucid.reports.levels import PUBLIC, levels_of
from pellucid.reports.opened import given_of
from pellucid.reports.release_only import shown_alone
from plain.settings import REFUSING, SETTINGS
from report.marked import ROLES, Marked, published

AGES = [7123451, 7345671, 7967891]  # which no drawing has for a coordinate
MARKS = re.compile(rf"(?:Who|Town|Ill|Pay)x\d+x|{'|'.join(map(str, AGES))}")
COMMON = re.compile(r"<figure>\s*<p[^>]*>How common the values of \w+ are, in all rows</p>.*?</figure>", re.DOTALL)
SEEDS = range(1, 7)  # some methods refuse some tables


def people(seed: int, secrets: list[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Few kinds of people, so that every method can do it, with words and numbers that a search finds."""
    draw = np.random.default_rng(seed)
    rows = 72
    columns: dict[str, Any] = {
        "who": [f"Whox{i}x" for i in range(rows)],
        "age": draw.choice(AGES, rows),
        "town": [f"Townx{i}x" for i in draw.integers(0, 3, rows)],
    }
    values = [*(i % 6 for i in range(rows - 2)), 7, 7]
    for name in secrets:
        columns[name] = [f"{name.capitalize()}x{i}x" for i in draw.permutation(values)]
    return pl.DataFrame(columns), {"quasi": ["age", "town"], "sensitive": secrets, "identifier": "who"}


def released(name: str, recode: str, secrets: list[str]) -> tuple[pl.DataFrame, dict[str, Any], pc.Release]:
    for seed in SEEDS:
        frame, roles = people(seed, secrets)
        table = pc.read(frame, **roles)
        try:
            return frame, roles, release_of(table, SETTINGS[name](2, table), recode=RECODERS[recode](), seed=seed)
        except Infeasible:
            assert name in REFUSING
    raise AssertionError(f"{name} refuses every table")


def permuted_within_groups(frame: pl.DataFrame, release: pc.Release, secrets: list[str]) -> pl.DataFrame:
    """The same people, each group's values dealt out anew: what the release does not tell."""
    draw = np.random.default_rng(9)
    labels = release.private.labels
    place = np.arange(frame.height)
    for label in np.unique(labels[labels >= 0]):
        mine = np.flatnonzero(labels == label)
        place[mine] = draw.permutation(mine)
    return frame.with_columns(frame[name].gather(place) for name in secrets)


def assert_about_nobody(page: pc.Report, release: pc.Release, secrets: list[str]) -> None:
    """No value stands beside less than the whole table, and none of a quasi-identifier stands anywhere."""
    left, figures = COMMON.subn("", page.html)
    assert figures == len(secrets)
    chosen = set(MARKS.findall(json.dumps(release.recipe["parameters"])))  # protected values that the publisher names
    assert set(MARKS.findall(left)) <= chosen
    assert set(MARKS.findall(json.dumps(page.summary))) <= chosen
    for figure in COMMON.findall(page.html):
        assert "x7x" not in figure  # two people have it
        assert all(mark.startswith(("Ill", "Pay")) for mark in MARKS.findall(figure))


@pytest.mark.parametrize("recode", ["intervals", "anatomy", "its own"])
@pytest.mark.parametrize("name", sorted(methods()))
def test_the_page_is_about_nobody_and_the_same_whoever_has_which_value(name: str, recode: str) -> None:
    if (name, recode) == ("spurious-records", "anatomy"):
        with pytest.raises(MethodError, match="use another recoding"):
            released(name, recode, ["ill"])
        return
    own = methods()[name].recoder
    if recode == "its own" and own in ("intervals", "anatomy"):
        recode = "suppression"  # its own has its turn
    frame, roles, release = released(name, own if recode == "its own" else recode, ["ill"])
    page = pc.report(release, frame, audience="public", **roles)
    assert_about_nobody(page, release, ["ill"])
    other = permuted_within_groups(frame, release, ["ill"])
    assert not other.equals(frame)
    assert pc.report(release, other, audience="public", **roles).html == page.html


@pytest.mark.parametrize("recode", ["intervals", "anatomy"])
def test_so_is_that_of_several_sensitive_columns(recode: str) -> None:
    secrets = ["ill", "pay"]
    frame, roles, release = released("tailor", recode, secrets)
    page = pc.report(release, frame, audience="public", **roles)
    assert_about_nobody(page, release, secrets)
    other = permuted_within_groups(frame, release, secrets)
    assert pc.report(release, other, audience="public", **roles).html == page.html


# The original beyond the release

LADDER = Schema.model_validate(
    {
        "columns": {
            "age": {"role": "quasi", "taxonomy": {"ladder": [10, 30]}},
            "zip": {"role": "quasi", "taxonomy": {"prefix": [3]}},
            "ill": {"role": "sensitive"},
        }
    }
)


def test_somebody_who_is_not_in_the_release_changes_nothing(tmp_path: Path) -> None:
    frame, roles, release = released("hybrid", "intervals", ["ill"])
    outlier = pl.DataFrame({"who": ["Whox99x"], "age": [9_999_999_999], "town": ["Townx99x"], "ill": ["Illx99x"]})
    more = pl.concat([frame, outlier])
    folder = release.write(tmp_path / "out")
    pages = {pc.report(release, one, audience="public", **roles).html for one in (frame, more, frame.head(5), None)}
    assert len(pages) == 1
    written = {pc.report(folder, one, audience="public", **roles).html for one in (frame, more, None)}
    assert len(written) == 1


def test_nor_in_a_release_of_somebody_else() -> None:
    release = pl.DataFrame({"age": ["[20, 39]"] * 12 + ["[40, 59]"] * 12, "ill": ["a", "b", "c", "d"] * 6})
    ages = [20, 25, 30, 35, 38, 39, 40, 45, 50, 55, 58, 59] * 2
    pages = set()
    for outlier in (59, 100, 250):
        original = pl.DataFrame({"age": [*ages, outlier], "ill": [*(["a", "b", "c", "d"] * 6), "a"]})
        pages.add(pc.report(release, original, audience="public", quasi="age", sensitive="ill").html)
    assert len(pages) == 1
    assert "51\N{NO-BREAK SPACE}%" in pages.pop()  # 19 years are open, of the 39 that the release mentions


def test_a_withheld_age_behind_a_step_of_a_ladder_does_not_show() -> None:
    """Every table gives the same release: the oldest person is somewhere in [60, 89]."""
    pages, releases = set(), []
    for oldest in (80, 85, 89):
        ages = [60, 61, 62, 63, 64, 65, 66, 67, 68, 68, 69, oldest]
        frame = pl.DataFrame({"age": ages, "zip": ["13053"] * 12, "ill": [f"d{i % 4}" for i in range(12)]})
        release = release_of(pc.read(frame, schema=LADDER), pc.Hybrid(l=2), recode=RECODERS["taxonomy"](), seed=3)
        releases.append(release)
        pages.add(pc.report(release, frame, audience="public", schema=LADDER).html)
    assert all(one.frame.equals(releases[0].frame) for one in releases)
    assert "[60, 89]" in releases[0].frame["age"].to_list()
    assert len(pages) == 1
    assert "of zip it cannot be told from the release alone" in pages.pop()


@pytest.mark.parametrize("recode", ["intervals", "anatomy", "suppression"])
@pytest.mark.parametrize("seed", range(3))
def test_where_every_value_is_mentioned_the_figure_is_that_of_the_original(recode: str, seed: int) -> None:
    marked = published(pc.Tailor(l=2), recode, seed=seed)
    shown, left_out = shown_alone(given_of(marked.release), marked.release.private.schema)
    assert shown is not None
    alone = Kept().score(shown)
    (true,) = measure(marked.release, marked.table, [Kept()], **ROLES)
    assert left_out == []
    assert alone.details["columns"].keys() == true.details["columns"].keys()
    frames = marked.release.public.frames.values()
    ended = {name for frame in frames for name in frame.columns if "*" in frame[name].cast(pl.String).to_list()}
    for name, kept in true.details["columns"].items():
        if name not in ended:  # a value that is nowhere published as it is is not mentioned
            assert alone.details["columns"][name] == pytest.approx(kept), name
    assert recode == "suppression" or "age" not in ended


TREE = {"*": {"warm": ["Rome", "Bari"], "cold": ["Oslo", "Bodo", "Turku"]}}


@pytest.mark.parametrize(
    ("column", "cells", "declared", "open_share"),
    [
        ("number", ["[20, 29]", "[20, 29]", "30", "40"], {}, (9 / 20) / 2),
        ("number", ["[20, 29]", "[20, 29]"], {"domain": [0, 90]}, 9 / 90),
        ("number", ["[-2.5, 0]", "1.5 or null"], {}, (2.5 / 4 + 1) / 2),
        ("number", ["*", "*"], {}, 1),
        ("number", ["7", "*"], {}, 1 / 2),
        ("date", ["[2024-01-01, 2024-01-11]", "2024-01-21"], {}, 1 / 4),
        ("category", ["{a, b}", "{a, b}", "c", "d"], {}, (1 / 3) / 2),
        ("category", ['{"a, b", c}', "d"], {}, (1 / 2) / 2),
        ("category", ["cold", "Rome"], {"taxonomy": {"tree": TREE}}, (2 / 4) / 2),
        ("category", ["*", "Rome"], {"taxonomy": {"tree": TREE}}, 1 / 2),
        ("ordered", ["[low, mid]", "top"], {"order": ["low", "mid", "high", "top"]}, 1 / 6),
        ("category", ["130**", "14853"], {"taxonomy": {"prefix": [3]}}, None),
        ("date", ["2024-01", "2023"], {"taxonomy": {"dates": ["month", "year"]}}, None),
    ],
)
def test_the_share_of_what_is_mentioned_or_declared(
    column: Any, cells: list[str], declared: dict[str, Any], open_share: float | None
) -> None:
    release = pl.DataFrame({"q": cells, "ill": [f"d{i}" for i in range(len(cells))]})
    schema = Schema.model_validate(
        {"columns": {"q": {"role": "quasi", "kind": column, **declared}, "ill": {"role": "sensitive"}}}
    )
    shown, left_out = shown_alone(given_of(release, Roles(schema=schema)), schema)
    if open_share is None:
        assert shown is None
        assert left_out == ["q"]
    else:
        assert shown is not None
        assert Kept().score(shown).details["columns"]["q"] == pytest.approx(1 - open_share)


@pytest.mark.parametrize(("cells", "known"), [(["Europe", "Rome"], False), (["{Rome, Oslo}", "Bari"], True)])
def test_a_name_that_may_be_of_a_taxonomy_is_not_taken_for_a_value(cells: list[str], known: bool) -> None:
    release = pl.DataFrame({"q": cells, "ill": ["a", "b"]})
    shown, left_out = shown_alone(given_of(release, Roles(quasi="q", sensitive="ill")), None)
    assert (shown is not None) == known
    assert left_out == ([] if known else ["q"])


# Levels


def test_the_public_page_tells_only_the_best_known_models(hybrid: Marked) -> None:
    every = {one.model for one in levels_of(given_of(hybrid.release).audit, everything=True)}
    told = {name: _models(hybrid.page(name).html) for name in ("public", "private")}
    assert told["public"] == set(PUBLIC) & every
    assert told["private"] == every
    assert len(every) > len(PUBLIC)


def _models(page: str) -> set[str]:
    """The first cells of the table of models."""
    section = re.search(r'<section id="guarantee">(.*?)</section>', page, re.DOTALL)
    assert section is not None
    return {html.unescape(name) for name in re.findall(r'<th scope="row">([^<]*)</th>', section[1])}
