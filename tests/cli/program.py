"""The program under test and what a run of it leaves behind."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
PROGRAM = [sys.executable, "-c", "import sys; from pellucid.cli.program import main; sys.exit(main())"]


def as_in_a_terminal() -> None:
    """For a new process, whatever the tests were started by: with nohup, or behind a shell's &, these are ignored."""
    for name in ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; fails when there is anything else."""
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line on stderr of a run that was refused."""
        assert self.code == 2, self
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("error: "), self.err
        return lines[0]


Program = Callable[..., Outcome]


def valid(done: Outcome, verb: str) -> Any:
    """The document of a verb, after checking it against the schema in the repository."""
    schema = json.loads((SCHEMAS / f"{verb}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(done.document, schema, jsonschema.Draft202012Validator)
    return done.document


def everything_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content, hidden ones included."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
