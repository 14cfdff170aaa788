"""A frame and a schema become a table."""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.core.schema import Column, Kind, Role, Schema
from pellucid.errors import InputError, SchemaError, TaxonomyError
from pellucid.io import encode, read


def schema_with(**column: Any) -> Any:
    return Schema(
        columns={"x": Column(**({"role": "quasi"} | column)), "disease": Column(role="sensitive")},
    )


def attribute_of(values: Any, dtype: Any = None, **column: Any) -> Any:
    """The attribute and codes of a quasi-identifier with these values."""
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype), "disease": [f"d{i}" for i in range(len(values))]})
    table = encode(frame, schema_with(**column))
    return table.attributes[0], table.codes[0].tolist()


def test_roles_become_attributes_in_schema_order_and_the_rest_is_left_out() -> None:
    frame = pl.DataFrame({"id": [2, 1], "town": ["b", "a"], "age": [1, 2], "ill": ["x", "y"], "noise": [0, 0]})
    schema = Schema(
        columns={
            "ill": Column(role="sensitive"),
            "town": Column(role="carry"),
            "noise": Column(role="drop"),
            "id": Column(role="identifier"),
            "age": Column(role="quasi"),
        }
    )
    table = encode(frame, schema, "pandas")
    assert [(one.name, one.role) for one in table.attributes] == [
        ("ill", Role.SENSITIVE),
        ("town", Role.CARRY),
        ("age", Role.QUASI),
    ]
    assert table.order is not None
    assert table.order.tolist() == [1, 0]
    assert table.native == "pandas"
    assert encode(frame, Schema.of(quasi="age", sensitive="ill")).order is None


def test_a_dropped_column_need_not_exist_and_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age,ill\n1,x\n2,y\n")
    columns = {"age": Column(role="quasi"), "ill": Column(role="sensitive"), "gone": Column(role="drop")}
    assert len(read(path, schema=Schema(columns=columns)).attributes) == 2


@pytest.mark.parametrize(
    ("values", "dtype", "kind"),
    [
        ([1, 2], pl.Int8, Kind.NUMBER),
        ([1.5, 2], pl.Float64, Kind.NUMBER),
        ([Decimal(1), Decimal(2)], pl.Decimal(5, 1), Kind.NUMBER),
        (["a", "b"], pl.String, Kind.CATEGORY),
        ([True, False], pl.Boolean, Kind.CATEGORY),
        ([dt.date(2020, 1, 1)] * 2, pl.Date, Kind.DATE),
        ([dt.datetime(2020, 1, 1)] * 2, pl.Datetime, Kind.DATE),
        ([None, None], pl.Null, Kind.CATEGORY),
    ],
)
def test_the_kind_follows_the_type_when_the_schema_is_silent(values: Any, dtype: Any, kind: str) -> None:
    assert attribute_of(values, dtype)[0].kind is kind


@pytest.mark.parametrize(
    ("values", "column", "kind"),
    [
        ([90210, 10001], {"taxonomy": {"prefix": [2]}}, Kind.CATEGORY),
        (["7", "12"], {"taxonomy": {"ladder": [5]}}, Kind.NUMBER),
        (["2024-01-31", "2023-01-31"], {"taxonomy": {"dates": ["year"]}}, Kind.DATE),
        (["7", "12"], {"domain": [0, 20]}, Kind.NUMBER),
        (["2024-01-31", "2023-01-31"], {"domain": [dt.date(2020, 1, 1), dt.date(2025, 1, 1)]}, Kind.DATE),
    ],
)
def test_the_kind_follows_a_rule_or_a_domain_before_the_type(values: Any, column: Any, kind: str) -> None:
    assert attribute_of(values, **column)[0].kind is kind


def test_nulls_are_a_value_of_their_own_with_code_0_and_position_minus_1() -> None:
    attribute, codes = attribute_of([30, None, 21, None])
    assert attribute.has_null
    assert attribute.values.to_list() == [None, 21, 30]
    assert codes == [2, 0, 1, 0]
    assert attribute.positions.tolist() == [-1, 0, 9]
    assert attribute.width == 9


def test_the_codebook_has_exactly_the_values_that_occur() -> None:
    attribute, _ = attribute_of(["b", "a"], pl.Enum(["a", "b", "secret"]))
    assert attribute.values.dtype == pl.String
    assert attribute.values.to_list() == ["a", "b"]


def test_a_category_has_its_rank_as_position() -> None:
    attribute, _ = attribute_of(["b", None, "a", "c"])
    assert attribute.positions.tolist() == [-1, 0, 1, 2]
    assert attribute.width == 2


def test_an_ordered_column_follows_the_schema_and_its_unused_values_widen_it() -> None:
    attribute, codes = attribute_of(
        ["high", "low", None, "low"], kind="ordered", order=["lowest", "low", "mid", "high"]
    )
    assert attribute.values.to_list() == [None, "low", "high"]
    assert codes == [2, 1, 0, 1]
    assert attribute.positions.tolist() == [-1, 1, 3]
    assert attribute.width == 3


def test_an_order_matches_numbers_and_booleans_by_their_text() -> None:
    attribute, codes = attribute_of([3, 1, 2], kind="ordered", order=["2", "3", "1"])
    assert attribute.values.to_list() == [2, 3, 1]
    assert codes == [1, 2, 0]
    assert attribute_of([True, False], kind="ordered", order=["true", "false"])[1] == [0, 1]


def test_a_domain_widens_the_line() -> None:
    attribute, _ = attribute_of([17, 20], domain=[0, 120])
    assert (attribute.positions.tolist(), attribute.width) == ([17, 20], 120)


def test_numbers_and_dates_may_be_written_as_text_when_the_schema_says_so() -> None:
    attribute, codes = attribute_of(["007", "12", "7", None], kind="number")
    assert attribute.values.to_list() == [None, 7, 12]
    assert codes == [1, 2, 1, 0]
    assert attribute_of(["1.50", "2"], kind="number")[0].values.to_list() == [1.5, 2.0]
    attribute, _ = attribute_of(["2024-01-31", "2023-12-31"], kind="date")
    assert attribute.values.to_list() == [dt.date(2023, 12, 31), dt.date(2024, 1, 31)]
    assert attribute.width == 31


def test_booleans_are_numbers_when_the_schema_says_so() -> None:
    attribute, codes = attribute_of([True, False, None], kind="number")
    assert (attribute.positions.tolist(), attribute.width, codes) == ([-1, 0, 1], 1, [2, 1, 0])


TREE = {"*": {"south": ["Rome", "Lima"], "north": ["Oslo", "Kiel", "Bonn"]}}


def test_a_category_with_a_taxonomy_has_the_order_of_its_leaves_and_chains() -> None:
    attribute, codes = attribute_of(["Oslo", "Rome", None, "Lima", "Oslo"], taxonomy={"tree": TREE})
    assert attribute.values.to_list() == [None, "Rome", "Lima", "Oslo"]
    assert codes == [3, 1, 0, 2, 3]
    assert attribute.taxonomy is not None
    assert attribute.chains is not None
    assert attribute.leaves is not None
    assert attribute.chains.shape == (3, 4)
    assert len(set(attribute.chains[-1].tolist())) == 1
    assert attribute.chains[1, 1] == attribute.chains[1, 2] != attribute.chains[1, 3]
    assert [attribute.taxonomy.node_label(node) for node in attribute.chains[0]] == ["", "Rome", "Lima", "Oslo"]
    assert attribute.leaves[attribute.chains[-1, 0]] == 6  # five cities and the null
    assert attribute.width == 5


def test_a_number_with_a_ladder_keeps_its_line() -> None:
    attribute, _ = attribute_of([21, 27, None], taxonomy={"ladder": [5, 10]})
    assert attribute.chains is None
    assert attribute.positions.tolist() == [-1, 0, 6]
    assert attribute.taxonomy is not None
    assert attribute.taxonomy.common_ancestor(["21", "27"]) == "[20, 29]"


def test_prefixes_of_numbers_are_prefixes_of_their_text() -> None:
    attribute, _ = attribute_of([13053, 13068, 14850], taxonomy={"prefix": [3]})
    assert attribute.taxonomy is not None
    assert attribute.taxonomy.path("13053") == ["13053", "130**", "*"]
    assert attribute.chains is not None


def test_a_column_of_nulls_with_a_taxonomy_is_one_code() -> None:
    attribute, codes = attribute_of([None, None], taxonomy={"tree": TREE})
    assert codes == [0, 0]
    assert len(attribute) == 1


@pytest.mark.parametrize("seed", range(5))
def test_codes_never_fall_as_positions_rise(seed: int) -> None:
    random = np.random.default_rng(seed)
    for values in (random.integers(0, 2**62, 50), random.random(50) * 1e9, random.integers(0, 5, 50)):
        attribute, _ = attribute_of(values.tolist())
        assert (np.diff(attribute.positions) >= 0).all()
        assert attribute.positions.max() == attribute.width


@pytest.mark.parametrize(
    ("values", "column", "error", "message"),
    [
        (["1", "old"], {"kind": "number"}, SchemaError, r"columns.x.kind: 'old' is not a number; correct the value"),
        (["1", ""], {"kind": "number"}, SchemaError, r"'' is not a number"),
        (["2024-01-31", "soon"], {"kind": "date"}, SchemaError, r"columns.x.kind: 'soon' is not a date"),
        ([1, 2], {"kind": "date"}, SchemaError, r"values such as 1, not dates; set kind = \"number\""),
        ([dt.date(2024, 1, 1)], {"kind": "number"}, SchemaError, r"dates such as 2024-01-01, not numbers; set kind"),
        (["a", "b"], {"kind": "ordered", "order": ["a"]}, SchemaError, r"columns.x.order: the column also has 'b'"),
        ([1, 200], {"domain": [0, 120]}, InputError, r"column 'x': 200 lies outside the domain \[0, 120\]"),
        ([1, None, None], {"nulls": "reject"}, InputError, r"column 'x' is null in 2 of 3 rows .* nulls = \"reject\""),
        ([1.0, float("nan")], {"nulls": "reject"}, InputError, r"column 'x' is null in 1 of 2 rows"),
        ([1.0, float("inf")], {}, InputError, r"column 'x' has an infinite value"),
        ([[1], [2]], {}, InputError, r"column 'x' has type List\(Int64\); it must hold numbers, text"),
        ([dt.timedelta(1)], {}, InputError, r"column 'x' has type Duration"),
        (["Rome", "Paris"], {"taxonomy": {"tree": TREE}}, TaxonomyError, r"misses 1 value of the column: 'Paris'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_schema_is_one_line(values: Any, column: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        attribute_of(values, **column)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("dtype", [pl.String, pl.Int64, pl.Null])
def test_a_sensitive_column_of_nulls_is_an_error(dtype: Any) -> None:
    frame = pl.DataFrame({"age": [1, 2], "ill": pl.Series([None, None], dtype=dtype)})
    with pytest.raises(InputError, match=r"sensitive column 'ill' is null in all 2 rows"):
        encode(frame, Schema.of(quasi="age", sensitive="ill"))


def test_the_number_of_threads_changes_nothing() -> None:
    random = np.random.default_rng(0)
    frame = pl.DataFrame({name: random.integers(0, 50, 1000) for name in "abcd"})
    schema = Schema.of(quasi=list("abc"), sensitive="d")
    one, four = encode(frame, schema, threads=1), encode(frame, schema, threads=4)
    assert all((x == y).all() for x, y in zip(one.codes, four.codes, strict=True))


def test_progress_ends_at_the_number_of_rows() -> None:
    class Log:
        def __init__(self) -> None:
            self.steps: list[object] = []

        def stage(self, name: str, total: Any) -> None:
            self.steps.append((name, total))

        def advance(self, done: Any) -> None:
            self.steps.append(done)

    log = Log()
    read(pl.DataFrame({"a": [1, 2], "b": [1, 2]}), quasi="a", sensitive="b", progress=log)
    assert ("encoding", 2) in log.steps
    assert log.steps[-1] == 2


LADDER = {"ladder": [5, 10]}
DATES = {"dates": ["year"]}


@pytest.mark.parametrize(
    ("values", "column", "message"),
    [
        (["F", "M"], {"taxonomy": LADDER},
         "columns.x.taxonomy: 'F' is not a number, and ladder = [...] is for numbers; take the ladder away or use "
         "prefix, tree or file, or correct the value or list it in missing = [...]"),
        (["F", "M"], {"taxonomy": LADDER, "kind": "number"}, '; take the ladder and kind = "number" away or use pre'),
        ([30, 41], {"taxonomy": DATES},
         "columns.x.taxonomy: the column has values such as 30, not dates, and dates = [...] is for dates; "
         "take the dates away or use prefix, tree or file"),
        (["F", "M"], {"taxonomy": DATES}, "columns.x.taxonomy: 'F' is not a date, and dates = [...] is for dates; "),
        (["F", "M"], {"domain": [0, 120]}, "columns.x.domain: 'F' is not a number, and domain = [...] is for numbers;"),
        (["?", "1"], {"kind": "number"}, "columns.x.kind: '?' is not a number; correct the value, list it in missing"),
    ],
)  # fmt: skip
def test_the_taxonomy_or_domain_that_asks_for_a_kind_is_named_as_the_cause(
    values: Any, column: Any, message: str
) -> None:
    with pytest.raises(SchemaError) as raised:
        attribute_of(values, **column)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_taxonomy_that_misses_a_value_is_told_with_its_place_in_the_schema(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("Rome;*\n")
    text = '[columns.s]\nrole = "sensitive"\n[columns.x]\nrole = "quasi"\ntaxonomy = '
    frame = pl.DataFrame({"x": ["Rome", "Paris"], "s": ["a", "b"]})
    for source, named in (('{tree = {"*" = ["Rome"]}}', "the taxonomy's tree"), ('"towns.csv"', "towns.csv")):
        (tmp_path / "s.toml").write_text(text + source + "\n")
        with pytest.raises(TaxonomyError, match=rf"s\.toml, line 5, columns\.x\.taxonomy: .*{named} misses 1 value"):
            read(frame, schema=tmp_path / "s.toml")
    with pytest.raises(TaxonomyError, match=r"^columns.x.taxonomy: the taxonomy's tree misses 1 value"):
        attribute_of(["Rome", "Paris"], taxonomy={"tree": {"*": ["Rome"]}})


def test_an_unknown_column_is_told_with_the_schemas_file_and_line(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [1, 2], "s": ["a", "b"]})
    frame.write_csv(tmp_path / "patients.csv")
    path = tmp_path / "s.toml"
    path.write_text('[columns.s]\nrole = "sensitive"\n\n[columns.agee]\nrole = "quasi"\n')
    for source, named in ((tmp_path / "patients.csv", "patients.csv"), (frame, "the frame")):
        with pytest.raises(SchemaError) as raised:
            read(source, schema=path)
        assert str(raised.value) == (
            f"{path}, line 4, columns.agee: {named} has no column 'agee'; did you mean 'age'? Its columns: 'age', 's'"
        )
    with pytest.raises(SchemaError, match=r"s\.toml, line 4, columns\.agee: the table has no column 'agee'"):
        encode(frame, Schema.load(path))
    with pytest.raises(SchemaError, match=r"^the frame has no column 'agee'"):
        read(frame, quasi="agee", sensitive="s")


@pytest.mark.parametrize(
    ("values", "dtype", "missing", "expected"),
    [
        (["a", "?", "NA", None], None, ["?", "NA"], [None, "a"]),
        (["a", "", "b"], None, [""], [None, "a", "b"]),
        (["a", "?"], pl.Categorical, ["?"], [None, "a"]),
        ([30, -9, 41], pl.Int16, ["-9", "?", "1.5", "99999999"], [None, 30, 41]),
        ([1, -9], pl.Int64, ["1.5"], [-9, 1]),
        ([30.5, -9.0], pl.Float64, ["-9"], [None, 30.5]),
        ([0.5, 0.1], pl.Float32, ["0.1"], [None, 0.5]),
        ([Decimal("1.50"), Decimal("9.99")], None, ["9.99"], [None, Decimal("1.50")]),
        ([dt.date(1900, 1, 1), dt.date(2000, 1, 1)], None, ["1900-01-01", "?"], [None, dt.date(2000, 1, 1)]),
        ([dt.datetime(1900, 1, 1), dt.datetime(2000, 1, 1)], None, ["1900-01-01"], [None, dt.datetime(2000, 1, 1)]),
        ([True, False], None, ["?", "true"], [None, False]),
    ],
)  # fmt: skip
def test_missing_values_are_null_in_every_type(values: Any, dtype: Any, missing: Any, expected: Any) -> None:
    attribute, _ = attribute_of(values, dtype, missing=missing)
    assert attribute.values.to_list() == expected


def test_a_column_of_numbers_with_missing_marks_is_one_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,disease\n30,a\n?,b\n41,c\n")
    attribute = read(path, schema=schema_with(missing=["?"])).attributes[0]
    assert (attribute.kind, attribute.values.to_list()) == (Kind.NUMBER, [None, 30, 41])
    attribute, _ = attribute_of(["30", "?", "41"], missing=["?"], kind="number")
    assert attribute.values.to_list() == [None, 30, 41]


def test_missing_marks_count_as_nulls_and_identify_nobody() -> None:
    with pytest.raises(InputError, match="column 'x' is null in 1 of 2 rows and the schema says"):
        attribute_of(["a", "?"], missing=["?"], nulls="reject")
    columns = {"id": Column(role="identifier", missing=["?"]), "x": Column(role="quasi"), "s": Column(role="sensitive")}
    with pytest.raises(InputError, match="identifier 'id' is null in 1 of 2 rows"):
        encode(pl.DataFrame({"id": ["a", "?"], "x": [1, 2], "s": ["a", "b"]}), Schema(columns=columns))


@pytest.mark.parametrize("first", [2**63 - 2, 2**63, 2**64 - 40])
@pytest.mark.parametrize("role", ["quasi", "sensitive", "carry", "identifier"])
def test_unsigned_numbers_that_no_signed_one_holds_are_read_in_every_role(first: int, role: str) -> None:
    numbers = pl.Series("large", [first + i for i in range(40)], dtype=pl.UInt64)
    frame = pl.DataFrame({"age": [i % 7 for i in range(40)], "disease": [str(i % 4) for i in range(40)]})
    columns = {"age": Column(role="quasi"), "disease": Column(role="sensitive"), "large": Column(role=role)}
    table = read(frame.with_columns(numbers), schema=Schema(columns=columns))
    if role == "identifier":
        assert table.order is not None
        assert table.order.tolist() == list(range(40))
    else:
        assert table.codes[2].tolist() == list(range(40))
        assert table.attributes[2].values.to_list() == numbers.to_list()
        assert table.attributes[2].positions.tolist() == list(range(40))
