"""Every line of what was found has a test, and the test is there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from journeys import issue_lines as journeys
from web import issue_lines as pages

ROOT = Path(__file__).parents[2]
LINES = {**journeys.LINES, **pages.LINES}


@cache
def named_in(file: str) -> set[str]:
    found = ast.walk(ast.parse((ROOT / file).read_text()))
    return {one.name for one in found if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")}


@pytest.mark.parametrize("line", LINES)
def test_every_line_has_a_test(line: str) -> None:
    assert LINES[line], line
    for test in LINES[line]:
        file, _, name = test.partition("::")
        assert name in named_in(file), test
