"""Every verb of the command line: what ``--help`` says, set as a page."""

from __future__ import annotations

import re
from typing import Any

import typer.main

from generating.markdown import paragraphs, table
from pellucid.cli.program import VERBS, application


def text() -> str:
    """A section for each verb."""
    program: Any = typer.main.get_command(application(list(VERBS)))
    return paragraphs(*(section(name, program.commands[name]) for name in VERBS))


def section(name: str, verb: Any) -> str:
    """What a verb does, examples, exit codes, arguments, options."""
    about, _, rest = verb.help.partition("\b\nExamples:\n")
    examples, _, codes = rest.partition("\n\n")
    commands = re.sub(r"^  ", "", examples, flags=re.MULTILINE)
    return paragraphs(
        f"## pellucid {name}",
        about.strip(),
        f"```text\n{commands}\n```",
        codes.strip(),
        table(("argument", "meaning"), ((f"`{one.metavar}`", help_of(one)) for one in arguments(verb))),
        table(("option", "meaning"), ((written(one), help_of(one)) for one in options(verb))),
    )


def arguments(verb: Any) -> list[Any]:
    """What stands behind a verb without a name."""
    return [one for one in verb.params if one.param_type_name == "argument"]


def options(verb: Any) -> list[Any]:
    """What has a name; ``--help`` is the same everywhere."""
    return [one for one in verb.params if one.param_type_name == "option" and "--help" not in one.opts]


def written(option: Any) -> str:
    """An option as it is typed, with what stands behind it."""
    behind = "" if option.is_flag else f" {option.metavar or ''}".rstrip()
    both = ", ".join([*option.opts, *option.secondary_opts])
    return f"`{both}{behind}`"


def help_of(one: Any) -> str:
    """The help text, and the default where it is shown."""
    told = (one.help or "").replace("<", "&lt;")
    shown = one.default if getattr(one, "show_default", False) and isinstance(one.default, str | int | float) else None
    default = "" if shown is None or isinstance(shown, bool) else f" Default: `{shown}`."
    return told + default
