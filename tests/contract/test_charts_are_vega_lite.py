"""Every chart is valid Vega-Lite, as the JSON schema says that Altair ships, and Altair takes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.charts.charting import Axis, Chart, Panels, Points, Series, lines
from pellucid.reports import pictures
from pellucid.risk.report.chart import side_by_side

altair = pytest.importorskip("altair", reason="it ships the JSON schema of Vega-Lite")
jsonschema = pytest.importorskip("jsonschema")
SCHEMA = files("altair").joinpath(*altair.Chart.__module__.split(".")[1:3], "schema", "vega-lite-schema.json")
SERIES = Series("method", "method", order=["a", "b"])
UP = Axis("error", "error (share)", format="~%")
FRAME = pl.DataFrame(
    {
        "method": ["a", "a", "b", "b"],
        "l": [2, 3, 2, 3],
        "error": [0.1, 0.2, None, 0.3],
        "place": ["x", "y", "x", "y"],
        "label": ["2", "", "2", "3"],
        "link": ["/a", "/b", "/c", "/d"],
    }
)
PEOPLE = pl.DataFrame(
    {
        "age": [20 + i % 7 for i in range(60)],
        "town": [f"t{i % 3}" for i in range(60)],
        "ill": [f"d{i % 4}" for i in range(60)],
    }
)
ROLES = {"quasi": ["age", "town"], "sensitive": "ill"}


@pytest.fixture(scope="module")
def valid() -> Any:
    return jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


LINES = {
    "ordinal": lambda: chart_of(Axis("l", "l", scale="ordinal")),
    "linear": lambda: chart_of(Axis("l", "l", domain=(0, 4))),
    "log": lambda: chart_of(Axis("l", "l", scale="log")),
    "symlog": lambda: chart_of(Axis("l", "l"), Axis("error", "", scale="symlog")),
    "words and links": lambda: chart_of(Axis("l", "l"), points=Points("label", "place", "link", hover={"l": "l"})),
    "panels": lambda: chart_of(Axis("l", "l"), panels=Panels("place")),
    "panels of their own": lambda: chart_of(
        Axis("l", ""), panels=Panels("place", titles={"x": ("l", "error"), "y": ("k", "loss")})
    ),
}


def chart_of(x: Axis, y: Axis = UP, **more: Any) -> Chart:
    return lines(FRAME, x, y, series=SERIES, title="A title", caption="How to read it.", **more)


@pytest.mark.parametrize("kind", LINES)
def test_charts_of_lines(kind: str, valid: Any) -> None:
    chart = LINES[kind]()
    valid.validate(chart.specification)
    assert Chart(chart.drawing.to_dict()).png(1) == chart.png(1)


def test_the_charts_of_an_attack(valid: Any) -> None:
    release = pc.publish(PEOPLE, pc.Hybrid(l=2), **ROLES)
    chart = pc.attack_all(release, truth=PEOPLE, adversaries=["nothing", "algorithm"], **ROLES).chart()
    assert len(chart.specification["vconcat"]) == 3
    valid.validate(chart.specification)
    several = side_by_side([chart.specification, chart.specification])  # as of several sensitive columns
    assert len(several["hconcat"]) == 2
    valid.validate(several)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What pictures of reports are drawn of."""
    seen: list[dict[str, Any]] = []
    real = pictures.draw

    def noted(specification: str, *given: Any) -> bytes:
        seen.append(json.loads(specification))
        return real(specification, *given)

    monkeypatch.setattr(pictures, "draw", noted)
    return seen


@pytest.mark.parametrize(("audience", "charts"), [("public", 2), ("private", 5)])
def test_the_charts_of_a_report(audience: Any, charts: int, drawn: list[dict[str, Any]], valid: Any) -> None:
    release = pc.publish(PEOPLE, pc.Hybrid(l=2), **ROLES)
    pc.report(release, PEOPLE, audience=audience, metrics=[pc.Loss()], **ROLES)
    assert len(drawn) >= charts
    for specification in drawn:
        valid.validate(specification)


def test_a_chart_that_is_none_is_noticed(valid: Any) -> None:
    wrong = LINES["linear"]().specification
    with pytest.raises(jsonschema.ValidationError):
        valid.validate({**wrong, "layer": [{**wrong["layer"][0], "mark": {"type": "lines"}}]})
