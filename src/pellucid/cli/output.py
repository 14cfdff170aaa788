"""Where words go: results to stdout, warnings and errors to stderr; with ``--json`` one document and nothing else."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from pellucid.cli.wording import in_options
from pellucid.messages import Message
from pellucid.runtime.records import record

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")]
ThreadsOption = Annotated[int | None, typer.Option(metavar="N", min=1, help="How many threads to use.")]


@record()
class Output:
    """The two audiences of a verb: a person who reads lines, a program that reads a document."""

    as_json: bool = False
    quiet: bool = False

    def say(self, text: str = "") -> None:
        """Tell the person a result."""
        if not (self.as_json or self.quiet):
            print(text)

    @contextmanager
    def warnings(self) -> Iterator[list[str]]:
        """Tell the person our warnings, which even a quiet run must not hide, and collect them for the program."""
        collected: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            # what pyspark thinks of the pandas that it finds is nothing that a steward could act on
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
            yield collected
        for warning in caught:
            if issubclass(warning.category, UserWarning):
                text = in_options(said_in(warning.message))
                if text not in collected:  # a source that is looked at twice warns twice
                    collected.append(text)
                    error_line(text, label="warning: ")
            else:
                warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)

    def document(self, content: Mapping[str, Any] | Sequence[Any]) -> None:
        """Give the program its document."""
        if self.as_json:
            print_document(content)


def said_in(warning: Warning | str) -> str:
    """What a warning says, with the terms that it names."""
    first = warning if isinstance(warning, str) else next(iter(warning.args), "")
    return first if isinstance(first, Message) else str(warning)


def print_document(content: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print one JSON document on stdout."""
    print(json.dumps(content, indent=2, ensure_ascii=False, default=str))


def error_line(text: str, label: str = "error: ") -> None:
    """Print one line on stderr."""
    print(f"{label}{text}", file=sys.stderr)
