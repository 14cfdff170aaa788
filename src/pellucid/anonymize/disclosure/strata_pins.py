"""How far strata pin down each column that others may know: for what a statistic by it is covered, and for what not.

Strata are cut by quasi-identifiers alone, so everything here is a function of quasi-identifiers, and may be public.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.hierarchies import hierarchy_of
from pellucid.anonymize.layout.ranges import code_ranges, ranges_of
from pellucid.core.schema import KNOWN, Kind
from pellucid.core.table import Attribute, Codes, Table
from pellucid.messages import Message, Names, Share
from pellucid.runtime.records import record

Pin = dict[str, Any]
UNITS = {Kind.DATE: "days", Kind.ORDERED: "steps"}


def strata_of(grouping: Grouping) -> Grouping | None:
    """The strata of a grouping as groups; None where it has none."""
    if grouping.strata is None:
        return None
    first = np.flatnonzero(np.diff(grouping.strata, prepend=-1))
    return Grouping(grouping.members, np.append(grouping.starts[first], len(grouping.members)), grouping.rows)


def pins_of(table: Table, strata: Grouping, threads: int = 1) -> list[Pin]:
    """Of each column that others may know whether strata fix its value, a level, or a range, or mix its values.

    ``half``: within so much half of the people are, ``all``: everybody; in days for dates, in steps of the order. A
    range is a pin where that of half of the people is below half of the column's. ``alone`` is the share of the people
    in whose stratum a mixed column has one value.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> pins_of(table, Grouping.from_labels(np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)))[0]
    {'column': 'age', 'how': 'range', 'half': 6, 'all': 11}
    """
    spreads = spreads_of(table, strata, threads)
    return [
        pin_of(attribute, spread) for attribute, spread in zip(known_columns(table.attributes), spreads, strict=True)
    ]


def known_columns(attributes: Sequence[Attribute]) -> list[Attribute]:
    """The columns of which strata are told how far they fix them: steering ones, and those carried along."""
    return [attribute for attribute in attributes if attribute.role in KNOWN]


def told(attributes: Sequence[Attribute], strata: int, parts: Sequence[Sequence[Spread]]) -> dict[str, Any]:
    """What a recipe tells of so many strata, which were looked at in parts."""
    pins = [
        pin_of(attribute, Spread.together(of))
        for attribute, of in zip(attributes, zip(*parts, strict=True), strict=True)
    ]
    return {"number": strata, "pins": pins}


@record()
class Spread:
    """How far apart the values of a column are in some strata: the figures of all are those of parts together.

    ``alone``: how many people are in strata with one value. ``low`` and ``high``: the codes that the values begin and
    end with, nulls aside. ``nulls``: null stands beside values in a stratum. ``spans``: from how far apart they are in
    a stratum to how many people are in such strata. ``levels``: which levels of a taxonomy every stratum has one name
    on.
    """

    people: int
    alone: int
    low: int
    high: int
    nulls: bool
    spans: Mapping[float, int]
    levels: tuple[bool, ...]

    @classmethod
    def together(cls, parts: Sequence[Spread]) -> Spread:
        """That of all parts of a table, each of which has whole strata."""
        spans: Counter[float] = Counter()
        for part in parts:
            spans.update(part.spans)
        return cls(
            sum(part.people for part in parts),
            sum(part.alone for part in parts),
            min((part.low for part in parts if part.high >= 0), default=-1),
            max(part.high for part in parts),
            any(part.nulls for part in parts),
            spans,
            tuple(all(fixed) for fixed in zip(*(part.levels for part in parts), strict=True)),
        )


def spreads_of(table: Table, strata: Grouping, threads: int = 1) -> list[Spread]:
    """Of each column that others may know how far apart its values are inside strata."""
    columns = zip(table.attributes, table.codes, strict=True)
    return [_spread(one, codes, strata, threads) for one, codes in columns if one.role in KNOWN]


def _spread(attribute: Attribute, codes: Codes, strata: Grouping, threads: int) -> Spread:
    ranges, people = ranges_of(attribute, codes, strata, threads), strata.sizes
    some, spans, levels = ranges.high >= 0, dict[float, int](), list[bool]()
    if attribute.kind in (Kind.NUMBER, Kind.DATE, Kind.ORDERED):
        places = _places(attribute)
        each, place = np.unique(places[ranges.high] - places[ranges.low], return_inverse=True)
        spans = dict(zip(each.tolist(), np.bincount(place, people).astype(int).tolist(), strict=True))
    elif attribute.taxonomy is not None and attribute.taxonomy.is_tree:
        hierarchy = hierarchy_of(attribute)
        for nodes in hierarchy.nodes[1 : hierarchy.top]:
            fixed = code_ranges(nodes[codes], int(nodes.max()) + 1, -1, strata, threads).constant
            levels.append(bool(fixed.all()))
    low, high = (int(ranges.low[some].min()), int(ranges.high[some].max())) if some.any() else (-1, -1)
    nulls = bool((ranges.nulls & some).any())
    alone = int(people[ranges.constant].sum())
    return Spread(int(people.sum()), alone, low, high, nulls, spans, tuple(levels))


def pin_of(attribute: Attribute, spread: Spread) -> Pin:
    """What strata fix of a column whose values are so far apart in them."""
    named = {"column": attribute.name} | ({"coarser": True} if attribute.coarser else {})
    if spread.alone == spread.people:
        return named | {"how": "constant"}
    if spread.spans:
        places = _places(attribute)
        ends = np.cumsum([spread.spans[span] for span in sorted(spread.spans)])
        half = sorted(spread.spans)[int(np.searchsorted(2 * ends, spread.people))]
        mixed = spread.nulls or 2 * half >= places[spread.high] - places[spread.low]  # null beside values is a mixture
        found = {"how": "mixed" if mixed else "range", "half": _plain(half), "all": _plain(max(spread.spans))}
        return named | found | ({"unit": UNITS[attribute.kind]} if attribute.kind in UNITS else {})
    if any(spread.levels):
        return named | {"how": "level", "level": 1 + spread.levels.index(True)}
    return named | {"how": "mixed", "alone": round(spread.alone / spread.people, 4)}


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
    read = Message(", as it was read,") if pin.get("coarser") else ""
    return Message("{column}{read} {inside}", column=pin["column"], read=read, inside=inside(pin))


def inside(pin: Mapping[str, Any]) -> Message:
    """What strata fix of a column that is named beside it.

    >>> inside({"column": "age", "how": "range", "half": 6, "all": 30})
    'within 6 for half of the people and 30 for all'
    """
    if pin["how"] == "constant":
        return Message("the same")
    if pin["how"] == "level":
        return Message("the same on level {level}", level=pin["level"])
    if "alone" in pin:
        return Message("mixed (one value for {alone} of the people)", alone=Share(pin["alone"]))
    about = {"half": pin["half"], "all": pin["all"], "unit": f" {pin['unit']}" if "unit" in pin else ""}
    within = Message("within {half}{unit} for half of the people and {all}{unit} for all", **about)
    return within if pin["how"] == "range" else Message("mixed ({within})", within=within)


def sentence(pins: Sequence[Mapping[str, Any]]) -> Message:
    """All columns, and by which of them statistics are not covered, or only as far as strata fix them.

    >>> sentence([{"column": "sex", "how": "constant"}, {"column": "age", "how": "range", "half": 6, "all": 30}])
    'Within each stratum: sex the same, age within 6 for half of the people and 30 for all. An attacker who knows \
statistics by age inside strata is not covered.'
    """
    of = Message.joined([in_words(pin) for pin in pins], ", ")
    open_ = [pin["column"] for pin in pins if pin["how"] != "constant"]
    exact = [pin["column"] for pin in pins if pin["how"] == "constant" and pin.get("coarser")]
    by = [Message("by {columns}", columns=Names(open_))] if open_ else []
    by += [Message("by exact values of {columns}", columns=Names(exact))] if exact else []
    if not by:
        return Message("Within each stratum: {of}.", of=of)
    told = "Within each stratum: {of}. An attacker who knows statistics {by} inside strata is not covered."
    return Message(told, of=of, by=Message.joined(by, ", or "))
