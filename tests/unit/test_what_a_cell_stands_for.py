"""A recoder says what may be behind what it publishes: never less than its own texts leave open, by all sets of values.

For every set of a column's values the recoder writes what a group with these values gets. A value may be behind a text
if some set with it gets that text.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize import recode
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.anonymize.recode.taxonomic import Taxonomic
from pellucid.core.table import Attribute, Codes

TREE = {"*": {"north": ["oslo", "riga"], "south": ["rome", "nice"]}}
COLUMNS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "numbers": ([1, 2, 4, 8], {"kind": "number"}),
    "numbers and null": ([None, 1, 2, 4], {"kind": "number"}),
    "long and short numbers": ([-2.5e20, 1e-7, 2e-7, 0.5, 1e20], {"kind": "number"}),  # written with an exponent
    "long numbers and null": ([None, 1e20, 2e20, 3e20, 4e20], {"kind": "number"}),
    "numbers side by side": ([2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3], {"kind": "number"}),
    "capped numbers": ([1, 2, 4, 8], {"kind": "number", "cap": {"low": 2, "high": 4}}),
    "classes": ([1, 2, 4, 8], {"kind": "number", "round": [0, 2, 3, 5]}),
    "classes of reals and null": ([0.5, 2.5, 8, 9.25, None], {"kind": "number", "round": [1, 2, 8.5, 9]}),
    "capped classes": ([1, 2, 4, 8, None], {"kind": "number", "round": [0, 2, 3, 5, 9], "cap": {"low": 2, "high": 5}}),
    "quarters": ([date(2020, 1, 5), date(2020, 4, 1), date(2021, 9, 9), None], {"kind": "date", "round": "quarter"}),
    "dates": ([date(2020, 1, 1), date(2021, 1, 1), date(2022, 1, 1), None], {"kind": "date"}),
    "laddered numbers": ([1, 12, 25, None], {"kind": "number", "taxonomy": {"ladder": [10, 20]}}),
    "category": (list("abcdef"), {"kind": "category"}),
    "category and null": ([None, "a", "b", "c", "d"], {"kind": "category"}),
    "true or false": ([True, False, None], {"kind": "category"}),
    "texts like groups": (["*", "a", "b", "{a, b}", "a or null", None], {"kind": "category"}),
    "ordered": (list("bacd"), {"kind": "ordered", "order": list("bacd")}),
    "ordered and null": (["b", "a", "c", None], {"kind": "ordered", "order": list("bac")}),
    "ordered like groups": (["b", "a", "c", "[b, a]"], {"kind": "ordered", "order": ["b", "a", "[b, a]", "c"]}),
    "tree": (["oslo", "riga", "rome", "nice"], {"taxonomy": {"tree": TREE}}),
    "tree and null": (["oslo", "riga", "rome", None], {"taxonomy": {"tree": TREE}}),
}
SETS = (pc.Intervals, Taxonomic)  # of whose sets some are tried, each by its size
RECODERS: list[RowRecoder] = [
    *(kind() for kind in recode.RECODERS.values() if issubclass(kind, RowRecoder) and kind not in SETS),
    *(kind(largest_set=n) for kind in SETS for n in (1, 2, 3, None)),
    pc.Intervals(split=True),
    pc.Means(statistic="median"),
    pc.Means(largest_set=1),
]


@cache
def column(name: str) -> tuple[Attribute, Codes]:
    values, how = COLUMNS[name]
    schema = pc.Schema(columns={"q": pc.Column(role="quasi", **how), "s": pc.Column(role="sensitive")})
    frame = pl.DataFrame({"q": values, "s": [str(i) for i in range(len(values))]})
    table = pc.read(frame, schema=schema)
    return table.attributes[0], table.codes[0]


@cache
def texts_of_sets(name: str, number: int) -> dict[tuple[int, ...], Any]:
    """What a group with each set of codes gets; all of them are groups of one table."""
    (attribute, codes), recoder = column(name), RECODERS[number]
    present = np.unique(codes).tolist()
    sets = [held for size in range(1, len(present) + 1) for held in combinations(present, size)]
    rows = [codes[np.isin(codes, held)] for held in sets]
    labels = np.repeat(np.arange(len(sets), dtype=np.int32), [len(group) for group in rows])
    spelled = recoder.spell(attribute, np.concatenate(rows), Grouping.from_labels(labels), 1)
    return {
        held: tuple(one[int(rank)] for one in spelled.columns) for held, rank in zip(sets, spelled.ranks, strict=True)
    }


@pytest.mark.parametrize("number", range(len(RECODERS)), ids=[repr(one) for one in RECODERS])
@pytest.mark.parametrize("name", COLUMNS)
def test_behind_a_text_is_whatever_some_group_with_that_text_has(name: str, number: int) -> None:
    (attribute, _), recoder = column(name), RECODERS[number]
    texts = texts_of_sets(name, number)
    tell = recoder.behind(attribute)
    for held, text in texts.items():
        open_to = sorted({code for other, same in texts.items() if same == text for code in other})
        said = np.flatnonzero(tell(np.array(held, np.int32))).tolist()
        assert set(open_to) <= set(said), (held, text)
        if name in ("category", "category and null", "tree", "tree and null", "true or false"):
            assert said == open_to, (held, text)  # nothing is lost where texts are clear


@pytest.mark.parametrize("number", range(len(RECODERS)), ids=[repr(one) for one in RECODERS])
@pytest.mark.parametrize("name", COLUMNS)
def test_groups_that_are_told_apart_never_read_alike(name: str, number: int) -> None:
    (attribute, _), recoder = column(name), RECODERS[number]
    texts = texts_of_sets(name, number)
    alike = any(one[-1] < other[0] and texts[one] == texts[other] for one in texts for other in texts)
    assert not (recoder.tells_apart(attribute) and alike)
    if name in ("numbers", "category", "ordered", "classes") and not isinstance(recoder, pc.Suppression):
        assert recoder.tells_apart(attribute) is not alike
