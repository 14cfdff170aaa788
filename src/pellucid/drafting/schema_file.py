"""A drafted schema as a TOML file: the suggestions, and as comments why, how unique people are, what to check."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from typing import Any

from pellucid.core.attribute_disclosure import SCALE
from pellucid.core.schema import THREE_STEPS, Kind, Role
from pellucid.core.taxonomy.toml_text import toml_key, toml_value
from pellucid.drafting.draft import Suggestion
from pellucid.drafting.uniqueness import Uniqueness
from pellucid.messages import Message
from pellucid.text.figures import counted, percent
from pellucid.text.values import begun, few

NO_SENSITIVE = Message(
    "No column looks sensitive, so nothing can be published with this draft. Three steps: {steps}.", steps=THREE_STEPS
)
NO_QUASI = Message(
    "No column looks like something others know, so nothing can be published with this draft. Three steps: {steps}.",
    steps=THREE_STEPS,
)
NO_IDENTIFIER = "no column has a different value in every row: ties between rows are broken by secret coins"
MANY_NAMES = 6
OFTEN = 3  # columns; what is to be checked in more of them is said once
_COMMENT_WIDTH = 100


def draft_text(source: str, rows: int, suggestions: Sequence[Suggestion], uniques: Sequence[Uniqueness]) -> str:
    """The whole file."""
    head = [
        f"Draft by 'pellucid init' for {source}: {rows:,} rows, {len(suggestions)} columns.",
        "Names, counts and codes were looked at. Check every role: you know what others know.",
        "",
        *map(uniqueness_sentence, uniques),
        *not_drafted(drafted_roles(suggestions)),
        "",
        "Roles: identifier (orders the rows, never published), quasi (others know it), sensitive (protected), "
        "carry (published per group, does not steer the groups), cluster (which rows are one person's or household's), "
        "weight (for how many people a row of a survey stands), drop (never published).",
        "",
        "draft = true may stay: with it, more than ten quasi-identifiers publish nothing. Take it out if you mean them "
        "all. Without a sensitive column nothing is published either way, unless nothing_sensitive = true "
        "says that this is meant.",
    ]
    common = {check: names for check, names in _sharing(suggestions).items() if len(names) > OFTEN}
    head += ["", "Check:"] * bool(common) + [f"- {few(names, MANY_NAMES)}: {check}." for check, names in common.items()]
    sections = (_section(suggestion, common) for suggestion in suggestions)
    return "\n".join([*_comments(head), "draft = true", "", *sections])


def uniqueness_sentence(uniqueness: Uniqueness) -> str:
    """How many rows a few columns single out.

    >>> uniqueness_sentence(Uniqueness(("zip", "birth", "sex"), 87, 100))
    '87 % of rows are unique on zip + birth + sex (87 of 100).'
    """
    share, columns = percent(uniqueness.share), " + ".join(uniqueness.columns)
    if len(uniqueness.columns) > MANY_NAMES:
        columns = f"all {len(uniqueness.columns)} quasi-identifiers together"
    return f"{begun(share)} of rows are unique on {columns} ({uniqueness.unique:,} of {uniqueness.rows:,})."


def things_to_check(suggestions: Sequence[Suggestion]) -> list[str]:
    """What a person should look at before publishing."""
    of_columns = [f"{few(names, MANY_NAMES)}: {check}" for check, names in _sharing(suggestions).items()]
    drafted = drafted_roles(suggestions)
    return [*not_drafted(drafted), *of_columns, *([] if Role.IDENTIFIER in drafted else [NO_IDENTIFIER])]


def drafted_roles(suggestions: Sequence[Suggestion]) -> set[Role]:
    """The roles that some column has."""
    return {suggestion.role for suggestion in suggestions}


def not_drafted(roles: Collection[Role]) -> list[Message]:
    """Which columns are missing, so that nothing can be published."""
    return [NO_QUASI] * (Role.QUASI not in roles) + [NO_SENSITIVE] * (Role.SENSITIVE not in roles)


def _sharing(suggestions: Sequence[Suggestion]) -> dict[str, list[str]]:
    """Each thing to check, and the columns to check it in."""
    sharing: dict[str, list[str]] = {}
    for suggestion in suggestions:
        for check in checks_of(suggestion):
            sharing.setdefault(check, []).append(suggestion.name)
    return sharing


def checks_of(suggestion: Suggestion) -> list[str]:
    """What to look at in one column."""
    return [check for check in (suggestion.check, suggestion.facts.looks) if check]


def details_of(suggestion: Suggestion) -> dict[str, Any]:
    """What the draft says of a column beyond its type: that codes are categories, what is a date, what is missing.

    Of dropped columns too, so that whoever wants one published changes the role alone.
    """
    facts = suggestion.facts
    if suggestion.role is Role.IDENTIFIER:
        return {}
    plain = Kind.DATE if facts.dtype.is_temporal() else Kind.NUMBER if facts.dtype.is_numeric() else Kind.CATEGORY
    # a file without its marks has numbers, a database still has texts: what it is must be said
    details: dict[str, Any] = {
        "kind": None if suggestion.kind is plain and not facts.numbers_as_text else str(suggestion.kind),
        "missing": list(facts.missing),
        "date_order": facts.date_order,
        "order": list(facts.bands) if suggestion.kind is Kind.ORDERED else None,
        "protect": list(suggestion.protect),
    }
    return {key: value for key, value in details.items() if value}


def _section(suggestion: Suggestion, common: Collection[str]) -> str:
    """One column; what is to be checked in many columns stands at the top of the file."""
    facts = suggestion.facts
    nulls = counted(facts.nulls, "null") if facts.nulls else "no nulls"
    lines = _comments([f"{counted(facts.distinct, 'value', 'different values')}, {nulls}: {suggestion.in_full}."])
    if suggestion.says is not None and suggestion.says.worth_a_word and suggestion.role is Role.QUASI:
        lines += _comments([f"It {suggestion.says.figure} ({SCALE})."])
    for check in (check for check in checks_of(suggestion) if check not in common):
        lines += _comments([f"Check: {check}."])
    lines += [f"[columns.{toml_key(suggestion.name)}]", f'role = "{suggestion.role}"']
    kind = {"kind": str(suggestion.kind)} if suggestion.role in (Role.QUASI, Role.SENSITIVE) else {}
    lines += [f"{key} = {toml_value(value)}" for key, value in (kind | details_of(suggestion)).items()]
    return "\n".join([*lines, ""])


def _comments(paragraphs: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for paragraph in paragraphs:
        printable = "".join(character if character.isprintable() else "?" for character in paragraph)
        indent = "  " if printable.startswith("- ") else ""
        wrapped = textwrap.wrap(printable, _COMMENT_WIDTH, break_on_hyphens=False, subsequent_indent=indent)
        lines += wrapped or [""]
    return [f"# {line}".rstrip() for line in lines]
