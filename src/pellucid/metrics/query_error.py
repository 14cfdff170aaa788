"""Query error: how wrong counts are that somebody makes with the release instead of the original."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, field_validator, model_validator

from pellucid.core.schema import Role
from pellucid.errors import MeasureError
from pellucid.messages import Count, Message, Share
from pellucid.metrics.answering import estimated_answers, true_answers, true_weights
from pellucid.metrics.boxes import Shown
from pellucid.metrics.margins import Counted, Margins
from pellucid.metrics.metric import Direction, MeanMetric, Score
from pellucid.metrics.workload import Form, Workload
from pellucid.published.choices import Floats, Integers
from pellucid.runtime.parallel import thread_count
from pellucid.text.values import joined_by_and

USUAL = 3  # dimensions, where the table has as many
SURE = 1.96  # standard errors to both sides: in 19 of 20 draws of queries the mean is in between


class QueryError(MeanMetric):
    """The mean error of random count queries, ``|true - estimated| / max(true, delta)``, over all queries.

    A query counts the rows with so many quasi-identifiers and the sensitive value in given places; how they are drawn
    is said in :meth:`Workload.of`. Of several sensitive columns each is in as many queries, and ``details["columns"]``
    has the mean of each. It is estimated from the release by spreading each cell evenly over what it leaves
    open: an interval over the places of its line, a set over its values, a name over the leaves below it; of an anatomy
    release exactly per group. ``delta``, a share of the rows, keeps queries that hardly anybody satisfies from
    dominating; with ``delta=0`` the error is relative, and queries that nobody satisfies are left out. The queries are
    a sample: ``details["spread"]`` is 1.96 standard errors of the mean. They are drawn from ``seed`` alone, so that
    whoever measures the same release with the same parameters has the same figure.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> error = pc.QueryError(dimensions=2, selectivity=0.3, queries=100, seed=1)
    >>> score, = pc.measure(release, pc.datasets.patients(), [error], **roles)
    >>> score.direction, score.details["queries"]
    ('lower', 100)
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)

    name: ClassVar[str] = "query-error"
    summary: ClassVar[str] = "how wrong counts are that are made with the release"
    unit: ClassVar[str] = "mean relative error"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Xiao, Tao, Koudas. TODS 2010; Xiao, Tao. Anatomy. VLDB 2006; Cormode et al. VLDB 2010"

    dimensions: int | None = Field(default=None, ge=0, description="how many quasi-identifiers a query looks at")
    selectivity: float = Field(
        default=0.06, gt=0, le=1, description="the share of the rows that a query selects, above 0 and at most 1"
    )
    queries: int = Field(default=1000, ge=1, description="how many queries are asked")
    seed: int = Field(default=1, ge=0, description="what the queries are drawn from")
    form: Form = Field(default="intervals", description="what predicates are: intervals, sets or values")
    delta: float = Field(default=0.005, ge=0, le=1, description="the least count that an error is relative to, by rows")
    sensitive: bool = Field(default=True, description="whether queries look at the sensitive column too")
    workload: Workload | None = Field(
        default=None, description="queries to ask instead of random ones, or the file they were saved to"
    )

    @field_validator("workload", mode="before")
    @classmethod
    def _from_file(cls, given: object) -> object:
        """Queries that were saved, by the name of the file."""
        return Workload.load(given) if isinstance(given, str | Path) else given

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.dimensions == 0 and not self.sensitive:
            raise ValueError("dimensions = 0 without the sensitive column asks nothing; ask for at least one dimension")
        return self

    def workloads_for(self, shown: Shown | Counted) -> list[Workload]:
        """The queries: of each sensitive column as many, or those without one."""
        if self.workload is not None:
            return [self.workload]
        attributes = shown.table.attributes if isinstance(shown, Shown) else shown.books
        quasi = [attribute for attribute in attributes if attribute.role is Role.QUASI]
        secrets = [[one] for one in attributes if one.role is Role.SENSITIVE and self.sensitive] or [[]]
        return [
            Workload.of(
                [*quasi, *secret],
                dimensions=min(USUAL, len(quasi)) if self.dimensions is None else self.dimensions,
                selectivity=self.selectivity,
                queries=-(-self.queries // len(secrets)),
                seed=self.seed,
                form=self.form,
                sensitive=bool(secret),
            )
            for secret in secrets
        ]

    def _asked(self, workloads: Sequence[Workload]) -> Message:
        """Which queries were asked, in words."""
        dimensions = workloads[0].columns.shape[1] - int(workloads[0].sensitive)
        besides = " and the sensitive column" if workloads[0].sensitive else ""
        if len(workloads) > 1:
            besides = Message(" and one of {columns}", columns=joined_by_and([one.names[-1] for one in workloads]))
        return Message(
            "{queries:,} {kind} queries over {quasi}{besides}{drawn}",
            queries=sum(map(len, workloads)),
            kind="random" if self.workload is None else "given",
            quasi=Count(dimensions, "quasi-identifier"),
            besides=besides,
            drawn=f", selectivity {self.selectivity:g}, seed {self.seed}" if self.workload is None else "",
        )

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        assert isinstance(shown, Shown | Counted)
        workloads = self.workloads_for(shown)
        answered = [_answers(workload, shown, weighted=self.weighted) for workload in workloads]
        true, estimated = (np.concatenate(answers) for answers in zip(*answered, strict=True))
        least = self.delta * _all_of(shown, weighted=self.weighted)
        asked = true > 0 if least == 0 else np.ones(len(true), np.bool_)
        if not asked.any():
            raise MeasureError(
                f"none of the {len(true):,} queries selects a row of the original, so no error can be relative; "
                "use a larger selectivity, or delta=0.005"
            )
        errors = np.abs(true - estimated)[asked] / np.maximum(true[asked], least)
        value, median = float(errors.mean()), float(np.median(errors))
        spread = None if self.workload is not None else SURE * float(errors.std()) / math.sqrt(len(errors))
        columns = _by_column(workloads, asked, errors) if len(workloads) > 1 else {}
        return self.found(
            value,
            error_words(value, median, spread, self._asked(workloads), self._floored(true, least)),
            queries=int(asked.sum()),
            unanswerable=int((~asked).sum()),
            median=median,
            spread=spread,
            worst=float(errors.max()),
            dimensions=workloads[0].columns.shape[1] - int(workloads[0].sensitive),
            selectivity=self.selectivity,
            form=self.form,
            seed=self.seed,
            delta=self.delta,
            below_delta=int((true[asked] < least).sum()),
            **({"columns": columns} if columns else {}),
        )

    def _floored(self, true: Integers | Floats, least: float) -> Message:
        """How small counts are taken, in words: their error by the least count and not by themselves."""
        if least == 0:
            return Message("; counts of nobody are left out (delta = 0)")
        below = int((true < least).sum())
        of = "people" if self.weighted else "rows"
        return Message(
            "; a count below {least:,.4g} {of} (delta = {delta:g} of all) is off by its error divided by that: "
            "{below:,} of the counts",
            least=least,
            of=of,
            delta=self.delta,
            below=below,
        )


def _by_column(workloads: Sequence[Workload], asked: NDArray[np.bool_], errors: Floats) -> dict[str, float | None]:
    """The mean error of the queries with each sensitive column; None where each selects nobody."""
    of = np.repeat(np.arange(len(workloads)), [len(workload) for workload in workloads])[asked]
    parts = {workload.names[-1]: errors[of == n] for n, workload in enumerate(workloads)}
    return {name: float(part.mean()) if len(part) else None for name, part in parts.items()}


def error_words(mean: float, median: float, spread: float | None, asked: str, floored: str = "") -> Message:
    """What the figure means; ``spread`` is by how much other queries of the kind may change the mean.

    >>> error_words(0.3, 0.1, 0.02, "1,000 random queries")
    'a count made with the release is off by 30.0% on average (± 2.0% with other queries), half of the counts by at \
most 10.0% (1,000 random queries)'
    """
    sampled = "" if spread is None else Message(" (± {spread} with other queries)", spread=Share(spread, 1))
    return Message(
        "a count made with the release is off by {mean} on average{sampled}, half of the counts by at most {median} "
        "({asked}){floored}",
        mean=Share(mean, 1),
        sampled=sampled,
        median=Share(median, 1),
        asked=asked,
        floored=floored,
    )


def _all_of(shown: Shown | Counted, *, weighted: bool) -> float:
    """How many rows the original has, or for how many people they stand."""
    if weighted and isinstance(shown, Shown) and shown.original_weights is not None:
        return math.fsum(shown.original_weights.tolist())
    return shown.original_rows


def _answers(workload: Workload, shown: Shown | Counted, *, weighted: bool) -> tuple[Integers | Floats, Floats]:
    """What the original answers, and what is estimated from the release: counts, or sums of weights."""
    if isinstance(shown, Shown):
        threads = thread_count(None)
        if not weighted:
            true = true_answers(workload, shown.table, threads=threads)
            return true, estimated_answers(workload, shown, threads=threads)
        published = shown.class_weights
        assert shown.original_weights is not None
        weighed = true_weights(workload, shown.table, shown.original_weights, threads=threads)
        return weighed, estimated_answers(workload, shown, weights=published, threads=threads)
    if weighted:
        _ = shown.by_weight  # which says why not
    if shown.ask is None:
        raise MeasureError(
            "query-error joins the two tables of a release row by row, which is not done with Spark; "
            "measure this release in memory"
        )
    return shown.ask(workload)
