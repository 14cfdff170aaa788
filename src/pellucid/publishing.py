"""From a table to a release, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.arguments import brief, seed_given
from pellucid.coins import Coins
from pellucid.determined import TellingColumnWarning, check_accepted, refuse_determined, said_in, warning
from pellucid.errors import EngineError, MethodError, SchemaError
from pellucid.group import Method
from pellucid.group.anatomy import Anatomy
from pellucid.group.cluster_method import applied
from pellucid.group.method import About, RecoderName
from pellucid.group.protecting import as_schema_says
from pellucid.group.self_check import Countable
from pellucid.group.shared_values import SharedInClustersWarning, shared_though_parted
from pellucid.importance import weighed, weighed_schema
from pellucid.io import read_as, schema_for
from pellucid.messages import Message
from pellucid.messages.terms import SEED
from pellucid.model.sensitive import code_of
from pellucid.parallel import thread_count
from pellucid.progress import SILENT, Progress
from pellucid.recipe import recipe
from pellucid.recode import RECODERS, Recoder, TwoTables
from pellucid.recode.size import warn_of_size
from pellucid.release import Private, Public, Release
from pellucid.schema import OF_GROUP, Role, Roles, Schema, as_roles
from pellucid.spark.frames import is_distributed
from pellucid.spark.settings import Spark
from pellucid.table import Table, fingerprint

SECRET_SEED = Message(
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
    roles: Roles | None = None,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    identifier: str | None = None,
    carry: Sequence[str] | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    importance: Mapping[str, int] | None = None,
    accept_known: str | Sequence[str] = (),
    recode: Recoder | Anatomy | RecoderName | None = None,  # Anatomy() is a recoder, whatever type checkers see
    seed: int | str | None = None,
    threads: int | None = None,
    engine: Spark | None = None,
    progress: Progress = SILENT,
) -> Release:
    """Publish a table with a method.

    ``source``: a path, a dataframe, a database URL, or what :func:`pellucid.read` gave. What its columns are: ``roles``
    (:class:`Roles`), or ``schema`` (a :class:`Schema` or a TOML file), or ``quasi`` (what others may know),
    ``sensitive`` (what is protected), ``identifier`` (orders the rows, is never published), ``carry`` (published per
    group, without steering), ``cluster`` (which rows belong together, such as a household: the promise is about the
    whole of it) and ``weight`` (for how many people a row stands: published as the mean of each group).
    ``importance``: how many times the extent of a quasi-identifier counts (``{"age": 3}``), 1 unless given here or in
    the schema. ``accept_known``: columns that give a sensitive one away (:mod:`pellucid.determined`) and are published
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
    named = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "carry": carry}
    columns = as_roles(roles, schema=schema, cluster=cluster, weight=weight, **named)
    recoder = _checked(method, _recoder_named(recode), columns.schema, engine)
    if seed is not None:
        warnings.warn(
            SECRET_SEED,
            SecretSeedWarning,
            stacklevel=2,
        )
    if method.warning is not None:
        warnings.warn(method.warning, InformedAttackerWarning, stacklevel=2)
    if engine is not None or is_distributed(source):
        described, coins = weighed_schema(schema_for(source, columns), importance), _coins(seed)
        return _publish_with_spark(source, described, method, recoder, coins, engine or Spark(), accept_known, progress)
    table = weighed(without_names(read_as(source, columns, progress=progress)), importance)
    accepted = check_accepted(accept_known, [a.name for a in table.attributes if a.role in OF_GROUP])
    progress.stage("measuring what columns say about the sensitive one", 0)
    protected = protected_codes(as_schema_says(method, table.schema).protects, table)
    if telling := refuse_determined(said_in(table, thread_count(threads, len(table)), protected), accepted):
        warnings.warn(warning(telling), TellingColumnWarning, stacklevel=2)
    asked = as_schema_says(method, table.schema)
    if shared := shared_though_parted(table, asked, getattr(asked, "cluster_rows", None)):
        warnings.warn(shared, SharedInClustersWarning, stacklevel=2)
    return publish_table(
        table, method, accepted=accepted, recode=recoder, seed=seed, threads=threads, progress=progress
    )


def protected_codes(about: About, table: Table) -> dict[str, NDArray[np.bool_]]:
    """Which codes of a sensitive column are protected, of columns of which not all are.

    A value that nobody has is the method's to refuse.
    """
    found = {}
    for attribute in (table.attributes[i] for i in table.having(Role.SENSITIVE)):
        values = about.get(attribute.name) if isinstance(about, Mapping) else about
        if values is not None:
            codes = [code for value in values if (code := code_of(value, attribute)) is not None]
            found[attribute.name] = np.isin(np.arange(len(attribute)), codes)
    return found


def _coins(seed: int | str | None) -> Coins:
    return Coins.fresh() if seed is None else Coins.from_seed(seed_given(seed, "seed", MethodError))


def _publish_with_spark(
    source: Any,
    schema: Schema,
    method: Method,
    recoder: Recoder | None,
    coins: Coins,
    engine: Spark,
    accepted: str | Sequence[str],
    progress: Progress,
) -> Release:
    from pellucid.spark.engine.publish import Particulars, publish_with_spark

    method = as_schema_says(method, schema)
    recoder = recoder if recoder is not None else RECODERS[method.recoder]()
    how = Particulars(accepted=accepted)
    return publish_with_spark(source, schema, method, recoder, coins, engine, how, progress=progress)


def _recoder_named(recode: Any) -> Any:
    """The recoder of a name; whatever else was given as it is."""
    return RECODERS[recode]() if isinstance(recode, str) and recode in RECODERS else recode


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
    method = applied(method, table)
    recoder = recode if recode is not None else RECODERS[method.recoder]()
    threads = thread_count(threads, len(table))
    grouping = method.group(table, _coins(seed), threads=threads, progress=progress)
    if grouping.added is not None and table.having(Role.WEIGHT):
        (weighing,) = table.having(Role.WEIGHT)
        raise MethodError(
            f"{method.name} adds records that stand for nobody, and {table.attributes[weighing].name!r} would make "
            "them stand for people; use another method, or drop the weight"
        )
    if grouping.added is not None and isinstance(recoder, TwoTables):
        raise MethodError(
            f"{method.name} adds records, which have no quasi-identifiers of their own, and anatomy publishes exact "
            "ones: whoever counts them sees where records were added; use another recoding, such as intervals"
        )
    columns = [table.attributes[column].name for column in table.having(Role.SENSITIVE)]
    Countable.of(method, columns).require_kept(table, grouping, threads)
    progress.stage("recoding", len(table))
    frames = recoder.recode(*grouping.as_published(table), threads=threads)
    progress.advance(len(table))
    warn_of_size(table, frames, threads)
    truth = None if grouping.sensitive is None else table.codes[table.having(Role.SENSITIVE)[0]]
    rows = len(grouping.members) + (0 if grouping.added is None else len(grouping.added[0]))
    account = recipe(
        table, method, recoder, rows, suppressed=grouping.suppressed, changes=grouping.changes, accepted=accepted
    )
    made_of = fingerprint(table, measured=True, threads=threads)
    return Release(Public(frames, account), Private(grouping, truth, table.schema, made_of), table.native)
