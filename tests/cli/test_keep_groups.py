"""--keep-groups: private, in no place that is read or handed out, and there together with the release or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.program import Program, everything_in

WORDS = [
    "publish",
    "patients.csv",
    "--schema",
    "patients.toml",
    "--method",
    "mondrian",
    "--l",
    "2",
    "--out",
    "out",
    "-q",
]
SCHEMA = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
[columns.zipcode]
role = "quasi"
kind = "category"
taxonomy = "zip.csv"
[columns.disease]
role = "sensitive"
"""


@pytest.fixture
def described(folder: Path) -> Path:
    import polars as pl

    (folder / "patients.toml").write_text(SCHEMA)
    codes = pl.read_csv(folder / "patients.csv", infer_schema=False)["zipcode"].unique().to_list()
    (folder / "zip.csv").write_text("".join(f"{code};*\n" for code in codes))
    (folder / "hard.csv").hardlink_to(folder / "patients.csv")
    (folder / "soft.csv").symlink_to("patients.csv")
    return folder


@pytest.mark.parametrize("target", ["patients.csv", "hard.csv", "soft.csv", "patients.toml", "zip.csv"])
@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_no_input_is_replaced(target: str, overwrite: list[str], described: Path, call: Program) -> None:
    before = everything_in(described)
    error = call(*WORDS, "--keep-groups", target, *overwrite).error
    assert f"--keep-groups {target}: this is read as input, and is not replaced" in error
    assert everything_in(described) == before


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("out/groups.csv", "is handed out"),
        ("out", "is handed out"),
        ("x" * 300, "its name is too long"),
        ("groups.parquet", "written as CSV, and this name says Parquet; name it groups.csv"),
        ("nowhere/groups.csv", "there is no folder nowhere"),
        ("/dev/null", "is no file that can be replaced"),
        ("notes.txt", "what is there is no file of groups"),
        ("earlier.csv", "exists; choose another name, or add --overwrite"),
    ],
)
def test_where_groups_cannot_be_kept(target: str, said: str, described: Path, call: Program) -> None:
    (described / "notes.txt").write_text("mine")
    (described / "earlier.csv").write_text("group\n0\n")
    before = everything_in(described)
    assert said in call(*WORDS, "--keep-groups", target).error
    assert everything_in(described) == before
    assert Path("/dev/null").is_char_device()


def test_nobody_else_may_read_them(described: Path, call: Program) -> None:
    for overwrite in ([], ["--overwrite"]):
        assert call(*WORDS, "--keep-groups", "groups.csv", *overwrite).code == 0
        assert (described / "groups.csv").stat().st_mode & 0o777 == 0o600


def test_when_groups_cannot_be_put_the_old_release_is_back(
    described: Path, call: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(*WORDS, "--keep-groups", "groups.csv").code == 0
    before = everything_in(described)
    real = Path.replace

    def full(path: Path, target: Path) -> Path:
        if Path(target).name == "groups.csv":
            raise OSError(28, "No space left on device")
        return real(path, target)

    monkeypatch.setattr(Path, "replace", full)
    words = [word if word != "2" else "1" for word in WORDS]
    error = call(*words, "--keep-groups", "groups.csv", "--overwrite").error
    assert "--keep-groups groups.csv cannot be written: the disk is full" in error
    assert everything_in(described) == before


@pytest.mark.usefixtures("folder")
def test_a_target_behind_links_that_lead_in_a_circle(folder: Path, call: Program) -> None:
    (folder / "loop").symlink_to("loop")
    error = call("publish", "patients", "--l", "2", "--out", "loop").error
    assert "loop cannot be written: its links lead in a circle" in error


@pytest.mark.usefixtures("folder")
def test_a_release_is_not_replaced_by_one_that_is_made_of_it(folder: Path, call: Program) -> None:
    assert call("publish", "patients", "--l", "2", "--out", "out").code == 0
    before = everything_in(folder)
    words = ["--quasi", "age", "--sensitive", "disease", "--l", "2", "--out", "out", "--overwrite"]
    assert "which is read as input, and is not replaced" in call("publish", "out/data.csv", *words).error
    assert everything_in(folder) == before
