"""The public names: every one is there, and what a type checker is told is what a program gets.

The reference names every field of a schema and every key of a job file: seen at once, not when the site is built.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import pellucid
import pellucid as pc
from pellucid.core.request import OPTIONS
from pellucid.job import KEYS

STUB = ast.parse(Path(pellucid.__file__).with_suffix(".pyi").read_text())
DOCS = Path(__file__).parents[2] / "docs"


def told_to_type_checkers() -> dict[str, tuple[str, str]]:
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in STUB.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }


def test_type_checkers_and_programs_see_the_same_names() -> None:
    assert sorted(told_to_type_checkers()) == sorted(pellucid.__all__) == dir(pellucid)


@pytest.mark.parametrize("name", sorted(pellucid.__all__))
def test_a_name_is_what_its_import_says(name: str) -> None:
    module, original = told_to_type_checkers()[name]
    whole = name in ("datasets", "posterior")
    expected = import_module(f"{module}.{original}") if whole else getattr(import_module(module), original)
    assert getattr(pellucid, name) is expected


def test_a_wrong_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Hybird"):
        _ = pellucid.Hybird


def test_importing_the_package_imports_no_dataframe_library() -> None:
    code = "import sys, pellucid; print(sorted({'polars', 'numpy', 'pydantic', 'typer'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout.strip() == b"[]"


def test_every_field_has_its_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    monkeypatch.delitem(sys.modules, "generating", raising=False)
    from generating import fields

    for meant, declared in (
        (fields.OF_A_SCHEMA, pc.Schema.model_fields),
        (fields.OF_A_COLUMN, pc.Column.model_fields),
        ({option.name for option in OPTIONS if option.on("job")} | set(fields.OF_A_JOB), KEYS),
    ):
        assert set(meant) == set(declared)
