"""Issue 16, "Verdicts that can pass": a method's own 1/l holds by default, and what an audit needs is said and kept."""

from __future__ import annotations

import json
import re
import signal
import stat
from dataclasses import replace
from pathlib import Path
from random import Random
from time import process_time

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
    rows = [f"P{i:03},{random.randrange(20, 60)},{random.randrange(9)},{random.choice('abcdef')}" for i in range(60)]
    (folder / "many.csv").write_text("name,age,zip,s\n" + "\n".join(rows) + "\n")
    return folder


# `attack --max-risk` at a method's own 1/l ends with FAILS or NOT SHOWN by default. By default it judges the attackers
# that the promise covers and reports the others beside it; `--adversary all` judges all.

SAFE = ["soft-cut", "hybrid", "ace", "anatomy", "tailor", "audited"]


def published(call: Program, method: str, *more: str) -> list[str]:
    """How to attack a release of the people by a method, with everything that an audit needs."""
    made = ["--method", method, "--l", "3", "--out", "out", "--keep-groups", "groups.csv", *more]
    assert call("publish", "many.csv", *COLUMNS, *made).code == 0
    return ["--truth", "many.csv", "--identifier", "name", "--groups", "groups.csv"]


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("method", SAFE)
def test_by_default_the_attackers_are_judged_whom_the_promise_covers(method: str, call: Program) -> None:
    people = published(call, method)
    done = call("attack", "out", *people, "--max-risk", "1/3")
    assert done.code == 0
    told = " ".join(done.out.split())
    only = "knows only the release( and is told who is in which group)?"  # where coins made groups that read alike
    holds = rf"holds: none of the 2 attackers whom the promise of {method} covers \({only}; knows the algorithm\) "
    assert re.match(holds + "believes more than 1/3 of anybody. ", told)
    assert call("verify", "out", *people, "--require", "transparent l-diversity=3").code == 0
    report = pc.attack_all("out", truth="many.csv", identifier="name", groups="groups.csv")
    assert (report.keeps(), report.keeps(1 / 3), report.judged.kinds) == (True, True, ("nothing", "algorithm"))


@pytest.mark.usefixtures("many")
def test_the_others_are_reported_beside_it_with_their_figures(call: Program) -> None:
    people = published(call, "soft-cut")
    document = call("attack", "out", *people, "--max-risk", "1/3", "--json").document
    judged = {one["name"]: one["judged"] for one in document["adversaries"]}
    assert judged == {
        "knows only the release": True,
        "knows minimality": False,
        "knows the algorithm": True,
        "learns from the release": False,
        "knows the distribution by age": False,
        "knows the distribution by zip": False,
    }
    assert document["judged"]["kinds"] == ["nothing", "algorithm"]
    assert document["holds"] is True
    bold = next(one for one in document["adversaries"] if one["name"] == "learns from the release")
    assert bold["max_risk"] > 1 / 3
    parts = call("attack", "out", *people).out.split("-- not judged")
    assert "-- judged: whom the promise of soft-cut covers --\nknows only the release" in parts[0]
    assert "\nlearns from the release" in parts[1]


@pytest.mark.usefixtures("many")
def test_adversary_all_judges_all_and_a_named_one_is_judged(call: Program) -> None:
    people = published(call, "soft-cut")
    words = ["attack", "out", *people, "--max-risk", "1/3"]
    everybody = call(*words, "--adversary", "all", "--json")
    assert (everybody.code, everybody.document["holds"]) == (1, False)
    assert all(one["judged"] for one in everybody.document["adversaries"])
    learner = call(*words, "--adversary", "learned")
    assert learner.code == 1
    assert learner.out.startswith("FAILS: somebody who learns from the release")
    named = pc.attack_all("out", truth="many.csv", identifier="name", groups="groups.csv", adversaries=["learned"])
    assert named.keeps() is False


@pytest.mark.usefixtures("many")
def test_below_the_bound_of_the_promise_it_fails(call: Program) -> None:
    people = published(call, "hybrid")
    done = call("attack", "out", *people, "--max-risk", "1/4")
    assert done.code == 1
    assert done.out.startswith("FAILS: somebody who knows")
    assert call("verify", "out", *people, "--require", "transparent l-diversity=4").code == 1


@pytest.mark.usefixtures("many")
def test_a_weaker_promise_is_no_excuse(call: Program) -> None:
    """Mondrian promises nothing about whoever knows it: they are judged all the same, as verify does."""
    people = published(call, "mondrian")
    done = call("attack", "out", *people, "--max-risk", "1/3")
    told = " ".join(done.out.split())
    assert done.code == 1
    assert not told.startswith("holds")
    assert "who reason from the release, more than the promise of mondrian covers" in told
    uninformed = call("attack", "out", *people, "--max-risk", "1/3", "--adversary", "nothing")
    assert uninformed.code == 0
    assert uninformed.out.startswith("holds: somebody who knows only the release")
    assert call("verify", "out", *people, "--require", "transparent l-diversity=3").code == 1


def test_without_a_promise_everybody_who_reasons_is_judged_and_it_says_why(many: Path, call: Program) -> None:
    people = published(call, "tailor")[:4]
    (many / "foreign.csv").write_bytes((many / "out" / "data.csv").read_bytes())
    words = ["attack", "foreign.csv", *COLUMNS[:4], *people, "--max-risk", "1/3"]
    done = call(*words, "--l", "3")
    told = " ".join(done.out.split())
    assert done.code == 1
    assert told.startswith("NOT SHOWN: ")
    assert "--made-by" in told
    assert "Judged are those who reason from the release, for which nobody promises anything" in told
    assert "--made-by" in told
    assert call(*words, "--l", "3", "--adversary", "nothing").code == 0
    declared = call(*words, "--made-by", "tailor", "--l", "3", "--json").document
    assert declared["judged"]["kinds"] == ["nothing", "algorithm"]  # who assumes minimality is mistaken about tailor
    other = call(*words, "--made-by", "mondrian", "--l", "3", "--json").document
    assert other["judged"]["kinds"] == ["nothing", "minimality", "algorithm"]


def test_a_judged_attacker_who_was_not_tried_is_never_safety() -> None:
    """The page asks one attacker at a time: until all who are judged are done, nothing is shown."""
    release = pc.publish("patients", pc.Hybrid(l=2))
    whole = pc.attack_all(release, truth=pc.datasets.patients())
    assert whole.keeps() is True
    for kind in ("nothing", "algorithm"):
        fewer = replace(whole, attempts=tuple(one for one in whole.attempts if one.kind != kind))
        assert fewer.keeps() is None
        assert len(fewer.open) == 1
    others = replace(whole, attempts=tuple(one for one in whole.attempts if one.kind in ("nothing", "algorithm")))
    assert others.keeps() is True


# A budget (`--patience`) on every attack, progress with an estimate that is true.


@pytest.fixture
def rings_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortest patience that can be asked for is over at once: an attacker may be done in a thousandth second."""
    begin = signal.setitimer

    def soon(which: int, after: float, again: float = 0.0) -> tuple[float, float]:
        return begin(which, 1e-6 if after == 0.001 else after, again)

    monkeypatch.setattr(signal, "setitimer", soon)


@pytest.mark.usefixtures("many", "rings_at_once")
def test_who_is_not_done_in_time_shows_nothing_and_says_what_to_do(call: Program) -> None:
    people = published(call, "soft-cut")
    words = ["attack", "out", *people, "--max-risk", "1/3", "--patience", "0.001"]
    done = call(*words)
    assert done.code == 1
    told = " ".join(done.out.split())
    assert told.startswith("NOT SHOWN: ")
    assert "not done after 0.001 seconds; allow more with --patience" in told
    assert call(*words, "--json").document["holds"] is None
    assert call(*words[:-1], "0").code == 2


@pytest.mark.usefixtures("rings_at_once")
def test_verify_and_report_keep_to_the_same_patience(many: Path, call: Program) -> None:
    people = published(call, "soft-cut")
    words = ["verify", "out", *people, "--require", "transparent l-diversity=3"]
    assert call(*words).code == 0
    late = call(*words, "--patience", "0.001")
    assert late.code == 1
    assert "not done after 0.001 seconds; allow more with --patience" in " ".join(late.out.split())
    (verdict,) = call(*words, "--patience", "0.001", "--json").document["verdicts"]
    assert verdict["holds"] is not True
    told = ["report", "out", "--original", *people[1:], "--out", "late.html", "--patience", "0.001"]
    said = " ".join(call(*told).out.split())
    assert "not known: not done after 0.001 seconds; allow more with --patience" in said
    assert "not done after 0.001 seconds" in (many / "late.html").read_text()


def test_minimality_on_tailors_groups_takes_at_most_ten_seconds() -> None:
    """It took 134 of them: 27,000 rows, in processor time, so that others who use the machine do not count."""
    people = pc.datasets.census(27_000, seed=3).with_row_index("id")
    roles = {"quasi": ["age", "gender", "education", "birthplace"], "sensitive": "occupation", "identifier": "id"}
    release = pc.publish(people, pc.Tailor(l=4), **roles)  # type: ignore[arg-type]
    start = process_time()
    found = pc.attack(release, pc.Adversary(knows="minimality"), truth=people, **roles)  # type: ignore[arg-type]
    assert process_time() - start < 10
    assert found.max_risk > 0.99


class Watched:
    """Progress that notes what it is told."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int, list[int]]] = []

    def stage(self, name: str, total: int) -> None:
        self.stages.append((name, total, []))

    def advance(self, done: int) -> None:
        self.stages[-1][2].append(done)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("method", ["mondrian", "tailor", "soft-cut"])
def test_progress_names_each_attacker_counts_rows_and_never_goes_back(method: str, call: Program) -> None:
    published(call, method)
    seen = Watched()
    pc.attack_all("out", truth="many.csv", identifier="name", groups="groups.csv", progress=seen, classic=False)
    mine = [one for one in seen.stages if one[0].startswith("attacker ")]
    numbers = [int(name.split()[1]) for name, _, _ in mine]
    assert numbers == sorted(numbers)
    for name, total, told in mine:
        assert told == sorted(told), name
        assert not told or told[-1] == total, name
    (learning,) = [total for name, total, _ in mine if "who learns from the release: learning" in name]
    assert learning == 25 * 60  # in rows, as whoever reads rows per second takes it


# A headline never rests on a figure learned from the true table at a handful of people per value, nor on one below
# guessing.


@pytest.mark.usefixtures("many")
def test_no_headline_rests_on_a_handful_of_people_or_on_less_than_guessing(call: Program) -> None:
    people = published(call, "soft-cut")
    told = " ".join(call("attack", "out", *people).out.split("-- judged")[0].split())
    assert "distribution" not in told
    assert "Who only guesses the most frequent s is right for" in told
    asked = call("attack", "out", *people, "--adversary", "distribution", "--max-risk", "1/3")
    first = " ".join(asked.out.split("release ")[0].split())
    assert first.startswith("FAILS: somebody who knows the distribution by ")
    assert "fewer than 20 people for each value" in first or "right no more often than the values are frequent" in first


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
    assert "attack again --truth many.csv --groups groups.csv" in told
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
