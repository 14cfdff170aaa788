"""Characters that no picture may hold: a report, a chart and the page name them instead of ending the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import pellucid as pc
from pellucid.charts.charting import Axis, Series, lines
from pellucid.risk.report.chart import write_chart
from pellucid.text.plain_text import fit_for_pages

CONTROLS = [chr(code) for code in range(32) if chr(code) not in "\t\n\r"]
UNFIT = [*CONTROLS, "\ufffe", "\uffff"]  # and lone surrogates, which no table holds but a title may
SURROGATES = ["\ud800", "\udbff", "\udc00", "\udfff"]


def is_fit(text: str) -> bool:
    """Whether XML 1.0 takes it, as a parser that is not ours says."""
    try:
        ElementTree.fromstring(f"<a>{text}</a>")
    except (ElementTree.ParseError, UnicodeEncodeError):
        return False
    return True


@pytest.mark.parametrize("unfit", [*UNFIT, *SURROGATES])
def test_every_unfit_character_is_named(unfit: str) -> None:
    assert not is_fit(f"a{unfit}b")
    assert fit_for_pages(f"a{unfit}b") == f"a[U+{ord(unfit):04X}]b"


def test_every_other_character_is_left_alone() -> None:
    for code in [9, 10, 13, *range(32, 0xD800), *range(0xE000, 0xFFFE), 0x10000, 0x1FFFE, 0x10FFFF]:
        assert fit_for_pages(chr(code)) == chr(code), code
    assert is_fit("\t\n\x7f\x85\U0001fffe\U0010ffff")


def people(unfit: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Every name of a column and every value has these characters in it."""
    ill, town = f"ill{unfit}", f"town{unfit}"
    frame = pl.DataFrame(
        {
            "age": [20 + i % 7 for i in range(60)],
            town: [f"t{i % 3}{unfit}" for i in range(60)],
            ill: [f"d{i % 4}{unfit}" for i in range(60)],
        }
    )
    return frame, {"quasi": ["age", town], "sensitive": ill}


@pytest.mark.parametrize("audience", ["public", "private"])
def test_a_report_names_them(audience: Any, tmp_path: Path) -> None:
    frame, roles = people("".join(UNFIT))
    release = pc.publish(frame, pc.Hybrid(l=2), **roles)
    page = pc.report(release, frame, audience=audience, title=f"of {SURROGATES[0]}", **roles)
    assert "[U+0000]" in page.html
    assert "[U+FFFF]" in page.html
    assert "of [U+D800]" in page.html
    assert not [one for one in [*UNFIT, *SURROGATES] if one in page.html]
    page.write(tmp_path / "report.html")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_charts_name_them(ending: str, tmp_path: Path) -> None:
    frame, roles = people("".join(UNFIT))
    release = pc.publish(frame, pc.Hybrid(l=2), **roles)
    write_chart(pc.attack_all(release, truth=frame, adversaries=["nothing"], **roles), tmp_path / f"chart.{ending}")
    drawn = lines(
        pl.DataFrame({"x": [1, 2], "y": [1.0, 2.0], "of": ["".join(UNFIT)] * 2}),
        Axis("x", f"x{SURROGATES[0]}"),
        Axis("y", "y"),
        series=Series("of", "\x01"),
        title="\x02",
        caption="\ufffe",
    )
    written = drawn.write(tmp_path, "lines", formats=[ending])
    assert written[0].stat().st_size > 1000
    if ending == "svg":
        assert "[U+0002]" in written[0].read_text()


def test_values_that_differ_in_them_alone_stay_apart() -> None:
    frame, roles = people("")
    both = frame.with_columns(ill=pl.Series([f"d{chr(1 + i % 4)}" for i in range(60)]))
    release = pc.publish(both, pc.Hybrid(l=2), **roles)
    page = pc.report(release, both, audience="public", **roles).html
    assert {f"d[U+000{i}]" for i in range(1, 5)} <= set(page.replace("<", ">").split(">"))
