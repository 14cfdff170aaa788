"""What ``pellucid attack --json`` prints; docs/schemas/attack.schema.json describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pellucid.cli.attack_words import lacking_words
from pellucid.cli.wording import ATTACK, Terminal
from pellucid.risk.report.document import document as for_programs
from pellucid.risk.report.document import standing_of_several
from pellucid.risk.report.results import AttackResult


def document(result: AttackResult, first_lines: Sequence[str], warned: Sequence[str]) -> dict[str, Any]:
    """The record for a program, in options; ``first_lines`` are the first lines for a person."""
    figures = for_programs(result, ATTACK, notes=Terminal(), lacking=lacking_words)
    first = {"source": figures.pop("source"), "verdict": " ".join(first_lines)}
    return first | figures | {"warnings": list(warned)}


def document_of_several(columns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The documents of several sensitive columns in one, with a verdict on all of them.

    It holds when it does of each column, and not when it does not of one; else it is not shown.
    """
    most, each = columns[0]["required"], [column["holds"] for column in columns]
    names = [column["sensitive"] for column in columns]
    others = ", ".join(name for name, holds in zip(names, each, strict=True) if holds is not True)
    verdict = f"{most} is exceeded or not shown for {others}" if others else "All of them hold"
    if most is None:
        verdict = "each of them has figures of its own"
    return {
        "source": columns[0]["source"],
        "verdict": f"{len(columns)} sensitive columns ({', '.join(names)}): {verdict}.",
        "sensitive": names,
        "required": most,
        "holds": False if False in each else None if None in each else True,
        "standing": standing_of_several([column["standing"] for column in columns]),
        "columns": list(columns),
        "warnings": list(dict.fromkeys(warning for column in columns for warning in column["warnings"])),
    }
