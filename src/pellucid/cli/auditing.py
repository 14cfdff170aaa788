"""What ``levels`` and ``verify`` share: the options that say what is looked at, and how answers are told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.audit import Asking, PublishedGroup
from pellucid.audit.protected import in_words
from pellucid.cli.columns import kinds_in, split_names
from pellucid.cli.show import sentence
from pellucid.core.schema import Roles
from pellucid.errors import ModelError
from pellucid.models.exact import plain
from pellucid.text.figures import counted
from pellucid.text.values import begun, cell_text, shortened, text_of

SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="RELEASE",
        show_default=False,
        help="The folder of a release, a CSV, Parquet or Arrow file, sqlite:///x.db::table, census:50000, patients.",
    ),
]
SchemaOption = Annotated[Path | None, typer.Option("--schema", metavar="FILE", help="What each column is.")]
QuasiOption = Annotated[
    str | None, typer.Option("--quasi", metavar="A,B", help="Columns that an attacker may know, instead of a schema.")
]
SensitiveOption = Annotated[str | None, typer.Option("--sensitive", metavar="X", help="The columns to protect.")]
WeightOption = Annotated[
    str | None,
    typer.Option("--weight", metavar="W", help="For how many people a row stands: estimates k-map and who is found."),
]
HouseholdOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="H", help="Which rows belong together, such as a household: estimates its risk."),
]
PopulationOption = Annotated[
    str | None, typer.Option("--population", metavar="FILE", help="A table of people, for k-map and delta-presence.")
]
IdentifierOption = Annotated[
    str | None, typer.Option(metavar="I", help="The column of the truth, original or population that names people.")
]
TruthOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="The table that the release was made of, to compare guesses with.")
]
PATIENCE = 120.0  # seconds for one attacker
PatienceOption = Annotated[
    float,
    typer.Option(min=0.001, metavar="SECONDS", help="How long each attacker may take; who is not done shows nothing."),
]
GroupOption = Annotated[
    str | None,
    typer.Option("--group", metavar="G", help="The group number that joins two tables."),
]
GroupsOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Who is in which group, as publish --keep-groups wrote it; with its table."),
]
ExemptOption = Annotated[
    bool,
    typer.Option("--exempt-suppressed", help="Leave rows out whose quasi-identifiers are all * or null, as ARX does."),
]
ValuesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--values",
        metavar="V,W",
        help="The sensitive values to protect, if not all; of one column: disease=HIV,cancer. Null is written null.",
    ),
]
TogetherOption = Annotated[
    bool, typer.Option("--together", help="Protect these values as one: nobody may learn that it is one of them.")
]
SHOWN_ROWS = 20  # of a group in a document; the size says how many there are
SHOWN_VALUES = 20
BESIDE = 3  # lines of a group beside its level, at most
FIRST_ROWS = 5  # of a group in words
COUNTED = "Rows are counted from 0, the header left out."


def roles_given(
    schema: Path | None,
    quasi: str | None,
    sensitive: str | None,
    kinds: Sequence[str] | None,
    group: str | None,
    weight: str | None = None,
    cluster: str | None = None,
) -> Roles:
    """What was said about the columns."""
    return Roles(
        schema=schema,
        quasi=names(quasi),
        sensitive=names(sensitive),
        weight=weight,
        cluster=cluster,
        kinds=kinds_in(kinds or ()) or None,
        group=group,
    )


def names(text: str | None) -> list[str] | None:
    """The parts of a list with commas; quotes keep a comma inside a part."""
    return None if text is None else split_names(text)


def chosen_values(words: Sequence[str] | None, sensitive: Sequence[str]) -> list[str] | dict[str, list[str]] | None:
    """The values to protect, as :func:`pellucid.levels` takes them; ``disease=HIV,cancer`` names their column.

    >>> chosen_values(["HIV,cancer"], ["disease"]), chosen_values(["disease=HIV", "job=a=b,c"], ["disease", "job"])
    (['HIV', 'cancer'], {'disease': ['HIV'], 'job': ['a=b', 'c']})
    """
    if not words:
        return None
    columns: dict[str, list[str]] = {}
    plain_values: list[str] = []
    for word in words:
        name, equals, rest = word.partition("=")
        if equals and name.strip() in sensitive:
            columns.setdefault(name.strip(), []).extend(split_names(rest))
        else:
            plain_values += split_names(word)
    if columns and plain_values:
        raise ModelError(
            f"--values {plain_values[0]} names no column and others do; write the column of each, "
            f"for example --values {next(iter(columns))}={plain_values[0]}"
        )
    return columns or plain_values


def told_values(values: list[str] | dict[str, list[str]] | None) -> list[str] | None:
    """The values for a document, with their column where it was named."""
    if isinstance(values, dict):
        return [f"{name}={value}" for name, chosen in values.items() for value in chosen]
    return values


def overview(audit: Asking, values: Sequence[str] | None = None) -> dict[str, str]:
    """What was looked at, as labelled lines; ``values`` were typed."""
    grouped = f"{counted(audit.rows, 'row')} in {counted(audit.groups, 'group')}"
    lines = {
        "release": f"{audit.name}: {grouped} by {', '.join(audit.quasi)}",
        "sensitive": ", ".join(audit.sensitive) or "no column is named",
        "nulls": ", ".join(f"{name} {count:,}" for name, count in audit.nulls.items() if count) or "none",
    }
    if audit.promised is not None and not values:
        how = "as one" if audit.promised_as_one else "alone"
        sets = [in_words(some).replace(", ", " or ") for some in audit.promised_sets or ()]
        named = f"{'; '.join(sets)}; each set" if sets else in_words(audit.promised)
        lines["protects"] = f"{named} {'as one' if sets else how}, as the recipe says (--values names others)"
    # nulls have a line of their own
    note = " ".join(f"{begun(finding.sentence)}." for finding in audit.findings if finding.name != "nulls")
    return lines | ({"note": note} if note else {})


def about(audit: Asking) -> dict[str, Any]:
    """What was looked at, for a program."""
    return {
        "source": audit.name,
        "rows": audit.rows,
        "groups": audit.groups,
        "quasi": list(audit.quasi),
        "sensitive": list(audit.sensitive),
        "nulls": audit.nulls,
        "suppressed_rows": audit.suppressed,
        "suppressed_exempt": audit.exempt_suppressed,
        "findings": [
            {"name": finding.name, "sentence": finding.sentence, "rows": finding.rows} for finding in audit.findings
        ],
    }


def number(value: Any) -> int | float | str | None:
    """A level or a parameter for a document: JSON has neither infinity nor fractions.

    >>> from fractions import Fraction
    >>> number(Fraction(4, 2)), number(Fraction(1, 3)), number(float("inf"))
    (2, '1/3', 'infinity')
    """
    if value is None or isinstance(value, str):
        return value
    figure = plain(value)
    return "infinity" if isinstance(figure, float) and math.isinf(figure) else figure


def exactly(value: Any) -> str | None:
    """A level exactly, as text; None when it is irrational."""
    return None if value is None else "infinity" if value == math.inf else str(value)


def group_of(worst: PublishedGroup | None) -> dict[str, Any] | None:
    """A group for a document: its values, its first rows, its most frequent sensitive values."""
    if worst is None:
        return None
    counts = list(worst.counts.items())[:SHOWN_VALUES]
    return {
        "size": worst.size,
        "published": {name: text_of(value) for name, value in worst.published.items()},
        "rows": worst.rows[:SHOWN_ROWS].tolist(),
        "values": [{"value": text_of(value), "rows": rows} for value, rows in counts],
        "population": worst.population,
    }


def group_words(worst: PublishedGroup | None) -> str:
    """A group for a person."""
    if worst is None:
        return ""
    if not worst.published and worst.population is None:
        return counted(worst.size, "row")
    if not worst.published:
        who = counted(worst.population or 0, "person", "people")
        return f"{who} of the population like no row"
    cells = {name: shortened(cell_text(value) or '""', 30) for name, value in worst.published.items()}
    values = ", ".join(f"{name} {cells[name]}" for name, value in worst.published.items())
    numbers = f" ({_numbers(worst.rows.tolist())})" if len(worst.rows) else ""  # rows with Spark have none
    return f"{counted(worst.size, 'row')}: {values}{numbers}"


def _numbers(rows: Sequence[int]) -> str:
    """The numbers of rows, the first few of many.

    >>> _numbers([7]), _numbers([0, 4, 9]), _numbers(range(9))
    ('row 7', 'rows 0, 4, 9', 'rows 0, 1, 2, 3, 4, ...')
    """
    listed = ", ".join(map(str, rows[:FIRST_ROWS])) + (", ..." if len(rows) > FIRST_ROWS else "")
    return f"row{'s' if len(rows) != 1 else ''} {listed}"


def table_of(lines: Sequence[tuple[str, str, str, str]]) -> str:
    """A table of model, level and worst group (below the line where that is long), with what it means below each.

    >>> print(table_of([("k-anonymity", "2", "2 rows: age 21", "nobody stands alone")]))
    model        level  worst group
    k-anonymity  2      2 rows: age 21
        nobody stands alone
    """
    first = max(len("model"), *(len(line[0]) for line in lines))
    second = max(len("level"), *(len(line[1]) for line in lines))
    table = [f"{'model':<{first}}  {'level':<{second}}  worst group"]
    for model, level, worst, meaning in lines:
        start = f"{model:<{first}}  {level:<{second}}  "
        beside = sentence(worst, first=start) if worst else start.rstrip()
        if beside.count("\n") < BESIDE:
            table.append(beside)
        else:  # many columns: below, at full width
            table += [start.rstrip(), sentence(worst, first="    ")]
        table.append(sentence(meaning, first="    "))
    return "\n".join(table)


def whose(answer: Any, audit: Asking) -> str:
    """Which column and view an answer is about, where that is not obvious."""
    if answer.sensitive is None or len(audit.sensitive) < 2:
        return ""
    return f" of {answer.sensitive}" + (", harmonised" if answer.view == "harmonised" else "")


def by_reason(unanswered: Mapping[str, str]) -> list[str]:
    """What is silent for the same reason in one sentence.

    >>> by_reason({"loss": "no rows", "kept": "no columns", "entropy": "no rows"})
    ['loss, entropy: no rows', 'kept: no columns']
    """
    names: dict[str, list[str]] = {}
    for name, reason in unanswered.items():
        names.setdefault(reason, []).append(name)
    return [f"{', '.join(sharing)}: {reason}" for reason, sharing in names.items()]
