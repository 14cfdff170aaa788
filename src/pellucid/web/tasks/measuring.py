"""Measure what the release is still good for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pellucid.messages import Message
from pellucid.metrics import Score, metrics, scores
from pellucid.metrics.open_release import shown_of
from pellucid.reports.contrast_pictures import contrast_pictures
from pellucid.runtime.progress import Progress
from pellucid.web.worker_state import Desk

FIRST = (
    "contrasts",
    "query-error",
    "kept",
    "classification",
    "class-size",
    "suppressed-rows",
)  # what a steward asks first


def measure(desk: Desk, *, source: dict[str, Any], schema: str, progress: Progress) -> dict[str, Any]:
    """Every metric, those that a steward asks for first."""
    table = desk.table(source, schema, progress)
    shown = shown_of(desk.release, table, progress=progress)
    found = {score.metric: score for score in scores(shown, None, progress=progress)}
    order = [*(name for name in FIRST if name in found), *(name for name in found if name not in FIRST)]
    kept = found.get("kept")
    return {
        "scores": [_plain(found[name]) for name in order if found[name].applies],
        "unanswered": [
            {"name": name, "why": str(Message(found[name].meaning).problem)}  # what to do is an option, and no field
            for name in order
            if not found[name].applies
        ],
        "notes": list(shown.notes),
        "kept": dict(kept.details["columns"]) if kept is not None and kept.applies else {},
        "named": dict(kept.details["named"]) if kept is not None and kept.applies else {},
        "contrasts": _contrasts(found.get("contrasts")),
        "query": _numbers(found["query-error"].details) if "query-error" in found else {},
    }


def _contrasts(score: Score | None) -> dict[str, Any]:
    """What becomes of differences between people: in words, in pictures, and as numbers; empty where not measured."""
    if score is None or not score.applies:
        return {}
    return {
        "meaning": score.meaning,
        "kept": score.details["kept"],
        "left_out": score.details["left_out"],
        "pictures": [picture.figure for picture in contrast_pictures(score)],
    }


def _plain(score: Score) -> dict[str, Any]:
    value = score.value
    return {
        "name": score.metric,
        "summary": metrics()[score.metric].summary,
        "value": None if value is None or not math.isfinite(value) else value,
        "unit": score.unit,
        "better": score.direction,
        "meaning": score.meaning,
    }


def _numbers(details: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in details.items()
        if isinstance(value, str) or (isinstance(value, int | float) and math.isfinite(value))
    }
