"""What the program says when it meets a mistake of its own: one line with the place, and an exit code of its own.

Exit 1 means that a requirement is not met. A program that fell over has judged nothing, so it must not end with it.
"""

from __future__ import annotations

import os
import traceback
from importlib.metadata import version
from pathlib import Path

import pellucid
from pellucid.errors import PromiseNotKept

CODE = 3
DEBUG = "--debug"  # anywhere in the call
VARIABLE = "PELLUCID_DEBUG"  # or in the environment, for programs that call us
PANIC = "PanicException"  # what polars raises where its own code gives up; it is no Exception


def without_debug(words: list[str]) -> tuple[list[str], bool]:
    """The call without ``--debug``, and whether a trace was asked for; behind ``--`` words are names.

    >>> without_debug(["levels", "out", "--debug"]), without_debug(["levels", "--", "--debug"])
    ((['levels', 'out'], True), (['levels', '--', '--debug'], False))
    """
    end = words.index("--") if "--" in words else len(words)
    asked = DEBUG in words[:end] or os.environ.get(VARIABLE, "") not in ("", "0")
    return [*(word for word in words[:end] if word != DEBUG), *words[end:]], asked


def is_defect(wrong: BaseException) -> bool:
    """Whether this is a mistake of ours, and not somebody who asks us to stop."""
    return isinstance(wrong, Exception) or type(wrong).__name__ == PANIC


def defect_line(wrong: BaseException) -> str:
    """The one line. It has no word of the exception's message, which may quote the table, but for counts of ours."""
    if isinstance(wrong, PromiseNotKept):
        return (
            f"{wrong}: this is a defect of pellucid {version('pellucid')}, found before anything was published; send "
            "this line and the call. Do not run it again until it passes: what is published then was chosen"
        )
    return (
        f"this is a defect of pellucid {version('pellucid')} ({type(wrong).__name__} in {_place(wrong)}), not of your "
        f"input, and nothing was judged; send this line and the call, or run it again with {DEBUG}, which shows the "
        "trace (it may quote your table)"
    )


def _place(wrong: BaseException) -> str:
    """The innermost line of ours: where to look first."""
    folder = Path(pellucid.__file__).parent
    frames = traceback.extract_tb(wrong.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    frame = (ours or frames)[-1] if frames else None
    if frame is None:
        return "an unknown place"
    path = Path(frame.filename)
    return f"{path.relative_to(folder.parent) if ours else path.name}, line {frame.lineno}"
