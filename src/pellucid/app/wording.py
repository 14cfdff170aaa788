"""What the library says, in the words of the command line: options with their dashes, paths as they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from pellucid.errors import PellucidError
from pellucid.whole_file import resolved

# An argument of the Python call that a message names with nothing behind it: "seed= fixes the coins".
_ARGUMENT = re.compile(
    r"\b(quasi|sensitive|identifier|carry|schema|recode|seed|threads|format|overwrite|population|group|values|together|"
    r"truth|made_by|model|groups|max_risk|budget|patience)=(?=[\s,;:)]|$)"
)
_BOTH = re.compile(r"\bschema and (\w+) both")
_LIST = re.compile(r"\b(quasi|sensitive|carry)=\[([^\]]*)\]")  # an example: quasi=['age', 'zip']
_NAMED = re.compile(r"\bidentifier='([^']*)'")  # a column that a message names
_SYSTEM = re.compile(r"\[Errno \d+\] ([^:;]+)(?:: '[^']*')?(?: -> '[^']*')?")


def in_options(message: str) -> str:
    """Name options where the library names arguments of its functions.

    >>> in_options("out exists; choose another folder, or say overwrite to replace the release in it")
    'out exists; choose another folder, or add --overwrite to replace the release in it'
    >>> in_options("seed= fixes the coins; give quasi= and sensitive=, or schema=")
    '--seed fixes the coins; give --quasi and --sensitive, or --schema'
    >>> in_options("schema and kinds both say what kind a column is")
    '--schema and --kind both say what kind a column is'
    >>> in_options("name the columns, as in quasi=['age', 'zip']")
    'name the columns, as in --quasi age,zip'
    """
    message = message.replace("say overwrite", "add --overwrite")
    message = message.replace("(publishing keeps it)", "(publish --keep-groups FILE keeps it)")
    message = message.replace("values={column: values}", "--values COLUMN=VALUES")
    message = message.replace("attack_anonymizer()", "pellucid.attack_anonymizer, in Python")
    message = _BOTH.sub(lambda found: f"--schema and --{found[1].replace('kinds', 'kind')} both", message)
    message = re.sub(r"^kinds names", "--kind names", message)
    message = _ARGUMENT.sub(lambda found: "--" + found[1].replace("_", "-"), message)
    message = _LIST.sub(lambda found: f"--{found[1]} " + found[2].replace("'", "").replace(" ", ""), message)
    message = _NAMED.sub(lambda found: "--identifier " + quote(found[1]), message)
    return re.sub(r"\bthreads = (?=-?\d)", "--threads ", message)


def in_attack_options(message: str) -> str:
    """As :func:`in_options`; this command has a budget.

    >>> in_attack_options("it takes more than 1e+06 steps; sample, or raise the budget")
    'it takes more than 1e+06 steps; raise it with --budget'
    """
    message = message.replace("sample, or raise the budget", "raise it with --budget")
    return in_options(message.replace("raise the budget", "raise it with --budget"))


@contextmanager
def as_typed(target: Path) -> Iterator[None]:
    """Let errors about a target name it as it was typed, and leave our temporary names and error numbers out."""
    try:
        yield
    except PellucidError as wrong:
        message = str(wrong)
        try:
            absolute = str(resolved(target))
        except OSError:  # the message says it
            absolute = str(target)
        if message.startswith(f"{absolute} "):
            message = f"{target}{message.removeprefix(absolute)}"
        raise type(wrong)(_SYSTEM.sub(r'the system says "\1"', message)) from None
