"""`attack --facts` and `--also`: what is known of single people, and another release, as the library has them."""

from __future__ import annotations

from pathlib import Path

import pytest

import pellucid as pc
from cli.program import Program, valid

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
]
ROLES = ["--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name"]


@pytest.fixture
def released(folder: Path, call: Program) -> Path:
    """A release of the eight patients in groups of four."""
    assert call("publish", "patients.csv", "-o", "out", "--method", "tailor", "--l", "2", *ROLES).code == 0
    return folder


def test_facts_are_those_of_the_library(released: Path, call: Program) -> None:
    (released / "facts.csv").write_text("person,knows,value,then_person,then_knows,then_value\nAnn,not,dyspepsia,,,\n")
    found = valid(call("attack", "out", "--truth", "patients.csv", *ROLES, "--facts", "facts.csv", "--json"), "attack")
    release = pc.publish(
        pc.datasets.patients(), pc.Tailor(l=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name"
    )
    adversary = pc.Adversary(facts=[pc.Not("Ann", "dyspepsia")])
    mine = pc.attack(release, adversary, truth=pc.datasets.patients(), identifier="name").max_risk
    told = {one["name"]: one["max_risk"] for one in found["adversaries"]}
    assert told["knows only the release, and 1 fact"] == pytest.approx(mine)
    assert told["knows the algorithm, and 1 fact"] == pytest.approx(mine)
    assert told["knows the algorithm"] == pytest.approx(0.5)
    assert mine > 0.5
    judged = call("attack", "out", "--truth", "patients.csv", *ROLES, "--facts", "facts.csv", "--max-risk", "1/2")
    assert judged.code == 0  # the promise covers nobody who knows facts, and the verdict is about whom it covers


def test_an_implication_and_what_is_wrong(released: Path, call: Program) -> None:
    (released / "if.csv").write_text("person,knows,value,then_person,then_knows,then_value\nAnn,has,flu,Bob,has,flu\n")
    assert "and 1 fact" in call("attack", "out", "--truth", "patients.csv", *ROLES, "--facts", "if.csv").out
    for text, wrong in (
        ("person,knows,value\nAnn,maybe,flu\n", "line 2: knows is 'maybe'"),
        ("person,value\nAnn,flu\n", "has no facts"),
        ("person,knows,value\nNobody,has,flu\n", "nobody in the population is called 'Nobody'"),
    ):
        (released / "wrong.csv").write_text(text)
        assert wrong in call("attack", "out", "--truth", "patients.csv", *ROLES, "--facts", "wrong.csv").error
    assert "cannot be read" in call("attack", "out", "--truth", "patients.csv", *ROLES, "--facts", "none.csv").error


@pytest.mark.usefixtures("released")
def test_two_releases_tell_together(call: Program) -> None:
    """Groups {Ann, Bob, Cate, Don} and {Ann, Bob}: what Ann and Bob have not, Cate and Don have, two of one value."""
    assert call("publish", "patients.csv", "-o", "more", "--method", "greedy-grouping", "--l", "2", *ROLES).code == 0
    told = "Together the 2 releases give Cate 'gastritis' with probability 1; the most that one of them gives anybody"
    for details in ([], ["--details"]):
        both = call("attack", "out", "--truth", "patients.csv", *ROLES, "--also", "more", *details)
        assert both.code == 0
        assert f"{told} is 0.5. They tell more than each alone about 2 people. 8 worlds are left." in " ".join(
            both.out.split()
        )
    alone = call("attack", "out", "--truth", "patients.csv", *ROLES, "--details").out
    assert "name it with --also" in alone


@pytest.mark.parametrize("method", [["mask", "--k", "2", "--values", "dyspepsia"], ["spurious-records", "--k", "2"]])
@pytest.mark.usefixtures("folder")
def test_groups_of_what_was_changed_do_not_tell_what_was_published(method: list[str], call: Program) -> None:
    words = ["publish", "patients.csv", "-o", "out", "--keep-groups", "g.csv", "--method", *method, "--l", "2", *ROLES]
    made = call(*words)
    assert made.code == 0
    assert "--groups g.csv" not in made.out
    refused = call("attack", "out", "--truth", "patients.csv", "--groups", "g.csv", *ROLES)
    assert refused.code == 2
    assert "says who is in which group, not what was published of whom" in refused.error
    assert "pc.attack(release, truth=table)" in refused.error


@pytest.mark.usefixtures("released")
def test_why_two_releases_tell_nothing_together_is_said_without_details(call: Program) -> None:
    people = ["--quasi", "age,zipcode", "--sensitive", "disease"]
    alone = call("attack", "out", *people, "--also", "out").out
    assert "name it with --also" not in call("attack", "out", *people, "--also", "out", "--details").out
    assert "composition: no people are given, so which rows of the releases are the same person" in " ".join(
        alone.split()
    )
