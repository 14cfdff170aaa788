"""The verbs that say whether a bound holds: ``verify`` in Python, and ``attack`` and ``verify`` as commands.

Each is asked about a bound near the truth; an answer is True, False, or None where nothing is shown or it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import pellucid as pc
from pellucid.anonymize.method import Method
from pellucid.cli.program import main
from pellucid.core.schema import Schema

VERBS = ("verify", "attack command", "verify command")
BELOW = Fraction(1, 1_000_000)


@dataclass(frozen=True)
class Answer:
    """What a verb said about a bound, and in which words where it refused."""

    bound: Fraction
    holds: bool | None
    refused: str = ""


def bound_near(most: Fraction, verb: str, random: Random) -> Fraction:
    """A bound to ask about: at the truth, just below it, or a usual one; verify takes those that are 1/l."""
    if verb != "attack command":
        return Fraction(1, random.choice([2, 2, 3, max(1, int(1 / most)), int(1 / most) + 1]))
    usual = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)]
    return random.choice([most, most, most - BELOW, most - BELOW, *usual])


def verified(source: Any, given: Mapping[str, Any], bound: Fraction) -> Answer:
    """``pc.verify`` with transparent l-diversity."""
    (verdict,) = pc.verify(source, [pc.TransparentLDiversity(l=bound.denominator)], **given)
    assert not (verdict.holds and verdict.not_shown)
    return Answer(bound, None if verdict.not_shown else bool(verdict.holds))


def commanded(verb: str, source: Any, given: Mapping[str, Any], bound: Fraction, folder: Path) -> Answer | None:
    """A command line with everything in files; None where it cannot be said in words."""
    words = _words(verb, source, given, bound, folder)
    if words is None:
        return None
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    if code == 2:
        return Answer(bound, None, err.getvalue())
    assert code in (0, 1), (words, code, err.getvalue())
    document = json.loads(out.getvalue())
    if verb == "verify command":
        (verdict,) = document["verdicts"]
        holds = None if verdict["not_shown"] else verdict["holds"]
    else:
        holds = document["holds"]
    assert (code == 0) == (holds is True), (words, code, holds)
    return Answer(bound, holds)


def _words(verb: str, source: Any, given: Mapping[str, Any], bound: Fraction, folder: Path) -> list[str] | None:
    if not isinstance(source, Path):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    words = [verb.split()[0], str(source), "--json"]
    if verb == "verify command":
        words += ["--require", f"transparent l-diversity={bound.denominator}"]
    else:
        words += ["--adversary", "algorithm", "--max-risk", str(bound)]
    for name, value in given.items():
        if name == "made_by":
            told = _method(value, verb)
            if told is None:
                return None
            words += told
        else:
            words += [f"--{name}", _in_a_file(name, value, folder)]
    return words


def _in_a_file(name: str, value: Any, folder: Path) -> str:
    """What an option is given: a file for a table, a schema or groups, else the value itself."""
    if isinstance(value, pl.DataFrame):
        value.write_csv(folder / f"{name}.csv")
        return str(folder / f"{name}.csv")
    if isinstance(value, Schema):
        (folder / "schema.toml").write_text(value.to_toml())
        return str(folder / "schema.toml")
    if name == "groups":
        pl.DataFrame({"group": value}).write_csv(folder / "groups.csv")
        return str(folder / "groups.csv")
    return ",".join(value) if isinstance(value, list) else str(value)


def _method(method: Method, verb: str) -> list[str] | None:
    """The method and its parameters as the verb takes them; None where a model among them has no short form here."""
    told = method.model_dump(mode="python", exclude_none=True, exclude_defaults=True)
    if any(not isinstance(value, int | float | str | tuple) for value in told.values()):
        return None
    spelled = {name: ",".join(map(str, one)) if isinstance(one, tuple) else one for name, one in told.items()}
    if verb == "verify command":
        some = [f"{name}={str(one).lower() if isinstance(one, bool) else one}" for name, one in spelled.items()]
        return ["--made-by", " ".join([method.name, *some])]
    words = ["--made-by", method.name]
    for name, one in spelled.items():
        option = name.replace("_", "-")
        words += [f"--{option}" if one else f"--no-{option}"] if isinstance(one, bool) else [f"--{option}", str(one)]
    return words
