"""Say exactly which privacy models a release satisfies, whoever made it.

``verify`` asks whether given models hold, ``levels`` how far every model holds; both look at the release as it was
handed out. ``examine`` looks once and answers several questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from pellucid.audit.answers import Answers, AuditedLevel, AuditedVerdict, PublishedGroup, Views
from pellucid.audit.auditable import Asking
from pellucid.audit.examination import Audit, examine, examine_as, look_at
from pellucid.audit.findings import AuditFinding
from pellucid.audit.protected import Values
from pellucid.audit.row_risks import HouseholdRisk, RowRisks
from pellucid.core.schema import Kind, Names, Roles, Schema, as_roles

__all__ = [
    "Answers",
    "Asking",
    "Audit",
    "AuditFinding",
    "AuditedLevel",
    "AuditedVerdict",
    "HouseholdRisk",
    "PublishedGroup",
    "RowRisks",
    "examine",
    "examine_as",
    "levels",
    "look_at",
]


def levels(  # noqa: PLR0913  (a public verb)
    source: Any,
    *,
    roles: Roles | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    population: Any = None,
    group: str | None = None,
    values: Values | None = None,
    together: bool = False,
    views: Views = "both",
    exempt_suppressed: bool = False,
    threads: int | None = None,
    spark: Any = None,
) -> Answers[AuditedLevel]:
    """The best parameter of every privacy model that a release satisfies, with the weakest group behind each.

    ``source`` is a release of :func:`pellucid.publish`, the folder it was written to, any frame (pandas, Polars,
    PyArrow, DuckDB), a file, a :class:`~pellucid.Table`, or the two tables of an anatomy release as
    ``{"quasi_identifiers": frame, "sensitive": frame}``; all of these may be Spark DataFrames, and with a session as
    ``spark`` Parquet files are read by Spark: its executors look at the groups, and the answers are the same.

    Which columns are what comes from ``roles`` or ``schema``, or from ``quasi`` and ``sensitive`` (with ``kinds={"icd":
    "category"}`` where numbers are names), or from the release's recipe.

    Groups are rows with the same published quasi-identifiers; an interval, a set or a taxonomy node is a value like any
    other, and so is null. Of two tables, ``group`` (by default the column that both have) numbers the groups. With
    several sensitive columns each is looked at separately, and harmonised: with the other sensitive columns as
    quasi-identifiers. Suppressed rows (every quasi-identifier ``*`` or null) are a group like any other, unless
    ``exempt_suppressed``. ``population`` is a table of people for k-map and delta-presence; without it, ``weight`` (the
    column that says for how many people a row stands) estimates k-map. ``cluster`` says which rows are a household's;
    :meth:`~pellucid.audit.Audit.row_risks` of ``found.audit`` has the risk of each row and household. ``values`` are
    those that models of diversity protect (all when not given), each, or ``together`` as one; with several sensitive
    columns they are meant in the columns that have them, or column by column as in ``{"disease": ["HIV"]}``.

    >>> import pellucid as pc
    >>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), quasi=["age", "zipcode"], sensitive="disease",
    ...                      identifier="name")
    >>> found = pc.levels(release)
    >>> found[0].model, found[0].level, found[0].worst.size, len(found[0].worst.rows)
    ('k-anonymity', 2, 2, 2)
    >>> found.audit.rows, found.audit.nulls
    (8, {'age': 0, 'zipcode': 0, 'disease': 0})
    """
    audit = look_at(
        source,
        as_roles(
            roles,
            schema=schema,
            quasi=quasi,
            sensitive=sensitive,
            weight=weight,
            cluster=cluster,
            kinds=kinds,
            group=group,
        ),
        population=population,
        exempt_suppressed=exempt_suppressed,
        threads=threads,
        spark=spark,
    )
    return audit.levels(values=values, together=together, views=views)
