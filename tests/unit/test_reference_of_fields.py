"""The reference names every field of a schema and every key of a job file: seen at once, not when the site is built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pellucid as pc
from pellucid.job import KEYS

DOCS = Path(__file__).parents[2] / "docs"


def test_every_field_has_its_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    monkeypatch.delitem(sys.modules, "generating", raising=False)
    from generating import fields

    for meant, declared in (
        (fields.OF_A_SCHEMA, pc.Schema.model_fields),
        (fields.OF_A_COLUMN, pc.Column.model_fields),
        (fields.OF_A_JOB, KEYS),
    ):
        assert set(meant) == set(declared)
