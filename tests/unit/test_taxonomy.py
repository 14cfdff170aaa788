"""What a person relies on when a column has a taxonomy."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import pickle
import random
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import TaxonomyError
from pellucid.text.values import label_of

Write = Callable[..., Path]
Children = dict[str, list[str]]

REPOSITORY = Path(__file__).parents[2]
ADULT_HEIGHTS = {
    "age": 4,
    "workclass": 3,
    "marital-status": 3,
    "occupation": 2,
    "race": 2,
    "sex": 1,
    "native-country": 3,
    "salary-class": 1,
    "education": 4,
}


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(text: str, name: str = "places.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


def adult_taxonomies() -> Path:
    data = Path(os.environ.get("PELLUCID_DATA", REPOSITORY.parent / "shared" / "data"))
    folder = data / "adult" / "taxonomies"
    if not folder.is_dir():
        pytest.skip("the Adult taxonomies are absent: set PELLUCID_DATA to the folder that holds adult/taxonomies")
    return folder


# --- CSV files


def test_each_line_of_a_csv_puts_a_value_below_its_names(written: Write) -> None:
    places = Taxonomy.load(written("Paris;France;Europe;*\nOslo;Norway;Europe;*\nTokyo;Japan;Asia;*\n"))
    assert places.leaves == ("Paris", "Oslo", "Tokyo")
    assert places.height == 3
    assert places.is_tree
    assert places.path("Oslo") == ["Oslo", "Norway", "Europe", "*"]
    assert places.common_ancestor(["Paris", "Oslo"]) == "Europe"
    assert places.common_ancestor(["Paris", "Tokyo"]) == "*"
    assert places.common_ancestor(["Paris"]) == "Paris"


def test_leaves_of_a_group_are_neighbours_even_if_their_lines_are_not(written: Write) -> None:
    places = Taxonomy.load(written("a;X;*\nb;Y;*\nc;X;*\n"))
    assert places.leaves == ("a", "c", "b")


def test_a_name_repeated_on_the_next_level_is_one_node_that_keeps_its_levels(written: Write) -> None:
    places = Taxonomy.load(written("Canada;Canada;America;*\nPeru;Andes;America;*\nJapan;Japan;Japan;*\n"))
    assert places.path("Canada") == ["Canada", "America", "*"]
    assert places.to_rows() == [
        ["Canada", "Canada", "America", "*"],
        ["Peru", "Andes", "America", "*"],
        ["Japan", "Japan", "Japan", "*"],
    ]


def test_an_inner_name_repeated_keeps_the_levels_of_the_file(written: Write) -> None:
    rows = [["a", "B", "C", "C", "*"], ["d", "E", "F", "G", "*"]]
    places = Taxonomy.load(written("\n".join(";".join(row) for row in rows)))
    assert places.to_rows() == rows


def test_lines_of_different_lengths_meet_at_the_root(written: Write) -> None:
    places = Taxonomy.load(written("a;X;Y;*\nb;Y;*\nc;*\n"))
    assert places.to_rows() == [["a", "X", "Y", "*"], ["b", "b", "Y", "*"], ["c", "c", "c", "*"]]


def test_a_value_may_bear_the_name_of_a_group_above_other_values(written: Write) -> None:
    places = Taxonomy.load(written("Asia;Asia;*\nChina;Asia;*\nPeru;America;*\n"))
    assert places.leaves == ("Asia", "China", "Peru")
    assert places.common_ancestor(["Asia"]) == "Asia"
    chains, leaves, _ = places.chains(["Asia", "China"], null=False)
    assert chains[0, 0] != chains[1, 0] == chains[1, 1]
    assert leaves[chains[0, 0]] == 1
    assert leaves[chains[1, 0]] == 2


def test_the_only_value_may_be_called_like_the_root(written: Write) -> None:
    alone = Taxonomy.load(written("*;*\n"))
    assert alone.to_rows() == [["*", "*"]] == Taxonomy.prefixes(["*"], [2]).to_rows()
    chains, leaves, width = alone.chains(["*"], null=False)
    assert (chains.tolist(), leaves.tolist(), width) == ([[1], [0]], [1, 1], 0)


def test_csv_quotes_byte_order_mark_windows_lines_and_blank_lines_are_read(written: Write) -> None:
    places = Taxonomy.load(written('\ufeff"a;b";X;*\r\n\r\n"two\nlines";X;*\r\n'))
    assert places.leaves == ("a;b", "two\nlines")
    assert places.path("a;b") == ["a;b", "X", "*"]


def test_the_same_line_twice_counts_once(written: Write) -> None:
    assert Taxonomy.load(written("a;X;*\na;X;*\n")).leaves == ("a",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "a;X;*\nb;Y;*\na;Y;*\n",
            ["line 3", "'a' stands below 'Y' here and below 'X' in line 1", "one place", ".toml"],
        ),
        ("a;X;P;*\nb;X;Q;*\n", ["line 2", "'X' stands below 'Q' here and below 'P' in line 1"]),
        ("a;b;a;*\n", ["line 1", "stands above itself", "'a' above 'b'", "'b' above 'a'"]),
        ("a;b;*\nc;d;*\nb;a;*\n", ["stands above itself", "'a'", "'b'"]),
        ("a;X;*\nb;X;World\n", ["line 2", "two roots", "'*' (line 1)", "'World'"]),
        ("a;*\nb\n", ["line 2", "'b' has no level above it", "semicolons"]),
        ("a,X,*\n", ["line 1", "'a,X,*' has no level above it", "semicolons"]),
        ("a;X;*\nb;;*\n", ["line 2", "level 1 of 'b' is empty"]),
        ("a;X;*;\n", ["line 1", "level 3 of 'a' is empty"]),
        ("", ["there is no value in it", "value;group;*"]),
        ('a;"X;*\n', ["line 1", "not a CSV line"]),
    ],
)
def test_a_csv_that_is_no_hierarchy_is_refused_in_one_line_with_the_names(
    written: Write, text: str, said: list[str]
) -> None:
    with pytest.raises(TaxonomyError) as caught:
        Taxonomy.load(written(text))
    message = str(caught.value)
    assert "places.csv" in message
    assert "\n" not in message
    for words in said:
        assert words in message


def test_files_that_cannot_be_read_are_named(written: Write, tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"places\.xls: .*\.csv, \.toml or \.json"):
        Taxonomy.load(written("a;*", "places.xls"))
    written("a;*")
    with pytest.raises(TaxonomyError, match=r"place\.csv: there is no such .*did you mean 'places\.csv'"):
        Taxonomy.load(tmp_path / "place.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("Zürich;*".encode("latin-1"))
    with pytest.raises(TaxonomyError, match=r"latin\.csv: byte 1 is not UTF-8"):
        Taxonomy.load(latin)
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with pytest.raises(TaxonomyError, match=r"folder\.csv: .*cannot be read"):
        Taxonomy.load(folder)


@pytest.mark.parametrize("attribute", ADULT_HEIGHTS)
def test_the_taxonomies_of_the_papers_table_have_the_heights_of_the_papers(attribute: str) -> None:
    path = adult_taxonomies() / f"{attribute}.csv"
    taxonomy = Taxonomy.load(path)
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    assert taxonomy.height == ADULT_HEIGHTS[attribute]
    assert sorted(taxonomy.to_rows()) == sorted(rows)
    assert taxonomy.is_tree


# --- nested names


def test_toml_json_and_python_nest_alike(written: Write) -> None:
    tree = {"*": {"Europe": {"North": ["Norway"], "France": []}, "Asia": ["Japan", "China"]}}
    toml = '# Norway first\n["*"]\nEurope = {North = ["Norway"], France = []}\nAsia = ["Japan", "China"]\n'
    places = Taxonomy.from_tree(tree)
    assert places == Taxonomy.load(written(toml, "places.toml"))
    assert places == Taxonomy.load(written(json.dumps(tree), "places.json"))
    assert hash(places) == hash(Taxonomy.from_tree(tree))
    assert places.to_rows() == [
        ["Norway", "North", "Europe", "*"],
        ["France", "France", "Europe", "*"],
        ["Japan", "Japan", "Asia", "*"],
        ["China", "China", "Asia", "*"],
    ]


def test_a_list_at_the_top_stands_below_a_star() -> None:
    assert Taxonomy.from_tree(["a", {"B": ["b", "c"]}]) == Taxonomy.from_tree({"*": {"a": [], "B": ["b", "c"]}})


def test_names_may_be_described_one_by_one_at_the_top() -> None:
    flat = Taxonomy.from_tree({"*": ["A", "B"], "A": ["x", "y"], "B": ["z"]})
    assert flat == Taxonomy.from_tree({"*": {"A": ["x", "y"], "B": ["z"]}})


def test_a_name_listed_below_itself_is_a_value_of_that_name() -> None:
    places = Taxonomy.from_tree({"*": {"Asia": ["China", "Asia"], "Peru": None}})
    assert sorted(places.leaves) == ["Asia", "China", "Peru"]
    assert places.common_ancestor(["Asia", "China"]) == "Asia"
    assert Taxonomy.from_tree(places.to_tree()) == places


def test_numbers_booleans_and_dates_in_a_tree_are_matched_by_their_text() -> None:
    taxonomy = Taxonomy.from_tree({"*": {"low": [1, 2.5], "other": [True, date(2024, 3, 5)]}})
    assert taxonomy.leaves == ("1", "2.5", "true", "2024-03-05")


def test_a_name_in_two_places_has_two_parents_and_the_first_one_orders_it() -> None:
    places = Taxonomy.from_tree({"*": {"Europe": ["France", "Turkey"], "Asia": {"Turkey": [], "Japan": []}}})
    assert not places.is_tree
    assert places.leaves == ("France", "Turkey", "Japan")
    assert places.path("Turkey") == ["Turkey", "Europe", "*"]
    assert places.common_ancestor(["Turkey", "Japan"]) == "Asia"
    chains, leaves, width = places.chains(places.leaves, null=False)
    assert [places.node_label(node) for node in chains[:, 1]] == ["Turkey", "Europe", "*"]
    assert {places.node_label(node): int(leaves[node]) for node in chains[1]} == {"Europe": 2, "Asia": 2}
    assert width == 2


def test_an_inner_name_may_have_two_parents_too() -> None:
    fields = Taxonomy.from_tree({"*": {"Tech": {"Bio": ["x", "y"], "Web": ["w"]}, "Life": {"Bio": [], "Zoo": ["z"]}}})
    assert fields.common_ancestor(["x", "y"]) == "Bio"
    assert fields.common_ancestor(["x", "w"]) == "Tech"
    assert fields.common_ancestor(["x", "z"]) == "Life"
    assert fields.common_ancestor(["w", "z"]) == "*"


def test_among_equal_ancestors_the_lowest_wins_then_the_first_declared() -> None:
    assert Taxonomy.from_tree({"*": {"Outer": {"Inner": ["a", "b"]}, "c": []}}).common_ancestor(["a", "b"]) == "Inner"
    twice = {"*": {"First": ["a", "b", "c"], "Second": ["a", "b", "d"]}}
    assert Taxonomy.from_tree(twice).common_ancestor(["a", "b"]) == "First"


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"*": {"A": {"B": ["A"]}}}, ["'A' above 'B' above 'A'"]),
        ({"*": ["x"], "B": ["C"], "C": ["B"]}, ["stands above itself", "'B'", "'C'"]),
        ({"A": ["B"], "B": ["C"], "C": ["A"]}, ["stands above itself", "'A'", "'B'", "'C'"]),
        ({"A": ["x"], "B": ["y"]}, ["2 roots, 'A', 'B'", "below one '*'"]),
        ({"B": ["y"], "*": ["x"]}, ["2 roots, '*', 'B'", "put 'B' below '*'"]),
        ({"*": {"A": {"Other": ["x"]}, "B": {"Other": ["y"]}}}, ["below 'Other' is written twice", "rename"]),
        ({"*": []}, ["nothing stands below the root '*'"]),
        ({}, ["there is no value in it"]),
        ({"*": ["a", ["b"]]}, ["['b']", "is not a name"]),
        ({"*": ["a", None]}, ["None", "is not a name"]),
        ("text", ["'text'", "neither a mapping nor a list"]),
    ],
)
def test_nested_names_that_are_no_hierarchy_are_refused_with_the_names(
    tree: Any, said: list[str], written: Write
) -> None:
    with pytest.raises(TaxonomyError) as caught:
        Taxonomy.from_tree(tree)
    with pytest.raises(TaxonomyError) as from_file:
        Taxonomy.load(written(json.dumps(tree), "places.json"))
    for words in said:
        assert words in str(caught.value)
    assert "places.json" in str(from_file.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.toml", '["*"]\nx = ["a"]\n\n[B]\ny = ["B"]\n', r"t\.toml, line 4: 'B' stands above itself"),
        ("t.toml", '# B\n["*"]\nx = []\n[B]\ny = []\n', r"t\.toml, line 4: there are 2 roots"),
        ("t.toml", '["*"]\nA = ["x"\n', r"t\.toml, line 2: this is not TOML: .* at the end of the file"),
        ("t.toml", '["*"]\nA = "x\ny"\n', r"t\.toml, line 2: this is not TOML: .* at column 7"),
        ("t.json", '{"*": {"A": ["x"],\n "A": ["y"]}}', r"t\.json, line 1: 'A' is twice in one object"),
        ("t.json", '{"*":\n ["a" "b"]}', r"t\.json, line 2: this is not JSON: expecting .*, at column 7"),
        ("t.json", '{"A": ["x"],\n "\\u0042": ["y"]}', r"t\.json: there are 2 roots, 'A', 'B'"),
        ("t.json", "[" * 100_000, r"t\.json: the names are nested too deeply"),
    ],
)
def test_what_is_wrong_in_a_nested_file_is_told_with_its_line(written: Write, name: str, text: str, said: str) -> None:
    with pytest.raises(TaxonomyError, match=said):
        Taxonomy.load(written(text, name))


def test_a_long_cycle_is_shortened_in_the_message() -> None:
    ring = {f"n{i}": [f"n{(i + 1) % 50}"] for i in range(50)}
    with pytest.raises(TaxonomyError, match=r"above \.\.\. above") as caught:
        Taxonomy.from_tree(ring)
    assert len(str(caught.value)) < 300


# --- ladders


def test_ladder_labels_integers_by_closed_and_other_numbers_by_half_open_intervals() -> None:
    assert Taxonomy.ladder([23, 7], [5, 10, 20]).path("23") == ["23", "[20, 24]", "[20, 29]", "[20, 39]", "*"]
    assert Taxonomy.ladder([23.5, 7.0], [5, 10]).path("23.5") == ["23.5", "[20, 25)", "[20, 30)", "*"]
    assert Taxonomy.ladder([Decimal("0.30")], [0.1, 0.5]).path("0.30") == ["0.30", "[0.3, 0.4)", "[0, 0.5)", "*"]
    assert Taxonomy.ladder([3, 4], [2.5, 5]).path("3") == ["3", "[2.5, 5)", "[0, 4]", "*"]
    assert Taxonomy.ladder([Decimal(23)], [5]).path("23") == ["23", "[20, 24]", "*"]


def test_ladder_goes_below_zero_and_beyond_64_bits() -> None:
    assert Taxonomy.ladder([-1, -10], [5, 10]).path("-1") == ["-1", "[-5, -1]", "[-10, -1]", "*"]
    assert Taxonomy.ladder([-0.5], [5]).path("-0.5") == ["-0.5", "[-5, 0)", "*"]
    huge = 2**70 + 3
    assert Taxonomy.ladder([huge], [10]).path(str(huge))[1] == f"[{huge // 10 * 10}, {huge // 10 * 10 + 9}]"
    assert Taxonomy.ladder([1e300], [0.5]).leaves == ("1e+300",)


def test_ladder_puts_a_decimal_fraction_where_a_person_reads_it() -> None:
    # 0.3 / 0.1 is below 3 in binary, and 0.7 in single precision is below 0.7.
    assert Taxonomy.ladder([0.3], [0.1]).path("0.3")[1] == "[0.3, 0.4)"
    single = float(np.float32(0.7))
    assert Taxonomy.ladder([single], [0.1], labels=["0.7"]).path("0.7")[1] == "[0.7, 0.8)"


def test_ladder_takes_the_numbers_of_an_array_and_any_way_of_writing_them() -> None:
    assert Taxonomy.ladder(np.array([23, 7]), [5]).path("23") == ["23", "[20, 24]", "*"]
    assert Taxonomy.ladder(np.array([0.3], dtype=np.float32), [0.1]).path("0.3")[1] == "[0.3, 0.4)"
    assert Taxonomy.ladder([23.0], [5], labels=["23 years"]).path("23 years") == ["23 years", "[20, 25)", "*"]


def test_a_ladder_of_width_one_is_the_integer_itself() -> None:
    assert Taxonomy.ladder([7, 8], [1, 10]).path("7") == ["7", "[0, 9]", "*"]


@given(st.lists(st.integers(-1000, 1000), min_size=1), st.sampled_from([[5], [2, 6], [5, 10, 20], [1, 3, 9, 27]]))
def test_every_ladder_interval_holds_its_value_and_lies_in_the_next(values: list[int], widths: list[int]) -> None:
    ladder = Taxonomy.ladder(values, widths)
    assert ladder.leaves == tuple(str(value) for value in sorted(set(values)))
    for value in values:
        bounds = [
            json.loads(label if label[0] == "[" else f"[{label}, {label}]") for label in ladder.path(str(value))[:-1]
        ]
        assert bounds[0] == [value, value]
        for (low, high), (wider_low, wider_high) in pairwise(bounds):
            assert wider_low <= low <= high <= wider_high
        assert [high - low + 1 for low, high in bounds[1:]] == [width for width in widths if width > 1]


@pytest.mark.parametrize(
    ("widths", "said"),
    [
        ([10, 5], r"\[10, 5\] is not ascending at 5"),
        ([5, 5], r"not ascending at 5"),
        ([5, 12], r"12 in \[5, 12\] is not a multiple of 5.*take 10"),
        ([0.2, 0.5], r"0\.5 .* is not a multiple of 0\.2.*take 0\.4"),
        ([0], r"\[0\] is not a ladder; give widths above 0"),
        ([-5], r"above 0"),
        ([], r"\[\] is not a ladder"),
        ([float("inf")], r"above 0"),
        (["5"], r"'5' is not a width"),
        ([True], r"True is not a width"),
    ],
)
def test_widths_that_make_no_ladder_are_refused_with_the_way_out(widths: list[object], said: str) -> None:
    with pytest.raises(TaxonomyError, match=said):
        Taxonomy.ladder([1, 2], widths)


@pytest.mark.parametrize("value", ["abc", True, float("nan"), float("inf"), date(2024, 1, 1)])
def test_what_is_no_number_has_no_place_on_a_ladder(value: object) -> None:
    with pytest.raises(TaxonomyError, match=f"'{label_of(value)}' is not a number"):
        Taxonomy.ladder([1, value], [5])


# --- dates and prefixes


def test_dates_are_labelled_by_their_parts() -> None:
    taxonomy = Taxonomy.dates([date(2024, 3, 5), date(1999, 12, 31)], ["day", "month", "quarter", "year", "decade"])
    assert taxonomy.path("2024-03-05") == ["2024-03-05", "2024-03", "2024-Q1", "2024", "2020s", "*"]
    assert taxonomy.path("1999-12-31") == ["1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"]
    assert taxonomy.leaves == ("1999-12-31", "2024-03-05")


def test_times_of_one_day_stand_below_their_day() -> None:
    noon, night = datetime(2024, 3, 5, 12), datetime(2024, 3, 5, 23, 59, tzinfo=UTC)
    taxonomy = Taxonomy.dates([night, noon, np.datetime64("2024-03-06")], ["day", "year"])
    assert taxonomy.common_ancestor([label_of(noon), label_of(night)]) == "2024-03-05"
    assert taxonomy.common_ancestor(taxonomy.leaves) == "2024"


def test_dates_in_text_are_read_and_other_texts_refused() -> None:
    assert Taxonomy.dates(["2024-03-05"], ["decade"]).path("2024-03-05") == ["2024-03-05", "2020s", "*"]
    with pytest.raises(TaxonomyError, match="'5 March' is not a date; write dates as 2024-03-05"):
        Taxonomy.dates(["5 March"], ["year"])
    with pytest.raises(TaxonomyError, match="'17' is not a date"):
        Taxonomy.dates([17], ["year"])


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["year", "month"], r"\['year', 'month'\] does not go from finer to coarser.*write \['month', 'year'\]"),
        (["month", "month"], r"write \['month'\]"),
        (["yaer"], "'yaer' is not one of day, month, quarter, year, decade; did you mean 'year'?"),
        ([], "write them upward"),
    ],
)
def test_parts_in_the_wrong_order_are_refused_with_the_right_one(parts: list[str], said: str) -> None:
    with pytest.raises(TaxonomyError, match=said):
        Taxonomy.dates([date(2024, 1, 1)], parts)


def test_prefixes_star_out_what_they_drop() -> None:
    zips = Taxonomy.prefixes(["13053", "13068", "14850", "131"], [4, 3, 2])
    assert zips.path("13053") == ["13053", "1305*", "130**", "13***", "*"]
    assert zips.path("131") == ["131", "13*", "*"]
    assert zips.common_ancestor(["13053", "13068"]) == "130**"
    assert zips.common_ancestor(["13053", "14850"]) == "*"


def test_values_that_look_starred_out_already_stand_where_they_belong() -> None:
    zips = Taxonomy.prefixes(["13053", "1305*", "130**", "*", ""], [4, 3])
    assert set(zips.leaves) == {"13053", "1305*", "130**", "*", ""}
    assert zips.common_ancestor(["13053", "1305*"]) == "1305*"
    assert zips.common_ancestor(["13053", "130**"]) == "130**"
    assert zips.common_ancestor(["*", "13053"]) == "*"


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        ([2, 3], r"\[2, 3\] does not keep ever fewer characters; write \[3, 2\]"),
        ([3, 3], r"write \[3\]"),
        ([], r"write \[4, 3, 2\]"),
        ([0], "0 is not a number of characters"),
        (["3"], "'3' is not a number of characters"),
        ([True], "True is not a number of characters"),
    ],
)
def test_lengths_that_make_no_prefixes_are_refused_with_the_way_out(lengths: list[object], said: str) -> None:
    with pytest.raises(TaxonomyError, match=said):
        Taxonomy.prefixes(["13053"], lengths)


@given(st.randoms(), st.lists(st.text("01*", max_size=6), min_size=1))
def test_the_order_of_the_values_leaves_no_trace(shuffler: random.Random, texts: list[str]) -> None:
    shuffled = texts.copy()
    shuffler.shuffle(shuffled)
    assert Taxonomy.prefixes(texts, [4, 2]) == Taxonomy.prefixes(shuffled, [4, 2])
    numbers = [len(text) * 7 for text in texts]
    assert Taxonomy.ladder(numbers, [5, 10]) == Taxonomy.ladder(sorted(numbers, reverse=True), [5, 10])


def test_nulls_among_the_values_are_left_to_the_null_policy() -> None:
    assert Taxonomy.ladder([3, None, 7], [5]).leaves == ("3", "7")


# --- covering the column


def test_missing_values_are_listed_ten_of_them_and_counted() -> None:
    taxonomy = Taxonomy.from_tree(["a", "b", "Germany"])
    assert taxonomy.missing(["a", "z", "b", "z", "y"]) == ["z", "y"]
    many = [f"v{i:02d}" for i in range(25)]
    with pytest.raises(TaxonomyError) as caught:
        taxonomy.rank(["a", *many])
    message = str(caught.value)
    assert "misses 25 values" in message
    assert "and 15 more" in message
    assert [value for value in many if repr(value) in message] == many[:10]
    with pytest.raises(TaxonomyError, match=r"misses 1 value of the column: 'germany'; .*did you mean 'Germany'"):
        taxonomy.chains(["germany"], null=False)


def test_inner_names_are_no_values() -> None:
    assert Taxonomy.from_tree({"*": {"A": ["a"]}}).missing(["a", "A", "*"]) == ["A", "*"]


def test_asking_for_an_unknown_name_suggests_a_near_one() -> None:
    taxonomy = Taxonomy.from_tree({"*": {"Europe": ["France"]}})
    with pytest.raises(TaxonomyError, match="has no 'Frence'; did you mean 'France'"):
        taxonomy.path("Frence")
    with pytest.raises(TaxonomyError, match="give at least one"):
        taxonomy.common_ancestor([])


@pytest.mark.parametrize(
    "values",
    [
        [17, -3],
        [17.0, 0.1, 1e-5, 1.5e-5, 1e-6, 2.5e-7, 1e15, 1e16, 123456789012345680.0],
        [True, False],
        [date(2024, 3, 5), date(24, 1, 1)],
        [datetime(2024, 3, 5, 12, 30), datetime(2024, 3, 5, 12, 30, 1, 250)],
        [datetime(2024, 3, 5, 12, tzinfo=UTC)],
        [Decimal("5.10"), Decimal("-0.05")],
    ],
)
def test_values_are_matched_by_the_text_that_the_csv_writer_prints(values: list[object]) -> None:
    printed = pl.DataFrame({"x": values}).write_csv().splitlines()[1:]
    assert [label_of(value) for value in values] == printed


# --- chains, against their plain definition


@st.composite
def hierarchies(draw: st.DrawFn, dag: bool) -> Children:
    """Children of each name; a name's children have larger numbers, so there is no cycle."""
    size = draw(st.integers(2, 14))
    children: Children = {f"n{i}": [] for i in range(size)}
    for i in range(1, size):
        parents = draw(st.lists(st.integers(0, i - 1), min_size=1, max_size=3 if dag else 1, unique=True))
        for parent in parents:
            children[f"n{parent}"].append(f"n{i}")
    return {name: below for name, below in children.items() if below}


def leaves_below(children: Children, name: str) -> set[str]:
    below = children.get(name)
    return {name} if not below else set().union(*(leaves_below(children, child) for child in below))


@given(hierarchies(dag=False), st.booleans())
def test_in_a_tree_two_labels_meet_in_their_chains_at_the_smallest_name_above_both(
    children: Children, null: bool
) -> None:
    taxonomy = Taxonomy.from_tree(children)
    chains, leaves, width = taxonomy.chains(taxonomy.leaves, null)
    assert chains.dtype == np.int32
    assert leaves.dtype == np.int64
    assert width == len(taxonomy.leaves) - 1 + null
    covers = {name: leaves_below(children, name) for name in {"n0", *children, *taxonomy.leaves}}
    for i, first in enumerate(taxonomy.leaves):
        for j, second in enumerate(taxonomy.leaves):
            a, b = chains[:, i + null], chains[:, j + null]
            meeting = int(a[np.flatnonzero(a == b)[0]])
            smallest = min(len(cover) for cover in covers.values() if {first, second} <= cover)
            assert len(covers[taxonomy.node_label(meeting)]) == smallest
            assert leaves[meeting] == smallest + (null and meeting == 0)
            assert taxonomy.common_ancestor([first, second]) == taxonomy.node_label(meeting)


@given(hierarchies(dag=True))
def test_a_range_of_leaves_meets_where_its_ends_meet(children: Children) -> None:
    taxonomy = Taxonomy.from_tree(children)
    chains, leaves, _ = taxonomy.chains(taxonomy.leaves, null=False)
    assert set(chains[-1].tolist()) == {0}
    assert [taxonomy.node_label(node) for node in chains[0]] == list(taxonomy.leaves)
    for node in set(chains.ravel().tolist()):
        name = taxonomy.node_label(node)
        assert leaves[node] == len(leaves_below(children, name))  # through any of its children
        rows = [np.flatnonzero((chains == node).any(axis=0))]
        assert all(np.array_equal(row, np.arange(row[0], row[-1] + 1)) for row in rows)
    for h, row in enumerate(chains):
        for low in range(len(row)):
            for high in range(low, len(row)):
                if row[low] == row[high]:
                    assert set(chains[h, low : high + 1].tolist()) == {int(row[low])}


@given(hierarchies(dag=True), st.data())
def test_the_common_ancestor_covers_all_labels_with_the_fewest_leaves(children: Children, data: st.DataObject) -> None:
    taxonomy = Taxonomy.from_tree(children)
    labels = data.draw(st.lists(st.sampled_from(taxonomy.leaves), min_size=1, unique=True))
    covers = {name: leaves_below(children, name) for name in {"n0", *children, *taxonomy.leaves}}
    chosen = covers[taxonomy.common_ancestor(labels)]
    assert set(labels) <= chosen
    assert len(chosen) == min(len(cover) for cover in covers.values() if set(labels) <= cover)


def loaded_rows(rows: list[list[str]], folder: Path) -> Taxonomy:
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows(rows)
    path = folder / "rows.csv"
    path.write_text(text.getvalue())
    return Taxonomy.load(path)


@given(children=hierarchies(dag=False))
def test_a_tree_survives_its_rows_and_its_nesting(children: Children, tmp_path_factory: pytest.TempPathFactory) -> None:
    taxonomy = Taxonomy.from_tree(children)
    assert Taxonomy.from_tree(taxonomy.to_tree()) == taxonomy
    assert loaded_rows(taxonomy.to_rows(), tmp_path_factory.mktemp("rows")).to_rows() == taxonomy.to_rows()


@given(children=hierarchies(dag=False), data=st.data())
def test_names_on_different_levels_in_different_lines_still_meet_at_the_right_name(
    children: Children, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = Taxonomy.from_tree(children)
    rows = [
        [name for name in tree.path(leaf) for _ in range(data.draw(st.integers(1, 3)))] + ["n0"] for leaf in tree.leaves
    ]
    stretched = loaded_rows(rows, tmp_path_factory.mktemp("rows"))
    chains, leaves, _ = stretched.chains(stretched.leaves, null=False)
    for i, first in enumerate(stretched.leaves):
        for j, second in enumerate(stretched.leaves):
            meeting = int(chains[np.flatnonzero(chains[:, i] == chains[:, j])[0], i])
            assert stretched.node_label(meeting) == tree.common_ancestor([first, second])
            assert leaves[meeting] == len(leaves_below(children, stretched.node_label(meeting)))


def test_shorter_chains_repeat_their_leaf_at_the_bottom() -> None:
    taxonomy = Taxonomy.from_tree({"*": {"A": {"B": ["deep"]}, "shallow": []}})
    chains, _, _ = taxonomy.chains(["shallow", "deep"], null=False)
    assert [taxonomy.node_label(node) for node in chains[:, 0]] == ["shallow", "shallow", "shallow", "*"]
    assert [taxonomy.node_label(node) for node in chains[:, 1]] == ["deep", "B", "A", "*"]


def test_a_null_hangs_below_the_root_as_a_leaf_that_counts() -> None:
    taxonomy = Taxonomy.from_tree({"*": {"A": ["a", "b"]}})
    chains, leaves, width = taxonomy.chains(["a", "b"], null=True)
    assert chains.shape == (3, 3)
    null = int(chains[0, 0])
    assert chains[:, 0].tolist() == [null, null, 0]
    assert null not in chains[:, 1:]
    assert (leaves[null], leaves[0], width) == (1, 3, 2)
    assert leaves[chains[1, 1]] == 2
    assert taxonomy.node_label(null) == ""
    assert taxonomy.chains([], null=True)[0].shape == (3, 1)
    assert taxonomy.chains(["a"], null=False)[2] == 1


def test_rank_sorts_labels_into_the_order_of_the_leaves() -> None:
    taxonomy = Taxonomy.from_tree({"*": {"B": ["z", "y"], "A": ["x"]}})
    labels = np.array(["x", "y", "z"])
    assert labels[np.argsort(taxonomy.rank(labels.tolist()))].tolist() == ["z", "y", "x"]


# --- a value among values


def test_a_taxonomy_cannot_be_changed() -> None:
    taxonomy = Taxonomy.from_tree(["a", "b"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        taxonomy.leaves = ()  # type: ignore[misc]
    chains, leaves, _ = taxonomy.chains(["a"], null=False)
    chains[:] = 7
    leaves[:] = 7
    again, counted, _ = taxonomy.chains(["a"], null=False)
    assert again[-1, 0] == 0
    assert counted[0] == 2


def test_a_taxonomy_travels_to_another_process() -> None:
    taxonomy = Taxonomy.ladder(range(100), [5, 10])
    copy = pickle.loads(pickle.dumps(taxonomy))
    assert copy == taxonomy
    assert np.array_equal(copy.chains(["7"], null=True)[0], taxonomy.chains(["7"], null=True)[0])
    assert repr(copy) == "<Taxonomy: tree of 100 leaves, height 3, from the ladder>"


def test_a_dag_says_that_it_cannot_be_nested() -> None:
    dag = Taxonomy.from_tree({"*": {"A": ["x"], "B": ["x"]}})
    with pytest.raises(TaxonomyError, match="several parents"):
        dag.to_tree()


@pytest.mark.parametrize("rule", ["ladder", "decimals", "dates", "prefixes", "tree", "dag"])
def test_a_hundred_thousand_leaves_take_no_quadratic_time(rule: str) -> None:
    numbers = list(range(100_000))
    groups = {f"g{i}": [str(n) for n in range(i * 100, i * 100 + 100)] for i in range(1000)}
    crossing = {f"h{i}": [str(n) for n in range(i, 100_000, 1000)] for i in range(1000)}
    start = time.process_time()
    taxonomy = {
        "ladder": lambda: Taxonomy.ladder(numbers, [5, 10, 100, 1000]),
        "decimals": lambda: Taxonomy.ladder([n / 8 for n in numbers], [0.5, 1, 10]),
        "dates": lambda: Taxonomy.dates([date(1750, 1, 1) + timedelta(n) for n in numbers], ["month", "year"]),
        "prefixes": lambda: Taxonomy.prefixes([f"{n:05d}" for n in numbers], [4, 3, 2]),
        "tree": lambda: Taxonomy.from_tree({"*": groups}),
        "dag": lambda: Taxonomy.from_tree({"*": {"G": groups, "H": crossing}}),
    }[rule]()
    chains, leaves, width = taxonomy.chains(taxonomy.leaves, null=True)
    for n in range(0, 90_000, 30):  # as many groups
        taxonomy.common_ancestor(taxonomy.leaves[n : n + 5])
    taken = time.process_time() - start
    assert chains.shape == (taxonomy.height + 1, 100_001)
    assert leaves[0] == width + 1 == 100_001
    assert taken < 30  # about a second on a free core, several under load and coverage; a quadratic loop takes minutes
