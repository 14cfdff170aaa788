"""A yes/no diagnosis is published with "Yes" protected, in groups of at least k rows; other values may be learned."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from cli.program import Program
from pellucid.anonymize.methods import methods
from pellucid.core.coins import Coins

ROLES = ["--quasi", "age,zip", "--sensitive", "sick", "--identifier", "id"]
YES = ["--values", "Yes", "--l", "5", "--k", "10"]
STRICT = ["--method", "soft-cut"]  # which refuses an l, and whose groups all are l-diverse
METHODS = ["ace", "anatomy", "hybrid", "soft-cut"]


def clinic(n: int = 400) -> pl.DataFrame:
    """About one in nine is sick; the others are healthy, or have not been asked."""
    random = Random(5)
    return pl.DataFrame(
        {
            "id": range(n),
            "age": [random.randint(18, 90) for _ in range(n)],
            "zip": [random.randint(0, 30) for _ in range(n)],
            "sick": ["Yes" if random.random() < 0.1 else random.choice(["No", "No", "unknown"]) for _ in range(n)],
        }
    )


@pytest.fixture
def table(folder: Path) -> pl.DataFrame:
    frame = clinic()
    frame.write_csv(folder / "clinic.csv")
    return frame


@pytest.mark.parametrize("method", METHODS)
def test_yes_is_protected_and_the_others_are_published_as_they_are(
    method: str, folder: Path, table: pl.DataFrame, call: Program
) -> None:
    done = call(
        "publish", "clinic.csv", *ROLES, "--method", method, *YES, "--keep-groups", "groups.csv", "--out", "out"
    )
    assert done.code == 0, done.err
    recipe = json.loads((folder / "out/recipe.json").read_text())
    assert recipe["parameters"] == {"l": 5, "values": ["Yes"], "k": 10}
    assert "names 'Yes' as any one person's sick with probability at most 1/5" in recipe["sentence"]
    assert "Every group has at least 10 rows." in recipe["sentence"]
    assert "Other values of sick are not protected and may be told with certainty." in recipe["sentence"]
    known = pl.read_csv(folder / "groups.csv")["group"]
    sizes = table.group_by(known).agg(pl.len(), (pl.col("sick") == "Yes").sum().alias("yes"))
    assert sizes["len"].min() >= 10  # type: ignore[operator]
    assert (sizes["yes"] * 5 <= sizes["len"]).all()
    published = pl.read_csv(folder / "out" / ("sensitive.csv" if method == "anatomy" else "data.csv"))
    if method != "anatomy":
        assert sorted(published["sick"]) == sorted(table["sick"])
    attack = ["attack", "out", "--truth", "clinic.csv", "--identifier", "id", "--groups", "groups.csv"]
    held = call(*attack, "--adversary", "nothing,algorithm", "--max-risk", "1/5")
    assert held.code == 0, held.out
    assert "'Yes' of sick counts alone" in held.out
    assert call(*attack, "--adversary", "algorithm", "--max-risk", "1/6").code == 1


@pytest.mark.usefixtures("table")
def test_a_release_is_verified_by_the_values_it_protects_unless_others_are_named(call: Program) -> None:
    assert call("publish", "clinic.csv", *ROLES, *STRICT, *YES, "--out", "out").code == 0
    held = call("verify", "out", "--require", "l-diversity=5", "--require", "k-anonymity=10")
    assert held.code == 0
    assert "'Yes' alone, as the recipe says" in held.out
    for others in ("Yes,No", "No"):
        assert call("verify", "out", "--require", "l-diversity=5", "--values", others).code == 1
    both = [pc.LDiversity(l=5, sensitive=("Yes", "No"))]
    assert not pc.verify("out", both)[0].holds
    assert pc.verify("out", [pc.LDiversity(l=5)])[0].holds


def test_an_infeasible_l_names_the_way_out(table: pl.DataFrame, call: Program) -> None:
    yes = int((table["sick"] == "Yes").sum())
    no = call("publish", "clinic.csv", *ROLES, *STRICT, "--l", "5", "--out", "out")
    assert f"protect 'Yes' only: l up to {400 // yes}" in no.error
    assert "and 'No' and 'unknown' are then not protected" in no.error
    assert "protect 'Yes' only" not in call("publish", "clinic.csv", *ROLES, *STRICT, "--l", "99", "--out", "out").error
    alone = clinic().with_columns(pl.col("sick").replace("unknown", "No"))
    alone.write_csv("two.csv")
    two = call("publish", "two.csv", *ROLES, *STRICT, "--l", "5", "--out", "out")
    assert f"protect 'Yes' only: l up to {400 // yes}" in two.error
    assert (
        call("publish", "two.csv", *ROLES, *STRICT, "--l", str(400 // yes), "--values", "Yes", "--out", "out").code == 0
    )
    more = call("publish", "two.csv", *ROLES, *STRICT, "--l", str(400 // yes + 1), "--values", "Yes", "--out", "more")
    assert "is not feasible: 'Yes' is the 'sick'" in more.error
    assert (
        "k = 401 is not feasible: the table has 400 rows"
        in call(
            "publish", "two.csv", *ROLES, *STRICT, "--l", "2", "--values", "Yes", "--k", "401", "--out", "more"
        ).error
    )
    slip = call("publish", "two.csv", *ROLES, *STRICT, "--l", "2", "--values", "yes", "--out", "more")
    assert "no row has 'yes' in 'sick'" in slip.error


@pytest.mark.usefixtures("table")
def test_a_schema_names_the_values_to_protect(folder: Path, call: Program) -> None:
    (folder / "clinic.toml").write_text(
        '[columns.id]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\n[columns.zip]\nrole = "quasi"\n'
        '[columns.sick]\nrole = "sensitive"\nprotect = ["Yes"]\n'
    )
    words = ["publish", "clinic.csv", "--schema", "clinic.toml", *STRICT, "--l", "5"]
    assert call(*words, "--out", "out").code == 0
    assert json.loads((folder / "out/recipe.json").read_text())["parameters"] == {"l": 5, "values": ["Yes"], "k": 5}
    assert call(*words, "--values", "Yes", "--out", "same").code == 0
    other = call(*words, "--values", "No", "--out", "other")
    assert "the schema says that 'Yes' of 'sick' is to be protected, and the method is told 'No'" in other.error
    again = pc.Schema.load(folder / "clinic.toml")
    assert 'protect = ["Yes"]' in again.columns["sick"].to_toml("sick")
    with pytest.raises(pc.PellucidError, match="protect is for role"):
        pc.Schema.model_validate({"columns": {"age": {"role": "quasi", "protect": ["Yes"]}}})


@pytest.mark.usefixtures("table")
def test_a_job_file_takes_values_and_k(folder: Path, call: Program) -> None:
    (folder / "job.toml").write_text(
        'source = "clinic.csv"\nout = "out"\nrequire = ["l-diversity=5", "k-anonymity=10"]\n[schema.columns]\n'
        'age = {role = "quasi"}\nzip = {role = "quasi"}\nsick = {role = "sensitive"}\n'
        '[method]\nname = "hybrid"\nl = 5\nk = 10\nvalues = ["Yes"]\n'
    )
    assert call("run", "job.toml").code == 0
    assert json.loads((folder / "out/recipe.json").read_text())["parameters"]["values"] == ["Yes"]


def test_all_values_protected_by_name_is_the_method_without_values(table: pl.DataFrame) -> None:
    even = table.with_columns((pl.col("id") % 7).cast(str).alias("sick"))
    roles = {"quasi": ["age", "zip"], "sensitive": "sick", "identifier": "id"}
    for name in METHODS:
        coins = Coins.from_seed(1)
        plain = methods()[name](l=3).group(pc.read(even, **roles), coins)
        named = methods()[name](l=3, values=tuple("0123456"), k=1).group(pc.read(even, **roles), coins)
        assert np.array_equal(plain.labels, named.labels), name


@pytest.mark.usefixtures("folder")
def test_nulls_alone_are_no_way_out(call: Program) -> None:
    """All that is rare enough for l = 5 is the missing value, which nobody means to protect."""
    rows = [(20 + i, ["a", "b", "c"][i % 3] if i != 7 else None) for i in range(12)]
    pl.DataFrame(rows, schema=["age", "ill"], orient="row").write_csv("some.csv")
    refused = call("publish", "some.csv", "--quasi", "age", "--sensitive", "ill", "--l", "5", "--out", "out")
    assert "use l = 3 or less" in refused.error
    assert "protect" not in refused.error
    rows[8] = (28, "rare")
    pl.DataFrame(rows, schema=["age", "ill"], orient="row").write_csv("some.csv")
    refused = call("publish", "some.csv", "--quasi", "age", "--sensitive", "ill", "--l", "5", "--out", "out")
    assert "protect all values but 'a' and 'b' and 'c'" in refused.error
