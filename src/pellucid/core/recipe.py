"""The public account of a release, whichever engine made it, and what can be read off it again.

A recipe says everything that steered the groups, so that whoever has it and the people needs no schema to see what the
method would have done: column after column in the order in which the method saw them, with role, kind, and what was
declared of the column (domain, order, taxonomy, which texts are missing values). What was measured and not declared,
the lowest and the highest value of a column, is not written: it follows from the people of the table, and where rows
are withheld it would tell about them. One thing that is measured is written, because published values show it: where a
column ends that was capped by shares of the rows, and beside it the shares (``measured``), by which the ends follow
from the people. ``format`` counts what a recipe tells; the first one had no such field, and did
not say what was declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import field
from datetime import date, datetime
from functools import cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Self

import polars as pl

from pellucid.anonymize.clusters import are_parted, cluster_name
from pellucid.anonymize.methods import Method, method_named
from pellucid.anonymize.recode import RECODERS, Recoder
from pellucid.core.schema import OF_GROUP, Column, Kind, Role, Schema
from pellucid.core.schema.people import ROW, Several
from pellucid.core.sentence import sentence_of
from pellucid.core.table import Attribute, Table
from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import InputError, PellucidError, SchemaError
from pellucid.runtime.records import record

FORMAT = 2
TOLD = (*OF_GROUP, Role.SENSITIVE)
RULES = ("ladder", "dates", "prefix")
FACTS = (
    "order",
    "nulls",
    "missing",
    "date_order",
    "round",
    "cap",
    "digits",
    "importance",
    "merge",
    "labels",
    "applies",
    "ruled_out",
)  # of a column, told as the schema says them


@record(eq=False)
class ToldColumn:
    """A column as a recipe tells of it; ``facts`` are as JSON has them, and nobody has looked yet whether they fit."""

    name: str
    role: Role
    kind: Kind
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Self:
        """What an entry of a recipe's columns says."""
        try:
            return cls(entry["name"], Role(entry["role"]), Kind(entry["kind"]), entry)
        except ValueError as wrong:
            raise _unclear(entry["name"], wrong) from None

    @property
    def orderless(self) -> bool:
        """Whether it was ordered and nobody says how, which leaves a category to whoever reads the release."""
        return self.kind is Kind.ORDERED and not self.facts.get("order")

    def declared(self, kind: Kind | str | None = None) -> Column:
        """The column of a schema that this tells; one that is said to be of another kind has nothing but that."""
        try:
            if kind is not None and kind != self.kind:
                return Column(role=self.role, kind=Kind.CATEGORY if kind == Kind.ORDERED else Kind(kind))
            return self._declared()
        except (PellucidError, TypeError, ValueError, KeyError) as wrong:
            raise _unclear(self.name, wrong) from None

    def _declared(self) -> Column:
        kind = self.kind
        details: dict[str, Any] = {key: self.facts[key] for key in FACTS if key in self.facts}
        if kind is Kind.ORDERED and "order" not in details:
            kind = Kind.CATEGORY
        if "domain" in self.facts:
            details["domain"] = [_moment(end) if isinstance(end, str) else end for end in self.facts["domain"]]
        taxonomy = self.facts.get("taxonomy")
        if taxonomy is not None:
            details["taxonomy"] = Taxonomy.from_nodes(**taxonomy) if "nodes" in taxonomy else dict(taxonomy)
        return Column(role=self.role, kind=kind, **details)


@record(eq=False)
class Recipe:
    """What a recipe says, of any version: what it does not say is None or empty.

    ``written`` is the document as it is in ``recipe.json``, with fields of versions that are not known here; nobody
    but :attr:`document`, which copies it, hands it on.

    >>> kids = {"name": "kids", "role": "quasi", "kind": "number", "domain": [0, 20]}
    >>> told = Recipe.of({"format": 2, "method": "tailor", "parameters": {"l": 2}, "columns": [kids]})
    >>> told.made_by, told.names(Role.QUASI), told.schema.columns["kids"].domain, told.suppressed
    (Tailor(model=None, l=2), ['kids'], (0, 20), None)
    """

    columns: tuple[ToldColumn, ...] = ()
    format: int = 1
    method: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    guarantee: str | None = None
    sentence: str = ""
    recode: str | None = None
    recode_parameters: Mapping[str, Any] = field(default_factory=dict)
    rows: int | None = None
    suppressed: int | None = None
    changes: tuple[str, ...] = ()
    row_order: str | None = None
    ordered_as: str | None = None
    cluster: str | None = None
    clusters_parted: bool | None = None
    written: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """What a document says whose fields are what they should be (:mod:`pellucid.audit.recipe_file` looks)."""
        made = document.get("format")
        return cls(
            columns=tuple(map(ToldColumn.of, document.get("columns", ()))),
            format=made if isinstance(made, int) and not isinstance(made, bool) else 1,
            method=document.get("method"),
            parameters=document.get("parameters", {}),
            guarantee=document.get("guarantee"),
            sentence=document.get("sentence", ""),
            recode=document.get("recode"),
            recode_parameters=document.get("recode_parameters", {}),
            rows=document.get("rows"),
            suppressed=document.get("suppressed"),
            changes=tuple(document.get("changes", ())),
            row_order=document.get("row_order"),
            ordered_as=document.get("ordered_as"),
            cluster=document.get("cluster"),
            clusters_parted=document.get("clusters_parted"),
            written=document,
        )

    @property
    def document(self) -> dict[str, Any]:
        """The recipe as JSON has it, a copy of its own for whoever asks."""
        return deepcopy(dict(self.written))

    @property
    def tells_what_steered(self) -> bool:
        """Whether it tells everything that the groups depend on.

        >>> Recipe.of({"format": 2}).tells_what_steered, Recipe.of({"pellucid": "0.1.0"}).tells_what_steered
        (True, False)
        """
        return self.format >= FORMAT

    @property
    def made_by(self) -> Method:
        """The method that it names, with its parameters."""
        assert self.method is not None
        parameters = {
            name: tuple(value) if isinstance(value, list) else value for name, value in self.parameters.items()
        }
        return method_named(self.method)(**parameters)

    @property
    def recoder(self) -> Recoder:
        """The recoder that it names. Before there was a largest set, every set was published whole.

        >>> Recipe.of({"recode": "intervals", "recode_parameters": {"split": False}}).recoder
        Intervals(largest_set=None, split=False)
        """
        assert self.recode is not None
        kind = RECODERS[self.recode]
        unsaid = {"largest_set": None} if "largest_set" in kind.model_fields else {}
        return kind(**unsaid | dict(self.recode_parameters))

    @property
    def names_recoder(self) -> bool:
        """Whether it says how groups were recoded, in a way that is known here."""
        return self.recode in RECODERS

    @property
    def writer(self) -> Recoder | None:
        """The recoder that wrote the cells; None where it names none that is known here.

        >>> Recipe.of({"recode": "suppression"}).writer, Recipe.of({"recode": "by hand"}).writer, Recipe().writer
        (Suppression(), None, None)
        """
        return self.recoder if self.names_recoder else None

    def names(self, *roles: Role) -> list[str]:
        """The columns that have one of these roles."""
        return [column.name for column in self.columns if column.role in roles]

    @property
    def nothing_sensitive(self) -> bool:
        """Whether it tells columns and none of them is sensitive: people are hidden among others, and that is all."""
        return bool(self.columns) and not self.names(Role.SENSITIVE)

    def declared(self, kinds: Mapping[str, Kind | str] | None = None) -> dict[str, Column]:
        """What it says of its columns. One that names no order of values has an ordered column as a category."""
        return {column.name: column.declared((kinds or {}).get(column.name)) for column in self.columns}

    @property
    def schema(self) -> Schema | None:
        """The schema that it tells, without an identifier; None where it does not say what was declared."""
        if not self.tells_what_steered:
            return None
        hiding = self.nothing_sensitive
        return Schema.model_construct(columns=self.declared(), nothing_sensitive=hiding, where=self.where)

    @property
    def where(self) -> str | None:
        """The condition that all its rows meet; None where rows were not left out by one."""
        told = self.written.get("where")
        return told if isinstance(told, str) else None

    @property
    def several(self) -> Several | None:
        """What was done about people with several rows; None where no column is said to number people."""
        told = self.written.get("people")
        with suppress(SchemaError):
            return Several.of(told) if isinstance(told, str) else None
        return None

    @property
    def protects_rows(self) -> bool:
        """Whether each row is protected by itself, of people who have several."""
        return self.several is not None and self.several.answer == ROW

    @property
    def of_some_rows(self) -> bool:
        """Whether it is of some rows of its table only, by a condition or one of each person."""
        return self.where is not None or (self.several is not None and self.several.leaves_one)


def _unclear(column: str, wrong: Exception) -> InputError:
    problem = str(wrong) if isinstance(wrong, PellucidError) else "it is written in another way than ours"
    return InputError(
        "the recipe does not say what the column {column!r} is: {problem}; give {SCHEMA} and a copy of the data "
        "without the recipe",
        column=column,
        problem=problem,
    )


def _moment(text: str) -> date:
    """A day or a time."""
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


@record()
class ReadAs:
    """How a table was read: under which schema, and how its identifiers are ordered (:func:`ordered_as`)."""

    schema: Schema | None
    ordered: str | None

    @classmethod
    def by(cls, table: Table) -> ReadAs:
        """As a table itself says."""
        named = table.order is not None and table.names is not None
        return cls(table.schema, ordered_as(table.names) if named and table.names is not None else None)


def recipe(
    table: Table,
    method: Method,
    recoder: Recoder,
    rows: int,
    *,
    suppressed: int,
    changes: Sequence[str] = (),
    read: ReadAs | None = None,
    asked: Mapping[str, Any] = MappingProxyType({}),
) -> Recipe:
    """Everything an informed attacker is assumed to know anyway; of the table only what its columns are counts.

    The engine is not in it: the same release comes from every one. ``read`` is how the table was read, as the table
    itself says unless given; a table that nobody has a schema of gives a recipe that does not say what was declared.
    ``asked`` is what else somebody asked for (:func:`pellucid.core.request.told_publicly`), such as ``accepted_known``:
    what was accepted, not what was measured (:mod:`pellucid.core.attribute_disclosure`).
    """
    read = ReadAs.by(table) if read is None else read
    known, ordered = read.schema, read.ordered
    document = {
        "pellucid": _own_version(),
        **({} if known is None else {"format": FORMAT}),
        "method": method.name,
        "parameters": method.model_dump(mode="json", exclude_none=True),
        "guarantee": method.claim,
        "sentence": sentence_of(table, method, recoder, asked.get("accepted_known", ())).text,
        "recode": recoder.name,
        "recode_parameters": recoder.model_dump(mode="json"),
        "rows": rows,
        "suppressed": suppressed,
        "changes": list(changes),
        **asked,
        "columns": [
            {"name": attribute.name, "role": attribute.role.value, "kind": attribute.kind.value}
            | ({} if known is None else declared(known.columns[attribute.name], attribute))
            | reading_facts(known, attribute)
            for attribute in table.attributes
            if attribute.role in TOLD
        ],
        "row_order": "identifier" if table.order is not None else "coins",
        **({} if ordered is None else {"ordered_as": ordered}),
        **_together(table, method),
    }
    return Recipe.of(document)


@cache
def _own_version() -> str:
    """Which pellucid this is; asked once, as it is read from a file each time."""
    return version("pellucid")


def _together(table: Table, method: Method) -> dict[str, Any]:
    """Which column says what rows belong together, and whether larger clusters were taken as several."""
    if table.clusters is None:
        return {}
    parted = are_parted(table, getattr(method, "cluster_rows", None))
    return {"cluster": cluster_name(table), "clusters_parted": parted}


def reading_facts(schema: Schema | None, attribute: Attribute) -> dict[str, Any]:
    """What whoever reads the original beside the release must know of a column: missing values, caps, written dates."""
    if schema is None:
        caps = {} if attribute.cap is None else {"cap": attribute.cap.public()}
        return caps if attribute.classes is None else caps | {"round": attribute.classes.public()}
    column = schema.columns[attribute.name]
    found = {"cap": attribute.cap, "round": attribute.classes}
    return column.model_copy(update={key: value for key, value in found.items() if value is not None}).public()


def ordered_as(identifier: pl.Series) -> str:
    """How identifiers are ordered: 9 is before 10 as a number, and behind it as a text.

    >>> ordered_as(pl.Series([9, 10])), ordered_as(pl.Series(["9", "10"]))
    ('numbers', 'text')
    """
    dtype = identifier.dtype
    return "numbers" if dtype.is_numeric() else "dates" if dtype.is_temporal() else "text"


def declared(column: Column, attribute: Attribute) -> dict[str, Any]:
    """What the schema declares of a column and a method may look at, as JSON has it; nothing of what it does not.

    >>> from pellucid.core.schema import Column
    >>> kids = Attribute("kids", Role.QUASI, Kind.NUMBER, pl.Series([0, 1]), False, pl.Series([0, 1]).to_numpy(), 20)
    >>> declared(Column(role="quasi", domain=[0, 20]), kids)
    {'domain': [0, 20]}
    """
    details: dict[str, Any] = {}
    if column.domain is not None:
        details["domain"] = [end.isoformat() if isinstance(end, date) else end for end in column.domain]
    if column.order is not None:
        details["order"] = list(column.order)
    taxonomy = _declared_taxonomy(column, attribute)
    if taxonomy is not None:
        details["taxonomy"] = taxonomy
    if column.nulls != "value":
        details["nulls"] = column.nulls
    if column.missing:
        details["missing"] = list(column.missing)
    return details


def _declared_taxonomy(column: Column, attribute: Attribute) -> Any:
    """The tree over a column's values: the rule that makes it, or its nodes; None where there is none."""
    if column.taxonomy is None:
        return None
    rule = next((rule for rule in RULES if getattr(column.taxonomy, rule) is not None), None)
    if rule is not None:
        return {rule: list(getattr(column.taxonomy, rule))}
    return None if attribute.taxonomy is None else attribute.taxonomy.to_nodes()
