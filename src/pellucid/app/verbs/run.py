"""``pellucid run``: a job file in, a release out; what a pipeline calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.app.inputs import input_files, refuse_inputs_in
from pellucid.app.memory import enough_memory
from pellucid.app.output import JsonOption, Output, QuietOption, ThreadsOption, error_line
from pellucid.app.progress import Bar
from pellucid.app.remarks import without_taxonomies
from pellucid.app.show import labelled
from pellucid.app.summary import account_of, in_words, tell, written
from pellucid.app.wording import as_typed
from pellucid.audit import look_at
from pellucid.importance import weighed
from pellucid.io import check_target, read
from pellucid.io.groups_file import check_groups_file, kept_groups
from pellucid.job import KEEP_GROUPS, Job
from pellucid.messages.terms import OVERWRITE_IN_JOB
from pellucid.model import Verdict
from pellucid.parallel import thread_count
from pellucid.publishing import publish
from pellucid.release import Release

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
    overwrite = overwrite or todo.overwrite
    threads = threads or todo.threads
    with as_typed(todo.out):
        check_target(todo.out, overwrite=overwrite, replacing=OVERWRITE_IN_JOB)
        read_too = input_files(todo.source, todo.schema, todo.method.model_dump().values())
        refuse_inputs_in(todo.out, [job, *read_too])
        check_groups_file(todo.keep_groups, todo.out, [job, *read_too], overwrite=overwrite, called=KEEP_GROUPS)
    with output.warnings() as warned, Bar(shown=not (as_json or quiet)) as bar, enough_memory(todo.source):
        table = weighed(read(todo.source, schema=todo.schema, threads=threads, progress=bar), todo.importance)
        release = publish(
            table,
            todo.method,
            accept_known=todo.accept_known,
            recode=todo.recode,
            seed=todo.seed,
            threads=threads,
            progress=bar,
        )
        verdicts = _required(todo, release, bar)
        met = all(verdicts)
        bar.stage("measuring what is kept", 0)
        account, remarks = account_of(
            table, release, todo.method, thread_count(threads, len(table)), source=todo.source
        )
        remarks += without_taxonomies(table, todo.method, account["information_kept"])
        if met:
            bar.stage("writing the release", 0)
            groups = kept_groups(todo.keep_groups, lambda: release.private.labels, called=KEEP_GROUPS)
            with groups as put_groups, as_typed(todo.out):
                release.write(todo.out, format=todo.format, overwrite=overwrite, then=put_groups)
            written(account, todo.out, todo.keep_groups)
    tell(account, remarks, warned, release.recipe, began)
    account["required"] = [_document(verdict) for verdict in verdicts]
    output.say(labelled(in_words(account) | {f"requires {v.model}": _said(v) for v in verdicts}))
    output.document(account)
    return 0 if met else _failed(verdicts)


def _required(job: Job, release: Release, bar: Bar) -> Sequence[Verdict]:
    """Whether the release satisfies what the job requires, where it requires anything."""
    if not job.require:
        return []
    bar.stage("checking what is required", 0)
    return look_at(release).verify(list(job.require))


def _failed(verdicts: Sequence[Verdict]) -> int:
    """Say which model is not satisfied, the first of several; the exit code."""
    failed = next(verdict for verdict in verdicts if not verdict)
    error_line(f"{failed.model} = {failed.required} is required and not met; nothing is written", label="failed: ")
    return 1


def _document(verdict: Verdict) -> dict[str, Any]:
    return {
        "model": verdict.model,
        "required": verdict.required,
        "level": verdict.level,
        "holds": verdict.holds,
    }


def _said(verdict: Verdict) -> str:
    return f"{verdict.required}: {'holds' if verdict.holds else 'DOES NOT HOLD'}, reached {verdict.level}"
