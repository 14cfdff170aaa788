"""Issue 16, "Verdicts that can pass": a method's own 1/l holds by default, and what an audit needs is said and kept."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from random import Random

import pytest

import pellucid as pc
from cli.program import Program

COLUMNS = ["--quasi", "age,zip", "--sensitive", "s", "--identifier", "name"]
JOB = """source = "many.csv"
out = "released"
keep_groups = "{groups}"
[schema.columns]
name = {{role = "identifier"}}
age = {{role = "quasi"}}
zip = {{role = "quasi"}}
s = {{role = "sensitive"}}
[method]
name = "hybrid"
l = 3
"""


@pytest.fixture
def many(folder: Path) -> Path:
    """Sixty people whose groups overlap however they are drawn."""
    random = Random(5)
    rows = [f"P{i:03},{random.randrange(20, 60)},{random.randrange(9)},{random.choice('aabbcd')}" for i in range(60)]
    (folder / "many.csv").write_text("name,age,zip,s\n" + "\n".join(rows) + "\n")
    return folder


# `publish` says, when groups overlap, that `--keep-groups FILE` is needed for a full audit; the job file and the page
# have it too.


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("method", ["hybrid", "soft-cut", "ace"])
def test_publish_says_when_groups_overlap_that_they_must_be_kept_for_an_audit(method: str, call: Program) -> None:
    words = ["publish", "many.csv", *COLUMNS, "--method", method, "--l", "3", "--seed", "1"]
    told = " ".join(call(*words, "--out", "out").out.split())
    assert "audit groups overlap" in told
    assert "--keep-groups FILE" in told
    assert "private" in told
    kept = call(*words, "--out", "again", "--keep-groups", "groups.csv")
    told = " ".join(kept.out.split())
    assert "groups overlap" not in told
    assert "attack again --truth TABLE --groups groups.csv" in told
    assert call(*words, "--out", "third", "--json").document["groups_overlap"] is True
    audited = ["attack", "again", "--truth", "many.csv", "--identifier", "name", "--groups", "groups.csv"]
    assert call(*audited, "--max-risk", "1/3").code == 0


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("more", [["--method", "tailor", "--l", "2"], ["--l", "3", "--recode", "anatomy"]])
def test_publish_asks_for_nothing_where_the_release_tells_who_is_in_which_group(more: list[str], call: Program) -> None:
    done = call("publish", "many.csv", *COLUMNS, *more, "--out", "out")
    assert "audit" not in done.out


def test_the_job_file_keeps_groups_too(many: Path, call: Program) -> None:
    (many / "job.toml").write_text(JOB.format(groups="kept.csv"))
    done = call("run", "job.toml")
    assert done.code == 0
    assert "kept.csv tells who is in which group and stays with you" in " ".join(done.out.split())
    assert stat.S_IMODE((many / "kept.csv").stat().st_mode) == 0o600
    assert len((many / "kept.csv").read_text().splitlines()) == 61
    people = ["--truth", "many.csv", "--identifier", "name", "--groups", "kept.csv"]
    assert call("verify", "released", *people, "--require", "transparent l-diversity=3").code == 0
    assert "keep_groups" in call("run", "job.toml", "--overwrite").out + (many / "job.toml").read_text()


def test_python_runs_such_a_job(many: Path) -> None:
    (many / "job.toml").write_text(JOB.format(groups="kept.csv"))
    release = pc.run(many / "job.toml")
    assert [int(line) for line in (many / "kept.csv").read_text().split()[1:]] == release.private.labels.tolist()


@pytest.mark.parametrize("groups", ["released/groups.csv", "many.csv", "nowhere/groups.csv"])
def test_a_job_keeps_groups_in_no_place_that_is_read_or_handed_out(groups: str, many: Path, call: Program) -> None:
    (many / "job.toml").write_text(JOB.format(groups=groups))
    before = (many / "many.csv").read_bytes()
    assert "keep_groups " in call("run", "job.toml").error
    with pytest.raises(pc.PellucidError, match="keep_groups "):
        pc.run(many / "job.toml")
    assert not (many / "released").exists()
    assert (many / "many.csv").read_bytes() == before


def test_a_requirement_that_fails_leaves_no_groups(many: Path, call: Program) -> None:
    (many / "job.toml").write_text('require = ["k-anonymity=50"]\n' + JOB.format(groups="kept.csv"))
    assert call("run", "job.toml").code == 1
    assert not (many / "kept.csv").exists()
    assert json.loads(call("run", "job.toml", "--json").out)["required"][0]["holds"] is False
