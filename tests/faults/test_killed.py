"""SIGKILL at any moment of a verb leaves what was there before, or what comes after; never half of it."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from faults.conftest import people
from faults.forking import Forks, contents, leftovers, others_may_read

# usually, and when thorough: with 25 in tests/web/test_server_killed.py and 15 in tests/engines, 200 of them
KILLS = {"publish": (4, 60), "run": (2, 40), "report": (2, 30), "compare": (2, 30)}
COMMON = ["--quiet", "--overwrite"]
PUBLISH = ["publish", "people.csv", "--schema", "people.toml", "--method", "mondrian", "--threads", "1", *COMMON]
CALLS: dict[str, list[list[str]]] = {
    "publish": [[*PUBLISH, "--l", l, "--out", "release", "--keep-groups", "groups.csv"] for l in ("2", "3")],
    "run": [["run", f"job{l}.toml", *COMMON] for l in ("2", "3")],
    "report": [["report", f"made{l}", "--out", "report.html", "--overwrite", "--json"] for l in ("2", "3")],
}


def moments(forked: Forks, calls: Sequence[Sequence[str]], kills: int) -> list[float]:
    """Random times within two rounds of calls that are not killed."""
    began = time.monotonic()
    assert forked.start(*calls, *calls).wait() == 0, forked.err
    whole = time.monotonic() - began
    draw = random.Random(5)
    return [draw.uniform(0, whole) for _ in range(kills)]


@pytest.mark.parametrize("verb", CALLS)
def test_a_kill_leaves_the_old_or_the_new(forked: Forks, verb: str, thorough: bool) -> None:
    calls, folder = CALLS[verb], forked.folder
    if verb == "report":
        for l in ("2", "3"):
            assert forked.run(*PUBLISH, "--l", l, "--out", f"made{l}") == 0
    target = folder / ("report.html" if verb == "report" else "release")
    known = []
    for words in calls:
        assert forked.run(*words) == 0, forked.err
        known.append((contents(target), contents(folder / "groups.csv")))
    if verb == "report":  # it tells when it was made
        known = [(without_time(page), groups) for page, groups in known]
    assert known[0] != known[1]
    left = 0
    for moment in moments(forked, calls, KILLS[verb][thorough]):
        run = forked.start(*calls, forever=True)
        time.sleep(moment)
        assert run.kill() == -9
        found = contents(target)
        found = without_time(found) if verb == "report" else found
        groups = contents(folder / "groups.csv")
        assert found in [whole for whole, _ in known]
        assert groups in [kept for _, kept in known]
        left += len(leftovers(folder))
        private = [folder / "groups.csv", *folder.glob("*.pellucid-unfinished"), folder / "report.html"]
        assert not [path.name for path in private if path.exists() and others_may_read(path)]
    assert forked.run(*calls[0]) == 0
    assert contents(folder / "groups.csv") == known[0][1]


def test_a_kill_before_any_call_of_the_system_leaves_old_or_new_and_a_mixed_pair_is_refused(forked: Forks) -> None:
    """Killed before each call that changes the disk. Between two renames, the groups are those of the old release."""
    folder = forked.folder
    people(60).write_csv(folder / "people.csv")
    known = []
    for words in reversed(CALLS["publish"]):
        assert forked.run(*words) == 0, forked.err
        known.append((contents(folder / "release"), contents(folder / "groups.csv")))
    new, old = known
    pairs = []
    for at in range(1, 40):
        code = forked.start(CALLS["publish"][1], fail_at=at).wait()
        if code >= 100:  # there was no such call
            break
        assert code == -9
        pairs.append((contents(folder / "release"), contents(folder / "groups.csv")))
        assert not others_may_read(folder / "groups.csv")
        assert not [path for path in folder.glob("*.pellucid-unfinished") if others_may_read(path)]
        if pairs[-1] == (new[0], old[1]):
            refuse_the_mixed_pair(forked)
        assert forked.run(*CALLS["publish"][0]) == 0, forked.err
    assert set(map(repr, pairs)) == set(map(repr, [old, (new[0], old[1]), new]))
    assert len(pairs) > 8


def refuse_the_mixed_pair(forked: Forks) -> None:
    """Whoever takes the old groups for those of the new release is told."""
    given = ["--identifier", "name", "--groups", "groups.csv"]
    require = ["--require", "transparent l-diversity=2"]
    for words in (
        ["attack", "release", "--truth", "people.csv", *given],
        ["verify", "release", "--truth", "people.csv", *require, *given],
        ["report", "release", "--original", "people.csv", "--out", "mixed.html", *given],
    ):
        assert forked.run(*words) == 2, forked.err
        (said,) = forked.errors
        assert "--groups does not give this release of" in said, said
    assert not (forked.folder / "mixed.html").exists()


def without_time(page: bytes | None) -> bytes | None:
    """A page without the lines that tell when it was made."""
    if page is None:
        return None
    assert page.rstrip().endswith(b"</html>"), "half a page"
    return b"\n".join(line for line in page.splitlines() if b"202" not in line)


def test_a_comparison_that_was_killed_keeps_whole_cells_and_goes_on(forked: Forks, thorough: bool) -> None:
    words = ["compare", "people.csv", "--schema", "people.toml", "--methods", "mondrian,tailor", "--l", "2..3"]
    words += ["--knows", "nothing", "--workers", "1", "--quiet", "--out"]
    began = time.monotonic()
    assert forked.run(*words, "whole") == 0, forked.err
    seconds = time.monotonic() - began
    draw = random.Random(6)
    for kill in range(KILLS["compare"][thorough]):
        run = forked.start([*words, f"stopped{kill // 5}"])
        time.sleep(draw.uniform(0, seconds))
        assert run.kill() in (-9, 0)
        cells = forked.folder / f"stopped{kill // 5}" / "cells"
        for cell in cells.glob("*.json"):
            assert json.loads(cell.read_text())["method"] in ("mondrian", "tailor")
            assert not others_may_read(cell)
    assert forked.run(*words, "stopped0") == 0, forked.err
    whole, again = (json_of(forked.folder / name / "compare.csv") for name in ("whole", "stopped0"))
    assert whole == again


def json_of(path: Path) -> list[str]:
    """The settings of a comparison and what was found, without how long it took."""
    import polars as pl

    frame = pl.read_csv(path)
    return frame.select(name for name in frame.columns if "second" not in name).write_json().splitlines()
