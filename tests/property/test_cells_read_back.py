"""What any recoder writes is read back to exactly what it stands for; what other tools write is understood.

A value may be behind a text if some group that has it gets that text. So all groups that a small column can have are
written by every recoder that there is, and whatever the groups of one text have together is what reading it must give:
no less, or somebody would be said not to be in it, and no more, or a figure would be wrong. Nothing here knows what a
recoder does: a new one is judged as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import RECODERS
from pellucid.anonymize.recode.published import Published
from pellucid.anonymize.recode.recoder import RowRecoder, reads_like_a_group
from pellucid.core.table import Table
from pellucid.published.choices import Choices, Ticks, is_line
from pellucid.published.ends import is_centre
from pellucid.published.forms import NULL, SINGLE, known_of
from pellucid.published.grammar import as_part, is_general, members_of, unquoted
from pellucid.published.matcher import CellMatcher
from pellucid.published.reader import choices_of
from pellucid.text.values import label_of

AWKWARD = [
    *("a", "b", "A", "é", "e\u0301", "日本", "a b", " a", "a ", "", " ", "null", "a or null", "b or null or null"),
    *("*", "**", "13*", "1*3", "*a", "a, b", "a,b", ",", '"', '"a"', '"x" y', 'a"b', '""', '", "'),
    *("{a, b}", "{a", "b}", "{}", "{", "[a, b]", "[a", "a]", "[", "(a, b)", "{a, b} or null", "[1, 2] or null"),
    *("1", "01", "1.0", "1e0", "20-29", "30+", ">=30", "<30", "[20, 30[", "1,2", "inf", "nan", "true", "True"),
    *("2020-01-01", "a\nb", "\ta", "\u00a0", "≥30", "<=5", ">=5", "6-10"),
    *("ab", "ac", "a*"),
]


@cache
def recoders() -> list[RowRecoder]:
    """Every recoder that publishes rows, with every parameter that changes how."""
    found: list[RowRecoder] = []
    for kind in RECODERS.values():
        if issubclass(kind, RowRecoder):
            found.append(kind())
            if "largest_set" in kind.model_fields:
                found += [kind.model_validate({"largest_set": size}) for size in (1, 2, None)]
            if "split" in kind.model_fields:
                found.append(kind.model_validate({"split": True}))
            if "statistic" in kind.model_fields:
                found.append(kind.model_validate({"statistic": "median"}))
    return found


Drawn = tuple[list[Any], dict[str, Any]]  # different values, null among them or not, and what the schema says


@st.composite
def columns(draw: st.DrawFn) -> Drawn:
    """A few values of some kind, awkward ones among them."""
    shapes = ["category", "ordered", "tree", "prefix", "number", "ladder", "cap", "classes", "date", "dates", "parts"]
    shape = draw(st.sampled_from(shapes))
    texts = st.lists(st.sampled_from(AWKWARD) | st.text(max_size=3), min_size=1, max_size=4, unique=True)
    numbers = st.one_of(
        st.lists(st.integers(-50, 50), min_size=1, max_size=4, unique=True),
        st.lists(st.sampled_from([0.1, 0.25, -3.5, 7.0, 1e9, 2.125]), min_size=1, max_size=4, unique=True),
        st.lists(st.sampled_from([1e20, 2e20, 3e20, 4e20, -1e20, 1e-7, 2e-7]), min_size=1, max_size=4, unique=True),
    )
    days = st.lists(st.dates(date(1990, 1, 1), date(2029, 12, 31)), min_size=1, max_size=4, unique=True)
    how: dict[str, Any]
    values: list[Any]
    if shape in ("category", "ordered"):
        values = draw(texts)
        how = {"kind": shape} | ({"order": list(values)} if shape == "ordered" else {})
    elif shape == "tree":
        values, cut = draw(st.lists(st.sampled_from(list("abcdefg")), min_size=2, max_size=5, unique=True)), 0
        cut = draw(st.integers(1, len(values) - 1))
        how = {"taxonomy": {"tree": {"all": {"left of it": values[:cut], "[right, of] it": values[cut:]}}}}
    elif shape == "prefix":
        values = draw(st.lists(st.sampled_from(["13053", "13068", "13061", "14850", "24850"]), min_size=1, unique=True))
        how = {"kind": "category", "taxonomy": {"prefix": [3, 1]}}
    elif shape == "parts":
        ways: list[Any] = ["month", "quarter", "year", [date(1995, 3, 1), date(2001, 1, 1), date(2010, 7, 31)]]
        values, how = draw(days), {"kind": "date", "round": draw(st.sampled_from(ways))}
        begins = isinstance(how["round"], str) and draw(st.booleans())
        how |= {"cap": {"low": date(1996, 1, 1), "high": date(2020, 1, 1)}} if begins else {}
    elif shape in ("date", "dates"):
        values, how = draw(days), {"kind": "date"} | ({"taxonomy": {"dates": ["year"]}} if shape == "dates" else {})
    else:
        values = draw(
            numbers if shape != "ladder" else st.lists(st.integers(0, 59), min_size=1, max_size=4, unique=True)
        )
        how = {"kind": "number"}
        how |= {"taxonomy": {"ladder": [10, 30]}} if shape == "ladder" else {}
        how |= {"cap": {"low": -10, "high": 10}} if shape == "cap" else {}
        if shape == "classes":
            begins = draw(st.sampled_from([[-10, 0, 10], [0, 1.5, 7], [1e-7, 2, 1e20], [-60, 60], [0, 1, 2, 3, 4]]))
            how["round"] = begins
            how |= draw(
                st.sampled_from([{}, {"cap": {"low": begins[0], "high": begins[-1]}}, {"cap": {"low": begins[1]}}])
            )
    return [*values, *([None] if draw(st.booleans()) else [])], how


def every_group(values: list[Any], how: dict[str, Any]) -> tuple[Table, Grouping]:
    """A table in which each set of these values is a group."""
    groups = [group for size in range(1, len(values) + 1) for group in combinations(values, size)]
    rows = [value for group in groups for value in group]
    schema = pc.Schema(columns={"q": pc.Column(role="quasi", **how), "s": pc.Column(role="sensitive")})
    dtype = pl.Series([value for value in values if value is not None]).dtype
    frame = pl.DataFrame({"q": pl.Series(rows, dtype=dtype), "s": [str(i) for i in range(len(rows))]})
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups]).astype(np.int32)
    return pc.read(frame, schema=schema), Grouping.from_labels(labels)


@dataclass(frozen=True)
class Written:
    """What a recoder makes of each group: the cells, and the codes that the group has."""

    grouping: Grouping
    spelled: Published
    cells: list[tuple[Any, ...]]
    held: list[frozenset[int]]

    @classmethod
    def by(cls, recoder: RowRecoder, table: Table, grouping: Grouping) -> Written:
        spelled = recoder.spell_column(table, 0, grouping, 1)
        cells = [tuple(part[int(rank)] for part in spelled.columns) for rank in spelled.ranks]
        ends = zip(grouping.starts[:-1], grouping.starts[1:], strict=True)
        held = [frozenset(table.codes[0][grouping.members[start:end]].tolist()) for start, end in ends]
        return cls(grouping, spelled, cells, held)


def full_domain(table: Table, grouping: Grouping, values: int) -> list[Grouping]:
    """Each value on each level of the column's taxonomy, as methods of full-domain recoding have it."""
    taxonomy = table.attributes[0].taxonomy
    alone = np.where(grouping.labels < values, grouping.labels, -1).astype(np.int32)
    found = [Grouping.from_labels(alone) for _ in range((1 if taxonomy is None else taxonomy.height) + 1)]
    for level, one in enumerate(found):
        one.levels = (level,)
    return found


def behind_cells(written: Iterable[Written]) -> dict[tuple[Any, ...], frozenset[int]]:
    """For each cell the codes of all groups that get it."""
    behind: dict[tuple[Any, ...], frozenset[int]] = {}
    for one in written:
        for cell, codes in zip(one.cells, one.held, strict=True):
            behind[cell] = behind.get(cell, frozenset()) | codes
    return behind


def codes_in(choices: Choices, number: int, ticks: Ticks) -> frozenset[int]:
    return frozenset(np.flatnonzero(choices.take([number]).covers(ticks)).tolist())


def with_neighbours(codes: frozenset[int], ticks: Ticks) -> frozenset[int]:
    """Values that are too near for the column's line share a tick, and choices are made of ticks."""
    return frozenset(np.flatnonzero(np.isin(ticks.of_code, ticks.of_code[sorted(codes)])).tolist())


def check(values: list[Any], how: dict[str, Any]) -> None:
    table, grouping = every_group(values, how)
    for recoder in recoders():
        groups = Written.by(recoder, table, grouping)
        levels = [Written.by(recoder, table, one) for one in full_domain(table, grouping, len(values))]
        behind = behind_cells([groups, *levels])
        for written in (groups, *levels):
            check_read(recoder, table, written, behind)
        tell, apart = recoder.behind(table.attributes[0]), behind_cells([groups])
        for cell, codes in zip(groups.cells, groups.held, strict=True):
            said = np.flatnonzero(tell(np.array(sorted(codes), np.int32)))
            assert frozenset(said.tolist()) >= apart[cell], (recoder, cell, values)
        check_apart(recoder, table, groups)


def check_apart(recoder: RowRecoder, table: Table, groups: Written) -> None:
    """Whoever says that groups on both sides of a cut never read alike is taken at their word by attacks."""
    if recoder.tells_apart(table.attributes[0]):
        ends: dict[tuple[Any, ...], tuple[int, int]] = {}  # of the cell the least last and the greatest first code
        for cell, codes in zip(groups.cells, groups.held, strict=True):
            last, first = ends.get(cell, (max(codes), min(codes)))
            ends[cell] = (min(last, max(codes)), max(first, min(codes)))
        alike = [cell for cell, (last, first) in ends.items() if last < first]
        assert not alike, (recoder, alike, table.attributes[0].values.to_list())


def check_read(
    recoder: RowRecoder, table: Table, written: Written, behind: dict[tuple[Any, ...], frozenset[int]]
) -> None:
    attribute, frame = table.attributes[0], pl.DataFrame(written.spelled.columns)
    ticks = Ticks.of(attribute)
    of_cell, read = choices_of(attribute, frame, frame.columns, recoder)
    by_anybody, loosely = choices_of(attribute, frame, frame.columns)
    of_group, direct = recoder.choices(table, 0, written.grouping)
    for group, cell in enumerate(written.cells):
        told = (recoder, cell, attribute.values.to_list())
        place = int(written.spelled.ranks[group])
        number, own = int(of_cell[place]), int(of_group[group])
        exactly = behind[cell]
        if is_centre(attribute.name, frame.columns):  # a group with some value many times may have any mean
            null = frozenset({0} if attribute.has_null else ())
            exactly = behind[cell] & null | (frozenset(range(len(attribute))) - null if behind[cell] - null else null)
        assert codes_in(read, number, ticks) == with_neighbours(exactly, ticks), told
        assert codes_in(direct, own, ticks) == with_neighbours(exactly, ticks), told
        if cell[0] not in told[2] or cell[0] is None or is_general(str(cell[0])):  # else it is that value, to strangers
            assert codes_in(loosely, int(by_anybody[place]), ticks) >= behind[cell], told
        for figure in ("nulls", "extent", "covered", "domain", "height"):
            assert getattr(read, figure)[number] == getattr(direct, figure)[own], (figure, *told)


QUICK = settings(max_examples=15, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate))


@QUICK
@given(columns())
def test_every_cell_is_read_back_to_what_it_stands_for(drawn: Drawn) -> None:
    check(*drawn)


def test_every_cell_is_read_back_of_many_more_columns(thorough: bool) -> None:
    if not thorough:
        pytest.skip("20,000 columns; --thorough")
    many = settings(QUICK, max_examples=20_000)
    many(given(columns())(lambda drawn: check(*drawn)))()


@pytest.mark.parametrize("place", range(0, len(AWKWARD), 3))
@pytest.mark.parametrize("kind", ["category", "ordered"])
def test_every_awkward_text_is_read_back(place: int, kind: str) -> None:
    values: list[Any] = [*AWKWARD[place : place + 4], None]
    check(values, {"kind": kind} | ({"order": values[:-1]} if kind == "ordered" else {}))


CLEAR: list[Drawn] = [  # no value reads like a group
    (["a, b", "a", '"x" y', "", None], {"kind": "category"}),
    (["13*", "1,2", "20-29", "<=5", ">=5"], {"kind": "ordered", "order": ["<=5", "20-29", "13*", "1,2", ">=5"]}),
    ([1.0, 2.5, -4.0, 1000.0, None], {"kind": "number"}),
    ([20, 29, 30, 31, None], {"kind": "number"}),
    ([1e20, 2e20, 3e20, 1e-7, None], {"kind": "number"}),
    ([1e20, 2e20, 3e20, 1e-7, None], {"kind": "number", "cap": {"low": 2e-7, "high": 2e20}}),
    ([1e-7, 2e-7, 0.5, 12.0, None], {"kind": "number", "cap": {"high": 10}}),
    ([date(2020, 2, 29), date(2020, 3, 1), date(2021, 1, 1), None], {"kind": "date"}),
    ([datetime(2024, 3, 31, 1, 30), datetime(2024, 3, 31, 3, 30, 0, 500), None], {"kind": "date"}),
    ([12, 27, 35, 58, None], {"kind": "number", "taxonomy": {"ladder": [10, 30]}}),
    (["13053", "13068", "14850", None], {"kind": "category", "taxonomy": {"prefix": [3, 1]}}),
]


def test_an_audit_reads_whom_a_cell_covers_as_exactly() -> None:
    """Where no value reads like a group: there a text of the population is that value."""
    seen = 0
    for values, how in CLEAR:
        table, grouping = every_group(values, how)
        attribute = table.attributes[0]
        assert not reads_like_a_group(attribute)
        order = [label_of(value) for value in attribute.values.drop_nulls().to_list()] if is_line(attribute) else []
        matcher = CellMatcher(attribute.values, taxonomy=attribute.taxonomy, order=order, as_written=True)
        for recoder in recoders():
            for cell, behind in behind_cells([Written.by(recoder, table, grouping)]).items():
                written = Written.by(recoder, table, grouping).spelled.columns
                if is_centre(attribute.name, [column.name for column in written]):
                    found = matcher.any_value(*cell, *[None] * (2 - len(cell)))
                    assert frozenset(np.flatnonzero(found).tolist()) >= behind, (recoder, cell)
                    continue
                found = matcher.of(*cell) if len(cell) == 1 else matcher.between(*cell, *[None] * (3 - len(cell)))
                assert frozenset(np.flatnonzero(found).tolist()) == behind, (recoder, cell)
                seen += 1
    assert seen > 10 * len(recoders())


@pytest.mark.parametrize("drawn", CLEAR, ids=[f"column {number}" for number in range(len(CLEAR))])
def test_nothing_that_is_written_is_refused_for_being_unclear(drawn: Drawn) -> None:
    """An audit or an attack with a population refuses what can be read in two ways, such as 30 beside 30+."""
    table, grouping = every_group(*drawn)
    attribute = table.attributes[0]
    for recoder in recoders():
        written = Written.by(recoder, table, grouping).spelled.columns
        if len(written) == 1 and written[0].name == attribute.name:  # columns of their own are always clear
            matcher = CellMatcher(attribute.values, taxonomy=attribute.taxonomy)
            matcher.refuse_unclear(written[0].to_list(), f"{attribute.kind} by {recoder.name}")


@pytest.mark.parametrize("drawn", CLEAR, ids=[f"column {number}" for number in range(len(CLEAR))])
def test_no_report_calls_several_values_a_single_one(drawn: Drawn) -> None:
    values, how = drawn
    table, grouping = every_group(values, how)
    attribute, null = table.attributes[0], {0} if None in values else set()
    told = [
        (None, attribute),
        (pc.Column(role="quasi", **how), None),
        (None, None),
    ]  # by the original, the schema, nobody
    for recoder, (declared, original) in product(recoders(), told):
        written = Written.by(recoder, table, grouping)
        if is_centre(attribute.name, [column.name for column in written.spelled.columns]):
            continue  # told by the name of the column, whatever its cells look like
        behind = behind_cells([written])
        known = known_of(attribute.kind, recoder, [cell[0] for cell in behind], declared, Path(), original)
        for cell, codes in behind.items():
            if len(cell) == 1 and len(codes - null) > 1:
                assert known.form(cell[0]) not in (SINGLE, NULL), (recoder, cell, declared)


AGES = [None, 19, 20, 21, 29, 30, 31, 39, 40]
ZIPS = [None, "1305", "13053", "13068", "14850", "a", "b", "a, b", '"x" y']
CASES: list[tuple[list[Any], str | None, list[Any]]] = [
    (AGES, "20-29", [20, 21, 29]),
    (AGES, "20 - 29", [20, 21, 29]),
    (AGES, "20–29", [20, 21, 29]),
    (AGES, "20 to 29", [20, 21, 29]),
    (AGES, "20..29", [20, 21, 29]),
    (AGES, "[20, 30[", [20, 21, 29]),
    (AGES, "[20, 30)", [20, 21, 29]),
    (AGES, "]20, 30]", [21, 29, 30]),
    (AGES, "(20, 30]", [21, 29, 30]),
    (AGES, "(20,30]", [21, 29, 30]),
    (AGES, "[20-30)", [20, 21, 29]),
    (AGES, "[20; 30]", [20, 21, 29, 30]),
    (AGES, "[20, 30]", [20, 21, 29, 30]),
    (AGES, "[20, 30] or null", [None, 20, 21, 29, 30]),
    (AGES, "[30, >=40]", [30, 31, 39, 40]),
    (AGES, "[<=20, 30]", [19, 20, 21, 29, 30]),
    (AGES, ">=30", [30, 31, 39, 40]),
    (AGES, "> 30", [31, 39, 40]),
    (AGES, "≥30", [30, 31, 39, 40]),
    (AGES, "30+", [30, 31, 39, 40]),
    (AGES, "<30", [19, 20, 21, 29]),
    (AGES, "<= 30", [19, 20, 21, 29, 30]),
    (AGES, "<=3e1", [19, 20, 21, 29, 30]),
    (AGES, "{20, 40}", [20, 40]),
    (AGES, "{20,40}", [20, 40]),
    (AGES, "20,40", [20, 40]),
    (AGES, "21.0", [21]),
    (AGES, "2.1e1", [21]),
    (AGES, "2*", [20, 21, 29]),
    (AGES, "*", AGES),
    (AGES, "**", AGES),
    (AGES, None, [None]),
    (ZIPS, "130**", ["13053", "13068"]),
    (ZIPS, "1305*", ["13053"]),
    (ZIPS, "*4850", ["14850"]),
    (ZIPS, "*****", ZIPS),
    (ZIPS, "{a, b}", ["a", "b"]),
    (ZIPS, "{b,a}", ["a", "b"]),
    (ZIPS, "a,b", ["a", "b"]),
    (ZIPS, "a, b", ["a, b"]),
    (ZIPS, '{"a, b", b}', ["b", "a, b"]),
    (ZIPS, '{"x" y, b}', ["b", '"x" y']),  # as a tool writes it that does not quote
    (ZIPS, '{"""x"" y", b}', ["b", '"x" y']),  # as pellucid does
    (ZIPS, '"a, b" or null', [None, "a, b"]),
    (ZIPS, "{a, b} or null", [None, "a", "b"]),
]


@pytest.mark.parametrize(("values", "cell", "meant"), CASES, ids=[repr(cell) for _, cell, _ in CASES])
def test_what_others_write_is_understood(values: list[Any], cell: str | None, meant: list[Any]) -> None:
    frame = pl.DataFrame({"q": values, "s": [str(i) for i in range(len(values))]})
    attribute = pc.read(frame, quasi="q", sensitive="s").attributes[0]
    known = attribute.values.to_list()
    covered = np.flatnonzero(CellMatcher(attribute.values).of(cell))
    assert {known[int(code)] for code in covered} == set(meant)
    _, read = choices_of(attribute, pl.DataFrame({"q": pl.Series([cell], dtype=pl.String)}), ["q"])
    assert {known[code] for code in codes_in(read, 0, Ticks.of(attribute))} == set(meant)


@given(st.lists(st.sampled_from(AWKWARD) | st.text(), min_size=1, max_size=5))
def test_parts_are_read_back(texts: list[str]) -> None:
    parts = as_part(pl.Series(texts), "{},").to_list()
    assert [unquoted(part) for part in parts] == texts
    assert members_of("{" + ", ".join(parts) + "}") == texts
