"""Watches whether buckets are taken apart: a test of that must see that it happens."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from plain import several


class Tried(NamedTuple):
    """A piece that was looked for: with which l, how many copies of it, and whether it was found."""

    l: int
    copies: int
    found: bool


def watched(monkeypatch: pytest.MonkeyPatch) -> list[Tried]:
    """A list that grows with every piece that the plain definition looks for."""
    seen: list[Tried] = []
    honest = several.piece_of

    def looking(columns: dict[several.Vector, int], size: int, copies: int, l: int) -> dict[several.Vector, int] | None:
        piece = honest(columns, size, copies, l)
        seen.append(Tried(l, copies, piece is not None))
        return piece

    monkeypatch.setattr(several, "piece_of", looking)
    return seen


def nothing_but_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bucket is found but by taking apart the one of all rows: tiny tables reach that seldom otherwise."""
    monkeypatch.setattr(several, "next_bucket", lambda left, l: several.rest_of(left))  # noqa: ARG005
