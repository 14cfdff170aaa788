"""Which columns of a release form the groups, and which are sensitive: by schema, by name or by recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pellucid.audit.meaning import meant_by
from pellucid.audit.source import SPLIT, WHOLE, OpenedRelease
from pellucid.core.schema import Column, Kind, Role, Roles, Schema, column_names
from pellucid.errors import InputError, SchemaError
from pellucid.io.columns import choose
from pellucid.messages.terms import QUASI, bare_term
from pellucid.published.ends import published_as
from pellucid.runtime.arguments import mapping


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseRoles:
    """``quasi`` are the published columns that tell groups apart; ``sensitive`` says what each sensitive column is.

    In a release of two tables, ``group`` is the column of group numbers that joins them. ``identifying`` columns name
    people and should not be there; ``unnamed`` columns are in the release, and nobody said what they are. ``meant`` is
    how people's own values beside the release are read. ``weight`` says for how many people each row stands; where it
    ``tells``, because the recipe says that it is that of a group, it tells groups apart. Of a table of others it may be
    each row's own, by which levels form no groups and verdicts do. ``cluster`` says which rows are a household's, where
    the table has such a column: no release of ours does.
    """

    quasi: tuple[str, ...]
    sensitive: Mapping[str, Column]
    group: str | None = None
    identifying: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    schema: Schema | None = field(default=None, repr=False)
    meant: Schema | None = field(default=None, repr=False)
    weight: str | None = None
    tells: bool = False
    cluster: str | None = None

    @property
    def forming(self) -> tuple[str, ...]:
        """The published columns that tell groups apart; of two tables, the group number."""
        if self.group is not None:
            return (self.group,)
        return (*self.quasi, *self.weights) if self.tells else self.quasi

    @property
    def weights(self) -> tuple[str, ...]:
        """The column of the weights, if there is one."""
        return () if self.weight is None else (self.weight,)

    @property
    def typed(self) -> tuple[str, ...]:
        """The columns whose texts in a file stand for numbers or dates: sensitive ones, unless they are mere names."""
        names = (column.kind is Kind.CATEGORY and column.taxonomy is None for column in self.sensitive.values())
        return (*(name for name, named in zip(self.sensitive, names, strict=True) if not named), *self.weights)

    def schema_to_encode(self, quasi: Sequence[str]) -> Schema:
        """The schema under which the published values become codes.

        A published quasi-identifier is a name and nothing else: 27, [21, 27] and Europe are three values of a category.
        A sensitive column keeps its kind, order and taxonomy, which the distances between distributions need.
        """
        columns = {name: Column(role=Role.QUASI, kind=Kind.CATEGORY) for name in quasi}
        columns |= {name: Column(role=Role.WEIGHT) for name in self.weights}
        columns |= {name: column.model_copy(update={"nulls": "value"}) for name, column in self.sensitive.items()}
        # A copy of the caller's schema finds taxonomy files beside it; without a sensitive column there is no schema to
        # validate, for a schema has one: k-anonymity can be asked for all the same.
        if self.schema is not None:
            return self.schema.model_copy(update={"columns": columns})
        return Schema.model_construct(columns=columns)


def roles_of(source: OpenedRelease, said: Roles) -> ReleaseRoles:
    """What the columns of a release are, and that all of them are there.

    >>> from pellucid.audit.source import opened
    >>> roles = roles_of(opened("patients"), Roles(quasi=["age", "zipcode"], sensitive="disease"))
    >>> roles.quasi, list(roles.sensitive), roles.unnamed
    (('age', 'zipcode'), ['disease'], ('name',))
    """
    _refuse_said_twice(said)
    kinds = mapping(said.kinds, "kinds", "a mapping of columns to kinds, as in kinds={'age': 'number'}", SchemaError)
    if said.schema is not None and kinds:
        raise SchemaError(
            "{schema} and {kinds} both say what kind a column is",
            "write the kind into the schema",
            schema=bare_term("schema"),
            kinds=bare_term("kinds"),
        )
    declared: Mapping[str, Column]
    whole: Schema | None = None
    if said.schema is not None:
        whole = Schema.given(said.schema, protecting=False)
        declared = whole.columns
    elif said.quasi is not None or said.sensitive is not None:
        declared = _by_name(source, said, kinds)
    elif source.recipe is not None:
        declared = source.recipe.declared(kinds)
        whole = source.recipe.schema
    elif source.schema is not None:
        declared = source.schema.columns
    elif source.in_two:
        declared = _by_table(source, said.group, kinds)
    else:
        raise SchemaError(
            "{source}: nothing says what the columns are; give {QUASI} and {SENSITIVE}, or {SCHEMA}, "
            "or the folder of a release with its recipe.json",
            source=source.name,
        )
    return _present(source, _with_cluster(source, declared, said.cluster), said.group, whole)


def _with_cluster(source: OpenedRelease, declared: Mapping[str, Column], cluster: str | None) -> Mapping[str, Column]:
    """The columns with the one that the caller says has households, which has to be there."""
    if cluster is None:
        return declared
    choose(source.columns(SPLIT[0] if source.in_two else WHOLE), [cluster], source.name)
    role = declared[cluster].role if cluster in declared else Role.DROP
    if role not in (Role.CLUSTER, Role.DROP):
        raise SchemaError("{cluster!r} is named as {role} and as cluster; name it once", cluster=cluster, role=role)
    return {**declared, cluster: Column(role=Role.CLUSTER)}


def _refuse_said_twice(said: Roles) -> None:
    if said.schema is not None and (said.quasi is not None or said.sensitive is not None):
        which = "quasi" if said.quasi is not None else "sensitive"
        raise SchemaError(
            "{schema} and {which} both say what the columns are; give one of the two",
            schema=bare_term("schema"),
            which=bare_term(which),
        )


def _by_name(source: OpenedRelease, said: Roles, kinds: Mapping[str, Kind | str]) -> Mapping[str, Column]:
    """Columns whose roles the caller gave by name; two tables say themselves what is left out."""
    if said.quasi is None and not source.in_two:
        raise SchemaError(
            "{SENSITIVE} is given and {QUASI} is not",
            "name what an attacker may know, as in {quasi}",
            quasi=QUASI.such_as(["age", "zip"]),
        )
    tables = _by_table(source, said.group, {}) if source.in_two else {}
    quasi, sensitive = (
        column_names(list(_with_role(tables, role)) if named is None else named)
        for named, role in ((said.quasi, Role.QUASI), (said.sensitive, Role.SENSITIVE))
    )
    if not quasi:
        raise SchemaError("quasi names no column; name at least one that an attacker may know")
    carried = [] if said.carry is None else column_names(said.carry)
    if sensitive:
        return Schema.of(quasi=quasi, sensitive=sensitive, carry=carried, weight=said.weight, kinds=kinds).columns
    weighed = {} if said.weight is None else {str(said.weight): Column(role=Role.WEIGHT)}
    return _without_sensitive(quasi, carried, kinds) | weighed


def _without_sensitive(
    quasi: Sequence[str], carried: Sequence[str], kinds: Mapping[str, Kind | str]
) -> dict[str, Column]:
    """Columns at which k-anonymity looks; Schema.of refuses a schema without a sensitive one."""
    for name in quasi:
        if quasi.count(name) > 1:
            raise SchemaError("{name!r} is named twice as quasi; name it once", name=name)
    if kinds:
        raise SchemaError(
            "{kinds} names {iter!r}, which is not sensitive; leave it out",
            kinds=bare_term("kinds"),
            iter=next(iter(kinds)),
        )
    roles = dict.fromkeys(carried, Role.CARRY) | dict.fromkeys(quasi, Role.QUASI)
    return {name: Column(role=role) for name, role in roles.items()}


def _by_table(source: OpenedRelease, group: str | None, kinds: Mapping[str, Kind | str]) -> Mapping[str, Column]:
    """Two tables without a word about them: each column has the role of its table."""
    joined = group_column(source, group)
    columns = {}
    for table, role in zip(SPLIT, (Role.QUASI, Role.SENSITIVE), strict=True):
        for name in source.columns(table):
            if name != joined:
                columns[name] = Column(role=role, kind=kinds.get(name))
    return columns


def group_column(source: OpenedRelease, group: str | None) -> str:
    """The column of group numbers: the one that both tables have."""
    left, right = (source.columns(table) for table in SPLIT)
    if group is not None:
        for table in SPLIT:
            choose(source.columns(table), [group], f"table {table}")
        return group
    shared = [name for name in left if name in right]
    if len(shared) == 1:
        return shared[0]
    what = f"share the columns {', '.join(shared)}" if shared else "share no column"
    raise InputError(
        "the tables quasi_identifiers and sensitive {what}; name the column of group numbers with {GROUP}", what=what
    )


def _columns_without(source: OpenedRelease, joined: str | None) -> list[str]:
    """The columns of all tables, but for the one that joins them."""
    return [name for table in source.tables for name in source.columns(table) if name != joined]


def _with_role(declared: Mapping[str, Column], role: Role) -> dict[str, Column]:
    return {name: column for name, column in declared.items() if column.role is role}


def _present(
    source: OpenedRelease, declared: Mapping[str, Column], group: str | None, schema: Schema | None
) -> ReleaseRoles:
    """The declared columns that the release must have and has, with what else it has."""
    joined = group_column(source, group) if source.in_two else None
    there = _columns_without(source, joined)
    quasi = _quasi_of(source, declared)
    sensitive = _with_role(declared, Role.SENSITIVE)
    choose(source.columns(SPLIT[1] if source.in_two else WHOLE), list(sensitive), source.name)
    identifying = [name for name in _with_role(declared, Role.IDENTIFIER) if name in there]
    weight = next((name for name in _with_role(declared, Role.WEIGHT)), None)
    if weight is not None:
        choose(source.columns(SPLIT[0] if source.in_two else WHOLE), [weight], source.name)
    named = {*quasi, *sensitive, *identifying, *([] if weight is None else [weight])}
    unnamed = tuple(name for name in there if name and name not in named)
    meant = meant_by(source.recipe, schema or source.schema)
    tells = source.recipe is not None
    cluster = next((name for name in _with_role(declared, Role.CLUSTER) if name in there), None)
    return ReleaseRoles(
        tuple(quasi), sensitive, joined, tuple(identifying), unnamed, schema, meant, weight, tells, cluster
    )


def _quasi_of(source: OpenedRelease, declared: Mapping[str, Column]) -> list[str]:
    """The published columns that an attacker may know.

    What is carried is recoded with its group and published beside the quasi-identifiers: whoever knows a person's value
    looks for it just the same.
    """
    columns = source.columns(SPLIT[0] if source.in_two else WHOLE)
    quasi: list[str] = []
    for name, column in declared.items():
        if column.role is Role.QUASI or (column.role is Role.CARRY and published_as(name, columns)):
            quasi += published_as(name, columns) or choose(columns, [name], source.name)
    return quasi
