"""Start a module of ours in a Python process of its own, with our modules and nobody else's.

``python -m`` looks into the working directory before anywhere else, so that a file ``decimal.py`` that lies beside the
data would be run. The process is started without it (``-P``) and told where this one looks. What this one finds in the
working directory alone, such as a method that somebody wrote, is found there still, but after everything else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); module = sys.argv.pop(1); "
    "import runpy; runpy.run_module(module, run_name='__main__', alter_sys=True)"
)


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module in another process.

    >>> python_command("pellucid.comparison.worker")[1:3], python_command("a.b", "folder")[-2:]
    (['-P', '-c'], ['a.b', 'folder'])
    """
    return [sys.executable, "-P", "-c", START, json.dumps(working_directory_last(sys.path)), module, *arguments]


def working_directory_last(paths: Sequence[str]) -> list[str]:
    """The same places to look for modules, the working directory after all others if it is one of them.

    >>> working_directory_last(["", "/usr/lib/python"]) == ["/usr/lib/python", str(Path.cwd())]
    True
    >>> working_directory_last(["/usr/lib/python"])
    ['/usr/lib/python']
    """
    here = Path.cwd()
    others = [path for path in paths if Path(path).resolve() != here.resolve()]
    return others if len(others) == len(paths) else [*others, str(here)]
