"""From a table to a release, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.cluster_method import applied, for_clusters
from pellucid.anonymize.disclosure.beyond_the_bound import told_by_strata
from pellucid.anonymize.disclosure.shared_values import SharedInClustersWarning, shared_though_parted
from pellucid.anonymize.disclosure.strata_pins import pins_of, strata_of
from pellucid.anonymize.layout.by_cuts import Above, CutBetweenCodes
from pellucid.anonymize.method import About, RecoderName
from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods.anatomy import Anatomy
from pellucid.anonymize.named_nodes import require_sets, with_nodes
from pellucid.anonymize.protecting import as_schema_says, in_company
from pellucid.anonymize.recode import RECODERS, Recoder, TwoTables, recoder_for
from pellucid.anonymize.recode.size import warn_of_size
from pellucid.anonymize.self_check import Countable
from pellucid.anonymize.sides import by_applying, refuse_ruled_out, sizes_applying
from pellucid.anonymize.usual_method import usual_for
from pellucid.core.attribute_disclosure import (
    MANY,
    TellingColumnWarning,
    check_accepted,
    refuse_determined,
    refuse_told_by_strata,
    said_in,
    warning,
)
from pellucid.core.coins import Coins
from pellucid.core.hints import hinted_role
from pellucid.core.importance import weighed, weighed_schema
from pellucid.core.naming import belonging
from pellucid.core.recipe import ReadAs, recipe
from pellucid.core.release import Private, Public, Release
from pellucid.core.request import Request, check_given, columns_asked, told_publicly
from pellucid.core.schema import OF_GROUP, Role, Roles, Schema, as_roles
from pellucid.core.table import Codes, Persons, Table, fingerprint
from pellucid.errors import EngineError, MethodError, OutputError, SchemaError
from pellucid.io import check_target, read_as, schema_for
from pellucid.io.groups_file import check_groups_file, kept_groups
from pellucid.io.people import settled_by
from pellucid.io.secrets import is_address
from pellucid.io.unnamed_people import people_unnamed
from pellucid.messages import Message, Term
from pellucid.messages.terms import KEEP_GROUPS_IN_JOB, OVERWRITE, OVERWRITE_IN_JOB, PEOPLE, quoted_key
from pellucid.models import Verdict
from pellucid.models.sensitive import codes_meant
from pellucid.runtime.arguments import brief, seed_given
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress
from pellucid.runtime.records import record
from pellucid.runtime.whole_file import explained, resolved
from pellucid.spark.frames import is_distributed
from pellucid.spark.settings import Spark

if TYPE_CHECKING:
    from pellucid.spark.engine.group_lines import Lost

SECRET_SEED = Message(
    "{SEED} fixes the coins: the guarantee holds only while the seed stays secret; leave it out to publish"
)


class SecretSeedWarning(UserWarning):
    """A seed was given: whoever learns it learns the coins."""


class TellingStrataWarning(UserWarning):
    """A stratum is published whole in which more than half of the people have one value; the message counts them."""


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
    importance: Mapping[str, float] | None = None,
    accept_known: str | Sequence[str] = (),
    people: str | None = None,
    where: str | None = None,
    applies: str | None = None,
    spreadsheet_safe: bool = False,
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
    the schema. ``accept_known``: columns that give a sensitive one away (:mod:`pellucid.core.attribute_disclosure`) and
    are published all the same; without it they are refused, and the recipe records it. ``people``: what is done where
    people have several rows, as in ``"patient=one"`` (one row of each, by lot), ``"patient=last by admitted"``,
    ``"patient=person"`` (protect the person) or ``"patient=row"`` (protect each row). ``where``: a condition on quasi-
    identifiers, as in ``"age >= 15"``: other rows are left out. ``applies``: to whom a sensitive column applies, as in
    ``"income=age >= 15"``: it is null for all others, and no group has people of both sides (strata). ``recode``: what
    a group becomes, what the method usually does unless given (most: intervals). ``seed``: fixes the coins, for tests.
    ``threads``: all cores unless given. ``engine``: :class:`Spark`, for large files; a Spark DataFrame is published by
    Spark in any case, and its release has a Spark DataFrame.
    ``spreadsheet_safe``: in CSV files, a ``'`` stands before what a spreadsheet would run.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.SoftCut(l=2), **roles)
    >>> release.frame.height
    8
    >>> release.recipe["method"], release.recipe["parameters"]
    ('soft-cut', {'l': 2})
    """
    named = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "carry": carry}
    asked = Request(
        source,
        method,
        roles=as_roles(roles, schema=schema, cluster=cluster, weight=weight, **named),
        importance={} if importance is None else importance,
        accept_known=accept_known,
        people=people,
        where=where,
        applies=applies,
        spreadsheet_safe=spreadsheet_safe,
        recode=recode,
        seed=seed,
        threads=threads,
        engine=engine,
    )
    return carry_out(asked, progress=progress, calls=2).release


@record(eq=False)
class Result:
    """What publishing did: the release, the table that it was made of, and whether it satisfies what is required.

    ``method`` is about the values that the schema says. ``table`` has no names of people; with Spark there is none.
    """

    request: Request
    release: Release
    method: Method
    table: Table | None
    threads: int = 1
    counted: Mapping[str, Any] = field(default_factory=dict)  # what Spark's workers counted
    verdicts: Sequence[Verdict] = ()
    why: Message = Message("")  # another method than the default is, where nobody named one
    telling: Message = Message("")  # of how many people strata tell a value with more than 1/2


Read = Callable[[Request, Progress], Table]
Verify = Callable[["Result"], Sequence[Verdict]]


def read_table(request: Request, progress: Progress) -> Table:
    """The table that a request names."""
    columns = columns_asked(request)
    return read_as(request.source, columns, coins=lot_of(request), threads=request.threads, progress=progress)


def lot_of(request: Request) -> Coins | None:
    """The coins that draw which row of a person is published; None: fresh ones, where a lot is drawn at all."""
    return None if request.seed is None else drawing_rows(request.seed)


def drawing_rows(seed: int | str) -> Coins:
    """The coins of a seed that draw which row of a person is read."""
    return _coins(seed).part("people")


def carry_out(
    request: Request,
    *,
    progress: Progress = SILENT,
    read: Read = read_table,
    verify: Verify | None = None,
    look: Callable[[Result], None] | None = None,
    lost: Lost | None = None,
    keeping: Term = KEEP_GROUPS_IN_JOB,
    calls: int = 1,
) -> Result:
    """Do what is asked: read, publish, check what is required, and write, where a place is named and nothing fails.

    ``read`` gives the table, for whoever has it already. ``verify`` says whether a release satisfies models. ``look``
    sees what was published before it is written. ``lost``: with Spark, who adds up what is lost. ``keeping``: how
    ``keep_groups`` is spelled. ``calls``: how many calls lie between this one and the line that warnings are about.
    """
    check_given(request)
    check_places(request, keeping)
    made = _made(request, read, lost, progress, calls + 2, looked_at=look is not None)
    if request.require:
        assert verify is not None, "whoever requires something says who verifies it"
        progress.stage("checking what is required", 0)
        made = replace(made, verdicts=verify(made))
    if look is not None:
        look(made)
        if made.table is not None:
            made.release.private.grouping.forget()
    if request.out is not None and all(made.verdicts):
        progress.stage("writing the release", 0)
        _write(made, request.out, keeping)
    return made


def check_places(request: Request, keeping: Term = KEEP_GROUPS_IN_JOB) -> None:
    """Raise, before anything is read, where the release or its groups cannot be written, or would replace an input."""
    if request.out is None:
        return
    job, replacing = ([], OVERWRITE) if request.file is None else ([request.file], OVERWRITE_IN_JOB)
    check_target(request.out, overwrite=request.overwrite, replacing=replacing)
    files = [*job, *_input_files(request.source, columns_asked(request).schema, _texts(request.method))]
    _refuse_inputs_in(request.out, files)
    check_groups_file(request.keep_groups, request.out, files, overwrite=request.overwrite, called=keeping)


def _refuse_inputs_in(out: Path, inputs: Sequence[Path]) -> None:
    """Raise when a folder that is to be replaced has a file that is read: the release would take its place."""
    with explained(str(out)):
        folder = resolved(out)
    for path in inputs:
        if path.exists() and path.resolve().is_relative_to(folder):
            raise OutputError(f"{out} has {path}, which is read as input, and is not replaced; choose another folder")


def _input_files(source: Any, schema: Schema | str | PathLike[str] | None, others: Iterable[object] = ()) -> list[Path]:
    """Every file that a call reads: the table, the schema and its taxonomies, and whatever else is a file's name."""
    if isinstance(source, str) and is_address(source):
        source = source.partition(":///")[2].partition("::")[0]
    files = [Path(one) for one in (source, *others) if isinstance(one, str | PathLike)]
    if schema is not None and not isinstance(schema, Schema):
        files.append(Path(schema))
        schema = Schema.load(Path(schema))
    if schema is not None:
        trees = [column.taxonomy.file for column in schema.columns.values() if column.taxonomy is not None]
        files += [schema.folder / tree for tree in trees if tree is not None]
    return files


def _texts(method: Method) -> list[object]:
    """What a method is told; some of it may be the name of a file."""
    return [getattr(method, name) for name in type(method).model_fields]


def _write(made: Result, out: Path, keeping: Term) -> None:
    request, release = made.request, made.release
    if made.table is None:  # Spark writes parquet, and has no groups to keep
        release.write(out, overwrite=request.overwrite)
        return
    labels = partial(labels_of_source, release.private.labels, made.table.kept)
    with kept_groups(request.keep_groups, labels, called=keeping) as put_groups:
        release.write(out, format=request.format or "csv", overwrite=request.overwrite, then=put_groups)


def labels_of_source(labels: NDArray[np.int32], kept: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    """A label for each row of the source: -1 where it is not published.

    >>> labels_of_source(np.array([0, 1]), np.array([True, False, True])).tolist()
    [0, -1, 1]
    """
    if kept is None:
        return labels
    whole = np.full(len(kept), -1, np.int32)
    whole[kept] = labels
    return whole


def _made(
    request: Request, read: Read, lost: Lost | None, progress: Progress, calls: int, *, looked_at: bool
) -> Result:
    """The release; ``calls`` from here to the line that warnings are about."""
    method, schema = request.method, columns_asked(request).schema
    recoder = _checked(method, _recoder_named(request.recode), schema, request.engine)
    if request.seed is not None:
        warnings.warn(SECRET_SEED, SecretSeedWarning, stacklevel=calls)
    if method.warning is not None:
        warnings.warn(method.warning, InformedAttackerWarning, stacklevel=calls)
    if request.engine is not None or is_distributed(request.source):
        return _made_with_spark(request, recoder, lost, progress)
    table = weighed(read(request, progress), request.importance)
    require_answer(table.persons or people_unnamed(request.source, table))
    order, table = ReadAs.by(table), replace(table, names=None)  # the recipe needs the type of names only
    accepted = check_accepted(request.accept_known, [a.name for a in table.attributes if a.role in OF_GROUP])
    refuse_names(table, accepted)
    refuse_ruled_out(table)
    progress.stage("measuring what columns say about the sensitive one", 0)
    method, why = usual_for(method, table) if request.unnamed else (method, Message(""))
    method = in_company(with_nodes(as_schema_says(method, table.schema), table), table)
    require_sets(method, table)
    threads = thread_count(request.threads, len(table))
    protected = protected_codes(method.protects, table)
    found = [one for part in by_applying(table) for one in said_in(part, threads, protected)]
    telling = refuse_determined(found, accepted)
    coins = _coins(request.seed)
    if (strata := _cut_into(method, table, threads)) is not None:
        refuse_told_by_strata(table, strata, coins, accepted, protected, threads, by_applying)
    if telling:
        warnings.warn(warning(telling), TellingColumnWarning, stacklevel=calls)
    if shared := shared_though_parted(table, method, getattr(method, "cluster_rows", None)):
        warnings.warn(shared, SharedInClustersWarning, stacklevel=calls)
    asked = {**told_publicly(replace(request, accept_known=accepted)), **read_publicly(table)}
    how = _How(coins, threads, order, asked, looked_at)
    release = _release(table, for_clusters(method, table), recoder, how, progress)
    if told := told_by_strata(method, release.private.above):
        warnings.warn(told, TellingStrataWarning, stacklevel=calls)
    return Result(request, release, method, table, threads, why=why, telling=told)


def _cut_into(method: Method, table: Table, threads: int) -> Codes | None:
    """The strata that a method cuts a table of few rows into, if it does: they may tell, and are looked at first."""
    cut = method.whole_from is not None and len(table) < MANY and bool(table.having(Role.QUASI))
    return method.strata(table, threads) if cut else None


def require_answer(people: Persons | None) -> None:
    """Raise where some people have several rows and nobody says what is protected: a promise about one would be false.

    It is computed from a column that numbers people, and looks at nothing sensitive.
    """
    if people is None or people.answer:
        return
    ways = {way: PEOPLE.such_as(f"{people.column}={way}") for way in ("one", "person", "row")}
    raise SchemaError(
        "{column} seems to number people, and {people:,} have {rows:,} rows: a promise about one row is none about a "
        "person",
        "publish one row of each, by lot, with {one} ({gone:,} rows go); protect whole people with {person}; or each "
        "row by itself with {row}, and the promise says so",
        column=people.column,
        people=people.people,
        rows=people.rows,
        gone=people.rows - people.people,
        **ways,
    )


def refuse_names(table: Table, accepted: Sequence[str]) -> None:
    """Raise where a column that would be published names people, by its name and its values, and is not accepted.

    It is computed from columns that others may know, and looks at nothing sensitive.
    """
    for column in (*table.having(Role.QUASI), *table.having(Role.CARRY)):
        attribute = table.attributes[column]
        hint = hinted_role(attribute.name)
        if attribute.name in accepted or hint is None or hint[0] is not Role.IDENTIFIER:
            continue
        rows = len(table) if not attribute.has_null else int((table.codes[column] > 0).sum())
        if told := belonging(attribute.name, len(attribute) - int(attribute.has_null), rows):
            raise SchemaError(
                "{name} names people, and the release would show its values: {told}",
                "drop it, give it {role}, or accept it with {accept}",
                name=attribute.name,
                told=told,
                role=quoted_key("role", "identifier"),
                accept=Term("accept_known", f"accept_known={[attribute.name]!r}", attribute.name),
            )


def read_publicly(table: Table) -> dict[str, Any]:
    """What the recipe tells of the rows that were read: what is done about people with several, and a condition."""
    people, where = table.persons, None if table.schema is None else table.schema.where
    told = {"people": f"{people.column}={people.answer}"} if people is not None else {}
    return told | ({} if where is None else {"where": where})


def protected_codes(about: About, table: Table) -> dict[str, NDArray[np.bool_]]:
    """Which codes of a sensitive column are protected, of columns of which not all are.

    A value that nobody has is the method's to refuse.
    """
    found = {}
    for attribute in (table.attributes[i] for i in table.having(Role.SENSITIVE)):
        values = about.get(attribute.name) if isinstance(about, Mapping) else about
        if values is not None:
            codes = [*codes_meant(values, attribute)]
            found[attribute.name] = np.isin(np.arange(len(attribute)), codes)
    return found


def _coins(seed: int | str | None) -> Coins:
    return Coins.fresh() if seed is None else Coins.from_seed(seed_given(seed, "seed", MethodError))


def _made_with_spark(request: Request, recoder: Recoder | None, lost: Lost | None, progress: Progress) -> Result:
    from pellucid.spark.engine.publish import Particulars, publish_with_spark

    asked = columns_asked(request)
    schema, several = settled_by(asked, schema_for(request.source, asked))
    schema = weighed_schema(schema, request.importance)
    method = in_company(as_schema_says(request.method, schema), None)
    recoder = recoder if recoder is not None else RECODERS[method.recoder]()
    how = Particulars(accept_known=request.accept_known, several=several, lost=lost, asked=told_publicly(request))
    coins, engine = _coins(request.seed), request.engine or Spark()
    release = publish_with_spark(request.source, schema, method, recoder, coins, engine, how, progress=progress)
    telling = told_by_strata(method, (release.figures or {}).get("above", {}))
    if telling:
        warnings.warn(telling, TellingStrataWarning, stacklevel=2)
    return Result(request, release, method, None, counted=release.figures or {}, telling=telling)


def _recoder_named(recode: Any) -> Any:
    """The recoder of a name; whatever else was given as it is."""
    return RECODERS[recode]() if isinstance(recode, str) and recode in RECODERS else recode


def _checked(method: Any, recode: Any, schema: Any, engine: Any) -> Recoder | None:
    """The recoder that is asked for; raise for what is no method, recoder, schema or engine."""
    if not isinstance(method, Method):
        raise MethodError(f"method = {method!r}: give a method with its parameters, for example pellucid.Strata(l=8)")
    if recode is not None and not isinstance(recode, Recoder):
        raise MethodError(
            f"recode = {recode!r}: give a recoder such as pellucid.Taxonomy(), or one of {', '.join(RECODERS)}"
        )
    if schema is not None and not isinstance(schema, Schema | str | Path):
        raise SchemaError(f"schema = {schema!r}: give the path of a schema file, or pellucid.Schema(columns={{...}})")
    if engine is not None and not isinstance(engine, Spark):
        raise EngineError(f"engine = {brief(engine)}: must be pellucid.Spark(...), or left out to work in memory")
    return recode


def release_of(
    table: Table,
    method: Method,
    *,
    recode: Recoder | None = None,
    seed: int | str | None = None,
    threads: int | None = None,
) -> Release:
    """The release of a table that was read, whatever its columns say about each other: nobody is warned or refused."""
    how = _How(_coins(seed), thread_count(threads, len(table)))
    return _release(table, applied(method, table), recode, how, SILENT)


@record(eq=False)
class _How:
    """What else is known when a release is made."""

    coins: Coins
    threads: int
    read: ReadAs | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)  # what the recipe tells of the request
    looked_at: bool = False  # whether somebody asks the same of the groups as recoding does


def _release(table: Table, method: Method, recode: Recoder | None, how: _How, progress: Progress) -> Release:
    """Group, recode, and put the two halves together."""
    recoder = recoder_for(method, recode, table.attributes)
    threads = how.threads
    grouping = method.group(table, how.coins, threads=threads, progress=progress)
    if how.looked_at:
        grouping.remember()
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
    strata = strata_of(grouping)
    pinned = {} if strata is None else {"strata": {"number": len(strata), "pins": pins_of(table, strata, threads)}}
    account = recipe(
        table,
        method,
        recoder,
        rows,
        suppressed=grouping.suppressed,
        changes=grouping.changes,
        read=how.read,
        asked={**how.asked, **pinned},
    )
    made_of = fingerprint(table, measured=True, threads=threads)
    above = {}
    if isinstance(method, CutBetweenCodes):
        beyond, sizes = method.beyond(table, grouping), sizes_applying(table, grouping)
        above = {column: Above.of(most, sizes[column]) for column, most in beyond.items()}
    return Release(Public(frames, account), Private(grouping, truth, table.schema, made_of, above), table.native)
