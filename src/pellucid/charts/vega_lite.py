"""Charts in the words of Vega-Lite: plain dictionaries, which vl-convert draws and other programs read.

A chart is marks (bars, points, lines, text) that stand for rows: ``mark("bar", {"color": "red"}, x=..., y=...)`` says
how they look and which column is where, :func:`layered` lays some over each other. What each word of a dictionary
means is said at https://vega.github.io/vega-lite/docs; a test holds that every chart of ours is valid Vega-Lite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Part = dict[str, Any]  # of a chart, or the whole of it
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


def quantitative(column: str, **options: Any) -> Part:
    """A column of numbers: ``title=``, ``scale=``, ``axis=`` and what else Vega-Lite knows of a place or a colour.

    >>> quantitative("people", title="people", axis={"format": ",d"})
    {'field': 'people', 'type': 'quantitative', 'title': 'people', 'axis': {'format': ',d'}}
    """
    return {"field": column, "type": "quantitative", **options}


def nominal(column: str, **options: Any) -> Part:
    """A column of names, in the order of ``sort=``.

    >>> nominal("who", sort=["a", "b"], title=None)
    {'field': 'who', 'type': 'nominal', 'sort': ['a', 'b'], 'title': None}
    """
    return {"field": column, "type": "nominal", **options}


def ordinal(column: str, **options: Any) -> Part:
    """A column whose values have an order, and one place each.

    >>> ordinal("l")
    {'field': 'l', 'type': 'ordinal'}
    """
    return {"field": column, "type": "ordinal", **options}


def rows(values: Sequence[Mapping[str, Any]]) -> Part:
    """The rows that marks stand for, written into the chart itself: ``{**rows(values), **mark(...)}``.

    >>> rows([{"people": 3}])
    {'data': {'values': [{'people': 3}]}}
    """
    return {"data": {"values": list(values)}}


def mark(kind: str, look: Mapping[str, Any], /, **places: Any) -> Part:
    """A mark for each row: its kind, its looks, and which column says its place, its colour, its text.

    >>> mark("rule", {"color": "red"}, x=ordinal("l"), y={"value": 0})
    {'mark': {'type': 'rule', 'color': 'red'}, 'encoding': {'x': {'field': 'l', 'type': 'ordinal'}, 'y': {'value': 0}}}
    """
    return {"mark": {"type": kind, **look}, "encoding": places}


def layered(*layers: Part, width: int, height: int, **more: Any) -> Part:
    """Marks over each other, the first at the bottom, in a picture of so many pixels.

    >>> layered(mark("bar", {}), mark("text", {}), width=600, height=170, title="Groups")["title"]
    'Groups'
    """
    return {"layer": list(layers), "width": width, "height": height, **more}
