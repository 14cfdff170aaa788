"""``pellucid init``: draft a schema for a table."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from pellucid.cli.memory import enough_memory
from pellucid.cli.not_applicable import Proposal, proposals
from pellucid.cli.output import JsonOption, Output, QuietOption
from pellucid.cli.progress import Bar
from pellucid.cli.show import labelled, sentence
from pellucid.cli.text_tables import file_section, with_file_options
from pellucid.core.attribute_disclosure import SCALE
from pellucid.core.schema import Column, Role, Schema, TextForm
from pellucid.drafting.choice import suggest
from pellucid.drafting.draft import Suggestion, counted
from pellucid.drafting.safe_harbor import SafeHarborFinding, safe_harbor
from pellucid.drafting.schema_file import checks_of, details_of, draft_text, things_to_check, uniqueness_sentence
from pellucid.drafting.uniqueness import Uniqueness, most_telling
from pellucid.drafting.with_clusters import with_clusters
from pellucid.errors import OutputError, PellucidError
from pellucid.io import encode, line_in, load
from pellucid.io.database import without_password
from pellucid.io.inference import has_decimal_commas
from pellucid.io.statistics_files import column_labels
from pellucid.io.text_form import said_form, written_as
from pellucid.runtime.whole_file import prepared, refuse_broken_link

DECIMAL_COMMA = 'numbers with a decimal comma; the draft has decimal = "," under [file], take it out if not so'
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
    hipaa: Annotated[
        bool, typer.Option("--hipaa", help="Also list which columns may be one of HIPAA's 18 identifiers, and why.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Draft a schema: which column identifies, which is sensitive, how unique people are.

    The draft is a proposal with its reasons, made from names and counts. Read it before you publish with it.
    """
    output = Output(as_json=as_json, quiet=quiet)
    target = out or draft_path(source)
    _check_target(target, overwrite=overwrite)
    with output.warnings() as warned, Bar(shown=not (as_json or quiet)) as bar, enough_memory(source):
        bar.stage("reading", 0)
        frame, section, commas = _loaded(source)
        with written_as(TextForm(decimal="," if commas else None)):
            line_of = partial(line_in, source)
            suggestions = suggest(counted(frame, bar, column_labels(Path(source)), line_of), frame)
        suggestions = with_clusters(suggestions, frame)
        uniques = most_telling(frame, [s.name for s in suggestions if s.role is Role.QUASI], bar)
    source = without_password(source)
    text = draft_text(source, frame.height, suggestions, uniques) + section  # after the keys of the whole file
    with prepared(target, [text.encode()]) as put:
        put()
    checks = [*things_to_check(suggestions), *([f"{', '.join(commas)}: {DECIMAL_COMMA}"] if commas else [])]
    proposed = _proposed(frame, suggestions)
    checks += [one.in_a_schema for one in proposed]
    output.say(f"{source}: {frame.height:,} rows\n")
    _say_draft(output, suggestions, uniques, checks)
    findings = safe_harbor(frame) if hipaa else []
    if hipaa:
        _say_safe_harbor(output, findings)
    output.say(f"\nDraft: {target}")
    output.document(
        {
            "source": source,
            "rows": frame.height,
            "draft": str(target),
            "columns": {s.name: _described(s) for s in suggestions},
            "uniqueness": [{"columns": list(u.columns), "unique_rows": u.unique, "share": u.share} for u in uniques],
            "check": checks,
            "proposed": [one.document for one in proposed],
            "warnings": warned,
        }
        | ({"safe_harbor": [asdict(finding) for finding in findings]} if hipaa else {})
    )


def _loaded(source: str) -> tuple[pl.DataFrame, str, list[str]]:
    """The table, what the draft says of its file, and the columns for which it was read with decimal commas."""
    frame, _ = load(source)
    if said_form().decimal is not None or "://" in source:
        return frame, file_section(), []
    commas = [name for name in frame.columns if has_decimal_commas(frame[name])]
    if not commas:
        return frame, file_section(), []
    with written_as(TextForm(decimal=",")), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were told
        again, _ = load(source)
        read = [name for name in commas if again[name].dtype.is_numeric()]
        return (again, file_section(), read) if read else (frame, "", [])


def _proposed(frame: pl.DataFrame, suggestions: Sequence[Suggestion]) -> list[Proposal]:
    """What the schema might declare of who may have which value; nothing of it takes effect by itself."""
    left_out = {
        s.name for s in suggestions if s.role is Role.DROP and s.says and s.says.determines and s.says.how == "one"
    }
    known = {s.name: Role.QUASI if s.name in left_out else s.role for s in suggestions}
    named = {name: role for name, role in known.items() if role in (Role.QUASI, Role.SENSITIVE)}
    if len(set(named.values())) < 2:
        return []
    columns = {s.name: Column(role=named[s.name], **details_of(s)) for s in suggestions if s.name in named}
    try:
        found = proposals(encode(frame.select(*columns), Schema(columns=columns), "polars"))
        return [replace(one, left_out=one.known in left_out) for one in found]
    except PellucidError:  # publishing says what is wrong with the values
        return []


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


def _check_target(target: Path, *, overwrite: bool) -> None:
    refuse_broken_link(target)
    if target.exists() and not overwrite:
        raise OutputError(f"{target}: exists already; choose another --out, or add --overwrite to replace it")


def _say_draft(
    output: Output, suggestions: Sequence[Suggestion], uniques: Sequence[Uniqueness], checks: Sequence[str]
) -> None:
    """The columns with their reasons, how unique people are, and what a person should check."""
    output.say(
        labelled(
            {
                s.name: f"{s.role:<11} {s.in_full if s.role is Role.SENSITIVE else s.reason}{_figure(s)}"
                for s in suggestions
            }
        )
    )
    output.say()
    secret = next((s.says.sensitive for s in suggestions if s.says is not None and _figure(s)), None)
    if secret is not None:
        scale = f"How much a column tells of {secret}: {SCALE}; publish warns from 50 % on and refuses from 80 % on."
        output.say(sentence(scale))
        output.say()
    for uniqueness in uniques:
        output.say(sentence(uniqueness_sentence(uniqueness)))
    output.say("\nCheck by hand:")
    for check in checks or ["every role: you know what others know"]:
        output.say(sentence(check, first="- "))


def _say_safe_harbor(output: Output, findings: Sequence[SafeHarborFinding]) -> None:
    """The columns that may be one of the 18 identifiers, and what this list does not say."""
    output.say("\nHIPAA safe harbor, by names and by what values look like:")
    for finding in findings:
        output.say(sentence(finding.sentence, first="- "))
    if not findings:
        output.say("- none")
    output.say(
        sentence(
            "What is not listed may be there all the same, in free text or under a name that says nothing: go through "
            "the 18 by hand. To remove them is one of HIPAA's two ways, and promises nothing about what the rest tells."
        )
    )


def _figure(suggestion: Suggestion) -> str:
    """How much a column of the draft says about the sensitive one; empty where that is next to nothing."""
    said = suggestion.says if suggestion.role is Role.QUASI else None
    return f"; {said.figure}" if said is not None and said.worth_a_word else ""


def _described(suggestion: Suggestion) -> dict[str, object]:
    return {
        "role": str(suggestion.role),
        "kind": str(suggestion.kind),
        "reason": suggestion.in_full,
        "check": "; ".join(checks_of(suggestion)),
        "nulls": suggestion.facts.nulls,
        "distinct": suggestion.facts.distinct,
        "missing": list(suggestion.facts.missing),
        "tells": None if suggestion.says is None else round(suggestion.says.told, 4),
    }
