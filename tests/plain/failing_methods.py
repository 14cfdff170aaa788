"""Methods that fail on purpose, for tests of whoever runs them in other processes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

import pellucid as pc


class DiesAtFirst(pc.Mondrian):
    """Ends its process without a word as often as the file has lines left, as a system does that is out of memory."""

    name: ClassVar[str] = "dies-at-first"
    summary: ClassVar[str] = "Mondrian, when it lives"
    file: str

    def group(self, table: Any, coins: Any, **how: Any) -> Any:
        """Group, or die."""
        lines = Path(self.file).read_text().splitlines()
        if lines:
            Path(self.file).write_text("\n".join(lines[1:]))
            if lines[0] == "die":
                os._exit(9)
            raise ZeroDivisionError(lines[0])
        return super().group(table, coins, **how)
