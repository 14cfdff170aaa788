"""A disk that is full at any write leaves what was there before, and says so in one line."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from faults.forking import Forks, contents, leftovers

COMMON = ["publish", "people.csv", "--schema", "people.toml", "--method", "mondrian", "--threads", "1", "--quiet"]
VERBS = {
    "publish": [*COMMON, "--l", "3", "--out", "there/release", "--keep-groups", "there/groups.csv", "--overwrite"],
    "run": ["run", "job.toml", "--quiet"],
    "report": ["report", "made", "--out", "there/page.html", "--overwrite", "--audience", "public", "--json"],
    "init": ["init", "people.csv", "--out", "there/draft.toml", "--overwrite", "--quiet"],
    "attack": ["attack", "made", *("--adversary", "nothing"), "--chart", "there/risk.json", "--overwrite", "--json"],
}
WRITES = ("release", "groups.csv", "page.html", "draft.toml", "risk.json")
MOST = 40  # calls that change the disk; every verb has fewer


def state(forked: Forks) -> dict[str, object]:
    """All that the verbs write."""
    there = forked.folder / "there"
    return {name: contents(there / name) for name in WRITES}


@pytest.fixture
def before(forked: Forks) -> dict[str, object]:
    """An old release with its groups, an old page, an old draft."""
    there = forked.folder / "there"
    there.mkdir(exist_ok=True)
    text = (forked.folder / "job3.toml").read_text().replace('"release"', '"there/release"')
    (forked.folder / "job.toml").write_text(text)
    for name in ("there/release", "made"):
        keep = ["--keep-groups", "there/groups.csv"] if name != "made" else []
        assert forked.run(*COMMON, "--l", "2", "--out", name, *keep) == 0, forked.err
    for name in ("page.html", "draft.toml", "risk.json"):
        (there / name).write_text("old")
    return state(forked)


def refused(forked: Forks, code: int, before: dict[str, object]) -> None:
    """What every verb does on a full disk."""
    assert code == 2, forked.err
    (said,) = forked.errors
    assert "cannot be written: the disk is full" in said or "exceed the largest size" in said, said
    assert "None" not in said
    assert state(forked) == before
    assert leftovers(forked.folder / "there") == []


@pytest.mark.parametrize("verb", VERBS)
def test_whichever_call_of_the_system_fails(
    forked: Forks, before: dict[str, object], verb: str, thorough: bool
) -> None:
    """Every one when thorough, usually some; where the new one is in its place all the same, it is whole."""
    failed = 0
    there, backup = forked.folder / "there", forked.folder / "backup"
    shutil.copytree(there, backup)
    for at in range(1, MOST) if thorough else (1, 2, 3, 5, 8):
        code = forked.run(*VERBS[verb], fail_at=at, errno=errno.ENOSPC)
        if code >= 100:  # there was no such call: the verb did its work
            break
        if state(forked) == before:
            refused(forked, code, before)
            failed += 1
            continue
        assert new_as_a_whole(before, state(forked), verb), (at, forked.err)
        shutil.rmtree(there)
        shutil.copytree(backup, there)
    assert failed >= 2


def new_as_a_whole(before: dict[str, object], after: dict[str, object], verb: str) -> bool:
    """Whether all that the verb writes is new; of a release and its groups both."""
    own = {"publish": {"release", "groups.csv"}, "run": {"release"}, "report": {"page.html"}, "init": {"draft.toml"}}
    own |= {"attack": {"risk.json"}}
    changed = {name for name in after if after[name] != before[name]}
    return changed == own[verb]


def test_a_comparison_on_a_full_disk_keeps_whole_cells_and_goes_on(forked: Forks, thorough: bool) -> None:
    """Its folder has a file for each setting: those that are there are whole, and the next call makes the rest."""
    words = ["compare", "people.csv", "--schema", "people.toml", "--methods", "mondrian", "--l", "2..3", "--quiet"]
    words += ["--knows", "nothing", "--workers", "1", "--out", "compared"]
    out, failed = forked.folder / "compared", 0
    for at in range(1, 80) if thorough else (1, 4, 7, 12):
        code = forked.run(*words, fail_at=at, errno=errno.ENOSPC)
        if code >= 100:
            break
        if code == 2:
            (said,) = forked.errors
            assert "the disk is full" in said, said
            failed += 1
        assert code in (0, 2), forked.err
        for cell in out.glob("cells/*.json"):
            assert json.loads(cell.read_text())["method"] == "mondrian"
        assert [path.name for path in out.rglob("*") if "pellucid" in path.name] == []
        if thorough:
            shutil.rmtree(out, ignore_errors=True)
    assert failed >= 2
    assert forked.run(*words) == 0, forked.err
    assert {path.name for path in out.iterdir()} >= {"compare.csv", "compare.html", "recommendation.txt", "cells"}


def experiment_written(folder: Path) -> None:
    """What ``pellucid reproduce --out`` does when it has its figures."""
    from research import Reproduction, experiments

    Reproduction(experiments()["wong-fig2"], True, pl.DataFrame({"x": [1]}), []).write(folder)


def workload_saved(folder: Path) -> None:
    table = pc.read("patients")
    pc.Workload.of(table, dimensions=1, selectivity=0.5, queries=3, seed=1).save(folder / "queries.json")


def release_written(folder: Path) -> None:
    pc.publish("patients", pc.Tailor(l=2)).write(folder / "release", overwrite=True)


WRITERS = {"queries.json": workload_saved, "wong-fig2.csv": experiment_written, "release": release_written}


@pytest.mark.parametrize(
    ("target", "call"),
    # the files of a release are written by polars, and its place is taken by a call that Python does not have
    [*product(("queries.json", "wong-fig2.csv"), ("open", "fsync", "replace")), ("release", "fsync")],
)
def test_what_python_writes_on_a_full_disk(
    target: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a function writes itself, whichever call of the system fails: the old file, and one line."""
    WRITERS[target](tmp_path) if target == "release" else (tmp_path / target).write_text("old")
    before = contents(tmp_path)
    real = getattr(os, call)

    def full(*given: Any, **named: Any) -> Any:
        if call == "open" and not (given[1] if len(given) > 1 else named.get("flags", 0)) & os.O_CREAT:
            return real(*given, **named)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, full)
    with pytest.raises(pc.OutputError, match="the disk is full; free some space, or choose another folder"):
        WRITERS[target](tmp_path)
    monkeypatch.undo()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("size", [1_000, 20_000])
@pytest.mark.parametrize("verb", ["publish", "report"])
def test_files_may_not_be_large(forked: Forks, before: dict[str, object], verb: str, size: int) -> None:
    code = forked.run(*VERBS[verb], file_size=size)
    refused(forked, code, before)


@pytest.fixture
def small_disk(forked: Forks) -> Iterator[Path]:
    """A disk of its own; only root can have one."""
    place = forked.folder / "there"
    place.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if made.returncode:
        pytest.skip("no disk can be mounted here; only root can")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can mount a disk")
def test_a_real_disk_that_is_full(forked: Forks, small_disk: Path, before: dict[str, object], thorough: bool) -> None:
    """With less and less room the release fails first, then its groups; both stay as they were."""
    codes = set()
    for room in (0, 8, 40, 60, 80, 160) if not thorough else range(0, 200, 4):
        filling = small_disk / "filling"
        taken = 0
        with filling.open("wb", buffering=0) as file:
            while True:
                try:
                    file.write(b"x" * 4096)
                    taken += 4096
                except OSError:
                    break
        os.truncate(filling, max(0, taken - room * 1024))
        code = forked.run(*VERBS["publish"])
        codes.add(code)
        if code:
            refused(forked, code, before)
        else:
            assert new_as_a_whole(before, state(forked), "publish")
            break
        filling.unlink()
    assert 2 in codes
