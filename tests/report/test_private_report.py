"""The report for the file: every attacker with figure and reasoning, who could not be tried, some groups."""

from __future__ import annotations

import html
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.publishing import release_of
from pellucid.reports.adversaries import attacked
from pellucid.reports.opened import given_of
from pellucid.reports.promise import bounds_of
from pellucid.reports.sample import samples_of
from pellucid.risk.attack_all import attack_all
from pellucid.risk.report.chart import histogram
from pellucid.text.figures import probability
from report.marked import ROLES, Marked, marked_table, published


def text_of(page: pc.Report) -> str:
    return html.unescape(page.html)


def test_every_attacker_has_figure_and_reasoning(hybrid: Marked) -> None:
    report = attack_all(hybrid.release, truth=hybrid.table, **ROLES)
    page = text_of(pc.report(hybrid.release, hybrid.table, attacks=report, **ROLES))
    for attempt in report.attempts:
        assert attempt.name in page
        assert probability(attempt.max_risk) in page
    for name in ("knows the algorithm", "learns from the release"):
        (attempt,) = [one for one in report.attempts if one.name == name]
        assert attempt.worst.reasoning in page
    assert "None of the 2 attackers whom the promise covers believes more than 1/3 of anybody." in page
    assert "The promise is not kept" not in page
    for finding in report.findings:
        assert finding.attack in page
        if finding.ran:
            assert finding.sentence in page


def test_an_attacker_who_could_not_be_tried_is_said_plainly(tmp_path: Path) -> None:
    marked = published(pc.Mondrian(l=3), None, seed=21)
    folder = marked.release.write(tmp_path / "out")
    missed = [one.name for one in attack_all(folder).missed]
    page = pc.report(folder)
    assert "knows the distribution by a quasi-identifier" in missed
    assert page.summary["not_tried"] == missed
    assert f"{len(missed)} of " in text_of(page)
    assert "attackers could not be tried, which says nothing about safety" in text_of(page)
    assert "Nothing is promised against somebody who knows the method." in text_of(page)
    assert all(name in text_of(page) for name in missed)


def test_a_covered_attacker_above_the_bound_is_an_alarm(hybrid: Marked) -> None:
    """Beliefs that no transparent release allows: those about a Mondrian release, told under Hybrid's recipe."""
    leaky = pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "a", "b", "c"]})
    report = attack_all(leaky, quasi=["age"], sensitive="ill", model=pc.LDiversity(l=3), adversaries=["nothing"])
    told = attacked(report, given_of(hybrid.release))
    assert told.broken
    assert "believes more than 1/3 of somebody: 1." in told.verdict


@pytest.mark.parametrize("recode", ["intervals", "anatomy", "suppression", "taxonomy"])
def test_samples_show_what_became_of_the_rows(recode: str, tmp_path: Path) -> None:
    marked = published(pc.Tailor(l=3), recode, seed=4)
    table = pc.read(marked.table, **ROLES)
    named = dict(zip(marked.table["who"], marked.table.iter_rows(named=True), strict=True))
    report = attack_all(marked.release, truth=marked.table, adversaries=["nothing"], classic=False, **ROLES)
    for release in (marked.release, marked.release.write(tmp_path / "out")):
        given = given_of(release)
        for sample in samples_of(release, given, table, report if release is marked.release else None):
            known = [dict(zip(sample.columns, row, strict=True)) for row in sample.before]
            rows = [{key: str(row[key]) for key in sample.columns} for row in named.values()]
            assert all(row in rows for row in known)
            published_rows = rows_of(marked.release)
            after = [dict(zip(sample.after_columns, row, strict=True)) for row in sample.after]
            for row in after:
                assert any(row.items() <= other.items() for other in published_rows), row
            assert "who" not in sample.columns


def rows_of(release: pc.Release) -> list[dict[str, str]]:
    """The published rows as texts; of two tables each pair of rows that share a group number."""
    frames = list(release.public.frames.values())
    frame = frames[0] if len(frames) == 1 else frames[0].join(frames[1], on=frames[0].columns[0])
    return [{key: str(value) for key, value in row.items()} for row in frame.iter_rows(named=True)]


def test_a_group_that_is_shown_is_one_group(hybrid: Marked) -> None:
    table = pc.read(hybrid.table, **ROLES)
    labels = hybrid.release.private.labels
    secret = [str(value) for value in hybrid.table["ill"]]
    groups = {}
    for row, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(secret[row])
    for sample in samples_of(hybrid.release, given_of(hybrid.release), table, None):
        shown = sorted(row[-1] for row in sample.before)
        assert any(sorted(group) == shown for group in groups.values())
        assert sorted(row[-1] for row in sample.after) == shown
        assert len({row[:-1] for row in sample.after}) == 1


def test_several_sensitive_columns_are_attacked_one_by_one(tmp_path: Path) -> None:
    frame = marked_table(8).with_columns(pay=pl.Series([f"Payx{i % 5}x" for i in range(150)]))
    roles: dict[str, Any] = ROLES | {"sensitive": ["ill", "pay"]}
    release = release_of(pc.read(frame, **roles), pc.Tailor(l=2), seed=1)
    page = pc.report(release.write(tmp_path / "out"), frame, **roles)
    assert set(page.summary["verdicts"]) == {"ill", "pay"}
    public = pc.report(release, frame, audience="public", **roles)
    assert "How common the values of pay are" in public.html


def test_a_release_of_somebody_else_needs_roles() -> None:
    frame = pl.DataFrame({"age": ["[20, 29]"] * 12, "ill": ["flu", "cold", "gout"] * 4})
    with pytest.raises(pc.PellucidError, match="quasi"):
        pc.report(frame)
    page = text_of(pc.report(frame, quasi="age", sensitive="ill"))
    assert "Nobody says how this release was made, so nothing is promised." in page
    assert "No recipe came with this release." in page


@pytest.mark.parametrize(("claim", "kept"), [("none", 0), ("frequency", 1), ("minimality", 2), ("algorithm", 2)])
def test_only_what_was_proved_is_a_bound(claim: str, kept: int) -> None:
    bounds = bounds_of(claim, pc.SoftCut(l=5))
    assert [most for _, most in bounds].count("at most 1/5") == kept
    assert [most for who, most in bounds if who.startswith(("learns", "combines"))] == ["nothing is promised"] * 2
    assert all("1/1" not in most for _, most in bounds_of(claim, pc.SoftCut(l=1)))


def test_a_bar_never_straddles_the_bound() -> None:
    import numpy as np

    draw = np.random.default_rng(2)
    for l in (2, 3, 6, 7, 25, 60):
        risk = np.concatenate([draw.random(500), np.full(40, 1 / l), [0.0, 1.0]])
        more = risk > 1 / l * (1 + 1e-9)
        evidence = SimpleNamespace(evidence=SimpleNamespace(inside=np.ones(len(risk), np.bool_)))
        attempt: Any = SimpleNamespace(risk=risk, above=np.flatnonzero(more), beliefs=evidence, name="")
        found = histogram(attempt, limit=Fraction(1, l))
        assert sum(one["people"] for one in found) == len(risk)
        above = sum(one["people"] for one in found if one["from"] >= 1 / l * (1 - 1e-9))
        assert above == sum(one["above"] for one in found) == int(more.sum())


def test_a_report_counts_rows_as_the_command_line_does_and_says_so() -> None:
    people = pl.DataFrame({"age": [20, 21, 40, 41, 60, 61], "ill": list("abcdef")})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "ill"}
    release = pc.publish(people, pc.Tailor(l=2), **roles)
    page = html.unescape(pc.report(release, people, **roles).html)
    assert "Rows are counted from 0." in page
    assert "row 6" not in page
