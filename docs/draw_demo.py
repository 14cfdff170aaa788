"""Draws docs/img/demo.svg, the picture in the README: what `pellucid demo` prints, as a terminal shows it.

.venv/bin/python docs/draw_demo.py
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PROGRAM = Path(sys.executable).parent / "pellucid"
PICTURE = Path(__file__).parent / "img" / "demo.svg"
WIDTH = 82
COLUMN = 12.2  # what rich draws a character in


def indented(line: re.Match[str]) -> str:
    """Start a line where its first letter is: some viewers drop the blanks before it."""
    blanks = len(line[4]) // len("&#160;")
    x = blanks * COLUMN
    return f'x="{x:.1f}" y="{line[1]}" textLength="{float(line[2]) - x:.1f}"{line[3]}>'


def main() -> None:
    """Run the demo and draw what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        shown = subprocess.run(
            [PROGRAM, "demo", "--out", "demo-release"],
            check=True,
            capture_output=True,
            text=True,
            cwd=folder,
            env={"COLUMNS": "80", "PATH": "", "LANG": "C.UTF-8"},
        ).stdout.replace(f"{Path(folder).resolve()}/", "./")
    console = Console(record=True, width=WIDTH, file=io.StringIO(), legacy_windows=False)
    console.print(Text.from_ansi(shown))
    drawn = console.export_svg(title="$ ./script/demo")
    # the fonts of the reader's machine will do: a picture must not fetch anything
    drawn = re.sub(r"@font-face\s*{[^}]*}", "", drawn).replace("Fira Code", "DejaVu Sans Mono")
    drawn = re.sub(r'x="0" y="([^"]*)" textLength="([^"]*)"([^>]*)>((?:&#160;)+)', indented, drawn)
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn)


if __name__ == "__main__":
    main()
