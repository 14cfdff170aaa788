"""What Strata is asked that cannot be is refused in clear words by every way in, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from cli.program import Program

CASES = {
    "a size below l": ({"l": 4, "size": 3}, "size = 3 is below l = 4"),
    "a size below 2": ({"l": 2, "size": 1}, "size = 1"),
    "a size above the rows": ({"l": 2, "size": 41}, "size = 41 is not feasible: the table has 40 rows"),
    "a size that is no number": ({"l": 2, "size": "x"}, "size = "),
    "a size below k": ({"l": 2, "size": 5, "k": 6}, "size = 5 is below k = 6"),
    "a most below 1/l": ({"l": 2, "size": 8, "most": "1/9"}, "most = 1/9 is below 1/2"),
    "a share above most": ({"l": 2, "size": 8, "most": "1/2"}, "in 4 strata of 40 people a value has a larger share"),
    "no such column": ({"l": 2, "size": 8, "same": ["agge"]}, "no quasi-identifier is called so; did you mean"),
    "too few people": ({"l": 2, "size": 8, "same": ["age"]}, "1 person with age = 20, and a stratum has at least 8"),
    "an l of another column": ({"l": {"job": 2}, "size": 8}, "l of 'job': no sensitive column is called so"),
}
SCHEMA = """[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Forty ages, and in each stratum of ten one value that is far too frequent."""
    pl.DataFrame({"age": range(20, 60), "ill": list("aaab") * 10}).write_csv(tmp_path / "people.csv")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def typed(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={number}" for name, number in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)


def in_toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {number}" for name, number in value.items()) + " }"
    return str(value) if isinstance(value, int) else repr(value).replace("'", '"')


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_is_refused_and_nothing_is_written(case: str, people: Path, call: Program) -> None:
    setting, problem = CASES[case]
    out = people / "out"
    with pytest.raises(pc.PellucidError) as refused:
        pc.publish(people / "people.csv", pc.Strata(**setting), quasi="age", sensitive="ill").write(out)
    assert problem in str(refused.value)
    options = [word for name, value in setting.items() for word in (f"--{name}", typed(value))]  # type: ignore[attr-defined]
    roles = ["--quasi", "age", "--sensitive", "ill", "--method", "strata", "-o", str(out)]
    by_hand = call("publish", str(people / "people.csv"), *roles, *options)
    method = "\n".join(f"{name} = {in_toml(value)}" for name, value in setting.items())  # type: ignore[attr-defined]
    job = f'source = "people.csv"\nschema = "schema.toml"\nout = "out"\n[method]\nname = "strata"\n{method}\n'
    (people / "job.toml").write_text(job)
    by_job = call("run", str(people / "job.toml"))
    for outcome in (by_hand, by_job):
        assert outcome.code in (1, 2)
        assert problem in " ".join(outcome.err.split())
    assert not out.exists()


def test_what_is_of_no_use_is_published_and_said(people: Path, call: Program) -> None:
    roles = ["--quasi", "age", "--sensitive", "ill", "--method", "strata"]
    one = call("publish", str(people / "people.csv"), *roles, "--l", "2", "--size", "40", "-o", str(people / "one"))
    assert "there is one stratum: no cut by quasi-identifiers leaves 40 people on both sides" in one.err
    some = call("publish", str(people / "people.csv"), *roles, "--l", "2", "--size", "8", "-o", str(people / "some"))
    assert "no stratum allows l = 2 of ill, so all 40 people are in strata published whole" in some.err
    assert "one stratum" not in some.err
