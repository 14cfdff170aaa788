"""How far strata pin each quasi-identifier down: what a statistic by that column is covered for, and what it is not.

Strata are cut by quasi-identifiers alone, so everything here is a function of quasi-identifiers, and may be public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.group.grouping import Grouping
from pellucid.group.hierarchies import hierarchy_of
from pellucid.group.ranges import Ranges, code_ranges, ranges_of
from pellucid.messages import Message, Share
from pellucid.schema import Kind, Role
from pellucid.table import Attribute, Codes, Table

Pin = dict[str, Any]
UNITS = {Kind.DATE: "days", Kind.ORDERED: "steps"}


def strata_of(grouping: Grouping) -> Grouping | None:
    """The strata of a grouping as groups; None where it has none."""
    if grouping.strata is None:
        return None
    first = np.flatnonzero(np.diff(grouping.strata, prepend=-1))
    return Grouping(grouping.members, np.append(grouping.starts[first], len(grouping.members)), grouping.rows)


def pins_of(table: Table, strata: Grouping, threads: int = 1) -> list[Pin]:
    """Of each quasi-identifier whether strata fix its value, a level of its taxonomy, or a range, or mix its values.

    ``half``: within so much half of the people are, ``all``: everybody; in days for dates, in steps of the order. A
    range is a pin where that of half of the people is below half of the column's. ``alone`` is the share of the people
    in whose stratum a mixed column has one value.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> pins_of(table, Grouping.from_labels(np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)))[0]
    {'column': 'age', 'how': 'range', 'half': 6, 'all': 11}
    """
    attributes = [(table.attributes[i], table.codes[i]) for i in table.having(Role.QUASI)]
    return [{"column": attribute.name} | _pin(attribute, codes, strata, threads) for attribute, codes in attributes]


def _pin(attribute: Attribute, codes: Codes, strata: Grouping, threads: int) -> Pin:
    ranges = ranges_of(attribute, codes, strata, threads)
    if ranges.constant.all():
        return {"how": "constant"}
    if attribute.kind in (Kind.NUMBER, Kind.DATE, Kind.ORDERED):
        places = _places(attribute)
        spans, people, whole = places[ranges.high] - places[ranges.low], strata.sizes, _span(ranges, places)
        order = np.argsort(spans, kind="stable")
        place = int(np.searchsorted(2 * np.cumsum(people[order]), people.sum()))
        half = spans[order[place]]
        unit = {"unit": UNITS[attribute.kind]} if attribute.kind in UNITS else {}
        nulls = bool((ranges.nulls & (ranges.high >= 0)).any())
        return {
            "how": "mixed" if nulls or 2 * half >= whole else "range",  # null beside values is what a stratum mixes
            "half": _plain(half),
            "all": _plain(spans.max()),
        } | unit
    if attribute.taxonomy is not None and attribute.taxonomy.is_tree:
        levels = hierarchy_of(attribute)
        for level in range(1, levels.top):
            nodes = levels.nodes[level]
            if code_ranges(nodes[codes], int(nodes.max()) + 1, -1, strata, threads).constant.all():
                return {"how": "level", "level": level}
    alone = strata.sizes[ranges.constant].sum() / strata.sizes.sum()
    return {"how": "mixed", "alone": round(float(alone), 4)}


def _span(ranges: Ranges, places: NDArray[np.float64]) -> float:
    """How far apart the lowest and the highest value of all are, nulls aside."""
    some = ranges.high >= 0
    return float(places[ranges.high[some].max()] - places[ranges.low[some].min()])


def _places(attribute: Attribute) -> NDArray[np.float64]:
    """Where each value stands: numbers (whole ones from the least), days, or steps of the order; of null anywhere."""
    if attribute.kind is Kind.ORDERED:
        return np.arange(len(attribute), dtype=np.float64)
    known = attribute.values.drop_nulls().to_list()
    if attribute.kind is Kind.NUMBER:
        whole = all(isinstance(one, int) for one in known[:1])
        numbers = [one - known[0] for one in known] if whole else known  # beyond 2**53 no float tells two apart
    else:
        numbers = [(one - known[0]).total_seconds() / 86_400 for one in known]
    return np.array([0.0] * int(attribute.has_null) + [float(number) for number in numbers])


def _plain(number: float) -> float | int:
    return int(number) if float(number).is_integer() else round(float(number), 6)


def in_words(pin: Mapping[str, Any]) -> Message:
    """One column, for people.

    >>> in_words({"column": "age", "how": "range", "half": 6, "all": 30})
    'age within 6 for half of the people and 30 for all'
    """
    column, unit = pin["column"], f" {pin['unit']}" if "unit" in pin else ""
    if pin["how"] == "constant":
        return Message("{column} the same", column=column)
    if pin["how"] == "level":
        return Message("{column} the same on level {level}", column=column, level=pin["level"])
    if "alone" in pin:
        return Message("{column} mixed (one value for {alone} of the people)", column=column, alone=Share(pin["alone"]))
    about = {"half": pin["half"], "all": pin["all"], "unit": unit}
    within = Message("within {half}{unit} for half of the people and {all}{unit} for all", **about)
    if pin["how"] == "range":
        return Message("{column} {within}", column=column, within=within)
    return Message("{column} mixed ({within})", column=column, within=within)


def sentence(pins: Sequence[Mapping[str, Any]]) -> Message:
    """All columns, and what that means for statistics by those that are mixed."""
    of = Message.joined([in_words(pin) for pin in pins], ", ")
    if not any(pin["how"] == "mixed" for pin in pins):
        return Message("Within each stratum: {of}.", of=of)
    return Message(
        "Within each stratum: {of}. Statistics by a mixed column are not covered inside a stratum.",
        of=of,
    )
