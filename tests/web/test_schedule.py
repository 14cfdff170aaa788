"""Progress is true: it never goes back, and what cannot be done in time is said before it begins."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from itertools import combinations, pairwise

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.core.schema import Column, Role
from pellucid.risk.adversary_kinds import KINDS
from pellucid.risk.report.chart import BINS, edges_at
from pellucid.web.compare_chart import Point, drawn
from pellucid.web.jobs import BackgroundJob, TaskCall
from pellucid.web.schedule import Schedule
from pellucid.web.session import Session
from pellucid.web.settings import Settings
from pellucid.web.steps.release import private_seconds


@pytest.mark.parametrize("seed", range(20))
def test_neither_the_bar_nor_the_end_is_ever_taken_back(seed: int) -> None:
    coins, now = random.Random(seed), [100.0]
    expected = [coins.uniform(0.1, 100) for _ in range(coins.randint(1, 8))]
    plan = Schedule([(f"part {n}", one) for n, one in enumerate(expected)], clock=lambda: now[0])
    shares, ends = [], []
    for number, one in enumerate(expected):
        plan.begin(number)
        takes, began = one * coins.choice((0.01, 0.5, 1, 3, 40)), now[0]
        for step in range(1, 11):
            now[0] = began + takes * step / 10
            of_part = coins.choice((None, step / 11))
            shares.append(plan.share(of_part))
            left = plan.left(of_part)
            ends += [] if left is None else [now[0] + left]
            assert sum(part.share for part in plan.parts) == pytest.approx(1)
            assert [part.state for part in plan.parts].count("now") == 1
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] < 1
    assert all(later <= sooner + 1e-9 for sooner, later in pairwise(ends))


def test_a_slow_machine_is_believed_to_stay_slow() -> None:
    now = [0.0]
    plan = Schedule([("first", 2.0), ("second", 10.0)], clock=lambda: now[0])
    plan.begin(0)
    now[0] = 6.0  # three times as long as expected
    plan.begin(1)
    assert plan.left() == pytest.approx(30)
    assert [part.share for part in plan.parts] == pytest.approx([6 / 36, 30 / 36])


def test_while_a_part_runs_no_more_is_done_than_that_part_and_those_before_it() -> None:
    now = [0.0]
    plan = Schedule([("finding out", 1.5), ("reading", 1.0)], clock=lambda: now[0])
    plan.begin(0)
    now[0] = 30.0  # much longer than expected
    assert plan.share() == pytest.approx(0.6) == plan.parts[0].share
    plan.begin(1)
    assert plan.share() == pytest.approx(0.6)
    now[0] = 40.0
    assert plan.share() == pytest.approx(0.8)


@pytest.mark.parametrize("l", [2, 3, 4, 6, 7, 11, 19, 20, 21, 300])
def test_the_limit_is_an_edge_of_the_bars(l: int) -> None:
    edges = edges_at(Fraction(1, l))
    assert len(edges) == BINS + 1
    assert (edges[0], edges[-1]) == (0, 1)
    assert min(abs(edges - 1 / l)) < 1e-15
    assert all(later > sooner for sooner, later in pairwise(edges))


def test_what_could_not_be_attacked_is_drawn_as_not_known() -> None:
    known = Point("tailor", "2", "tailor, l = 2", 0.1, 0.5, "/method?name=tailor&l=2")
    unknown = Point("mondrian", "2", "mondrian, l = 2", 0.1, None, "/method?name=mondrian&l=2")
    chart = drawn([known, unknown], None, "Count error", share=True)
    assert "risk not known" in chart
    assert chart.count("hollow") == 1
    assert "risk not known" not in drawn([known], None, "Count error", share=True)
    assert "your release" in drawn([known], Point("", "", "", 0.2, None), "Count error", share=True)
    assert drawn([], None, "Count error", share=True) == ""


def boxes(chart: str, role: str) -> list[tuple[float, float, float, float]]:
    """What texts of a chart cover, as a browser draws them at least."""
    place = r' x="([-.0-9]+)" y="([-.0-9]+)" text-anchor="(\w+)">([^<]*)'
    found = re.findall(f'<text class="{role}"{place}', chart)
    left = {"start": 0.0, "middle": 0.5, "end": 1.0}
    return [
        (float(x) - left[anchor] * 6 * len(said), float(y) - 9, float(x) + (1 - left[anchor]) * 6 * len(said), float(y))
        for x, y, anchor, said in found
    ]


def covers(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_no_marker_and_no_ring_covers_a_word_of_the_chart() -> None:
    settings = [("soft-cut", 0.45, 1 / 3), ("tailor", 0.45, 1 / 3), ("tailor", 0.6, 0.25), ("ace", 0.6, 0.25)]
    settings += [("hybrid", 0.6, 1 / 3), ("hybrid", 0.35, 0.5), ("mondrian", 0.45, 0.42), ("mondrian", 0.0, None)]
    settings += [("anatomy", 0.05, None), ("anatomy", 0.12, None), ("ace", 1.0, 0.2)]
    points = [
        Point(method, str(2 + n % 3), f"{method} {n}", cost, risk) for n, (method, cost, risk) in enumerate(settings)
    ]
    chart = drawn(points, Point("", "", "", 0.45, 1 / 3), "Count error", share=True)
    markers = [
        (float(x) - 4, float(y) - 4, float(x) + 4, float(y) + 4)
        for x, y in re.findall(r"translate\(([-.0-9]+),([-.0-9]+)\)", chart)
    ]
    assert len(markers) == len(points)
    ring = re.search(r'class="yours" cx="([-.0-9]+)" cy="([-.0-9]+)" r="(\d+)"', chart)
    assert ring is not None
    x, y, r = map(float, ring.groups())
    words = [*boxes(chart, "small"), *boxes(chart, "yours-label"), *boxes(chart, "faint")]
    assert len(words) == len(points) + 2
    for box in words:
        nearest = (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))
        assert math.dist((x, y), nearest) > r, "the ring goes through no word"
        assert not any(covers(box, marker) for marker in markers), box
    assert not any(covers(one, other) for one, other in combinations(words, 2))
    assert chart.rindex("<polyline") < chart.index("<path"), "lines are behind all points and words"


def test_one_finished_stage_of_a_report_is_not_the_whole_report() -> None:
    """What nobody foresees is told by its only stage; a report has many, and is foreseen by its time."""
    now = [0.0]
    for part, share in (("", 0.99), ("writing", 0.1)):
        plan = Schedule([(part, 100.0)], clock=lambda: now[0])
        now[0] += 10.0
        task = TaskCall("report", {}, lambda _: None, part=part, seconds=100.0)
        job = BackgroundJob(1, "a report", (), stage="encoding", total=5, done=5, tasks=(task,), schedule=plan)
        assert job.share == pytest.approx(share), part


def test_a_report_on_more_columns_or_before_the_attacks_is_foreseen_to_take_longer() -> None:
    session = Session(Settings())
    try:
        assert private_seconds(session) == pytest.approx(1.5)
        session.columns = {"ill": Column(role=Role.SENSITIVE)}
        untried = private_seconds(session)
        session.risk = {"tried": list(KINDS)}
        tried = private_seconds(session)
        session.columns = {**session.columns, "pay": Column(role=Role.SENSITIVE)}
        assert tried < untried < private_seconds(session)
    finally:
        session.close()
