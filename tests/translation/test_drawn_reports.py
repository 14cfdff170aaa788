"""Reports in German whatever the method and its setting: a net of drawn ones, where a list of cases has holes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")

from pellucid.group import methods
from translation.drawn_releases import publishable
from translation.english import english_decimals, english_words
from translation.test_reports import REFERENCES, left, sentences

__all__ = ["left"]  # a fixture


def drawn_texts(page: str) -> list[str]:
    """What stands in the charts."""
    return [" ".join(text.split()) for text in re.findall(r"<text[^>]*>([^<]*)</text>", page)]


def said(page: str) -> list[str]:
    """What a report says in sentences, tables and charts; titles of papers stay."""
    return [text for text in (*sentences(page), *drawn_texts(page)) if text not in REFERENCES]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(36))
def test_whatever_is_set_a_german_report_is_german(
    seed: int, left: list[str], some: Callable[[int], int], tmp_path: Path
) -> None:
    name = sorted(methods())[seed % len(methods())]
    for number, (setting, release) in enumerate(islice(publishable(seed, name), some(16))):
        for audience in ("public", "private"):
            page = setting.reported(release, tmp_path / f"{number}", "de", audience)
            found = [*left, *(text for text in said(page) if english_words(text) or english_decimals(text))]
            assert "\n".join(found) == "", setting.says
