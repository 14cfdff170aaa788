"""The roles are safe: what ``init`` drafts, and what ``publish`` does with a draft, on tables like surveys."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from cli.program import Program
from pellucid.core.attribute_disclosure import said_in
from pellucid.core.schema import Kind, Role, Schema
from pellucid.drafting.choice import MOST_QUASI, suggest
from pellucid.drafting.draft import Suggestion, facts_of
from pellucid.drafting.schema_file import draft_text

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draft_benchmark", ROOT / "benchmark" / "draft.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_init_drafts_what_an_expert_would(benchmark: ModuleType) -> None:
    columns = benchmark.labelled()
    assert len({(column.source, column.name) for column in columns}) == len(columns) >= 300
    for half in benchmark.HALVES:
        marks, wrong = benchmark.marked([column for column in columns if column.half == half], 500)
        assert marks.leaks == (), "a sensitive column is drafted as one that others know"
        assert marks.right >= 0.9 * marks.columns, wrong
        assert marks.right_kinds >= 0.9 * marks.with_kind, wrong


def test_codes_for_missing_values_are_found_in_labelled_columns(benchmark: ModuleType) -> None:
    columns = benchmark.labelled()
    coded = [column for column in columns if column.missing]
    found = [set(column.drafted(600).facts.missing) >= set(column.missing) for column in coded]
    assert sum(found) >= 0.9 * len(coded), [c.name for c, hit in zip(coded, found, strict=True) if not hit]
    plain = [column for column in columns if not column.missing and "?" not in column.sample]
    invented = [column.name for column in plain if column.drafted(250).facts.missing]
    assert len(invented) <= 0.02 * len(plain), invented


def census(rows: int = 1_500) -> pl.DataFrame:
    """An excerpt of a census, as its files have it: codes, N, weights, an income and its decile."""
    coins = np.random.default_rng(1)
    money = coins.lognormal(10, 1, rows).astype(int)
    minutes = np.where(coins.random(rows) < 0.3, "N", coins.integers(1, 120, rows).astype(str))
    weight = 100 * coins.lognormal(0, 0.7, rows)
    return pl.DataFrame(
        {
            "SERIALNO": [f"2019GQ{number:07d}" for number in coins.permutation(rows)],
            "AGEP": coins.integers(0, 95, rows),
            "SEX": coins.integers(1, 3, rows),
            "RAC1P": coins.integers(1, 10, rows),
            "HISP": np.minimum(coins.geometric(0.5, rows), 24),
            "MAR": coins.integers(1, 6, rows),
            "JWMNP": minutes,
            "PWGTP": weight.astype(int) + 1,
            **{f"PWGTP{i}": (weight * coins.lognormal(0, 0.2, rows)).astype(int) + 1 for i in range(1, 4)},
            "PINCP": money,
            "PINCP_DECILE": np.searchsorted(np.quantile(money, np.arange(0.1, 1, 0.1)), money) + 1,
        }
    )


def drafted(frame: pl.DataFrame) -> dict[str, Suggestion]:
    return {one.name: one for one in suggest([facts_of(frame, name) for name in frame.columns], frame)}


def test_an_identifier_codes_weights_and_n_of_a_census_are_seen() -> None:
    found = drafted(census())
    assert found["SERIALNO"].role in (Role.IDENTIFIER, Role.DROP)
    assert {name: found[name].role for name in ("AGEP", "SEX", "RAC1P", "HISP", "MAR", "JWMNP")} == dict.fromkeys(
        ("AGEP", "SEX", "RAC1P", "HISP", "MAR", "JWMNP"), Role.QUASI
    )
    assert {name: found[name].kind for name in ("SEX", "RAC1P", "HISP")} == dict.fromkeys(
        ("SEX", "RAC1P", "HISP"), Kind.CATEGORY
    )
    assert found["AGEP"].kind is Kind.NUMBER
    assert (found["JWMNP"].kind, found["JWMNP"].facts.missing) == (Kind.NUMBER, ("N",))
    for name in ("PWGTP", "PWGTP1", "PWGTP2", "PWGTP3"):
        assert (found[name].role, "weight" in found[name].reason) == (Role.DROP, True)
    assert found["PINCP_DECILE"].role is Role.SENSITIVE
    assert found["PINCP"].role is Role.DROP


def health(rows: int = 1_200) -> pl.DataFrame:
    """A health survey: yes or no, -1 and 999 for missing, ages that others know and ages that they do not."""
    coins = np.random.default_rng(2)
    some = coins.random(rows)

    def yes(share: float) -> list[str]:
        return np.where(coins.random(rows) < share, "Yes", "No").tolist()

    return pl.DataFrame(
        {
            "ID": np.arange(51_624, 51_624 + rows),
            "Gender": coins.choice(["male", "female"], rows),
            "Age": coins.integers(0, 80, rows),
            "Race1": coins.choice(["White", "Black", "Mexican", "Other"], rows),
            "Diabetes": yes(0.1),
            "Depressed": coins.choice(["None", "Several", "Most"], rows, p=[0.45, 0.3, 0.25]),
            "Marijuana": yes(0.5),
            "SexNumPartnLife": np.where(some < 0.2, -1, coins.integers(0, 60, rows)),
            "AgeFirstMarij": np.where(some > 0.8, 999, coins.integers(9, 40, rows)),
            "WTMEC2YR": 30_000 * coins.lognormal(0, 0.8, rows),
            "Remarks": [
                f"was asked on day {number} and wanted to say more about the neighbours" for number in range(rows)
            ],
        }
    )


def test_what_people_hide_in_a_health_survey_is_never_known_to_others() -> None:
    alone = {name: facts_of(health(), name) for name in health().columns}
    found = drafted(health())
    hidden = ["Diabetes", "Depressed", "Marijuana", "SexNumPartnLife", "AgeFirstMarij"]
    assert [name for name in hidden if found[name].role is Role.SENSITIVE] == ["Depressed"]
    assert all(found[name].role is Role.DROP for name in hidden if name != "Depressed")
    assert all("sensitive" in found[name].reason for name in hidden if name != "Depressed")
    assert (found["ID"].role, found["Age"].role, found["Gender"].role) == (Role.IDENTIFIER, Role.QUASI, Role.QUASI)
    assert (alone["SexNumPartnLife"].missing, alone["AgeFirstMarij"].missing) == (("-1",), ("999",))


def test_columns_that_are_noise_are_dropped_with_the_reason(folder: Path, call: Program) -> None:
    health().write_csv("health.csv")
    assert call("init", "health.csv").code == 0
    draft = (folder / "health.toml").read_text().replace("\n# ", " ")
    assert Schema.load(folder / "health.toml").columns["WTMEC2YR"].role is Role.DROP
    assert "a weight of the survey (WTMEC2YR)" in draft
    assert "long text may name people" in draft
    assert "999" in draft


def test_the_draft_of_a_census_publishes_as_it_is(folder: Path, call: Program) -> None:
    census().write_csv("census.csv")
    assert call("init", "census.csv").code == 0
    schema = Schema.load(folder / "census.toml")
    assert schema.draft
    assert schema.columns["JWMNP"].missing == ("N",)
    done = call("publish", "census.csv", "--schema", "census.toml", "--l", "3", "--out", "out")
    assert done.code == 0, done
    published = pl.read_csv(folder / "out/data.csv", infer_schema=False)
    assert not published["SEX"].str.contains("[", literal=True).any()  # codes are no numbers


def test_init_and_publish_tell_the_same_figure(folder: Path, call: Program) -> None:
    table = census().with_columns(band=pl.col("PINCP_DECILE") // 5).rename({"band": "job"})
    table.select("AGEP", "job", "PINCP_DECILE").write_csv("t.csv")
    told = call("init", "t.csv", "--json").document["columns"]["job"]["tells"]
    assert 0.5 < told < 0.8
    shown = " ".join(call("init", "t.csv", "--out", "again.toml").out.split())
    assert f"; tells {told * 100:.0f} % of PINCP_DECILE" in shown
    done = call("publish", "t.csv", "--schema", "t.toml", "--l", "3", "--out", "out")
    assert f"job tells {told * 100:.0f} % of PINCP_DECILE" in " ".join(done.err.split())
    assert f"tells {told * 100:.0f} % of PINCP_DECILE" in (folder / "t.toml").read_text()


def test_init_measures_exactly_what_publishing_does(tmp_path: Path) -> None:
    coins = np.random.default_rng(4)
    town = coins.integers(0, 150, 400) * 7 + 5
    frame = pl.DataFrame(
        {
            "county": town,  # codes, in the order of numbers
            "commute_hours": np.where(coins.random(400) < 0.1, "N", (town // 3).astype(str)),
            "race": np.where(coins.random(400) < 0.2, 99, coins.integers(1, 5, 400)),
            "score": (town + coins.integers(0, 1500, 400)) // 10,
        }
    )
    found = list(drafted(frame).values())
    (tmp_path / "draft.toml").write_text(draft_text("t", 400, found, []))
    table = pc.read(frame, schema=tmp_path / "draft.toml")
    assert {one.column: one.told for one in said_in(table)} == {
        one.name: one.says.told for one in found if one.says is not None and one.role is Role.QUASI
    }
    assert len(said_in(table)) == 3


def test_a_column_that_determines_the_sensitive_one_is_drafted_as_drop(folder: Path, call: Program) -> None:
    table = census().select("AGEP", "SEX", pl.col("PINCP_DECILE").alias("diagnosis"), pl.col("PINCP").alias("hours"))
    table.write_csv("t.csv")
    assert call("init", "t.csv").code == 0
    assert Schema.load(folder / "t.toml").columns["hours"].role is Role.DROP
    assert "hours tells" in (folder / "t.toml").read_text()


def test_publish_refuses_what_determines_and_takes_an_acceptance(folder: Path, call: Program) -> None:
    census().write_csv("c.csv")
    given = ("publish", "c.csv", "--quasi", "AGEP,SEX,PINCP", "--sensitive", "PINCP_DECILE", "--l", "3", "--out", "out")
    refused = call(*given)
    assert refused.code == 2
    assert "PINCP tells" in refused.error
    assert "--accept-known PINCP" in refused.error
    assert not (folder / "out").exists()
    done = call(*given, "--accept-known", "PINCP", "--json")
    assert done.code == 0
    assert done.document["recipe"]["accepted_known"] == ["PINCP"]
    assert "accepted and is not covered" in done.document["guarantee"]
    wrong = call(*given[:-1], "again", "--accept-known", "PINC")
    assert "did you mean 'PINCP'" in wrong.error


def test_a_draft_without_a_sensitive_column_publishes_nothing_and_says_three_steps(folder: Path, call: Program) -> None:
    pl.DataFrame({"age": [20, 21, 20, 30], "city": ["a", "b", "b", "a"]}).write_csv("people.csv")
    assert "Three steps" in " ".join(call("init", "people.csv").out.split())
    refused = call("publish", "people.csv", "--schema", "people.toml", "--l", "2", "--out", "out")
    assert refused.code == 2
    for part in ("no sensitive column", "nothing is published", "three steps", 'role = "sensitive"', "publish again"):
        assert part in refused.error
    (folder / "job.toml").write_text(
        'source = "people.csv"\nschema = "people.toml"\nout = "o"\n[method]\nname = "hybrid"\nl = 2\n'
    )
    job = call("run", "job.toml")
    assert (job.code, "three steps" in job.error) == (2, True)
    assert not (folder / "out").exists()


def test_a_draft_with_more_than_ten_quasi_identifiers_publishes_nothing_and_says_three_steps(
    folder: Path, call: Program
) -> None:
    coins = np.random.default_rng(3)
    frame = pl.DataFrame(
        {f"city_{number}": coins.integers(0, 4, 60) for number in range(12)} | {"disease": coins.integers(0, 6, 60)}
    )
    found = drafted(frame)
    assert sum(one.role is Role.QUASI for one in found.values()) == MOST_QUASI
    assert sum("known less than 10 others" in one.reason for one in found.values()) == 2
    frame.write_csv("t.csv")
    assert call("init", "t.csv").code == 0
    written = (folder / "t.toml").read_text()
    (folder / "t.toml").write_text(
        written.replace('[columns.city_11]\nrole = "drop"', '[columns.city_11]\nrole = "quasi"')
    )
    refused = call("publish", "t.csv", "--schema", "t.toml", "--l", "2", "--out", "out")
    assert refused.code == 2
    for part in ("11 quasi-identifiers", "nothing is published", "three steps", "at most ten", "draft = true"):
        assert part in refused.error
    meant = (folder / "t.toml").read_text().replace("draft = true", "")
    (folder / "t.toml").write_text(meant)
    assert call("publish", "t.csv", "--schema", "t.toml", "--l", "2", "--out", "out").code == 0


def test_the_suggestion_can_be_published_where_what_looks_sensitive_cannot() -> None:
    data = Path(os.environ.get("PELLUCID_DATA", ROOT.parent / "shared" / "data")) / "adult" / "adult.csv"
    if not data.exists():
        pytest.skip("Adult is not there: PELLUCID_DATA names its folder")
    found = drafted(pl.read_csv(data))
    sensitive = [one for one in found.values() if one.role is Role.SENSITIVE]
    assert [one.name for one in sensitive] == ["occupation"]
    assert sensitive[0].facts.largest_l >= 2
    assert (found["fnlwgt"].role, found["salary-class"].role) == (Role.DROP, Role.DROP)
    assert found["education-num"].reason == "repeats education"
