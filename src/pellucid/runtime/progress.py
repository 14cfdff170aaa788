"""How long work tells a person where it stands, and how a person stops it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the stages of one piece of work. ``advance`` may raise :class:`pellucid.errors.Cancelled`."""

    def stage(self, name: str, total: int) -> None:
        """A new stage begins; ``total`` is its size in rows, or 0 while nobody knows."""

    def advance(self, done: int) -> None:
        """So many rows of the current stage are done, counted from its start."""


class Silent:
    """The default: says nothing."""

    def stage(self, name: str, total: int) -> None:
        """Ignore the stage."""

    def advance(self, done: int) -> None:
        """Ignore the step."""


SILENT = Silent()
