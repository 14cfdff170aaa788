"""Drawing a chart, where that may fail: the program that draws is a browser's engine and sets aside much address space.

Where the system limits that (``ulimit -v``), the engine ends the whole process instead of raising an error. There it is
started in a process of its own, so that a chart that cannot be drawn costs the chart and nothing else.
"""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from typing import Literal

from pellucid.errors import OutputError
from pellucid.runtime.python_process import python_command

LONGEST = 120  # seconds for one chart
WHY = "the program that draws it failed, most likely for lack of memory"
INSTALL = "charts need vl-convert, which is not installed; run: pip install 'pellucid[charts]'"
KEPT, SMALL = 64, 20_000  # so many drawings of specifications of so few characters are kept
Kind = Literal["svg", "png", "program"]


class NotDrawn(OutputError):
    """A chart could not be drawn; what it should have shown is in words and tables beside it."""


def check_installed() -> None:
    """Raise before any work is done when no chart could be drawn."""
    if find_spec("vl_convert") is None:
        raise OutputError(INSTALL)


def draw(specification: str, kind: Literal["svg", "png"], scale: float = 1) -> bytes:
    """A Vega-Lite specification as a picture."""
    return _converted_safely(specification, kind, scale)


def drawing_program() -> str:
    """The script that draws in a browser: Vega-Lite and all that it needs, without a network."""
    return _converted_safely("", "program", 1).decode()


def _converted_safely(specification: str, kind: Kind, scale: float) -> bytes:
    """What is asked for, made where no failure ends this process."""
    check_installed()
    if not address_space_is_limited():
        try:
            return _converted(specification, kind, scale)
        except ImportError:
            raise OutputError(INSTALL) from None
        except Exception:
            raise NotDrawn("a chart could not be drawn: {why}; it is left out", why=WHY) from None
    command = python_command("pellucid.charts.drawing", kind, str(scale))
    try:
        done = subprocess.run(command, input=specification.encode(), capture_output=True, timeout=LONGEST, check=True)
    except (OSError, subprocess.SubprocessError):
        raise NotDrawn("a chart could not be drawn: {why}; it is left out", why=WHY) from None
    return done.stdout


def address_space_is_limited() -> bool:
    """Whether this process may have so much address space and no more."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _converted(specification: str, kind: str, scale: float) -> bytes:
    import vl_convert

    if kind == "program":  # one that is made once in a process; its stub forgets that nothing need be given
        return str(vl_convert.javascript_bundle()).encode()  # type: ignore[call-arg]
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(specification, scale=scale))
    return (_svg_once if len(specification) <= SMALL else _svg)(specification)


def _svg(specification: str) -> bytes:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(specification)).encode()


# Several attackers believe the same, and a report is made in several languages and for several readers.
_svg_once = lru_cache(maxsize=KEPT)(_svg)


if __name__ == "__main__":
    sys.stdout.buffer.write(_converted(sys.stdin.buffer.read().decode(), sys.argv[1], float(sys.argv[2])))
