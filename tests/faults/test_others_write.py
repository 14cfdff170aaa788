"""Others who write at the same time, and users who may not write."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from faults.forking import Forks, contents, forks, leftovers
from pellucid.cli.program import main
from pellucid.io import loading
from pellucid.io.numbered import Columns

PUBLISH = ["publish", "people.csv", "--schema", "people.toml", "--method", "mondrian", "--threads", "1", "--quiet"]
ROLES = ["--quasi", "age", "--sensitive", "ill"]


def test_two_writers_leave_one_of_the_two_releases(forked: Forks, thorough: bool) -> None:
    known = []
    for l in ("2", "3"):
        assert forked.run(*PUBLISH, "--l", l, "--out", "release", "--overwrite") == 0, forked.err
        known.append(contents(forked.folder / "release"))
    calls = 10 if thorough else 3
    with forks(forked.folder) as other:
        words = [[*PUBLISH, "--l", l, "--out", "release", "--overwrite"] for l in ("2", "3")]
        runs = [forked.start(*[words[0]] * calls), other.start(*[words[1]] * calls)]
        seen, done = [], threading.Event()

        def look() -> None:
            while not done.is_set():
                try:
                    seen.append(contents(forked.folder / "release"))
                except FileNotFoundError:
                    continue  # a file of the one that was replaced while it was read
                time.sleep(0.005)

        looking = threading.Thread(target=look)
        looking.start()
        assert [run.wait() for run in runs] == [0, 0], forked.err
        done.set()
        looking.join()
    assert contents(forked.folder / "release") in known
    # a reader may have read the two files of two releases, one after the other; each file is whole
    for name in known[0]:
        assert {one[name] for one in seen if name in one} <= {whole[name] for whole in known}
    assert forked.run(*words[0]) == 0
    assert leftovers(forked.folder) == []


@pytest.mark.parametrize("how", ["longer", "replaced", "as long", "gone"])
def test_a_table_that_changes_while_it_is_read_is_refused(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age,ill\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(10, 40)))
    real = loading.read_coded

    def disturbed(path: Path, *given: object, **named: object) -> pl.DataFrame | Columns:
        frame = real(path, *given, **named)  # type: ignore[arg-type]
        if how == "longer":
            with source.open("a") as file:
                file.write("99,a\n")
        elif how == "replaced":
            beside = tmp_path / "beside.csv"
            beside.write_bytes(source.read_bytes())
            beside.replace(source)
        elif how == "as long":
            time.sleep(0.02)  # longer than the system's clock for files takes to move on
            source.write_text(source.read_text().replace("10,a", "10,b"))
        else:
            source.unlink()
        return frame

    monkeypatch.setattr(loading, "read_coded", disturbed)
    monkeypatch.chdir(tmp_path)
    assert main(["publish", "people.csv", *ROLES, "--l", "2", "--out", "out"]) == 2
    assert capsys.readouterr().err == (
        "error: people.csv was changed while it was read; read it again when nobody writes to it\n"
    )
    assert not (tmp_path / "out").exists()


def test_a_folder_of_parts_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": list("abab")})
    for number in range(2):
        frame.write_parquet(tmp_path / f"part-{number}.parquet")
    real = loading.read_file

    def disturbed(path: Path, *given: object, **named: object) -> pl.DataFrame:
        found = real(path, *given, **named)  # type: ignore[arg-type]
        frame.write_parquet(tmp_path / "part-2.parquet")
        return found

    monkeypatch.setattr(loading, "read_file", disturbed)
    with pytest.raises(pc.InputError, match="was changed while it was read"):
        pc.read(tmp_path, quasi=["age"], sensitive="ill")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="how root gives up its rights is Linux's own")
@pytest.mark.parametrize("verb", ["publish", "groups", "run", "report", "init", "compare", "attack"])
def test_whoever_may_not_write_there_is_told_so(forked: Forks, verb: str) -> None:
    folder = forked.folder
    assert forked.run(*PUBLISH, "--l", "2", "--out", "made") == 0, forked.err
    (folder / "mine").mkdir()
    compare = ["compare", "people.csv", "--schema", "people.toml", "--methods", "tailor", "--l", "2", "--workers", "1"]
    calls = {
        "publish": [*PUBLISH, "--l", "2", "--out", "release"],
        "groups": [*PUBLISH, "--l", "2", "--out", "mine/release", "--keep-groups", "groups.csv"],
        "run": ["run", "job2.toml", "--quiet"],
        "attack": ["attack", "made", "--adversary", "nothing", "--chart", "risk.json"],
        "report": ["report", "made", "--out", "page.html", "--audience", "public"],
        "init": ["init", "people.csv", "--out", "draft.toml"],
        "compare": [*compare, "--out", "compared"],
    }
    before = sorted(path.name for path in folder.iterdir())
    folder.chmod(0o555)
    try:
        assert forked.run(*calls[verb], without_rights=True) == 2, forked.err
    finally:
        folder.chmod(0o755)
    (said,) = forked.errors
    assert "you may not write there" in said or "Permission denied" in said, said
    assert sorted(path.name for path in folder.iterdir()) == before
    assert list((folder / "mine").iterdir()) == []
