"""``pellucid attack``: what it prints, what a program reads, how it ends, what it draws."""

from __future__ import annotations

import json
import re
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli import program
from cli.program import Program
from pellucid.datasets import patients, voters
from pellucid.risk.adversary_kinds import KINDS
from pellucid.risk.report.attack_report import WARNING
from pellucid.text.figures import percent

valid = partial(program.valid, verb="attack")
OURS = ["publish", "patients.csv", "--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name"]
COLUMNS = ["--quasi", "age,zipcode", "--sensitive", "disease"]
charts = pytest.mark.skipif(find_spec("vl_convert") is None, reason="the extra charts is not installed")


def adversary(document: Any, name: str) -> Any:
    return next(one for one in document["adversaries"] if one["name"] == name)


@pytest.fixture
def out(folder: Path, call: Program) -> Path:
    """A release of the patients by tailor, in three groups."""
    assert call(*OURS, "--method", "tailor", "--l", "2", "--out", "out").code == 0
    return folder / "out"


@pytest.fixture
def foreign(folder: Path, call: Program) -> Path:
    """A file that somebody else published: no recipe beside it."""
    assert call(*OURS, "--method", "mondrian", "--l", "2", "--strict", "--out", "made").code == 0
    (folder / "release.csv").write_bytes((folder / "made" / "data.csv").read_bytes())
    return folder / "release.csv"


@pytest.mark.usefixtures("out")
def test_a_release_of_ours_needs_nothing_but_its_people(call: Program) -> None:
    done = call("attack", "out/", "--population", "patients.csv")
    assert (done.code, done.err) == (0, "")
    assert "out: 8 rows in 3 groups, disease is sensitive" in done.out
    for who in ("knows only the release", "knows minimality", "knows the algorithm"):
        assert re.search(rf"^{who} +(<= )?0\.5 +0\.5 +0 \(0 %\)", done.out, re.MULTILINE), done.out
    told = " ".join(done.out.split())
    assert re.search(
        r"learns from the release [^L]* Learned from the release itself: 8 rows in 3 groups, by naive Bayes\. "
        + re.escape(WARNING),
        told,
    ), told
    assert re.search(r"learned from release( +\d+ %){4} +\d \(\d+ %\) +\d \(\d+ %\) +25 %", done.out), done.out
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.usefixtures("out")
def test_the_verdict_comes_first_and_the_rest_is_short_unless_asked_for(call: Program) -> None:
    done = call("attack", "out/", "--population", "patients.csv")
    told = " ".join(done.out.split())
    assert told.startswith(
        "holds: none of the 2 attackers whom the promise of tailor covers (knows only the release; knows the "
        "algorithm) believes more than 1/2 of anybody. By learning from the release, an attacker's best "
        "guess is right for 25 %"
    )
    assert "most: the largest belief about anybody's disease" in told
    assert "prosecutor linkage" not in told
    assert "--details" in told
    whole = call("attack", "out/", "--population", "patients.csv", "--details")
    told = " ".join(whole.out.split())
    assert "prosecutor linkage: The smallest of the 3 groups has 2 rows" in told
    assert f"composition: needs another release of the same people: name it with --also. {WARNING}" in told
    for python in ("pellucid.publish", "(evidence", "()", "truth=", "population=", "made_by=", "k="):
        assert python not in told
    assert max(map(len, whole.out.splitlines())) <= 80


def test_whoever_is_exposed_is_in_the_first_sentence(folder: Path, call: Program) -> None:
    ill = ["HIV", "HIV", "flu", "cold", "gout", "mumps", "flu"]
    rows = [f"p{i},{20 if i < 2 else 30},{value}" for i, value in enumerate(ill)]
    (folder / "ill.csv").write_text("\n".join(["name,age,disease", *rows]) + "\n")
    roles = ["--quasi", "age", "--sensitive", "disease", "--identifier", "name"]
    made = ["--method", "greedy-grouping", "--l", "2", "--binary", "HIV", "--out", "bad"]
    assert call("publish", "ill.csv", *roles, *made).code == 0
    failing = (
        r"FAILS: somebody who knows minimality believes 1 of a person's disease being 'HIV', and 1/2 is allowed; "
        r"\d of \d people are"
    )
    for judged in ([], ["--adversary", "minimality"]):
        told = " ".join(call("attack", "bad", "--truth", "ill.csv", "--identifier", "name", *judged).out.split())
        assert re.match(failing, told)


def test_a_bound_is_about_the_attackers_asked(out: Path, call: Program) -> None:
    words = ["attack", out, "--population", "patients.csv", "--max-risk", "1/2"]
    told = " ".join(call(*words, "--adversary", "nothing").out.split())
    assert "holds: somebody who knows only the release believes at most 1/2 of anybody." in told
    done = call(*words, "--adversary", "all")
    assert done.code == 1
    assert re.match(
        r"FAILS: somebody who \S+ .* believes (1|0\.9+) of a person, and 1/2 is allowed; ", " ".join(done.out.split())
    )
    assert valid(call(*words, "--adversary", "nothing", "--json"))["asked"] == ["nothing"]


def test_overlapping_boxes_are_settled_by_the_groups_that_publishing_kept(folder: Path, call: Program) -> None:
    rows = [f"p{i},{20 + i * 7 % 13},{i * 5 % 11},{'abcde'[i * 3 % 5]}" for i in range(60)]
    (folder / "people.csv").write_text("\n".join(["name,age,zipcode,disease", *rows]) + "\n")
    made = ["--identifier", "name", "--method", "hybrid", "--l", "3"]
    first = ["publish", "people.csv", *COLUMNS, *made]
    assert "stay with you" in call(*first, "--out", "mixed", "--keep-groups", "mixed/groups.csv").error
    assert call(*first, "--out", "mixed", "--keep-groups", "groups.csv").code == 0
    assert not (folder / "mixed" / "groups.csv").exists()
    words = ["attack", "mixed", "--truth", "people.csv", "--identifier", "name"]
    missed = [one["why"] for one in valid(call(*words, "--json"))["not_tried"]]
    assert missed
    assert all("--groups (publish --keep-groups FILE keeps it)" in why for why in missed)
    settled = valid(call(*words, "--groups", "groups.csv", "--json"))
    assert settled["not_tried"] == []
    assert adversary(settled, "learns from the release")["learned_from"].startswith("the release itself: 60 rows")
    (folder / "other.csv").write_text("group\n" + "0\n" * 60)
    assert "does not give this release" in call(*words, "--groups", "other.csv").error


def test_a_method_that_draws_no_coins_is_run_again(folder: Path, call: Program) -> None:
    rows = [f"p{i},{20 + i * 7 % 13},{i * 5 % 11},{'abcde'[i * 3 % 5]}" for i in range(60)]
    (folder / "people.csv").write_text("\n".join(["name,age,zipcode,disease", *rows]) + "\n")
    made = ["--identifier", "name", "--method", "mondrian", "--l", "3", "--no-retry", "--out", "mixed"]
    assert call("publish", "people.csv", *COLUMNS, *made).code == 0
    document = valid(call("attack", "mixed", "--truth", "people.csv", "--identifier", "name", "--json"))
    assert any("running mondrian again" in note for note in document["notes"])
    assert adversary(document, "knows the algorithm")["engine"].startswith("exact")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            ["--l", "3"],
            "l-diversity (l = 3) is said to be what its groups satisfy, and the release's recipe says tailor, l = 2",
        ),
        (
            ["--made-by", "tailor", "--l", "3"],
            "--made-by says tailor, l = 3, and the release's recipe says tailor, l = 2",
        ),
        (["--adversary", "algoritm"], "did you mean 'algorithm'"),
    ],
)
def test_what_contradicts_the_recipe_is_refused(more: list[str], said: str, out: Path, call: Program) -> None:
    assert said in call("attack", out, "--population", "patients.csv", *more).error


def test_a_release_as_arx_writes_it(folder: Path, call: Program) -> None:
    (folder / "people.csv").write_text("age,zip\n21,81667\n28,81675\n35,81925\n39,81931\n45,81925\n62,81931\n")
    lines = ["age;zip;disease", *(f"[20, 30[;816**;{value}" for value in ("flu", "cold"))]
    lines += [f">=30;819**;{value}" for value in ("flu", "flu", "gout", "cold")]
    (folder / "arx.csv").write_text("\n".join(lines) + "\n")
    words = ["attack", "arx.csv", "--quasi", "age,zip", "--sensitive", "disease", "--population", "people.csv"]
    document = valid(call(*words, "--json"))
    assert adversary(document, "knows only the release")["max_risk"] == 0.5
    assert document["people_in_groups"] == 6
    loose = "\n".join(lines).replace("[20, 30[", "20-35").replace(">=30", "35-70") + "\n"
    (folder / "arx.csv").write_text(loose)
    assert adversary(valid(call(*words, "--json")), "knows only the release")["max_risk"] == 0.5  # the zip decides
    (folder / "arx.csv").write_text(loose.replace("816**", "81***").replace("819**", "81***"))
    assert "age: '20-35' and '35-70' both end at 35" in call(*words).error


def test_the_document_follows_the_schema(out: Path, call: Program) -> None:
    document = valid(call("attack", out, "--population", "patients.csv", "--identifier", "name", "--json"))
    assert (document["method"], document["l"], document["bound"], document["rows"]) == ("tailor", 2, 0.5, 8)
    assert document["not_tried"] == []
    algorithm = adversary(document, "knows the algorithm")
    assert (algorithm["max_risk"], algorithm["multiple"], algorithm["exceeds"]) == (0.5, 1.0, False)
    learned = adversary(document, "learns from the release")
    assert learned["exceeds"]
    assert learned["people_above"] == 2
    assert learned["average_above"] > 0.99
    assert learned["warning"] == WARNING
    assert learned["worst"]["person"] in patients()["name"].to_list()
    assert learned["worst"]["reasoning"]


def test_without_people_what_cannot_be_tried_is_named(foreign: Path, call: Program) -> None:
    made = ["--made-by", "mondrian", "--l", "2", "--strict"]
    document = valid(call("attack", foreign, *COLUMNS, *made, "--json"))
    assert [one["name"] for one in document["adversaries"]] == ["knows only the release"]
    missed = {one["name"]: one["why"] for one in document["not_tried"]}
    measured = [missed.pop(kind.name) for kind in KINDS.values() if kind.lacking]
    assert measured
    assert all("--truth" in why for why in measured)
    assert set(missed) == {"knows minimality", "knows the algorithm", "learns from the release"}
    assert all("--population" in why for why in missed.values())
    judged = "NOT SHOWN: nothing is known of somebody who knows minimality or who knows the algorithm"
    assert document["verdict"].startswith(judged)
    assert "learns from the release" in document["verdict"] or "who learns" in document["verdict"]


def test_somebody_elses_release_with_its_people(foreign: Path, call: Program) -> None:
    made = ["--made-by", "mondrian", "--l", "2", "--strict", "--population", "patients.csv"]
    lacking = valid(call("attack", foreign, *COLUMNS, *made, "--json"))
    (why,) = [one["why"] for one in lacking["not_tried"] if one["name"] == "knows the algorithm"]
    assert "give the --schema that it was published with" in why  # a domain or a taxonomy may have steered it
    roles = {"name": "identifier", "age": "quasi", "zipcode": "quasi", "disease": "sensitive"}
    columns = [f'[columns.{column}]\nrole = "{role}"\n' for column, role in roles.items()]
    (foreign.parent / "columns.toml").write_text("".join(columns))
    document = valid(call("attack", foreign, "--schema", "columns.toml", *made, "--json"))
    assert document["method"] == "mondrian"
    assert document["parameters"]["strict"] is True
    assert adversary(document, "knows the algorithm")["max_risk"] == 0.5


@pytest.mark.parametrize(
    ("bound", "code", "holds"), [("1/2", 0, True), ("0.5", 0, True), ("0.49", 1, False), ("1", 0, True)]
)
def test_a_bound_that_must_hold(bound: str, code: int, holds: bool, out: Path, call: Program) -> None:
    words = ["attack", out, "--population", "patients.csv", "--adversary", "nothing,algorithm", "--max-risk", bound]
    assert call(*words).code == code
    done = call(*words, "--json")
    assert (done.code, valid(done)["holds"]) == (code, holds)


def test_a_bound_is_not_shown_while_an_adversary_could_not_be_tried(foreign: Path, call: Program) -> None:
    words = ["attack", foreign, *COLUMNS, "--l", "2", "--max-risk", "1/2"]
    done = call(*words)
    assert done.code == 1
    assert "NOT SHOWN" in done.out
    assert valid(call(*words, "--json"))["holds"] is None
    assert call(*words, "--adversary", "nothing").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--max-risk", "2"], "--max-risk 2"),
        (["--max-risk", "half"], "--max-risk half"),
        (["--adversary", "everybody"], "--adversary everybody"),
        (["--strict"], "--made-by"),
        (["--made-by", "mondrain", "--l", "2"], "mondrain"),
        (["--chart", "x.bmp"], "x.bmp"),
        (["--population", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_a_wrong_call_is_refused(words: list[str], said: str, out: Path, call: Program) -> None:
    assert said in call("attack", out, *words).error


def test_a_file_of_which_nothing_is_said_is_refused(folder: Path, call: Program) -> None:
    assert "--quasi" in call("attack", folder / "patients.csv").error


def test_people_of_another_town_are_refused(folder: Path, out: Path, call: Program) -> None:
    voters().with_columns(age=voters()["age"] + 40).write_csv(folder / "elsewhere.csv")
    assert "does not fit" in call("attack", out, "--population", "elsewhere.csv").error


def test_a_chart_without_the_extra_names_it(out: Path, call: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    assert "pellucid[charts]" in call("attack", out, "--chart", "x.png").error
    assert call("attack", out, "--population", "patients.csv", "--chart", "x.json").code == 0  # nothing is drawn


@charts
@pytest.mark.filterwarnings("ignore")  # of the libraries that draw
@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<"), ("json", b"{")])
def test_a_chart_is_drawn(ending: str, begins: bytes, folder: Path, out: Path, call: Program) -> None:
    done = call("attack", out, "--population", "patients.csv", "--chart", f"x.{ending}")
    assert done.code == 0
    assert f"Chart: x.{ending}" in done.out
    drawn = (folder / f"x.{ending}").read_bytes()
    assert drawn.lstrip().startswith(begins)
    if ending in ("svg", "json"):
        assert "1/2" in drawn.decode()
        assert "knows the algorithm" in drawn.decode()


@pytest.mark.parametrize("method", ["soft-cut", "mask"])
def test_the_headline_names_no_figure_that_is_too_high(method: str, folder: Path, call: Program) -> None:
    """Where groups are published alike a reader counts in several at once; where values are changed, wrong ones."""
    random = Random(7)
    columns = [range(20, 28), range(4), "abcdefgh"]
    drawn = [[random.choice(values) for _ in range(200)] for values in columns]
    rows = [",".join([f"P{i:03}", *map(str, row)]) for i, row in enumerate(zip(*drawn, strict=True))]
    (folder / "many.csv").write_text("name,age,zip,s\n" + "\n".join(rows) + "\n")
    given = ["--quasi", "age,zip", "--sensitive", "s", "--identifier", "name", "--method", method]
    given += ["--k", "2", "--values", "a"] if method == "mask" else []
    assert call("publish", "many.csv", *given, "--l", "2", "--out", "o", "--keep-groups", "g.csv").code == 0
    words = ["attack", "o", "--truth", "many.csv", "--identifier", "name", "--json"]
    told = valid(call(*words))["guessing"]["told"]
    if method == "mask":
        assert told is None
    else:
        assert told <= valid(call(*words, "--groups", "g.csv"))["guessing"]["counted"]


def test_the_headline_says_what_being_told_the_groups_is_worth(folder: Path, call: Program) -> None:
    """Without --groups fewer guesses are right; the first line must not look safer than the release is."""
    random = Random(7)
    rows = [
        f"P{i:03},{random.randrange(20, 60)},{random.randrange(90)},{random.choice('abcdefgh')}" for i in range(200)
    ]
    (folder / "many.csv").write_text("name,age,zip,s\n" + "\n".join(rows) + "\n")
    given = ["--quasi", "age,zip", "--sensitive", "s", "--identifier", "name", "--l", "2"]
    assert call("publish", "many.csv", *given, "--out", "o", "--keep-groups", "g.csv", "--seed", "3").code == 0
    words = ["attack", "o", "--truth", "many.csv", "--identifier", "name"]
    guessing = valid(call(*words, "--json"))["guessing"]
    told = valid(call(*words, "--groups", "g.csv", "--json"))["guessing"]
    assert guessing["counted"] < guessing["told"] <= told["counted"] + 1e-9  # less where groups are published alike
    assert told["told"] is None
    counted, least = percent(guessing["counted"]), percent(guessing["told"])
    said = f"who counts in the groups for {counted}, and for at least {least} by the "
    headline = " ".join(call(*words).out.split())
    assert f"{said}published counts if told who is in which; how often" in headline
    assert "with --groups (publish --keep-groups FILE keeps it)" in headline
    assert "if told" not in call(*words, "--groups", "g.csv").out


LINKED = {
    "attack": (["out", "--population", "patients.csv", "--chart"], ".json"),
    "report": (["out", "--original", "patients.csv", "--out"], ".html"),
    "levels": (["out", "--rows"], ".csv"),
    "init": (["patients.csv", "--out"], ".toml"),
    "publish": (["patients", "--l", "2", "--out", "again", "--keep-groups"], ".csv"),
    "compare": (["patients", "--methods", "tailor", "--l", "2", "--out"], ""),
}


@pytest.mark.parametrize("by", ["name", "folder"])
@pytest.mark.parametrize("verb", LINKED)
@pytest.mark.usefixtures("out")
def test_a_link_that_leads_nowhere_is_refused_before_anything_is_written(
    verb: str, by: str, folder: Path, call: Program
) -> None:
    """A file appeared where the link leads, with the folders on the way."""
    words, ending = LINKED[verb]
    link = Path(f"link{ending}" if by == "name" else "link")
    link.symlink_to(f"elsewhere/there{ending}" if by == "name" else "elsewhere")
    target = link if by == "name" else link / f"there{ending}"
    before = sorted(folder.rglob("*"))
    said = call(verb, *words, target).error
    assert str(target) in said
    assert ("does not exist; remove the link, or choose another name" in said) or "there is no folder link" in said
    assert sorted(folder.rglob("*")) == before
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["compare.csv", "compare.html", "compare.png", "recommendation.txt"])
def test_compare_refuses_a_link_in_its_folder_that_leads_nowhere_before_it_works(
    name: str, folder: Path, call: Program
) -> None:
    (folder / "compared").mkdir()
    (folder / "compared" / name).symlink_to("elsewhere")
    said = call("compare", "patients", "--methods", "tailor", "--l", "2", "--out", "compared").error
    assert f"compared/{name} is a link to elsewhere, which does not exist" in said
    assert [path.name for path in (folder / "compared").iterdir()] == [name]


def test_a_chart_replaces_nothing_unless_told_to(folder: Path, out: Path, call: Program) -> None:
    (folder / "x.json").write_text("mine")
    words = ["attack", out, "--population", "patients.csv", "--chart", "x.json"]
    refused = call(*words)
    assert refused.error == "error: --chart x.json exists; choose another name, or add --overwrite to replace it"
    assert (folder / "x.json").read_text() == "mine"
    assert call(*words, "--overwrite").code == 0
    assert (folder / "x.json").read_text().startswith("{")
    (folder / "y.json").mkdir()
    assert "--chart y.json is a folder" in call("attack", out, "--chart", "y.json", "--overwrite").error


def test_the_budget_that_is_lacking_can_be_given(folder: Path, call: Program) -> None:
    rows = [f"{30 + i % 9},{40 + i * 7 % 11},{'abcd'[i % 4]}" for i in range(20)]
    (folder / "some.csv").write_text("age,weight,s\n" + "\n".join(rows) + "\n")
    given = ["--quasi", "age,weight", "--sensitive", "s"]
    assert call("publish", "some.csv", *given, "--method", "mondrian", "--l", "4", "--strict", "--out", "o").code == 0
    asked = ["attack", "o", "--truth", "some.csv", "--adversary", "distribution"]
    few = " ".join(call(*asked, "--budget", "5").out.split())
    assert "and the budget is 5; ask about smaller groups, or raise --budget" in few
    assert "could not be tried" not in call(*asked, "--budget", "1000000").out
    assert call(*asked, "--budget", "0").code == 2


def overlapping(folder: Path, call: Program, method: str, *more: str) -> None:
    """A release in which people fit several groups, of rows that were ordered by name."""
    random = Random(5)
    rows = [f"P{i:03},{random.randrange(20, 60)},{random.randrange(9)},{random.choice('aabbcd')}" for i in range(60)]
    (folder / "many.csv").write_text("name,age,zip,s\n" + "\n".join(rows) + "\n")
    given = ["--quasi", "age,zip", "--sensitive", "s", "--identifier", "name", "--method", method, *more]
    assert call("publish", "many.csv", *given, "--out", "o").code == 0


def test_the_identifier_that_would_tell_is_named(folder: Path, call: Program) -> None:
    overlapping(folder, call, "mondrian", "--l", "2")
    done = call("attack", "o", "--population", "many.csv")
    told = " ".join(done.out.split())
    assert "name it with --identifier name, and that tells" in told
    assert "--groups" not in told
    assert told.startswith("NOT SHOWN: nothing is known of somebody who knows minimality or who knows the algorithm")
    assert "Not tried" not in call("attack", "o", "--population", "many.csv", "--identifier", "name").out


def test_of_a_method_that_draws_coins_no_identifier_is_asked_for(folder: Path, call: Program) -> None:
    overlapping(folder, call, "hybrid", "--l", "2")
    told = " ".join(call("attack", "o", "--population", "many.csv").out.split())
    assert "with --groups (publish --keep-groups FILE keeps it)" in told
    assert "--identifier" not in told


def test_where_rows_were_suppressed_the_table_is_asked_for(folder: Path, call: Program) -> None:
    overlapping(folder, call, "greedy-grouping", "--l", "2", "--binary", "a")
    recipe = json.loads((folder / "o" / "recipe.json").read_text())
    assert recipe["suppressed"] > 0
    lines = (folder / "many.csv").read_text().splitlines()
    (folder / "people.csv").write_text("\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n")
    told = " ".join(call("attack", "o", "--population", "people.csv").out.split())
    assert "exactly the people" not in told
    assert "give the table as --truth with the --identifier that ordered its rows" in told
    settled = call("attack", "o", "--truth", "many.csv", "--identifier", "name")
    assert "is taken as known" in " ".join(settled.out.split())


def test_few_attackers_are_no_good_news(foreign: Path, call: Program) -> None:
    verdict = " ".join(call("attack", str(foreign), *COLUMNS, "--l", "2").out.split())
    assert verdict.startswith("NOT SHOWN: nothing is known of somebody who knows minimality or who knows the algorithm")
    assert "Judged are those who reason from the release, for which nobody promises anything" in verdict


def test_a_larger_population_is_counted_once_and_is_not_unknown(folder: Path, call: Program) -> None:
    overlapping(folder, call, "mondrian", "--l", "2")
    random = Random(6)
    lines = [line.rsplit(",", 1)[0] for line in (folder / "many.csv").read_text().splitlines()]
    lines += [f"Q{i:03},{random.randrange(20, 60)},{random.randrange(9)}" for i in range(30)]
    (folder / "all.csv").write_text("\n".join(lines) + "\n")
    told = {one["attack"]: one for one in call("attack", "o", "--population", "all.csv", "--json").document["classic"]}
    assert told["journalist linkage"]["baseline"] == pytest.approx(1 / 90)
    why = told["predicate singling out"]["reason"]
    assert why.startswith("needs to know who is in which group, which is not certain: give exactly the people")
    assert "nobody's are known" not in why
