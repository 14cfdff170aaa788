"""Survey weights on the command line: kept by one option, told by every verb, estimated by, refused with a way out."""

from __future__ import annotations

import csv
import math
import stat
from pathlib import Path
from random import Random

import polars as pl
import pytest

from cli.program import Program
from pellucid.audit import examine
from pellucid.errors import InputError
from pellucid.text.figures import figure

ROLES = "--quasi age,town --sensitive ill --identifier id --weight w"


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    monkeypatch.chdir(tmp_path)
    random = Random(4)
    rows = [
        {
            "id": f"p{i:03}",
            "age": str(random.randint(20, 80)),
            "town": random.choice(["Oslo", "Rome"]),
            "w": f"{random.lognormvariate(5, 0.6):.2f}",
            "ill": random.choice(["flu", "gout", "cold", "ulcer", "acne", "none"]),
        }
        for i in range(150)
    ]
    with Path("survey.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def test_from_publish_to_report(survey: list[dict[str, str]], call: Program) -> None:
    made = call("publish", *f"survey.csv {ROLES} --l 3 --out out --keep-groups groups.csv --json".split())
    assert made.code == 0
    assert "The weights (w) are published as the mean of each group" in made.document["recipe"]["sentence"]
    with Path("out/data.csv").open() as file:
        published = list(csv.DictReader(file))
    whole = math.fsum(float(row["w"]) for row in survey)
    assert abs(math.fsum(float(row["w"]) for row in published) / whole - 1) < 0.005
    assert not {row["w"] for row in published} & {row["w"] for row in survey}

    levels = call("levels", "out", "--json").document
    assert levels["quasi"] == ["age", "town", "w"]
    assert levels["population_uniqueness"]["weighted"] is True
    assert abs(levels["population_uniqueness"]["population"] / whole - 1) < 0.005
    k_map = next(level for level in levels["levels"] if level["model"] == "k-map")
    sums: dict[tuple[str, str], float] = {}
    for row in published:
        sums[row["age"], row["town"]] = sums.get((row["age"], row["town"]), 0) + float(row["w"])
    assert k_map["level"] == math.floor(min(sums.values()) * (1 + 1e-9))
    estimate = call("verify", *f"out --require k-map={k_map['level']}".split())  # which shows nothing
    assert (estimate.code, "--population" in estimate.err) == (2, True)

    measured = call("measure", *["out", "--original", "survey.csv", "--json"]).document
    (totals,) = (score for score in measured["scores"] if score["metric"] == "weighted-totals")
    assert abs(totals["details"]["total"]["error"]) < 0.005
    by_weight = "out --original survey.csv --metric query-error:weighted=true,queries=50 --metric loss:weighted=true"
    assert call("measure", *by_weight.split()).out.count("each row counts by its") == 2

    attack = "out --truth survey.csv --identifier id --groups groups.csv --max-risk 1/3"
    assert call("attack", *attack.split()).code == 0
    assert "mean weights of groups" in call(
        "attack", *["out", "--truth", "survey.csv", "--identifier", "id"]
    ).out.replace("\n         ", " ")
    assert (
        call("report", *["out", "--original", "survey.csv", "--groups", "groups.csv", "--out", "report.html"]).code == 0
    )
    assert call("report", *["out", "--audience", "public", "--out", "public.html"]).code == 0
    for page in ("report.html", "public.html"):
        assert "the mean of its group" in Path(page).read_text()


def test_the_risk_of_a_table_that_is_not_published_yet(survey: list[dict[str, str]], call: Program) -> None:
    roles = "--quasi age,town --sensitive ill --weight w"
    found = call("levels", *f"survey.csv {roles} --json".split()).document
    assert found["quasi"] == ["age", "town"]
    assert "weights" in {finding["name"] for finding in found["findings"]}
    weights: dict[tuple[str, str], list[float]] = {}
    for row in survey:
        weights.setdefault((row["age"], row["town"]), []).append(float(row["w"]))
    alone = min(held[0] for held in weights.values() if len(held) == 1)
    highest = math.log(alone) / (alone - 1)
    assert found["population_uniqueness"]["highest_risk"] == pytest.approx(highest, rel=1e-3)
    said = call("levels", *f"survey.csv {roles}".split()).out
    assert "a row stands for as many people as its weight" in said.replace("\n        ", " ")
    (kmap,) = (level for level in found["levels"] if level["model"] == "k-map")
    assert (kmap["estimated"], found["population_uniqueness"]["estimated"]) == (True, True)
    assert [level["model"] for level in found["levels"] if level["estimated"]] == ["k-map"]
    lines = {line.split()[0]: line for line in said.splitlines() if line.strip()}
    # what is estimated says so in its own line, and is no bound
    assert "estimated" in lines["k-map"]
    assert lines["risk"].startswith("risk    estimated: ")
    below = said[said.index("in a population of") :]
    assert not [
        words for words in ("at most", "or more", "at least") if words in below.partition("Rows are counted")[0]
    ]


@pytest.mark.parametrize(
    ("adds_up_to", "short"),
    [
        (1, "the weights add up to 1, less than the 150 rows"),
        (150, "the weights are about 1 on average, and as low as"),
    ],
)
def test_weights_that_are_no_numbers_of_people_are_said_to_be_scaled(
    adds_up_to: int, short: str, survey: list[dict[str, str]], call: Program
) -> None:
    """Weights may add up to 1, or to the rows; then nothing is estimated without a population, and that is said."""
    whole = math.fsum(float(row["w"]) for row in survey)
    shares = pl.read_csv("survey.csv").with_columns(w=adds_up_to * pl.col("w") / whole)
    shares.write_csv("shares.csv")
    roles = "--quasi age,town --sensitive ill --weight w"
    silent = call("levels", *f"shares.csv {roles} --json".split()).document
    assert "population_uniqueness" not in silent
    (_, said) = (finding["sentence"] for finding in silent["findings"] if finding["name"] == "weights")
    assert said.startswith(short)
    figures = []
    for file, added_up in (("shares.csv", float(adds_up_to)), ("survey.csv", whole)):
        sized = f"{file} {roles} --population-size 90000"
        found = call("levels", *f"{sized} --json".split()).document["population_uniqueness"]
        assert found["people_by_weight"] == pytest.approx(added_up)
        times = f"{figure(90_000 / added_up)} times its weight, since the weights add up to {figure(added_up)})"
        assert f"a row stands for {times}" in " ".join(call("levels", *sized.split()).out.split())
        figures.append(found["highest_risk"])
    assert figures[0] == pytest.approx(figures[1])  # weights in other units say the same
    assert "add up" not in call("levels", *f"survey.csv {roles}".split()).out
    with pytest.raises(InputError, match="no weights that are numbers of people do"):
        examine(shares, quasi=["age", "town"], sensitive="ill", weight="w").population_uniqueness()


def test_risks_of_rows_are_for_their_steward_alone(survey: list[dict[str, str]], call: Program) -> None:
    roles = "survey.csv --quasi age,town --sensitive ill --weight w"
    written = call("levels", *f"{roles} --cluster id --rows risks.csv --json".split())
    assert written.code == 0
    assert stat.S_IMODE(Path("risks.csv").stat().st_mode) == 0o600
    risks = pl.read_csv("risks.csv")
    assert len(risks) == len(survey)
    found = written.document
    assert found["population_uniqueness"]["highest_risk"] == pytest.approx(risks["risk"].max())
    assert found["household_risk"]["mean"] == pytest.approx(risks["household_risk"].mean())
    assert found["rows_below"] == {str(k): int((risks["rows_alike"] < k).sum()) for k in (2, 3, 5)}
    said = call("levels", *f"{roles} --cluster id".split()).out
    assert f"of {len(survey)} rows {found['rows_below']['2']} are in groups of fewer than 2" in said
    assert "household  estimated: somebody of a person's household" in said
    before = Path("risks.csv").read_bytes()
    again = call("levels", *f"{roles} --rows risks.csv".split())
    assert (again.code, Path("risks.csv").read_bytes()) == (2, before)
    assert "add --overwrite to replace it" in again.err
    assert call("levels", *f"{roles} --rows risks.csv --overwrite".split()).code == 0
    assert Path("risks.csv").read_bytes() != before  # without households
    assert "this is what is looked at" in call("levels", *f"{roles} --rows survey.csv --overwrite".split()).err
    assert "are written as CSV" in call("levels", *f"{roles} --rows risks.parquet".split()).err
    assert "has no column 'nobody'" in call("levels", *f"{roles} --cluster nobody".split()).err


def test_two_weights_and_no_weights_are_refused_in_one_line(survey: list[dict[str, str]], call: Program) -> None:
    both = call(
        "publish",
        *["survey.csv", "--quasi", "town", "--sensitive", "ill", "--weight", "w,age", "--l", "2", "--out", "out"],
    )
    assert both.code == 2
    assert "--weight names 'w' and 'age'; a table has one weight, drop the others" in both.err
    Path("gap.csv").write_text(Path("survey.csv").read_text().replace(survey[7]["w"], "", 1))
    gap = call("publish", *f"gap.csv {ROLES} --l 2 --out out".split())
    assert gap.code == 2
    assert "weight 'w' is null in 1 of 150 rows" in gap.err
    assert not Path("out").exists()


def test_nothing_holds_by_not_looking_at_the_weights_of_a_population(
    survey: list[dict[str, str]], call: Program
) -> None:
    assert survey
    rows = [f"{20 + i % 4},{1 if i < 4 else 100},{'abcdefgh'[i]}" for i in range(8)]
    Path("alike.csv").write_text("\n".join(["age,w,d", *rows]) + "\n")
    roles = "--quasi age --sensitive d --weight w"
    assert call("publish", *f"alike.csv {roles} --method ace --l 2 --out alike --seed 1".split()).code == 0
    attacked = "attack alike --population alike.csv --adversary nothing --max-risk"
    assert call(*f"{attacked} 1/2".split()).code == 0
    assert call(*f"{attacked} 1/4".split()).code == 1  # the means of groups may tell who is where


def test_a_job_publishes_the_weights_of_its_schema(survey: list[dict[str, str]], call: Program) -> None:
    assert survey
    roles = {"id": "identifier", "age": "quasi", "town": "quasi", "w": "weight", "ill": "sensitive"}
    Path("s.toml").write_text("".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items()))
    Path("job.toml").write_text(
        'source = "survey.csv"\nschema = "s.toml"\nout = "release"\nrequire = ["k-anonymity=3"]\n'
        '[method]\nname = "hybrid"\nl = 3\n'
    )
    assert call("run", "job.toml").code == 0
    assert Path("release/data.csv").read_text().partition("\n")[0] == "age,town,w,ill"


def test_compare_takes_weights(survey: list[dict[str, str]], call: Program) -> None:
    assert survey
    words = f"survey.csv {ROLES} --methods hybrid,anatomy --l 2"
    assert call("compare", *f"{words} --out compared --workers 1".split()).code == 0


def test_publish_takes_kinds_as_levels_does(survey: list[dict[str, str]], call: Program) -> None:
    assert len(survey) > 100
    named = "survey.csv --quasi age,town --sensitive ill --l 2 --method tailor --quiet"
    assert call("publish", *f"{named} --kind age=category --out names".split()).code == 0
    assert call("publish", *f"{named} --out numbers".split()).code == 0
    assert "[" in Path("numbers/data.csv").read_text()  # ranges
    assert "[" not in Path("names/data.csv").read_text()  # sets of names
    wrong = call("publish", *f"{named} --kind age --out wrong".split())
    assert "write the column and its kind" in wrong.err
    Path("s.toml").write_text('[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n')
    both = call(
        "publish", *["survey.csv", "--schema", "s.toml", "--kind", "age=category", "--l", "2", "--out", "wrong"]
    )
    assert "--kind and s.toml both say what kind a column is" in both.err
    assert not Path("wrong").exists()


def test_free_text_that_others_may_know_is_warned_about(
    call: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    random = Random(4)
    note = "called number {} and spoke about the family who want to come back"
    rows = [
        f"{random.randint(20, 60)},{note.format(i)},{random.choice(['flu', 'gout', 'cold', 'acne'])}"
        for i in range(150)
    ]
    Path("visits.csv").write_text("\n".join(["age,note,ill", *rows]) + "\n")
    how = "--sensitive ill --l 2 --json"
    loud = call("publish", *f"visits.csv --quasi age,note {how} --out out".split())
    assert any("'note' looks like free text (150 different ones" in line for line in loud.document["warnings"])
    quiet = call("publish", *f"visits.csv --quasi age {how} --out without".split())
    assert not any("free text" in line for line in quiet.document["warnings"])
