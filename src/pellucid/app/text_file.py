"""A text file, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from pellucid.whole_file import prepared


def write_text(target: Path, text: str) -> None:
    """Write the text beside the target and give it the target's name in one step."""
    with prepared(target, [text.encode()]) as put:
        put()
