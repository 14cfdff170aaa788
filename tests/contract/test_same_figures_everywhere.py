"""A release says the same of itself in memory, in its folder, in a folder in another order, and beside any original.

Settings are drawn: columns that were rounded, capped or have a tree, weights, clusters, what is carried along, several
sensitive columns, methods and recoders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import date, timedelta
from functools import cache
from html import escape
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.release import Public, Release
from pellucid.errors import MethodError, PellucidError
from pellucid.metrics import metrics

pytestmark = pytest.mark.filterwarnings("ignore")
TOWNS = ["Oslo", "Turku", "Nice", "Bari", "Rome"]
TREE = {"*": {"north": ["Oslo", "Turku"], "south": {"coast": ["Nice", "Bari"], "inland": ["Rome"]}}}
WAYS: dict[str, list[dict[str, Any]]] = {
    "age": [
        {},
        {"round": 5},
        {"round": [0, 30, 65]},
        {"round": {"quantiles": 3}},
        {"cap": {"percent": [10, 90]}},
        {"domain": [0, 120]},
        {"taxonomy": {"ladder": [10, 20]}, "domain": [0, 119], "round": 5},
    ],
    "pay": [{"kind": "number"}, {"kind": "number", "round": [0, 2.5, 6]}, {"kind": "number", "cap": {"low": 1}}],
    "town": [{}, {"taxonomy": {"tree": TREE}}, {"kind": "ordered", "order": TOWNS}],
    "born": [{}, {"round": "month"}, {"taxonomy": {"dates": ["month", "year"]}}, {"cap": {"low": date(1965, 1, 1)}}],
}
METHODS: list[Callable[[], pc.Method]] = [
    lambda: pc.SoftCut(l=2),
    lambda: pc.Hybrid(l=2),
    lambda: pc.Anatomy(l=2),
    lambda: pc.Mondrian(k=3),
    lambda: pc.Mdav(k=3),
]
RECODERS: list[Any] = [None, "taxonomy", "suppression", "anatomy", "means", pc.Intervals(split=True)]
SEEDS = 20  # of which 13 are not refused
FOREST = pc.ClassificationUtility(trees=2)


def people(random: Random) -> pl.DataFrame:
    rows = range(random.choice([24, 40]))
    return pl.DataFrame(
        {
            "age": [random.randrange(18, 90) for _ in rows],
            "pay": [random.randrange(40) / 4 for _ in rows],
            "town": [random.choice(TOWNS) for _ in rows],
            "born": [date(1960, 1, 1) + timedelta(days=random.randrange(9000)) for _ in rows],
            "home": [row // 2 for row in rows],
            "stands": [random.randrange(8, 90) / 8 for _ in rows],
            "note": [random.choice("xyz") for _ in rows],
            "ill": random.sample([f"ill {row % 6}" for row in rows], len(rows)),
            "cost": random.sample([10 * (row % 5) for row in rows], len(rows)),
        }
    )


def columns(random: Random) -> dict[str, dict[str, Any]]:
    quasi = random.sample(sorted(WAYS), random.choice([2, 3]))
    drawn = {name: {"role": "quasi", **random.choice(WAYS[name])} for name in WAYS if name in quasi}
    roles = {"home": "cluster", "stands": "weight", "note": "carry", "cost": "sensitive"}
    drawn |= {name: {"role": role} for name, role in roles.items() if random.random() < 0.3}
    return drawn | {"ill": {"role": "sensitive"}}


def releases() -> Iterator[tuple[pl.DataFrame, Release]]:
    """Releases of drawn settings; few of them are refused."""
    for seed in range(SEEDS):
        random = Random(seed)
        frame, schema = people(random), pc.Schema(columns=columns(random))
        try:
            method, recode = random.choice(METHODS)(), random.choice(RECODERS)
            yield frame, pc.publish(frame, method, schema=schema, recode=recode, seed=seed)
        except MethodError:
            continue  # this method cannot do that, or not with these people


@cache
def drawn(how_many: int) -> list[tuple[pl.DataFrame, Release]]:
    made = list(islice(releases(), how_many))
    assert len(made) == how_many, f"of {SEEDS} settings all but {len(made)} are refused"
    return made


def folders(release: Release, folder: Path, seed: int) -> list[Path]:
    """The release as it is and with its rows in another order, in both formats."""
    frames = {
        name: frame.sample(fraction=1.0, shuffle=True, seed=seed) for name, frame in release.public.frames.items()
    }
    mixed = Release(Public(frames, release.public.recipe), release.private)
    return [
        made.write(folder / f"{name} {format_}", format=format_)
        for name, made in (("as it is", release), ("mixed", mixed))
        for format_ in ("csv", "parquet")
    ]


def told(figure: Any) -> Any:
    """The same to be compared: sums of floats may be in another order."""
    if isinstance(figure, dict):
        return {key: told(value) for key, value in figure.items()}
    return pytest.approx(figure, rel=1e-11, abs=1e-13) if isinstance(figure, float) else figure


def figures(release: Any, original: Any, **more: Any) -> dict[str, Any]:
    asked = [FOREST if kind is pc.ClassificationUtility else kind() for kind in metrics().values()]
    found = {}
    for metric in asked:
        try:
            (score,) = pc.measure(release, original, [metric], **more)
            found[metric.name] = asdict(score)
        except PellucidError as refused:
            found[metric.name] = {"refused": str(refused)}
    return found


@pytest.mark.parametrize("number", range(10))
def test_figures_of_what_is_lost(number: int, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    frame, release = drawn(10)[number]
    in_memory = figures(release, frame)
    order = np.random.default_rng(number).permutation(frame.height)
    mixed = frame[order.tolist()]
    first, *others = folders(release, tmp_path, number)
    alone = figures(first, frame)
    for folder, original in ((others[0], mixed), (others[1], frame), (others[2], mixed)):
        assert figures(folder, original) == {name: told(score) for name, score in alone.items()}
    for original, labels in ((frame, release.private.labels), (mixed, release.private.labels[order])):
        with_groups = figures(others[1], original, groups=labels)
        assert with_groups == {name: told(score) for name, score in in_memory.items()}
    apart = {"classification", "sse"}  # which need to know whose rows are whose
    assert {name: score for name, score in alone.items() if name not in apart} == {
        name: told(score) for name, score in in_memory.items() if name not in apart
    }


@pytest.mark.parametrize("number", range(10))
def test_levels_and_verdicts(number: int, tmp_path: Path) -> None:
    _, release = drawn(10)[number]

    def said(source: Any) -> list[Any]:
        answers = pc.levels(source)
        verdicts = pc.verify(source, [pc.KAnonymity(k=3), pc.LDiversity(l=2)])
        levels = [(one.model, one.sensitive, one.view, one.level, one.exact, one.meaning) for one in answers]
        below = [answers.audit.rows_below(k) for k in range(8)]
        return [levels, dict(answers.unanswered), [(one.holds, one.level) for one in verdicts], below]

    expected = said(release)
    for folder in folders(release, tmp_path, number):
        assert said(folder) == expected


@pytest.mark.parametrize("number", range(4))
def test_public_reports(number: int, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    _, release = drawn(10)[number]
    expected = pc.report(release, audience="public", files={})
    for folder in folders(release, tmp_path, number)[1:3]:
        assert pc.report(folder, audience="public", files={}).html == expected.html


@pytest.mark.parametrize("recode", ["intervals", "anatomy", "means"])
def test_groups_of_another_publishing_are_refused_though_they_are_as_large(recode: Any, tmp_path: Path) -> None:
    frame = people(Random(1)).select("age", "pay", "ill")
    roles: dict[str, Any] = {"quasi": ["age", "pay"], "sensitive": "ill"}
    release = pc.publish(frame, pc.Anatomy(l=2), recode=recode, seed=1, **roles)
    other = pc.publish(frame, pc.Anatomy(l=2), recode=recode, seed=2, **roles)
    assert sorted(release.private.grouping.sizes) == sorted(other.private.grouping.sizes)
    folder = release.write(tmp_path / "out")
    with pytest.raises(pc.MeasureError, match="does not give this release of the original"):
        pc.measure(folder, frame, [pc.SSE()], groups=other.private.labels)
    (score,) = pc.measure(folder, frame, [pc.SSE()], groups=release.private.labels)
    assert score.value == pytest.approx(pc.measure(release, frame, [pc.SSE()])[0].value)


def test_groups_that_differ_in_their_sensitive_values_alone_are_refused(tmp_path: Path) -> None:
    """Two people of one age trade groups: boxes and sizes are as published, and the values of the groups are not."""
    frame = pl.DataFrame({"age": [20, 30, 40, 30, 50, 60], "ill": ["a", "b", "c", "d", "e", "f"]})
    release = pc.publish(frame, pc.Anatomy(l=3), recode="intervals", seed=1, quasi=["age"], sensitive="ill")
    labels = release.private.labels
    folder = release.write(tmp_path / "out")
    first, second = 1, 3
    assert labels[first] != labels[second]
    other = labels.copy()
    other[[first, second]] = labels[[second, first]]
    with pytest.raises(pc.MeasureError, match="does not give this release of the original"):
        pc.measure(folder, frame, [pc.SSE()], groups=other)
    assert pc.measure(folder, frame, [pc.SSE()], groups=labels)


LADDER = {"taxonomy": {"ladder": [10, 20]}, "domain": [0, 119]}
LEVELS = [
    ({}, pc.Incognito(k=2), (1, 0)),
    (LADDER, pc.Incognito(k=2, max_suppressed=0.3), (2, 0)),
    (LADDER, pc.Incognito(l=2), (3, 0)),
]


@pytest.mark.parametrize(("age", "method", "levels"), LEVELS)
def test_whole_columns_on_a_level_have_the_same_figures_with_their_groups(
    age: dict[str, Any],
    method: pc.Method,
    levels: tuple[int, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a ladder ages are published as ``*``, though those of a group would be in an interval."""
    pytest.importorskip("sklearn")
    monkeypatch.setattr("pellucid.risk.inference.world_enumeration.STEPS", 400)  # the same walk, however long
    frame = people(Random(2)).select("age", "town", "ill")
    columns_ = {"age": {"role": "quasi", **age}, "town": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    release = pc.publish(frame, method, schema=pc.Schema(columns=columns_))
    assert release.private.grouping.levels == levels
    labels, folder = release.private.labels, release.write(tmp_path / "out")
    in_memory = figures(release, frame)
    assert in_memory["sse"].get("value") is not None
    assert figures(folder, frame, groups=labels) == {name: told(score) for name, score in in_memory.items()}
    told_them, in_place = (
        {one.name: one.max_risk for one in pc.attack_all(source, truth=frame, **more).attempts}
        for source, more in ((folder, {"groups": labels}), (release, {}))
    )
    assert told_them == in_place
    other = labels.copy()
    one, another = (int(np.flatnonzero(labels == group)[0]) for group in (0, 1))
    other[[one, another]] = labels[[another, one]]
    with pytest.raises(pc.MeasureError, match="does not give this release of the original"):
        pc.measure(folder, frame, [pc.SSE()], groups=other)
    with pytest.raises(pc.AttackError, match="does not give this release of the table"):
        pc.attack_all(folder, truth=frame, groups=other)


def test_a_report_on_a_folder_with_its_groups_measures_what_one_in_memory_does(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("jinja2")
    frame = people(Random(3)).select("age", "pay", "ill")
    roles: dict[str, Any] = {"quasi": ["age", "pay"], "sensitive": "ill"}
    release = pc.publish(frame, pc.Hybrid(l=2), **roles)
    asked: dict[str, Any] = {"metrics": [FOREST, pc.SSE()], "attacks": pc.attack_all(release, truth=frame, **roles)}
    folder = release.write(tmp_path / "out")
    pages = [
        pc.report(release, frame, **asked, **roles).html,
        pc.report(folder, frame, groups=release.private.labels, **asked, **roles).html,
    ]
    forest, sse = (score.meaning for score in pc.measure(release, frame, asked["metrics"]))
    for page in pages:
        assert escape(forest) in page
        assert escape(sse) in page
    assert "includes the rows tested on" not in pages[1]


def test_what_is_carried_along_tells_groups_apart_where_they_are_told(tmp_path: Path) -> None:
    frame = people(Random(4)).select("age", "note", "ill")
    roles = {"age": "quasi", "note": "carry", "ill": "sensitive"}
    schema = pc.Schema(columns={name: pc.Column(role=role) for name, role in roles.items()})
    release = pc.publish(frame, pc.Anatomy(l=2), schema=schema, recode="suppression", seed=1)
    assert len(release.frame.select("age", "note").unique()) > release.frame["age"].n_unique()
    folder = release.write(tmp_path / "out")
    (score,) = pc.measure(folder, frame, [pc.SSE()], groups=release.private.labels)
    assert score == pc.measure(release, frame, [pc.SSE()])[0]
