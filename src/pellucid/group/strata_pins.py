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


def pins_of(table: Table, strata: Grouping) -> list[Pin]:
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
    return [{"column": attribute.name} | _pin(attribute, codes, strata) for attribute, codes in attributes]


def _pin(attribute: Attribute, codes: Codes, strata: Grouping) -> Pin:
    of_members, begins = codes[strata.members], strata.starts[:-1]
    if _agree(of_members, begins).all():
        return {"how": "constant"}
    if attribute.kind in (Kind.NUMBER, Kind.DATE, Kind.ORDERED):
        spans, people, whole = _spans(attribute, of_members, begins), strata.sizes, _span(attribute, codes)
        order = np.argsort(spans, kind="stable")
        place = int(np.searchsorted(2 * np.cumsum(people[order]), people.sum()))
        half = spans[order[place]]
        unit = {"unit": UNITS[attribute.kind]} if attribute.kind in UNITS else {}
        nulls = attribute.has_null and not _agree((of_members == 0).astype(np.int32), begins).all()
        return {
            "how": "mixed" if nulls or 2 * half >= whole else "range",  # null beside values is what a stratum mixes
            "half": _plain(half),
            "all": _plain(spans.max()),
        } | unit
    if attribute.taxonomy is not None and attribute.taxonomy.is_tree:
        levels = hierarchy_of(attribute)
        for level in range(1, levels.top):
            if _agree(levels.nodes[level][of_members], begins).all():
                return {"how": "level", "level": level}
    alone = strata.sizes[_agree(of_members, begins)].sum() / strata.sizes.sum()
    return {"how": "mixed", "alone": round(float(alone), 4)}


def _agree(codes: Codes, begins: NDArray[np.int64]) -> NDArray[np.bool_]:
    """In which strata all have the same code."""
    return np.asarray(np.minimum.reduceat(codes, begins) == np.maximum.reduceat(codes, begins))


def _spans(attribute: Attribute, codes: Codes, begins: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far apart the lowest and the highest value of each stratum are, nulls aside."""
    places, high = _places(attribute), np.maximum.reduceat(codes, begins)  # codes ascend with the values
    known = np.where(codes == 0, len(attribute), codes) if attribute.has_null else codes
    low = np.minimum(np.minimum.reduceat(known, begins), high)
    return np.asarray(places[high] - places[low])


def _span(attribute: Attribute, codes: Codes) -> float:
    return float(_spans(attribute, codes, np.zeros(1, np.int64))[0])


def _places(attribute: Attribute) -> NDArray[np.float64]:
    """Where each value stands: numbers, days, or steps of the order; of null anywhere."""
    if attribute.kind is Kind.ORDERED:
        return np.arange(len(attribute), dtype=np.float64)
    known = attribute.values.drop_nulls().to_list()
    numbers = known if attribute.kind is Kind.NUMBER else [(one - known[0]).total_seconds() / 86_400 for one in known]
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
