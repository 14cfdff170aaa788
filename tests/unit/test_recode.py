"""What a group becomes: compared with plain definitions on random groupings, and edge by edge.

The warning about large releases: bounds that spare the measuring, and the measuring itself.
"""

from __future__ import annotations

import io
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import lazy_frames as rows
from pellucid.anonymize.recode import published as columns
from pellucid.anonymize.recode.before_after import beside
from pellucid.anonymize.recode.size import most_bytes, text_bytes
from pellucid.core.coins import Coins
from pellucid.core.table import compact, frequencies
from pellucid.core.taxonomy import Taxonomy

COLUMNS = [
    pl.Series([], dtype=pl.Int64),
    pl.Series([None, None], dtype=pl.Int8),
    pl.Series([-(2**63), 5, None]),
    pl.Series([2**64 - 1], dtype=pl.UInt64),
    pl.Series([-1.7976931348623157e308, -2.2250738585072014e-308, None]),
    pl.Series([True, False, None]),
    pl.Series([date(9999, 12, 31), None]),
    pl.Series([datetime(2024, 1, 31, 1, 2, 3, 456789, tzinfo=UTC)]).dt.cast_time_unit("ns"),
    pl.Series([Decimal("-" + "9" * 30 + ".12345678")]),
    pl.Series(["é", "", None, "a text that does not fit beside its length"]),
]


def grouping(labels: list[int]) -> Grouping:
    return Grouping.from_labels(np.array(labels, np.int32))


def plain_interval(values: list[object]) -> str | None:
    known = sorted({value for value in values if value is not None})  # type: ignore[type-var]
    if not known:
        return None
    text = str(known[0]) if len(known) == 1 else f"[{known[0]}, {known[-1]}]"
    return text + (" or null" if None in values else "")


def plain_set(values: list[str | None], largest: int | None) -> str | None:
    known = sorted({value for value in values if value is not None})
    if not known:
        return None
    if largest is not None and len(known) > largest:
        return "*"
    text = known[0] if len(known) == 1 else "{" + ", ".join(known) + "}"
    return text + (" or null" if None in values else "")


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("places", [5, 64, 65, 300])
def test_intervals_and_sets_equal_their_definition(seed: int, places: int) -> None:
    random = Random(seed * 1000 + places)
    n, groups = random.randint(1, 400), random.randint(1, 40)
    ages = [random.choice([None, *range(20, 20 + random.randint(1, 60))]) for _ in range(n)]
    towns = [random.choice([None, *(f"t{i:03}" for i in range(places))]) for _ in range(n)]
    secrets = [random.choice([None, "flu", "hiv", "cold"]) if i else "flu" for i in range(n)]
    labels = [random.randrange(groups) for _ in range(n)]
    labels = [sorted(set(labels)).index(label) for label in labels]
    ages[0] = 20
    frame = pl.DataFrame(
        {"age": ages, "town": towns, "secret": secrets},
        schema={"age": pl.Int64, "town": pl.String, "secret": pl.String},
    )
    table = pc.read(frame, quasi=["age", "town"], sensitive="secret")
    largest = random.choice([None, 1, 3, 12])
    recoder = pc.Intervals(largest_set=largest)
    published = recoder.recode(table, grouping(labels), threads=random.choice([1, 2]))["data"]
    by_group = {g: [i for i in range(n) if labels[i] == g] for g in set(labels)}
    expected = Counter(
        (plain_interval([ages[j] for j in rows]), plain_set([towns[j] for j in rows], largest), secrets[i])
        for rows in by_group.values()
        for i in rows
    )
    assert Counter(published.rows()) == expected


@pytest.mark.parametrize("recoder", [pc.Intervals(), pc.Intervals(split=True), pc.Taxonomy(), pc.Suppression()])
def test_rows_are_sorted_by_published_values_so_that_group_numbers_and_input_order_leave_no_trace(
    recoder: pc.Intervals,
) -> None:
    random = Random(5)
    n = 300
    frame = pl.DataFrame(
        {
            "id": range(n),
            "age": [random.randrange(9) for _ in range(n)],
            "town": [random.choice("abcdef") for _ in range(n)],
            "secret": [random.choice("uvwxyz") for _ in range(n)],
        }
    )
    labels = [random.randrange(25) for _ in range(n)]
    first = recoder.recode(pc.read(frame, quasi=["age", "town"], sensitive="secret"), grouping(labels))["data"]
    renumber = random.sample(range(25), 25)
    shuffle = random.sample(range(n), n)
    second = recoder.recode(
        pc.read(frame[shuffle], quasi=["age", "town"], sensitive="secret"),
        grouping([renumber[labels[i]] for i in shuffle]),
    )["data"]
    assert first.equals(second)
    assert first.schema == second.schema


def test_two_sensitive_columns_stay_together_in_a_row() -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "s": ["a", "b", "a", "b"], "t": ["y", "x", "x", "y"]})
    table = pc.read(frame, quasi=["age"], sensitive=["s", "t"])
    rows = pc.Intervals().recode(table, grouping([0, 0, 0, 0]))["data"].rows()
    assert rows == [("[1, 2]", "a", "x"), ("[1, 2]", "a", "y"), ("[1, 2]", "b", "x"), ("[1, 2]", "b", "y")]


def test_split_intervals_keep_the_columns_type_and_say_where_nulls_are() -> None:
    frame = pl.DataFrame({"age": [1, 5, None, None, 7, None], "s": list("abcdef")}, schema_overrides={"age": pl.Int16})
    table = pc.read(frame, quasi=["age"], sensitive="s")
    published = pc.Intervals(split=True).recode(table, grouping([0, 0, 1, 1, 2, 2]))["data"]
    assert published.schema["age_low"] == pl.Int16
    assert Counter(published.select("age_low", "age_high", "age_nulls").rows()) == {
        (1, 5, "none"): 2,
        (None, None, "all"): 2,
        (7, 7, "some"): 2,
    }


def test_text_with_commas_is_quoted_inside_sets_and_intervals() -> None:
    frame = pl.DataFrame({"town": ["York, UK", 'the "hague"', "Rome"], "s": list("abc")})
    table = pc.read(frame, quasi=["town"], sensitive="s")
    published = pc.Intervals().recode(table, grouping([0, 0, 0]))["data"]
    assert published["town"].unique().to_list() == ['{Rome, "York, UK", "the ""hague"""}']


TREE = {"*": {"warm": ["Rome", "Cairo"], "cold": {"north": ["Oslo"], "south": ["Ushuaia"]}}}


def test_a_tree_gives_the_nearest_common_ancestor_and_null_hangs_below_the_root() -> None:
    towns = ["Rome", "Cairo", "Oslo", "Ushuaia", "Rome", "Oslo", "Oslo", "Oslo", None, None, None, "Rome"]
    labels = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    schema = pc.Schema(
        columns={"town": pc.Column(role="quasi", taxonomy={"tree": TREE}), "s": pc.Column(role="sensitive")}
    )
    table = pc.read(pl.DataFrame({"town": towns, "s": [str(label) for label in labels]}), schema=schema)
    rows = pc.Taxonomy().recode(table, grouping(labels))["data"].unique().rows()
    assert {int(s): town for town, s in rows} == {0: "warm", 1: "cold", 2: "*", 3: "Oslo", 4: None, 5: "*"}


def test_where_a_node_has_two_parents_the_ancestor_with_the_fewest_leaves_is_published() -> None:
    dag = Taxonomy.from_tree(
        {"*": {"coast": ["Oslo", "Lisbon", "Tunis"], "south": ["Lisbon", "Tunis", "Cairo"], "far": ["Lima", "Cairo"]}}
    )
    schema = pc.Schema(columns={"town": pc.Column(role="quasi", taxonomy=dag), "s": pc.Column(role="sensitive")})
    towns = ["Oslo", "Tunis", "Lisbon", "Cairo", "Cairo", "Lima", "Oslo", "Lima", "Tunis", "Tunis"]
    labels = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    table = pc.read(pl.DataFrame({"town": towns, "s": [str(label) for label in labels]}), schema=schema)
    rows = pc.Taxonomy().recode(table, grouping(labels))["data"].unique().rows()
    assert {int(s): town for town, s in rows} == {0: "coast", 1: "south", 2: "far", 3: "*", 4: "Tunis"}


def test_a_number_whose_taxonomy_is_not_in_the_order_of_values_still_gets_the_right_ancestor() -> None:
    odd_even = {"*": {"odd": ["1", "3", "5"], "even": ["0", "2", "4"]}}
    schema = pc.Schema(
        columns={
            "q": pc.Column(role="quasi", kind="number", taxonomy={"tree": odd_even}),
            "s": pc.Column(role="sensitive"),
        }
    )
    table = pc.read(pl.DataFrame({"q": [1, 5, 0, 4, 2, 3], "s": list("aabbcc")}), schema=schema)
    rows = pc.Taxonomy().recode(table, grouping([0, 0, 1, 1, 2, 2]))["data"].unique().rows()
    assert {s: q for q, s in rows} == {"a": "odd", "b": "even", "c": "*"}


def test_anatomy_numbers_groups_by_content_and_publishes_exact_values_apart_from_the_sensitive_ones() -> None:
    random = Random(3)
    n = 200
    frame = pl.DataFrame(
        {
            "age": [random.choice([None, 1, 2, 3, 4]) for _ in range(n)],
            "group": [random.choice("ab") for _ in range(n)],
            "secret": [random.choice("uvwxyz") for _ in range(n)],
        }
    )
    labels = [random.randrange(20) for _ in range(n)]
    shuffle, renumber = random.sample(range(n), n), random.sample(range(20), 20)
    frames = pc.Anatomy().recode(pc.read(frame, quasi=["age", "group"], sensitive="secret"), grouping(labels))
    again = pc.Anatomy().recode(
        pc.read(frame[shuffle], quasi=["age", "group"], sensitive="secret"),
        grouping([renumber[labels[i]] for i in shuffle]),
    )
    assert all(frames[name].equals(again[name]) for name in frames)
    # the new column steps aside for the table's own column "group"
    assert frames["quasi_identifiers"].columns == ["group_", "age", "group"]
    contents = Counter(
        (
            tuple(sorted((frame["age"][i] or 0, frame["group"][i]) for i in range(n) if labels[i] == g)),
            tuple(sorted(frame["secret"][i] for i in range(n) if labels[i] == g)),
        )
        for g in set(labels)
    )
    published = Counter(
        (
            tuple(sorted((a or 0, b) for number, a, b in frames["quasi_identifiers"].rows() if number == g)),
            tuple(s for number, s in frames["sensitive"].rows() if number == g),
        )
        for g in range(1, len(set(labels)) + 1)
    )
    assert published == contents


def test_suppressed_rows_are_not_published_and_are_counted() -> None:
    table = pc.read(pl.DataFrame({"age": [1, 2, 3], "s": list("abc")}), quasi=["age"], sensitive="s")
    part = grouping([0, -1, 0])
    assert part.suppressed == 1
    assert pc.Intervals().recode(table, part)["data"].rows() == [("[1, 3]", "a"), ("[1, 3]", "c")]


def test_a_release_that_is_not_made_yet_tells_nothing_of_what_withheld_rows_have_together() -> None:
    """Their values are those of others; which of them go together is theirs."""

    def boxes(withheld: str) -> rows.BoxedRows:
        frame = pl.DataFrame({"age": [1, 1, 2, 2, 3, 3], "a": list("xyxyxy"), "b": list("pqpq" + withheld)})
        table = pc.read(frame, quasi="age", sensitive=["a", "b"])
        made = pc.Intervals().recode(table, Grouping.from_labels(np.array([0, 0, 1, 1, -1, -1], np.int32)))
        assert isinstance(made, rows.MadeWhenAsked)
        assert made.boxes is not None
        return made.boxes

    one, other = boxes("pq"), boxes("qp")
    assert one.keys.tolist() == other.keys.tolist()
    for first, second in zip(one.columns, other.columns, strict=True):
        assert (first.values.to_list(), first.places.tolist()) == (second.values.to_list(), second.places.tolist())
    assert max(one.keys) + 1 == len(one.columns[1].places)


def test_the_published_frame_holds_no_value_beyond_its_rows() -> None:
    frame = pl.DataFrame(
        {"age": [1, 2, 3], "s": ["a", "b", "c"]}, schema_overrides={"s": pl.Enum(["a", "b", "c", "zz"])}
    )
    published = pc.Intervals().recode(pc.read(frame, quasi=["age"], sensitive="s"), grouping([0, 0, 0]))["data"]
    assert published.schema["s"] == pl.String


@pytest.mark.parametrize("recoder", [pc.Intervals(), pc.Taxonomy(), pc.Anatomy(), pc.Suppression()])
def test_the_memory_of_a_published_frame_holds_no_value_that_its_rows_do_not_show(recoder: pc.Intervals) -> None:
    long = [f"a town with a long name, number {i}" for i in range(6)]
    secret = [f"a diagnosis with a long name, number {i}" for i in range(6)]
    frame = pl.DataFrame(
        {"town": long, "day": [f"2024-01-0{i + 1} in the long afternoon" for i in range(6)], "s": secret}
    )
    schema = pc.Schema(
        columns={
            "town": pc.Column(role="quasi", taxonomy={"tree": {"*": {"south": long[:3], "north": long[3:]}}}),
            "day": pc.Column(role="quasi", kind="ordered", order=sorted(frame["day"].to_list())),
            "s": pc.Column(role="sensitive"),
        }
    )
    table = pc.read(frame, schema=schema)
    frames = recoder.recode(table, grouping([0, 0, 0, 1, 1, -1]))
    for published in frames.values():
        buffer = io.BytesIO()
        published.write_ipc(buffer)
        shown = str(published.rows())
        for value in (*long, *secret, *frame["day"].to_list()):
            assert (value in shown) == (value.encode() in buffer.getvalue()), value
    assert secret[5] not in str([f.rows() for f in frames.values()])


def published_towns(towns: list[str | None], labels: list[int], **column: object) -> dict[int, str | None]:
    """What each group's towns become."""
    schema = pc.Schema(columns={"town": pc.Column(role="quasi", **column), "s": pc.Column(role="sensitive")})  # type: ignore[arg-type]
    table = pc.read(pl.DataFrame({"town": towns, "s": [str(label) for label in labels]}), schema=schema)
    rows = pc.Intervals().recode(table, grouping(labels))["data"].unique().rows()
    assert len(rows) == len(set(labels))
    return {int(s): town for town, s in rows}


def test_the_empty_text_is_two_quotes_in_a_longer_text_and_nothing_alone() -> None:
    towns = ["", None, "", "a", "", "", "", "a", None]
    labels = [0, 0, 1, 1, 2, 2, 3, 3, 3]
    assert published_towns(towns, labels) == {0: '"" or null', 1: '{"", a}', 2: "", 3: '{"", a} or null'}
    ordered = published_towns(towns, labels, kind="ordered", order=["", "a"])
    assert ordered == {0: '"" or null', 1: '["", a]', 2: "", 3: '["", a] or null'}


@pytest.mark.parametrize("odd", ["*", "[1", "{a", "[1, 2]", "x or null", " or null"])
def test_text_that_reads_like_a_generalisation_is_quoted_in_a_longer_text_and_kept_alone(odd: str) -> None:
    towns, labels = [odd, "~", odd, None, odd, odd], [0, 0, 1, 1, 2, 2]
    assert published_towns(towns, labels) == {0: f'{{"{odd}", ~}}', 1: f'"{odd}" or null', 2: odd}
    ordered = published_towns(towns, labels, kind="ordered", order=[odd, "~"])
    assert ordered == {0: f'["{odd}", ~]', 1: f'"{odd}" or null', 2: odd}


@pytest.mark.parametrize("ordered", [False, True])
def test_groups_with_one_text_have_one_place_whatever_they_were(ordered: bool) -> None:
    for places in (2, 80):
        towns = ["a", None, "a or null", "a or null", *(f"t{i:02}" for i in range(places))]
        labels = [0, 0, 1, 1, *range(2, 2 + places)]
        secrets = ["v", "w", "u", "x", *("y" * places)]
        town = (
            pc.Column(role="quasi", kind="ordered", order=tuple(town for town in dict.fromkeys(towns) if town))
            if ordered
            else pc.Column(role="quasi")
        )
        schema = pc.Schema(columns={"town": town, "s": pc.Column(role="sensitive")})
        table = pc.read(pl.DataFrame({"town": towns, "s": secrets}), schema=schema)
        frame = pc.Intervals().recode(table, grouping(labels))["data"]
        assert frame.filter(pl.col("town") == "a or null")["s"].to_list() == ["u", "v", "w", "x"]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_release_made_in_many_pieces_is_the_release(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    table = pc.read(
        pc.datasets.census(3_000, seed=4), quasi=["gender", "education", "birthplace"], sensitive=["age", "occupation"]
    )
    groups = pc.Tailor(l=2).group(table, Coins.from_seed(1))
    known = [dict(recode.recode(table, groups)) for recode in (pc.Intervals(), pc.Anatomy())]
    monkeypatch.setattr(columns, "PIECE", 100)
    monkeypatch.setattr(rows, "PIECE", 100)
    for recode, frames in zip((pc.Intervals(), pc.Anatomy()), known, strict=True):
        for name, frame in recode.recode(table, groups, threads=threads).items():
            assert frame.equals(frames[name])
            assert max(frame.n_chunks("all")) > 5


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_keys_are_decoded_by_their_codes_and_nothing_else_is_in_memory(threads: int) -> None:
    values = pl.Series(["apple", None, "a value that no row has, and a long one", "a pear that is longer than a view"])
    code_of, keys = np.array([3, 1, 0, 2, 3], np.int32), np.array([4, 1, 0, 0, 2], np.int32)
    column = columns.decode(values, code_of, keys, threads)
    assert column.to_list() == [values[int(code_of[key])] for key in keys]
    frame, file = column.to_frame(), io.BytesIO()
    frame.write_ipc(file)
    assert b"no row has" not in file.getvalue()
    assert columns.decode(values, code_of, keys[:0], threads).to_list() == []


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("values", [1, 3, 5_000])
def test_frequencies_are_counted_alike_by_any_number_of_threads(threads: int, values: int) -> None:
    codes = np.random.default_rng(values).integers(0, values, 10_000).astype(np.int32)
    for some in (codes, codes[:1], codes[:0]):
        assert np.array_equal(frequencies(some, values, threads), np.bincount(some, minlength=values))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("values", "dtype"), [(1, np.uint8), (256, np.uint8), (257, np.int32)])
def test_codes_are_bytes_only_where_every_code_fits(values: int, dtype: type, threads: int) -> None:
    codes = np.append(np.arange(values), np.full(30_000, values - 1)).astype(np.int32)
    small = compact(codes, values, threads)
    assert small.dtype == dtype
    assert np.array_equal(small, codes)


def test_a_boolean_that_is_null_is_not_shown_as_false() -> None:
    frame = pl.DataFrame({"age": [1, 1], "smokes": [None, True]})
    table = pc.read(frame, quasi="age", sensitive="smokes")
    ((before, after),) = beside(table, Grouping.from_labels(np.zeros(2, np.int32)), pc.Intervals(), [0])
    assert before["smokes"] is None
    assert after["smokes"] == "null or true"


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.dtype))
def test_the_bound_is_never_below_what_is_measured(column: pl.Series) -> None:
    written = column.cast(pl.String).fill_null("").to_list()
    assert text_bytes(column) == sum(len(text.encode()) + 1 for text in written)
    assert most_bytes(column) >= text_bytes(column)


def test_columns_in_pieces_are_measured_whole() -> None:
    column = pl.Series(["ab", "c"] * 100_000)
    assert text_bytes(pl.concat([column, column], rechunk=False)) == 2 * text_bytes(column) == 1_000_000
