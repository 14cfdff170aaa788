"""The page of a comparison: the recommendation, how it was made, the table, and the chart, in one file."""

from __future__ import annotations

import html

import polars as pl

from pellucid.charting import Chart
from pellucid.notebook import line, table, view

TITLE = "Which method, which l"
PLACE = '<div id="vis"></div>'  # where Altair draws
STYLE = (
    "body{font-family:Helvetica,Arial,sans-serif;color:#222;margin:1.5em;max-width:60em}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.2em .9em .2em 0;border-bottom:1px solid #ddd}"
)


def page(chart: Chart | None, sentence: str, rule: str, settings: pl.DataFrame) -> str:
    """The page, everything escaped; it needs no network.

    >>> "a &lt;b&gt;" in page(None, "a <b>", "", pl.DataFrame({"method": ["hybrid"]}))
    True
    """
    rows = [["" if one is None else one for one in row] for row in settings.iter_rows()]
    told = view(
        f"<style>{STYLE}</style>",
        f"<h1>{html.escape(TITLE)}</h1>",
        line(sentence, strong=True),
        *([line(rule)] if rule else []),
        table(settings.columns, rows),
    )
    if chart is None:
        head = f'<meta charset="UTF-8"><title>{TITLE}</title>'
        return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{told}</body></html>'
    before, _, after = chart.html().rpartition(PLACE)
    return f"{before}{told}{PLACE}{after}"
