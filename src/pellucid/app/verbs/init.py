"""``pellucid init``: draft a schema for a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from pellucid.app.drafting.choice import suggest
from pellucid.app.drafting.draft import Suggestion, counted
from pellucid.app.drafting.schema_file import checks_of, draft_text, things_to_check, uniqueness_sentence
from pellucid.app.drafting.uniqueness import most_telling
from pellucid.app.memory import enough_memory
from pellucid.app.output import JsonOption, Output, QuietOption
from pellucid.app.progress import Bar
from pellucid.app.show import labelled, sentence
from pellucid.app.text_tables import file_section, with_file_options
from pellucid.errors import OutputError
from pellucid.io import load
from pellucid.io.database import without_password
from pellucid.schema import Role
from pellucid.whole_file import prepared

EXAMPLES = (
    "pellucid init patients.csv",
    "pellucid init patients.csv --out hospital.toml",
)


def command() -> Callable[..., None]:
    """The verb."""
    return with_file_options(init)


def init(
    source: Annotated[
        str, typer.Argument(metavar="FILE", show_default=False, help="The table: whatever 'pellucid publish' reads.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE.toml", help="Where to write the draft (default: beside FILE)."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the draft if it exists.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Draft a schema: which column identifies, which is sensitive, how unique people are.

    The draft is a proposal with its reasons, made from names and counts. Read it before you publish with it.
    """
    output = Output(as_json=as_json, quiet=quiet)
    target = out or draft_path(source)
    if target.exists() and not overwrite:
        raise OutputError(f"{target}: exists already; choose another --out, or add --overwrite to replace it")
    with output.warnings() as warned, Bar(shown=not (as_json or quiet)) as bar, enough_memory(source):
        bar.stage("reading", 0)
        frame, _ = load(source)
        suggestions = suggest(counted(frame, bar), frame)
        uniques = most_telling(frame, [s.name for s in suggestions if s.role is Role.QUASI], bar)
    source = without_password(source)
    text = draft_text(source, frame.height, suggestions, uniques) + file_section()  # after the keys of the whole file
    with prepared(target, [text.encode()]) as put:
        put()
    checks = things_to_check(suggestions)
    output.say(f"{source}: {frame.height:,} rows\n")
    output.say(labelled({s.name: f"{s.role:<11} {s.reason}{_figure(s)}" for s in suggestions}))
    output.say()
    for found in uniques:
        output.say(sentence(uniqueness_sentence(found)))
    output.say("\nCheck by hand:")
    for check in checks or ["every role: you know what others know"]:
        output.say(sentence(check, first="- "))
    output.say(f"\nDraft: {target}")
    output.document(
        {
            "source": source,
            "rows": frame.height,
            "draft": str(target),
            "columns": {s.name: _described(s) for s in suggestions},
            "uniqueness": [{"columns": list(u.columns), "unique_rows": u.unique, "share": u.share} for u in uniques],
            "check": checks,
            "warnings": warned,
        }
    )


def draft_path(source: str) -> Path:
    """Where the draft of a source goes: beside a file, in the current folder otherwise.

    >>> draft_path("data/patients.csv.gz").as_posix(), draft_path("census:50000").as_posix()
    ('data/patients.toml', 'census.toml')
    >>> draft_path("sqlite:///clinic.db::visits").as_posix()
    'visits.toml'
    >>> draft_path(".").as_posix()  # no table is read of it, and that is said
    'draft.toml'
    """
    if "://" in source:
        words = re.findall(r"\w+", source.rpartition("::")[2])
        return Path(f"{words[0] if len(words) == 1 else 'query'}.toml")
    if re.fullmatch(r"census:[\d_:]+", source):
        return Path("census.toml")
    path = Path(source)
    return path.parent / f"{path.name.partition('.')[0] or path.name or 'draft'}.toml"


def _figure(suggestion: Suggestion) -> str:
    """How much a column of the draft says about the sensitive one."""
    shown = suggestion.says is not None and suggestion.role is Role.QUASI
    return f"; {suggestion.says.figure}" if shown and suggestion.says else ""


def _described(suggestion: Suggestion) -> dict[str, object]:
    return {
        "role": str(suggestion.role),
        "kind": str(suggestion.kind),
        "reason": suggestion.reason,
        "check": "; ".join(checks_of(suggestion)),
        "nulls": suggestion.facts.nulls,
        "distinct": suggestion.facts.distinct,
        "missing": list(suggestion.facts.missing),
        "tells": None if suggestion.says is None else round(suggestion.says.told, 4),
    }
