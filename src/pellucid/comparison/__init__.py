"""Which method, which l: a grid of releases, each measured and attacked, and what follows from it.

The package is called so because ``pellucid.compare`` is the function.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.anonymize.method import RecoderName
from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import RECODERS
from pellucid.charts.charting import ready_to_write
from pellucid.comparison.cell import Cell, Inquiry, Risk
from pellucid.comparison.comparison import FILES, Comparison
from pellucid.comparison.kept import cell_file, check_table, count_cells, keep_cell, read_cell
from pellucid.comparison.workers import filled
from pellucid.core.importance import weighed
from pellucid.core.schema import Roles, Schema, as_roles
from pellucid.core.table import Table, fingerprint
from pellucid.errors import MeasureError, MethodError
from pellucid.io import read_as
from pellucid.metrics import Metric
from pellucid.metrics import metrics as known_metrics
from pellucid.metrics.pre_rounding import not_counted
from pellucid.metrics.query_error import QueryError
from pellucid.publishing import drawing_rows, require_answer
from pellucid.risk import Adversary
from pellucid.runtime.arguments import number_between, seed_given, whole_number
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.patience import LONGEST
from pellucid.runtime.progress import SILENT, Progress
from pellucid.runtime.whole_file import refuse_broken_link

PATIENCE = 45.0  # seconds for one attack on one release; Mondrian's on Adult take up to about 25 of processor time

SEED = 1  # of coins, so that comparisons can be repeated: none of their releases is kept

ATTACKERS = (Adversary(knows="nothing"), Adversary(knows="minimality"), Adversary(knows="algorithm"))


def compare(  # noqa: PLR0913  (a public verb)
    source: Any,
    methods: Sequence[Method],
    metrics: Sequence[Metric] | None = None,
    adversaries: Sequence[Adversary] | None = None,
    *,
    recode: RecoderName | None = None,
    importance: Mapping[str, float] | None = None,
    roles: Roles | None = None,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: str | None = None,
    identifier: str | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    people: str | None = None,
    out: str | Path | None = None,
    patience: float = PATIENCE,
    seed: int | str = SEED,
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> Comparison:
    """Publish a table with every method given, and say what each release costs and what it lets an attacker learn.

    ``source``, what its columns are and ``people``: as for :func:`pellucid.publish`. ``metrics``: the first is what
    methods are compared by; the error of count queries unless given. ``adversaries``: who attacks each release;
    somebody who knows nothing of the method, minimality, or the algorithm, unless given. Of a method that promises its
    bound to whoever knows it, what follows from minimality alone is shown and does not decide: to assume it is a
    mistake. An attack that cannot run, or is not done after ``patience`` seconds, is said so and never counts as safe.
    Of several sensitive columns each is attacked, and the largest risk counts. ``recode``: what a group becomes in
    every one of the releases, such as "taxonomy"; what each method usually makes of it unless given. ``importance``: as
    for :func:`pellucid.publish`.

    ``out``: a folder for ``compare.csv``, ``compare.html``, ``compare.png`` and the recommendation. Finished cells are
    kept there, so that a comparison that was stopped goes on where it was; a folder with a comparison of another table
    is refused unless ``overwrite``, which keeps its cells and replaces the rest. None of the releases is kept: ``seed``
    fixes their coins, which makes comparisons repeatable, and a seed must not be used to publish.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> found = pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2), pc.Anatomy(l=2)], [pc.Perimeter()], **roles)
    >>> [(cell.method, cell.largest, cell.safe) for cell in found.cells]
    [('hybrid', 0.5, True), ('anatomy', 0.5, True)]
    """
    named = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "cluster": cluster, "weight": weight}
    columns = as_roles(roles, schema=schema, people=people, **named)
    table = weighed(read_as(source, columns, coins=drawing_rows(seed), progress=progress), importance)
    require_answer(table.persons)
    folder = None if out is None else Path(out)
    for target in () if folder is None else (folder / name for name in FILES):
        refuse_broken_link(target)
    question = Question(metrics, adversaries, recode, patience, seed)
    grid = Grid(folder, overwrite=overwrite, workers=workers)
    comparison = compared(table, methods, question, grid, progress=progress)
    if folder is not None:
        progress.stage("drawing", 0)
        comparison.write(folder)
    return comparison


@dataclass(frozen=True)
class Question:
    """What is asked of every release; each part as :func:`compare` takes it."""

    metrics: Sequence[Metric] | None = None
    adversaries: Sequence[Adversary] | None = None
    recode: RecoderName | None = None
    patience: float = PATIENCE
    seed: int | str = 1

    @property
    def whole(self) -> Inquiry:
        """The question with everything that was left open."""
        seed = seed_given(self.seed, "seed", MeasureError)
        attackers = tuple(ATTACKERS if self.adversaries is None else self.adversaries)
        return Inquiry(list(self.metrics or default_metrics()), attackers, self.patience, seed, self.recode or "")


@dataclass(frozen=True)
class Grid:
    """Where finished cells are kept, if anywhere, and how many processes fill the others."""

    folder: Path | None = None
    overwrite: bool = False
    workers: int | None = None


def compared(
    table: Table, methods: Sequence[Method], question: Question, grid: Grid, *, progress: Progress = SILENT
) -> Comparison:
    """The comparison of a table, with finished cells kept and nothing else written.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> compared(table, [pc.Hybrid(l=2)], Question([pc.Perimeter()]), Grid()).cells[0].largest
    0.5
    """
    chosen, folder = list(methods), grid.folder
    _check_methods(chosen)
    _check_metrics(question.metrics)
    _check_patience(question.patience)
    workers = None if grid.workers is None else whole_number(grid.workers, "workers", MeasureError, least=1)
    _check_recoder(question.recode)
    inquiry = question.whole
    if folder is not None:
        ready_to_write(folder)
    for note in not_counted(table):
        warnings.warn(note, UserWarning, stacklevel=3)
    if folder is not None:
        check_table(folder, fingerprint(table), overwrite=grid.overwrite)
    cells = _cells(table, chosen, inquiry, folder, workers, progress)
    metrics = [{"name": metric.name, "unit": metric.unit, "direction": metric.direction} for metric in inquiry.metrics]
    return Comparison(cells, metrics, 0 if folder is None else count_cells(folder) - len({*map(repr, chosen)}))


def default_metrics() -> list[Metric]:
    """What a comparison looks at unless told otherwise: errors of counts, what is kept, loss, sizes, contrasts.

    Each as :func:`pellucid.measure` has it unless told otherwise, so that one release has one figure everywhere.
    """
    known = known_metrics()
    return [QueryError(), *(known[name]() for name in ("kept", "contrasts", "loss", "class-size", "perimeter"))]


def _check_metrics(metrics: Sequence[Metric] | None) -> None:
    if metrics is not None and not metrics:
        raise MeasureError("metrics = []: give at least one, for example [pellucid.Perimeter()], or leave it out")
    for metric in metrics or ():
        if not isinstance(metric, Metric):
            raise MeasureError(f"metrics has {metric!r}; give metrics with their parameters, as in [pellucid.Loss()]")


def _check_patience(patience: float) -> None:
    meaning = "how many seconds an attack may take"
    number_between(patience, "patience", MeasureError, above=0, below=LONGEST, meaning=meaning)


def _check_recoder(recode: str | None) -> None:
    if recode is not None and recode not in RECODERS:
        raise MethodError("recode = {recode!r}: choose one of {recoders}", recode=recode, recoders=", ".join(RECODERS))


def _check_methods(methods: Sequence[Method]) -> None:
    if not methods:
        raise MethodError("methods = []: give at least one, for example [pellucid.SoftCut(l=l) for l in range(2, 11)]")
    for method in methods:
        if not isinstance(method, Method):
            raise MethodError(
                f"methods has {method!r}; give methods with their parameters, as in [pellucid.SoftCut(l=8)]"
            )
        if type(method).__module__ == "__main__":
            raise MethodError(
                f"{method.name} is defined in the script that runs; move it to a module that other processes can import"
            )


def _cells(
    table: Table,
    methods: Sequence[Method],
    question: Inquiry,
    out: Path | None,
    workers: int | None,
    progress: Progress,
) -> list[Cell]:
    """Every cell: those that were kept, and the others filled by as many processes as there are cores."""
    files = {} if out is None else _cell_files(out, table, methods, question)
    cells = _kept_cells(files)
    missing = [n for n in range(len(methods)) if n not in cells]
    progress.stage("comparing", len(methods) * len(table))
    progress.advance(len(cells) * len(table))
    if missing:
        cores = thread_count(workers)
        count = min(cores, len(missing))
        todo = [methods[n] for n in missing]
        with closing(filled(table, todo, question, workers=count, threads=max(1, cores // count))) as arriving:
            for number, cell in arriving:
                place = missing[number]
                cells[place] = cell
                if place in files and not cell.failed:
                    keep_cell(files[place], cell)
                progress.advance(len(cells) * len(table))
    return [cells[n] for n in range(len(methods))]


def _kept_cells(files: Mapping[int, Path]) -> dict[int, Cell]:
    """The cells that are in their files already."""
    kept = {n: read_cell(file) for n, file in files.items()}
    return {n: cell for n, cell in kept.items() if cell is not None}


def _cell_files(out: Path, table: Table, methods: Sequence[Method], question: Inquiry) -> dict[int, Path]:
    """Where each cell is kept, by the number of its method."""
    printed = fingerprint(table)
    return {n: cell_file(out, printed, method, question) for n, method in enumerate(methods)}


__all__ = ["Adversary", "Cell", "Comparison", "Inquiry", "Risk", "compare", "default_metrics"]
