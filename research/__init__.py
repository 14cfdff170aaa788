"""The experiments of the papers, repeated: figures, charts, and whether their shapes agree. One file per paper.

They are beside the package and in no wheel; ``pellucid reproduce`` runs them in a checkout. Real tables are found by
PELLUCID_DATA; what is made of synthetic ones always runs.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from pellucid.charts.charting import Chart, ready_to_write
from pellucid.errors import InputError
from pellucid.runtime.progress import SILENT, Progress
from pellucid.runtime.whole_file import write_whole
from pellucid.text.suggestions import meant
from research.data import data_file, has_data
from research.experiment import Experiment, ReportedShape


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment, by name, found by looking through this folder.

    >>> [name for name in experiments() if name.startswith("wong")]
    ['wong-fig2', 'wong-fig3', 'wong-fig4', 'wong-fig5', 'wong-fig6']
    """
    by_name = {}
    for module in pkgutil.iter_modules(__path__):
        for experiment in getattr(importlib.import_module(f"{__name__}.{module.name}"), "EXPERIMENTS", ()):
            by_name[experiment.name] = experiment
    return dict(sorted(by_name.items()))


@dataclass(frozen=True)
class Reproduction:
    """What came out: the figures, and for every shape that the paper reports whether it agrees."""

    experiment: Experiment
    quick: bool
    frame: pl.DataFrame
    findings: Sequence[ReportedShape]

    @property
    def agrees(self) -> bool:
        """Whether every shape agrees."""
        return all(finding.holds for finding in self.findings)

    @property
    def text(self) -> str:
        """Paper and ours, side by side, to read."""
        experiment = self.experiment
        lines = [f"{experiment.name}: {experiment.title}", experiment.paper, ""]
        lines += ["The paper reports", f"  {experiment.reports}", ""]
        lines += [f"Ours ({'quick: less data, fewer settings' if self.quick else 'full'})"]
        lines += [f"  {finding}" for finding in self.findings]
        lines += ["", "Where we differ", f"  {experiment.remark}", ""]
        return "\n".join(lines)

    def chart(self) -> Chart:
        """The figure."""
        return self.experiment.draw(self.frame)

    def write(self, out: str | Path) -> list[Path]:
        """Write the data, the chart in three formats and the text into a folder."""
        out = Path(out)
        name = self.experiment.name
        table, words = out / f"{name}.csv", out / f"{name}.txt"
        write_whole(table, self.frame.write_csv().encode())
        write_whole(words, self.text.encode())
        return [table, words, *self.chart().write(out, name)]


def reproduce(
    name: str, *, out: str | Path | None = None, quick: bool = False, progress: Progress = SILENT
) -> Reproduction:
    """Repeat an experiment of a paper; ``quick`` takes less data and fewer settings, and seconds instead of minutes."""
    known = experiments()
    if name not in known:
        raise InputError(f"no experiment is called {name!r}; they are {', '.join(known)}{meant(name, known)}")
    experiment = known[name]
    if experiment.data:
        data_file(experiment.data)  # says plainly what is missing before anything is computed
    if out is not None:
        ready_to_write(out)
    frame = experiment.run(quick, progress)
    made = Reproduction(experiment, quick, frame, list(experiment.check(frame)))
    if out is not None:
        progress.stage("drawing", 0)
        made.write(out)
    return made


__all__ = ["Experiment", "ReportedShape", "Reproduction", "experiments", "has_data", "reproduce"]
