"""The page of a chart in a browser without a network: it is drawn, it answers, and no value of a table is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from pellucid.charts.charting import Axis, Series, lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("vl_convert", reason="the extra 'charts' is not installed")
EVIL = "</script><script>window.harmed = true</script><!--<script>"
FRAME = pl.DataFrame({"method": ["a", "a", EVIL, EVIL], "l": [2, 3, 2, 3], "error": [0.1, 0.2, 0.3, 0.3]})


def test_a_page_answers_without_a_network_and_runs_nothing_of_a_table(browser: Browser, tmp_path: Path) -> None:
    chart = lines(FRAME, Axis("l", "l"), Axis("error", "e"), series=Series("method", "m"), title=EVIL, caption=EVIL)
    (written,) = chart.write(tmp_path, "chart", formats=["html"])
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(written.as_uri())
    points = page.locator("#chart .mark-symbol.role-mark path")
    points.first.wait_for()
    assert points.count() == len(FRAME)
    assert EVIL in page.locator("#chart").text_content()
    points.first.hover()
    page.locator("#vg-tooltip-element.visible").wait_for()
    assert "0.1" in page.locator("#vg-tooltip-element").inner_text()
    page.locator("#chart .role-legend-symbol path").first.click()
    page.locator("#chart .mark-symbol.role-mark path[opacity='0.08']").first.wait_for()  # the other line's points
    assert page.evaluate("window.harmed") is None
    assert asked == [written.as_uri()]
    assert said == []
    context.close()
