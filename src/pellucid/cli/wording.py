"""What the library says, in the words of the command line: options with their dashes, paths as they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from types import MappingProxyType

from pellucid.errors import OutputError
from pellucid.messages import Speaker, Term
from pellucid.messages.speaker import now_speaking
from pellucid.runtime.whole_file import resolved

_SYSTEM = re.compile(r"\[Errno \d+\] ([^:;]+)(?:: '[^']*')?(?: -> '[^']*')?")
OPTIONS = {  # of terms that are not named like their option
    "kinds": "--kind",
    "values_by_column": "--values COLUMN=VALUES",
    "say_overwrite": "add --overwrite",
    "by_values": " (--values)",
    "overwrite_in_job": "set overwrite = true in the job (or add --overwrite)",
    "accept_known": "--accept-known {value} (accept_known in Python and in a job)",
    "another_encoding": "another --encoding (in a schema: [file] encoding)",
    "largest_set": "--largest-set, in Python largest_set=",
    "without_spark": "leave --engine spark out",
    "judge_all": "--adversary all judges everybody",
    "judge_others": "--adversary names others",
    "attack_anonymizer": "pellucid.attack_anonymizer, in Python",
    "give_table": "give the table as --truth",
    "tell_groups": "tell who is in which group with --groups (publish --keep-groups FILE keeps it)",
    "give_table_and_groups": (
        "give the table as --truth, and who is in which group with --groups (publish --keep-groups FILE keeps it)"
    ),
}
NO_HEADER = "--no-header (in a schema: [file] header = false)"
OF_PYTHON = ("more_budget", "sample_or_more_budget", "more_budget_of_attack")  # but for the verb that has --budget
MORE_BUDGET = "raise it with --budget"


class Terminal(Speaker):
    """Parameters are options with dashes; a verb may have its ``own`` words for a term."""

    def __init__(self, own: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__()
        self.own = own

    def tell(self, text: str) -> str:
        """A message in these words, about people or about rows as the whole output is."""
        self.rows = now_speaking().rows
        return super().tell(text)

    def term(self, term: Term) -> str:
        """An option; what is in a file is called as there."""
        if term.name in self.own:
            return self.own[term.name]
        if term.name.startswith("file "):  # of a schema's section about its file
            key = term.name.removeprefix("file ")
            return (
                NO_HEADER
                if key == "header"
                else f"--{key} '{term.value}' (in a schema: [file] {key} = \"{term.value}\")"
            )
        if term.name in OF_PYTHON or term.name in ("place", "option") or " " in term.name:
            return term.python
        option = OPTIONS.get(term.name, f"--{term.name.replace('_', '-')}")
        if term.value is None or term.name in OPTIONS:
            return option.format(value=term.value)
        return f"{option} {','.join(term.value) if isinstance(term.value, list) else quote(str(term.value))}"


ATTACK = Terminal({"more_budget": MORE_BUDGET, "sample_or_more_budget": MORE_BUDGET})  # of the verb with a budget


def in_options(text: str, own: Mapping[str, str] = MappingProxyType({})) -> str:
    """What the library says, with options where it names parameters; a verb may have its ``own`` words for a term.

    >>> from pellucid.messages import Message
    >>> from pellucid.messages.terms import QUASI, bare_term
    >>> in_options(Message("choose another folder, or {OVERWRITE} to replace the release in it"))
    'choose another folder, or add --overwrite to replace the release in it'
    >>> in_options(Message("{SEED} fixes the coins; name {some}", some=QUASI.such_as(["age", "zip"])))
    '--seed fixes the coins; name --quasi age,zip'
    >>> in_options(Message("{a} and {b} both say what kind a column is", a=bare_term("schema"), b=bare_term("kinds")))
    '--schema and --kind both say what kind a column is'
    """
    return Terminal(own).tell(text)


@contextmanager
def as_typed(target: Path) -> Iterator[None]:
    """Let errors about a target name it as it was typed, and leave our temporary names and error numbers out."""
    try:
        yield
    except OutputError as wrong:
        try:
            absolute = str(resolved(target))
        except OSError:  # the message says it
            absolute = str(target)
        named = wrong.message.with_texts(lambda text: text.replace(absolute, str(target)))
        raise type(wrong)(named.with_texts(lambda text: _SYSTEM.sub(r'the system says "\1"', text))) from None
