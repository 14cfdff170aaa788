"""From a table to a release, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pellucid.advice import SEED, Advice
from pellucid.arguments import brief
from pellucid.coins import Coins
from pellucid.determined import TellingColumnWarning, check_accepted, refuse_determined, said_in, warning
from pellucid.errors import EngineError, MethodError, SchemaError
from pellucid.group import Method
from pellucid.group.anatomy import Anatomy
from pellucid.group.method import RecoderName
from pellucid.group.protecting import as_schema_says
from pellucid.io import read_as, schema_for
from pellucid.parallel import thread_count
from pellucid.progress import SILENT, Progress
from pellucid.recipe import recipe
from pellucid.recode import RECODERS, Recoder, TwoTables
from pellucid.recode.size import warn_of_size
from pellucid.release import Private, Public, Release
from pellucid.schema import Role, Roles, Schema
from pellucid.spark.frames import is_distributed
from pellucid.spark.settings import Spark
from pellucid.table import Table, fingerprint

SECRET_SEED = Advice(
    f"{SEED} fixes the coins: the guarantee holds only while the seed stays secret; leave it out to publish"
)


class SecretSeedWarning(UserWarning):
    """A seed was given: whoever learns it learns the coins."""


class InformedAttackerWarning(UserWarning):
    """The method does not withstand somebody who knows how it works; the message names the attack and a safe method."""


def publish(  # noqa: PLR0913  (a public verb)
    source: Any,
    method: Method,
    *,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    identifier: str | None = None,
    carry: Sequence[str] | None = None,
    accept_known: str | Sequence[str] = (),
    recode: Recoder | Anatomy | RecoderName | None = None,  # Anatomy() is a recoder, whatever type checkers see
    seed: int | str | None = None,
    threads: int | None = None,
    engine: Spark | None = None,
    progress: Progress = SILENT,
) -> Release:
    """Publish a table with a method.

    ``source``: a path, a dataframe, a database URL, or what :func:`pellucid.read` gave. What its columns are:
    ``schema`` (a :class:`Schema` or a TOML file), or ``quasi`` (what others may know), ``sensitive`` (what is
    protected), ``identifier`` (orders the rows, is never published) and ``carry`` (published per group, without
    steering). ``accept_known``: columns that give a sensitive one away (:mod:`pellucid.determined`) and are published
    all the same; without it they are refused, and the recipe records it. ``recode``: what a group becomes, what the
    method usually does unless given (most: intervals). ``seed``: fixes the coins, for tests. ``threads``: all cores
    unless given. ``engine``: :class:`Spark` for Parquet that no machine holds; a Spark DataFrame is published with
    Spark in any case, and its release has a Spark DataFrame.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.SoftCut(l=2), **roles)
    >>> release.frame.height
    8
    >>> release.recipe["method"], release.recipe["parameters"]
    ('soft-cut', {'l': 2})
    """
    if isinstance(recode, str) and recode in RECODERS:
        recode = RECODERS[recode]()
    recoder = _checked(method, recode, schema, engine)
    if seed is not None:
        warnings.warn(
            SECRET_SEED,
            SecretSeedWarning,
            stacklevel=2,
        )
    if method.warning is not None:
        warnings.warn(method.warning, InformedAttackerWarning, stacklevel=2)
    roles = Roles(schema, quasi, sensitive, identifier, carry)
    if engine is not None or is_distributed(source):
        from pellucid.spark.engine.publish import Particulars, publish_with_spark

        described = schema_for(source, roles)
        method = as_schema_says(method, described)
        recoder = recoder if recoder is not None else RECODERS[method.recoder]()
        coins = Coins.fresh() if seed is None else Coins.from_seed(seed)
        how = Particulars(accepted=accept_known)
        return publish_with_spark(source, described, method, recoder, coins, engine or Spark(), how, progress=progress)
    table = without_names(read_as(source, roles, progress=progress))
    accepted = check_accepted(accept_known, [a.name for a in table.attributes if a.role in (Role.QUASI, Role.CARRY)])
    progress.stage("measuring what columns say about the sensitive one", 0)
    if telling := refuse_determined(said_in(table, thread_count(threads)), accepted):
        warnings.warn(warning(telling), TellingColumnWarning, stacklevel=2)
    return publish_table(
        table, method, accepted=accepted, recode=recoder, seed=seed, threads=threads, progress=progress
    )


def _checked(method: Any, recode: Any, schema: Any, engine: Any) -> Recoder | None:
    """The recoder that is asked for; raise for what is no method, recoder, schema or engine."""
    if not isinstance(method, Method):
        raise MethodError(f"method = {method!r}: give a method with its parameters, for example pellucid.SoftCut(l=8)")
    if recode is not None and not isinstance(recode, Recoder):
        raise MethodError(
            f"recode = {recode!r}: give a recoder such as pellucid.Taxonomy(), or one of {', '.join(RECODERS)}"
        )
    if schema is not None and not isinstance(schema, Schema | str | Path):
        raise SchemaError(f"schema = {schema!r}: give the path of a schema file, or pellucid.Schema(columns={{...}})")
    if engine is not None and not isinstance(engine, Spark):
        raise EngineError(f"engine = {brief(engine)}: must be pellucid.Spark(...), or left out to work in memory")
    return recode


def without_names(table: Table) -> Table:
    """The table without the names of its people, of which publishing looks at the type only: their memory is free."""
    return table if table.names is None else replace(table, names=table.names.clear())


def publish_table(
    table: Table,
    method: Method,
    *,
    accepted: Sequence[str] = (),
    recode: Recoder | None = None,
    seed: int | str | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Release:
    """Group, recode, and put the two halves together; ``accepted`` as it was given for ``accept_known``."""
    method = as_schema_says(method, table.schema)
    recoder = recode if recode is not None else RECODERS[method.recoder]()
    threads = thread_count(threads)
    coins = Coins.fresh() if seed is None else Coins.from_seed(seed)
    grouping = method.group(table, coins, threads=threads, progress=progress)
    if grouping.added is not None and isinstance(recoder, TwoTables):
        raise MethodError(
            f"{method.name} adds records, which have no quasi-identifiers of their own, and anatomy publishes exact "
            "ones: whoever counts them sees where records were added; use another recoding, such as intervals"
        )
    progress.stage("recoding", len(table))
    frames = recoder.recode(*grouping.as_published(table), threads=threads)
    progress.advance(len(table))
    warn_of_size(table, frames)
    truth = None if grouping.sensitive is None else table.codes[table.having(Role.SENSITIVE)[0]]
    rows = len(grouping.members) + (0 if grouping.added is None else len(grouping.added[0]))
    told = recipe(
        table, method, recoder, rows, suppressed=grouping.suppressed, changes=grouping.changes, accepted=accepted
    )
    made_of = fingerprint(table, measured=True, threads=threads)
    return Release(Public(frames, told), Private(grouping, truth, table.schema, made_of), table.native)
