"""A finished report: one HTML file without any script, that needs no network and prints on A4."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pellucid.whole_file import write_whole

Audience = Literal["private", "public"]


@dataclass(frozen=True, repr=False)
class Report:
    """Made by :func:`pellucid.report`. ``html`` is the whole page; ``summary`` has its main figures for a program.

    ``summary`` of a public report is as public as the page.
    """

    html: str
    audience: Audience
    title: str
    summary: dict[str, Any] = field(default_factory=dict)

    def write(self, target: str | Path) -> Path:
        """Write the page, whole or not at all, and say where it is; a private one only its owner may read."""
        path = Path(target)
        write_whole(path, self.html.encode("utf-8"), private=self.audience == "private")
        return path

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its looks do not touch the notebook's."""
        inside = html.escape(self.html, quote=True)
        name = html.escape(self.title, quote=True)
        return (
            f'<iframe sandbox="" title="{name}" srcdoc="{inside}" '
            'style="width:100%;height:640px;border:1px solid #888"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({self.title!r}, for {self.audience} eyes, {len(self.html):,} characters)"
