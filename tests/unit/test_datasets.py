"""The tables that come with the package are what their documentation says."""

import tracemalloc

import numpy as np
import polars as pl
import pytest

from pellucid.datasets import census, named, patients, schema_of, voters
from pellucid.errors import InputError

QUASI = ["age", "gender", "education", "birthplace"]


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return census(600_000)


def correlation_ratio(table: pl.DataFrame, of: str, on: str) -> float:
    """Kendall and Stuart's eta of a numeric column on another: the standard deviation of its means by value of
    ``on`` (weighted by rows) as a share of its own."""
    y = table[of].to_physical().to_numpy().astype(np.float64)
    _, place, rows = np.unique(table[on].to_numpy(), return_inverse=True, return_counts=True)
    means = np.bincount(place, weights=y) / rows
    return float(np.sqrt((rows * (means - y.mean()) ** 2).sum() / len(y)) / y.std())


def test_the_ratio_is_one_when_a_value_determines_the_other_and_zero_when_it_says_nothing() -> None:
    table = pl.DataFrame({"y": [1, 1, 5, 5], "decides": [7, 7, 8, 8], "silent": [7, 8, 7, 8]})
    assert correlation_ratio(table, "y", "decides") == 1
    assert correlation_ratio(table, "y", "silent") == 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_value_of_the_census_occurs_from_50_000_rows_on(seed: int) -> None:
    table = census(50_000, seed)
    assert [table[name].n_unique() for name in [*QUASI, "occupation", "income"]] == [79, 2, 17, 57, 50, 50]
    assert (table["age"].min(), table["age"].max()) == (17, 95)
    assert set(table["gender"]) == {"female", "male"}
    assert table.null_count().sum_horizontal().item() == 0


@pytest.mark.parametrize("sensitive", ["occupation", "income"])
def test_no_sensitive_value_is_frequent_so_tailor_can_cut_at_l_10(people: pl.DataFrame, sensitive: str) -> None:
    largest = int(people[sensitive].value_counts()["count"].to_numpy().max())
    assert largest * 2 * 10 <= people.height


@pytest.mark.parametrize(
    ("sensitive", "stated"),
    [("occupation", [0.48, 0.60, 0.28, 0.36]), ("income", [0.64, 0.80, 0.36, 0.39])],
)
def test_sensitive_columns_depend_on_the_others_as_the_documentation_states(
    people: pl.DataFrame, sensitive: str, stated: list[float]
) -> None:
    reached = [correlation_ratio(people, column, sensitive) for column in QUASI]
    assert reached == pytest.approx(stated, abs=0.01)
    row = next(
        line.split() for line in (census.__doc__ or "").splitlines() if line.strip().startswith(f"{sensitive}  ")
    )
    assert [float(figure) for figure in row[1::2]] == stated


@pytest.mark.parametrize(
    ("sensitive", "paper"), [("occupation", [0.49, 0.62, 0.28, 0.38]), ("income", [0.71, 0.87, 0.41, 0.50])]
)
def test_the_dependence_is_about_that_of_the_paper(people: pl.DataFrame, sensitive: str, paper: list[float]) -> None:
    reached = [correlation_ratio(people, column, sensitive) for column in QUASI]
    assert reached == pytest.approx(paper, rel=0.25)
    assert np.argsort(reached).tolist() == np.argsort(paper).tolist()


def test_the_quasi_identifiers_depend_on_each_other(people: pl.DataFrame) -> None:
    assert people.select(pl.corr("age", "education")).item() < -0.15


def test_the_same_seed_gives_the_same_people_and_another_seed_others() -> None:
    assert census(1000, 7).equals(census(1000, 7))
    assert not census(1000, 7).equals(census(1000, 8))


def test_a_longer_census_begins_with_the_shorter_one() -> None:
    assert census(300_000, 3).head(1000).equals(census(1000, 3))


def test_the_temporaries_of_a_census_are_a_few_bytes_per_row() -> None:
    census(1)  # the tables of shares are built once per process
    tracemalloc.start()
    table = census(2_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.estimated_size() == 6 * table.height
    assert peak < 20 * table.height


@pytest.mark.parametrize("wrong", [0, -5])
def test_a_census_of_no_rows_is_refused(wrong: int) -> None:
    with pytest.raises(InputError, match=str(wrong)):
        census(wrong)


@pytest.mark.parametrize("strength", [-0.1, 1.5, float("nan")])
def test_a_dependence_out_of_range_is_refused(strength: float) -> None:
    with pytest.raises(InputError, match="from 0"):
        census(10, strength=strength)


def test_a_census_without_dependence_has_none() -> None:
    table = census(50_000, strength=0.0)
    for name in ("age", "gender", "education", "birthplace"):
        assert correlation_ratio(table, name, "income") < 0.05  # chance alone gives about 0.03
    assert correlation_ratio(census(50_000), "gender", "income") > 0.7


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(InputError, match="-1"):
        census(10, -1)


def test_patients_are_the_voters_who_were_ill() -> None:
    assert patients().rows()[4:6] == [("Ed", 54, 60000, "flu"), ("Fred", 60, 63000, "bronchitis")]
    ill = patients().drop("disease")
    assert voters().join(ill, on=voters().columns, how="anti")["name"].to_list() == ["Bruce"]
    assert patients()["disease"].value_counts()["count"].max() == 2


@pytest.mark.parametrize(
    ("name", "rows"), [("patients", 8), ("voters", 9), ("census:1000", 1000), ("census:1_000", 1000)]
)
def test_tables_are_found_by_name(name: str, rows: int) -> None:
    table = named(name)
    assert table is not None
    assert table.height == rows


def test_the_number_behind_the_rows_is_the_seed() -> None:
    table = named("census:500:7")
    assert table is not None
    assert table.equals(census(500, 7))


@pytest.mark.parametrize("name", ["patients.csv", "data/census.csv", "census2:5", "Patients"])
def test_other_names_may_be_files(name: str) -> None:
    assert named(name) is None
    assert schema_of(name) is None


@pytest.mark.parametrize("name", ["census", "census:", "census:many", "census:-5", "census:5:6:7", "census:5.5"])
def test_a_census_without_a_size_says_how_to_ask(name: str) -> None:
    with pytest.raises(InputError, match="census:50000"):
        named(name)


@pytest.mark.parametrize("name", ["patients", "census:1000"])
def test_the_schema_of_a_table_names_columns_that_it_has(name: str) -> None:
    schema, table = schema_of(name), named(name)
    assert schema is not None
    assert table is not None
    assert set(schema.columns) <= set(table.columns)
    assert schema.names("sensitive")
    assert schema.names("quasi")
