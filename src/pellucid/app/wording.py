"""What the library says, in the words of the command line: options with their dashes, paths as they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from types import MappingProxyType

from pellucid.advice import Advice, Term
from pellucid.errors import PellucidError
from pellucid.whole_file import resolved

_SYSTEM = re.compile(r"\[Errno \d+\] ([^:;]+)(?:: '[^']*')?(?: -> '[^']*')?")
OPTIONS = {  # of terms that are not named like their option
    "kinds": "--kind",
    "values_by_column": "--values COLUMN=VALUES",
    "counts_without_sensitive": "--metric query-error:sensitive=False",
    "say_overwrite": "add --overwrite",
    "overwrite_in_job": "set overwrite = true in the job (or add --overwrite)",
    "without_spark": "leave --engine spark out",
    "attack_anonymizer": "pellucid.attack_anonymizer, in Python",
    "give_table": "give the table as --truth",
    "tell_groups": "tell who is in which group with --groups (publish --keep-groups FILE keeps it)",
    "give_table_and_groups": (
        "give the table as --truth, and who is in which group with --groups (publish --keep-groups FILE keeps it)"
    ),
}
OF_PYTHON = ("more_budget", "sample_or_more_budget", "more_budget_of_attack")  # but for the verb that has --budget
MORE_BUDGET = "raise it with --budget"


def in_options(text: str, own: Mapping[str, str] = MappingProxyType({})) -> str:
    """What the library says, with options where it names parameters; a verb may have its ``own`` words for a term.

    >>> from pellucid.advice import OVERWRITE, QUASI, SEED, Advice, bare_term
    >>> in_options(Advice(f"out exists; choose another folder, or {OVERWRITE} to replace the release in it"))
    'out exists; choose another folder, or add --overwrite to replace the release in it'
    >>> in_options(Advice(f"{SEED} fixes the coins; name the columns, as in {QUASI.such_as(['age', 'zip'])}"))
    '--seed fixes the coins; name the columns, as in --quasi age,zip'
    >>> in_options(Advice(f"{bare_term('schema')} and {bare_term('kinds')} both say what kind a column is"))
    '--schema and --kind both say what kind a column is'
    """
    return Advice(text).told(lambda term: own[term.name] if term.name in own else option_of(term))


def option_of(term: Term) -> str:
    """How the command line calls a term."""
    if term.name in OF_PYTHON or term.name in ("place", "option") or " " in term.name:
        return term.python  # what is in a file is called as there
    option = OPTIONS.get(term.name, f"--{term.name.replace('_', '-')}")
    if term.value is None:
        return option
    return f"{option} {','.join(term.value) if isinstance(term.value, list) else quote(str(term.value))}"


def in_attack_options(text: str) -> str:
    """As :func:`in_options`; this command has a budget.

    >>> from pellucid.advice import SAMPLE_OR_MORE_BUDGET, Advice
    >>> in_attack_options(Advice(f"it takes more than 1e+06 steps; {SAMPLE_OR_MORE_BUDGET}"))
    'it takes more than 1e+06 steps; raise it with --budget'
    """
    return in_options(text, {"more_budget": MORE_BUDGET, "sample_or_more_budget": MORE_BUDGET})


@contextmanager
def as_typed(target: Path) -> Iterator[None]:
    """Let errors about a target name it as it was typed, and leave our temporary names and error numbers out."""
    try:
        yield
    except PellucidError as wrong:
        message = wrong.advice.marked
        try:
            absolute = str(resolved(target))
        except OSError:  # the message says it
            absolute = str(target)
        if message.startswith(f"{absolute} "):
            message = f"{target}{message.removeprefix(absolute)}"
        raise type(wrong)(_SYSTEM.sub(r'the system says "\1"', message)) from None
