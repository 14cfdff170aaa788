"""A disk that is full at any write leaves what was there before, and says so in one line."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.forking import Forks, contents, leftovers

COMMON = ["publish", "people.csv", "--schema", "people.toml", "--method", "mondrian", "--threads", "1", "--quiet"]
VERBS = {
    "publish": [*COMMON, "--l", "3", "--out", "there/release", "--keep-groups", "there/groups.csv", "--overwrite"],
    "run": ["run", "job.toml", "--quiet"],
    "report": ["report", "made", "--out", "there/page.html", "--overwrite", "--audience", "public", "--json"],
    "init": ["init", "people.csv", "--out", "there/draft.toml", "--overwrite", "--quiet"],
}
MOST = 40  # calls that change the disk; every verb has fewer


def state(forked: Forks) -> dict[str, object]:
    """All that the verbs write."""
    there = forked.folder / "there"
    return {name: contents(there / name) for name in ("release", "groups.csv", "page.html", "draft.toml")}


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
    for name in ("page.html", "draft.toml"):
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
    changed = {name for name in after if after[name] != before[name]}
    return changed == own[verb]


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
