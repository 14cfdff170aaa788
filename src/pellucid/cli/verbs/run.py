"""``pellucid run``: a job file in, a release out; what a pipeline calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.output import JsonOption, Output, QuietOption, ThreadsOption, error_line
from pellucid.cli.publish_and_tell import publish_and_tell
from pellucid.job import Job, unmet
from pellucid.models import Verdict

EXIT_CODES = (
    "Exit codes: 0 done, 1 the release does not satisfy a model that the job requires (nothing is written), "
    "2 the job or the input is wrong, 130 stopped with Ctrl-C."
)
EXAMPLES = (
    "pellucid run job.toml",
    "pellucid run job.toml --overwrite --json",
)


def command() -> Callable[..., int]:
    """The verb."""
    return run


def run(
    job: Annotated[Path, typer.Argument(metavar="JOB", show_default=False, help="A job file (TOML).")],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the folder if it exists, as overwrite = true in the job does.")
    ] = False,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Run a job file: which table, which method, where to, and what the release must satisfy.

    A job is TOML: source, schema, out, a [method] table with name and parameters, and, when wanted, recode, format,
    require = ["k-anonymity=5"], keep_groups = "groups.csv" and overwrite = true, which lets the next run replace the
    release (and the groups) of this one. Paths are relative to the job file.
    """
    began = time.perf_counter()
    output = Output(as_json=as_json, quiet=quiet)
    todo = Job.load(job)
    todo = replace(todo, overwrite=overwrite or todo.overwrite, threads=threads or todo.threads)
    assert todo.out is not None
    verdicts = publish_and_tell(
        todo, todo.out, lambda bar, look: todo.run(progress=bar, look=look)[1], output, began, requiring=True
    )
    return 0 if all(verdicts) else _failed(verdicts)


def _failed(verdicts: Sequence[Verdict]) -> int:
    """Say which model is not satisfied, the first of several; the exit code."""
    failed = next(verdict for verdict in verdicts if not verdict)
    plain = f"{failed.model} = {failed.required} is required and not met; nothing is written"
    error_line(unmet(failed) if failed.level is None else plain, label="failed: ")
    return 1
