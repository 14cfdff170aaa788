"""What a release is still good for: metrics, each a figure with a unit, a direction and a meaning.

The package is called so because ``pellucid.measure`` is the function. One file per family; adding a file with a
:class:`Metric` adds the metric everywhere.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pellucid.core.schema import Roles, Schema, as_roles
from pellucid.errors import MeasureError
from pellucid.messages import Term
from pellucid.metrics.boxes import Shown
from pellucid.metrics.margins import Counted
from pellucid.metrics.metric import MarginMetric, Metric, Score, Scores
from pellucid.runtime.arguments import several
from pellucid.runtime.progress import SILENT, Progress
from pellucid.text.suggestions import meant


@cache
def metrics() -> dict[str, type[Metric]]:
    """Every metric, by name, found by looking through this folder.

    >>> [name for name in metrics() if name.startswith("p")]
    ['perimeter', 'precision']
    """
    by_name = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if inspect.isclass(member) and issubclass(member, Metric) and "name" in vars(member):
                by_name[member.name] = member
    return dict(sorted(by_name.items()))


def metric_named(name: str) -> type[Metric]:
    """The metric of this name, upper or lower case."""
    known = metrics()
    if name.lower() in known:
        return known[name.lower()]
    raise MeasureError(f"no metric is called {name!r}; the metrics are {', '.join(known)}{meant(name, known)}")


def measure(  # noqa: PLR0913  (a public verb)
    release: Any,
    original: Any,
    metrics: Iterable[Metric] | None = None,
    *,
    roles: Roles | None = None,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    identifier: str | None = None,
    weight: str | None = None,
    groups: Any = None,
    spark: Any = None,
    progress: Progress = SILENT,
) -> Scores:
    """What a release is still good for, set against the table that it was made of.

    ``release``: what :func:`pellucid.publish` gave, the folder it was written to, a file or a frame, whoever made it.
    ``original``: the table that it was made of (what :func:`pellucid.read` gave, a frame or a path). What its columns
    are comes from ``roles`` or ``schema``, from ``quasi``, ``sensitive``, ``identifier`` and ``weight``, or from the
    release's recipe, which says all that was declared of them unless an early version wrote it.
    ``metrics``: which; all of them unless given, and one that says nothing about this release then has no value and
    says why. ``groups``: who is in which group, as publishing keeps it (a file, or a number for each row): ``sse`` of a
    release on disk needs it, and ``classification`` is then that of the release in memory. Both may be Spark
    DataFrames, and with a session as ``spark`` Parquet files are read by Spark: metrics of columns and of classes are
    then measured from counts, those that look at every box are not.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.Discernibility()], **roles)
    >>> score.value, score.direction
    (24, 'lower')
    """
    chosen = None if metrics is None else several(metrics, "metrics", "a list of metrics", MeasureError)
    for metric in chosen or ():
        if not isinstance(metric, Metric):
            raise MeasureError(f"metrics has {metric!r}; give metrics with their parameters, as in [pc.Perimeter()]")
    named = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "weight": weight}
    given_roles = as_roles(roles, schema=schema, **named)
    from pellucid.metrics.open_release import shown_of  # here: it reads releases, and brings the audit along

    shown = shown_of(release, original, given_roles, groups=groups, spark=spark, progress=progress)
    return scores(shown, chosen, progress=progress)


def scores(
    shown: Shown | Counted, chosen: Sequence[Metric] | None, *, lenient: bool = False, progress: Progress = SILENT
) -> Scores:
    """The score of each metric; all metrics when none are chosen, and those that do not apply say why.

    Of those that are chosen one that does not apply is an error, unless ``lenient``.
    """
    asked = chosen if chosen is not None else [kind() for kind in metrics().values() if kind.concerns(shown)]
    progress.stage("measuring", len(asked))
    scored = Scores()
    for done, metric in enumerate(asked):
        progress.advance(done)
        try:
            scored.append(_score(metric, shown))
        except MeasureError as reason:
            if chosen is not None and not lenient:
                raise
            why = reason.message.with_terms(lambda term: "" if term.name == METRIC else term)  # the score says which
            scored.append(Score(metric.name, None, metric.unit, metric.direction, why))
    progress.advance(len(asked))
    return scored


METRIC = "metric of an error"


def _score(metric: Metric, shown: Shown | Counted) -> Score:
    if isinstance(shown, Shown):
        return metric.score(shown)
    if isinstance(metric, MarginMetric):
        return metric.score(shown)
    able = ", ".join(name for name, kind in metrics().items() if issubclass(kind, MarginMetric))
    raise MeasureError(
        "{term}every published box is needed beside the original's rows, which stay with "
        "Spark; with Spark there are: {able}",
        term=Term(METRIC, f"{metric.name}: "),
        able=able,
    )


__all__ = ["Metric", "Score", "Scores", "measure", "metric_named", "metrics", "scores"]
