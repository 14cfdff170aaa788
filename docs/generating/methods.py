"""Every method: what ``pellucid methods --json`` says."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

from generating.markdown import paragraphs, sentence, table
from pellucid.cli.program import main


def described() -> list[dict[str, Any]]:
    """The document of the command line."""
    heard = io.StringIO()
    with redirect_stdout(heard):
        main(["methods", "--json"])
    return list(json.loads(heard.getvalue()))


def text() -> str:
    """A table of all, then a section for each; the default first, then by promise."""
    order = {"algorithm": 0, "minimality": 1, "frequency": 2}
    known = sorted(described(), key=lambda one: (not one["default"], order.get(one["guarantee"], 3), one["name"]))
    rows = ((f"[`{one['name']}`](#{one['name']})", f"`{one['guarantee']}`", sentence(one["summary"])) for one in known)
    return paragraphs(table(("method", "promise", "what it does"), rows), *map(section, known))


def section(one: Mapping[str, Any]) -> str:
    """What a method does, promises, suffers from and takes."""
    given = one["parameters"]
    rows = ((f"`{told['option']}`", parameter(told), "needed" if told["required"] else "") for told in given.values())
    return paragraphs(
        f"## {one['name']}",
        one["explanation"],
        f"**Promise** (`{one['guarantee']}`). {one['promise']}",
        f"**Attack.** {sentence(one['attack'])}" if one["attack"] else "",
        table(("parameter", "meaning", ""), rows),
        f"Usual recoding: `{one['recode']}`. Reference: {sentence(one['reference'])}",
    )


def parameter(told: Mapping[str, Any]) -> str:
    """What a parameter means, and its default."""
    default = told.get("default")
    return sentence(told.get("description", "")) + ("" if default is None else f" Default: `{json.dumps(default)}`.")
