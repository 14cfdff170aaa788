"""What a person relies on when the table is a CSV file."""

import csv
import datetime as dt
import gzip
import warnings
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.errors import InputError, SchemaError
from pellucid.io import EncodingGuessed, NamelessColumns
from pellucid.io.files import read_file


@pytest.fixture
def table(tmp_path: Path) -> Any:
    """Write bytes to a file and read it back."""

    def read(content: Any, wanted: Any = None, name: str = "table.csv") -> Any:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_file(path, wanted)

    return read


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(table: Any, delimiter: str) -> None:
    rows = [["name", "note"], ["Ann", "a, b; c | d\te"], ["Bob", "x"]]
    text = "\n".join(delimiter.join(f'"{field}"' for field in row) for row in rows) + "\n"
    assert table(text).rows() == [("Ann", "a, b; c | d\te"), ("Bob", "x")]


def test_a_decimal_comma_does_not_pass_for_a_delimiter(table: Any) -> None:
    assert table("height;weight\n1,80;70,5\n1,75;60,5\n").columns == ["height", "weight"]


def test_a_file_of_one_column_is_read(table: Any) -> None:
    frame = table("age\n30\n\n21\n")
    assert frame["age"].to_list() == [30, None, 21]


@pytest.mark.parametrize(
    "content",
    [
        "name,city\nAnn,Malmö\n".encode(),
        b"\xef\xbb\xbf" + "name,city\nAnn,Malmö\n".encode(),
        "name,city\nAnn,Malmö\n".encode("utf-16"),
        "name,city\nAnn,Malmö\n".encode("utf-16-le"),
        "name,city\nAnn,Malmö\n".encode("utf-16-be"),
        "\ufeffname,city\nAnn,Malmö\n".encode("utf-16-be"),
        "name,city\r\nAnn,Malmö\r\n".encode("utf-32"),
    ],
    ids=["utf-8", "utf-8 mark", "utf-16 mark", "utf-16-le", "utf-16-be", "utf-16-be mark", "utf-32"],
)
def test_unicode_encodings_are_found(table: Any, content: Any) -> None:
    assert table(content).to_dicts() == [{"name": "Ann", "city": "Malmö"}]


@pytest.mark.parametrize("rows_before", [0, 300_000], ids=["in the head", "after the head"])
def test_windows_1252_is_read_with_a_warning_that_names_the_line(table: Any, rows_before: Any) -> None:
    content = b"name,city\n" + b"Ann,Rome\n" * rows_before + "Bob,Malmö\n".encode("cp1252")
    with pytest.warns(EncodingGuessed, match=rf"table.csv, line {rows_before + 2}: byte 0xf6 is not UTF-8"):
        frame = table(content)
    assert frame.row(-1) == ("Bob", "Malmö")


@pytest.mark.parametrize("compress", [gzip.compress, None], ids=["gzip", "zstd"])
def test_compressed_files_are_read(tmp_path: Path, compress: Any) -> None:
    frame = pl.DataFrame({"name": ["Ann", "a\nb", None, ""], "age": [1, 2, None, 4]})
    path = tmp_path / "table.csv.packed"
    if compress:
        path.write_bytes(compress(frame.write_csv().encode()))
    else:
        frame.write_csv(path, compression="zstd", check_extension=False)
    assert read_file(path).equals(frame)


def test_a_damaged_compressed_file_is_an_error(table: Any) -> None:
    with pytest.raises(InputError, match="cannot be decompressed"):
        table(gzip.compress(b"name,age\nAnn,30\n" * 1000)[:-20])


def test_quoted_newlines_delimiters_and_marks_belong_to_the_value(table: Any) -> None:
    frame = table('note,age\n"first line\nsecond, line\r\nsays ""hello""",30\nplain,31\n')
    assert frame.rows() == [('first line\nsecond, line\r\nsays "hello"', 30), ("plain", 31)]


def test_a_file_whose_middle_is_inside_a_quoted_field_is_read(table: Any) -> None:
    long_note = "\n".join(["a line, with a comma"] * 2000)
    frame = table(f'note,age\nx,1\n"{long_note}",2\ny,3\n')
    assert frame["note"].to_list() == ["x", long_note, "y"]


def test_an_empty_field_is_null_and_a_quoted_one_is_empty_text(table: Any) -> None:
    assert table('name,age\n"",\n,1\n').rows() == [("", None), (None, 1)]


def test_a_quoted_empty_field_in_a_column_of_numbers_is_null(table: Any) -> None:
    assert table('name,age\nAnn,""\nBob,"5"\n')["age"].to_list() == [None, 5]


def test_words_for_missing_values_are_values(table: Any) -> None:
    assert table("name,age\nAnn,NA\nBob,5\n")["age"].to_list() == ["NA", "5"]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["12", "-3"], [12, -3]),
        (["1.5", "2", ".5", "1e-05"], [1.5, 2.0, 0.5, 1e-05]),
        (["true", "False"], [True, False]),
        (["2024-02-29", "1999-12-31"], [dt.date(2024, 2, 29), dt.date(1999, 12, 31)]),
        (["2024-02-29T10:00:00", "2024-02-29 10:00:00.5"],
         [dt.datetime(2024, 2, 29, 10), dt.datetime(2024, 2, 29, 10, 0, 0, 500_000)]),
        (["2024-02-29T10:00:00Z", "2024-02-29 10:00:00+01:00"],
         [dt.datetime(2024, 2, 29, 10, tzinfo=dt.UTC), dt.datetime(2024, 2, 29, 9, tzinfo=dt.UTC)]),
    ],
    ids=["integers", "reals", "booleans", "dates", "datetimes", "instants"],
)  # fmt: skip
def test_types_are_inferred(table: Any, texts: Any, values: Any) -> None:
    frame = table("id,value\n" + "".join(f"x,{text}\n" for text in texts))
    assert frame["value"].to_list() == values


@pytest.mark.parametrize(
    "texts",
    [
        ["01234", "90210"],
        ["1", "-012"],
        ["00.5", "1.5"],
        ["12345678901234567890123", "1"],
        ["2024-02-30", "2024-02-01"],
        ["01/02/2024", "02/03/2024"],
        ["+49", "1"],
        [" 1", "2"],
        ["1", "true"],
    ],
)
def test_codes_and_doubtful_values_stay_text(table: Any, texts: Any) -> None:
    frame = table("id,value\n" + "".join(f"x,{text}\n" for text in texts))
    assert frame["value"].to_list() == texts


@pytest.mark.parametrize("late", ["unknown", "007", "2.5x", "12345678901234567890123"])
def test_a_late_value_that_is_no_number_makes_the_column_text(table: Any, late: Any) -> None:
    frame = table("id,zip,age\n" + "a,9,30\n" * 20_000 + f"b,{late},31\n")
    assert frame["zip"].dtype == pl.String
    assert frame["zip"][-1] == late
    assert frame["age"].dtype == pl.Int64


@pytest.mark.parametrize(
    ("early", "late", "dtype"),
    [
        ("", "5", pl.Int64),
        ("", "2024-01-31", pl.Date),
        ("5", "2.5", pl.Float64),
        ("2024-01-31", "soon", pl.String),
        ("2024-01-31", "", pl.Date),
        ("true", "maybe", pl.String),
    ],
)
def test_types_hold_for_the_whole_column_not_for_its_head(table: Any, early: Any, late: Any, dtype: Any) -> None:
    frame = table("id,value\n" + f"a,{early}\n" * 20_000 + f"b,{late}\n")
    assert frame["value"].dtype == dtype
    assert frame["value"].null_count() == (20_000 if not early else 0) + (not late)


def test_only_the_wanted_columns_are_read_in_the_wanted_order(table: Any) -> None:
    frame = table("a,b,c,b2\n1,2,3,4\n", ["c", "a"])
    assert frame.rows() == [(3, 1)]
    assert frame.columns == ["c", "a"]


def test_blank_lines_at_the_end_are_ignored(table: Any) -> None:
    assert table("a,b\n1,2\n\n\r\n").height == 1


def test_a_file_without_a_last_newline_is_complete(table: Any) -> None:
    assert table("a,b\n1,2\n3,").rows() == [(1, 2), (3, None)]


def test_windows_line_ends_leave_no_trace(table: Any) -> None:
    frame = table("a,b\r\n1,x\r\n2,y\r\n")
    assert frame.columns == ["a", "b"]
    assert frame["b"].to_list() == ["x", "y"]


def test_columns_without_a_name_are_left_out_and_it_says_so(table: Any) -> None:
    with pytest.warns(NamelessColumns, match="3 columns have no name and are left out"):
        assert table(",a,,\n0,1,,\n").rows() == [(1,)]


def test_a_file_name_is_not_a_pattern(table: Any) -> None:
    assert table("a,b\n1,2\n", name="table[1]*.csv").rows() == [(1, 2)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b,c\n1,2,3\n1,2\n", "table.csv, line 3 has 2 fields but the header has 3; correct the line"),
        ("a,b\n1,2\n1,2,3\n", "line 3 has 3 fields but the header has 2"),
        ("a,b\n" + "1,2\n" * 70_000 + "5\n" + "1,2\n" * 9, "line 70002 has 1 field but the header has 2"),
        ('a,b\n"x\ny",2\n1\n', "line 4 has 1 field but"),
        ("a,b\n1,2\n\n3,4\n", "table.csv, line 3 is blank, and the header names 2 columns; delete the line$"),
        ('a,b\n1,2\n"x,3\n4,5\n', "line 3: the quotation mark is never closed"),
        (
            'a,b,c\n1,"x, z",3\n4,"5,6\n7,8,9\n1,"y, z",2\n',
            "line 3: the quotation mark that opens a field there is not closed before line 5, which makes a record of "
            "4 fields, and the header has 3; close it, or double it inside text; if the field is to have several",
        ),
        ('a,b,c\n1,2,3\n4,"5,6\n1,"x",2\n', "line 3: .* not closed before line 4, where another field begins with"),
        ('a,b\n"x\ny",2\n1,"x, z",3\n', "line 4 has 3 fields but"),  # of a line that is in order in itself
        ('a,b\n5" pipe,2\n6" pipe,3\n', "line 2: a quotation mark inside a field"),
        ('a,b\n1,"x"y\n', "line 2: a quotation mark inside a field"),
        ("age,zip,age\n1,2,3\n", "column 'age' occurs 2 times; column names must differ"),
        ("", "table.csv is empty; a table needs a header line and at least one row"),
        ("a,b\n", "table.csv has a header but no rows"),
        ("a,b", "table.csv has a header but no rows"),
        ("\n1,2\n", "line 1 is blank; the first line must name the columns"),
        (b"a,b\n1,\x81\n", "line 2: byte 0x81 is valid neither in UTF-8 nor in Windows-1252; save the file as UTF-8"),
        (b"a,b\n1,\x00\n", "is not text"),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "starts as UTF-16 but byte"),
        ("a\r1\r2\r", "line 1: .* save the file with ordinary line ends"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_that_names_the_place_and_the_way_out(table: Any, content: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        table(content)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("seed", range(20))
def test_a_value_that_is_not_of_its_kind_is_named_with_its_line(tmp_path: Path, seed: int) -> None:
    """Whatever is quoted, wherever lines break: the line is the one that Python's reader names."""
    random = Random(seed)
    delimiter, end = random.choice(",;\t"), random.choice(["\n", "\r\n"])
    words = ["a", "b c", 'say "so"', "two\nlines", f"x{delimiter}y", "", "\n\n"]
    rows = [[random.choice(words), f"{random.randrange(1, 29)}.02.2001", str(i)] for i in range(40)]
    rows[random.randrange(40)][1] = "31.02.2000"
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=random.choice([0, 1]))
        writer.writerows([["word", "born", "n"], *rows])
    line = 1
    with (tmp_path / "t.csv").open(newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        while next(reader)[1] != "31.02.2000":
            line = reader.line_num + 1
    columns = {"word": {"role": "sensitive"}, "born": {"role": "quasi", "kind": "date", "date_order": "dmy"}}
    schema = pc.Schema.model_validate({"columns": columns})
    with pytest.raises(SchemaError) as error:
        pc.read(tmp_path / "t.csv", schema=schema)
    assert str(error.value) == (
        f"columns.born.kind: '31.02.2000' is not a date when it is read as date_order = \"dmy\" (t.csv, line {line}); "
        "correct the value (any date may be written as 2024-01-31), list it in missing = [...] to make it null, or set "
        'kind = "category"'
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_the_line_of_a_number_that_is_none_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.csv").write_bytes("käse,n\ngouda,1\nbrie,2\nEmmentaler für zwei,many\nfeta,3\n".encode(encoding))
    schema = {"käse": {"role": "sensitive"}, "n": {"role": "quasi", "kind": "number"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that Windows-1252 is a guess
        with pytest.raises(SchemaError, match=r"'many' is not a number \(t\.csv, line 4\); correct the value, list it"):
            pc.read(tmp_path / "t.csv", schema=pc.Schema.model_validate({"columns": schema}))


COMMA_FILES = {
    "3,5;a\n2,5;b\n3x;a\n7;b\n": "'3x' is not a number (t.csv, line 4)",
    "7;a\n8,25;b\n9;a\n1.5;b\n": "'1.5' is not a number where decimals follow a comma (t.csv, line 5)",
    "007;a\n3,5;b\n1.234,5;a\n?;b\n": "'?' is not a number (t.csv, line 5)",
    "0,5;a\n1.234,5;b\ninf;a\n2;b\n": "'inf' is not a number (t.csv, line 4)",
}


@pytest.mark.parametrize("rows", COMMA_FILES)
@pytest.mark.parametrize("said", ["schema", "call", "nowhere"])
def test_the_number_that_is_none_is_named_also_where_decimals_follow_a_comma(
    tmp_path: Path, rows: str, said: str
) -> None:
    """It was the first value of the column, whichever was wrong."""
    (tmp_path / "t.csv").write_text(f"n;ill\n{rows}")
    columns = {"n": {"role": "quasi", "kind": "number"}, "ill": {"role": "sensitive"}}
    file = {"decimal": ","} if said == "schema" else {}
    schema = pc.Schema.model_validate({"columns": columns, "file": {"separator": ";", **file}})
    with pytest.raises(SchemaError) as error:
        pc.read(tmp_path / "t.csv", schema=schema, decimal="," if said == "call" else None)
    if said == "nowhere" and "1.5" in rows:  # as many are numbers with a point, and the comma is the exception
        assert "'8,25' is not a number (t.csv, line 3); correct the value" in str(error.value)
    else:
        assert f"{COMMA_FILES[rows]}; correct the value, list it in missing" in str(error.value)


def test_numbers_with_zeros_before_them_are_numbers_also_where_decimals_follow_a_comma(tmp_path: Path) -> None:
    """The schema asks for numbers; 1.234 was read as a little more than 1 because 007 stands beside it."""
    (tmp_path / "t.csv").write_text("n;ill\n007;a\n1.234;b\n3,5;a\n")
    columns = {"n": {"role": "quasi", "kind": "number"}, "ill": {"role": "sensitive"}}
    schema = pc.Schema.model_validate({"columns": columns, "file": {"decimal": ","}})
    assert pc.read(tmp_path / "t.csv", schema=schema).attributes[0].values.to_list() == [3.5, 7, 1234]
    (tmp_path / "t.csv").write_text("n;ill\n007;a\n1.234;b\n")
    assert pc.read(tmp_path / "t.csv", schema=schema).attributes[0].values.to_list() == [7, 1234]


def test_what_is_said_of_a_file_holds_in_every_thread(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("n;ill\n" + "7;a\n8,5;b\n1.5;a\n" * 7000)
    columns = {"n": {"role": "quasi", "kind": "number"}, "ill": {"role": "sensitive"}}
    schema = pc.Schema.model_validate({"columns": columns})
    with pytest.raises(SchemaError, match=r"'1\.5' is not a number where decimals follow a comma"):
        pc.read(tmp_path / "t.csv", schema=schema, decimal=",", threads=2)


@pytest.mark.parametrize(
    ("value", "order", "way_out"),
    [
        ("soon", None, "correct the value"),
        ("soon", "dmy", "correct the value"),
        ("31.02.2000", "mdy", "correct the value"),
        ("31.02.2000", None, "correct the value"),  # in no order
        ("2001-02-30", None, "correct the value"),
        ("2001-02-30", "ymd", "correct the value"),
        ("31.12.2000", "ymd", 'write dates as 2024-01-31 or say date_order = "dmy" or "mdy"'),
    ],
)
def test_no_order_of_dates_is_advised_to_who_said_one(value: str, order: str | None, way_out: str) -> None:
    born = {"role": "quasi", "kind": "date"} | ({} if order is None else {"date_order": order})
    schema = pc.Schema.model_validate({"columns": {"born": born, "ill": {"role": "sensitive"}}})
    with pytest.raises(SchemaError) as error:
        pc.read(pl.DataFrame({"born": ["2001-01-01", value], "ill": ["a", "b"]}), schema=schema)
    assert error.value.message.way_out.startswith(way_out)


def test_an_unknown_column_is_named_with_the_nearest_one(table: Any) -> None:
    with pytest.raises(
        SchemaError, match=r"table.csv has no column 'zpi'; did you mean 'zip'\? Its columns: 'age', 'zip'"
    ):
        table("age,zip\n1,2\n", ["age", "zpi"])


def test_the_columns_in_a_message_are_quoted_so_that_commas_and_blanks_in_them_are_seen(table: Any) -> None:
    with pytest.raises(SchemaError, match=r"; its columns: 'a, b', ' c', 'd'$"):
        table('"a, b", c,d\n1,2,3\n', ["nothing"])
    wide = ",".join(f"column {i}" for i in range(15))
    with pytest.raises(SchemaError, match=r"'column 9' and 5 more$"):
        table(f"{wide}\n{wide}\n", ["nothing"])


def test_missing_marks_are_null_before_the_type_is_inferred(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,zip,born,town\n30,01234,2024-01-31,Rome\n?,NA,?,?\n" + "41,2,2024-02-01,NA\n" * 20_000)
    missing = {"age": ["?", "NA"], "zip": ["NA"], "born": ["?"]}
    frame = read_file(path, missing=missing)
    assert frame.head(3).rows() == [
        (30, "01234", dt.date(2024, 1, 31), "Rome"),
        (None, None, None, "?"),
        (41, "2", dt.date(2024, 2, 1), "NA"),
    ]
    assert frame.schema["age"] == pl.Int64


def test_a_missing_mark_after_the_head_and_one_with_a_leading_zero_leave_a_column_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,n\n" + "30,1\n" * 20_000 + "?,1\n00,1\n")
    frame = read_file(path, missing={"age": ("?", "00")})
    assert frame.schema["age"] == pl.Int64
    assert frame["age"].tail(3).to_list() == [30, None, None]
