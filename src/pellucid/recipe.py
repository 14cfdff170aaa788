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
from datetime import date, datetime
from importlib.metadata import version
from typing import Any

import polars as pl

from pellucid.errors import InputError, PellucidError
from pellucid.group import Method
from pellucid.recode import Recoder
from pellucid.schema import Column, Kind, Role, Schema
from pellucid.sentence import sentence_of
from pellucid.table import Attribute, Table
from pellucid.taxonomy import Taxonomy

FORMAT = 2
TOLD = (Role.QUASI, Role.CARRY, Role.SENSITIVE)
RULES = ("ladder", "dates", "prefix")
FACTS = ("order", "nulls", "missing", "date_order", "cap")  # of a column, told as the schema says them


def recipe(
    table: Table,
    method: Method,
    recoder: Recoder,
    rows: int,
    *,
    suppressed: int,
    changes: Sequence[str] = (),
    schema: Schema | None = None,
    ordered: str | None = None,
    accepted: Sequence[str] = (),
) -> dict[str, Any]:
    """Everything an informed attacker is assumed to know anyway; of the table only what its columns are counts.

    The engine is not in it: the same release comes from every one. ``schema`` is what the table was read under, the
    table's own unless given; a table that nobody has a schema of gives a recipe that does not say what was declared.
    ``ordered`` says how identifiers are ordered (:func:`ordered_as`) where the table has none to ask.
    ``accepted_known`` is what somebody accepted, not what was measured: see :mod:`pellucid.determined`.
    """
    known = schema if schema is not None else table.schema
    if ordered is None and table.order is not None and table.names is not None:
        ordered = ordered_as(table.names)
    return {
        "pellucid": version("pellucid"),
        **({} if known is None else {"format": FORMAT}),
        "method": method.name,
        "parameters": method.model_dump(mode="json", exclude_none=True),
        "guarantee": method.claim,
        "sentence": sentence_of(table, method, recoder, accepted).text,
        "recode": recoder.name,
        "recode_parameters": recoder.model_dump(mode="json"),
        "rows": rows,
        "suppressed": suppressed,
        "changes": list(changes),
        **({"accepted_known": list(accepted)} if accepted else {}),
        "columns": [
            {"name": attribute.name, "role": attribute.role.value, "kind": attribute.kind.value}
            | ({} if known is None else declared(known.columns[attribute.name], attribute))
            | reading_facts(table, attribute)
            for attribute in table.attributes
            if attribute.role in TOLD
        ],
        "row_order": "identifier" if table.order is not None else "coins",
        **({} if ordered is None else {"ordered_as": ordered}),
    }


def reading_facts(table: Table, attribute: Attribute) -> dict[str, Any]:
    """What whoever reads the original beside the release must know of a column: missing values, caps, written dates."""
    if table.schema is None:
        return {} if attribute.cap is None else {"cap": attribute.cap.public()}
    column = table.schema.columns[attribute.name]
    return (column if attribute.cap is None else column.model_copy(update={"cap": attribute.cap})).public()


def ordered_as(identifier: pl.Series) -> str:
    """How identifiers are ordered: 9 is before 10 as a number, and behind it as a text.

    >>> ordered_as(pl.Series([9, 10])), ordered_as(pl.Series(["9", "10"]))
    ('numbers', 'text')
    """
    dtype = identifier.dtype
    return "numbers" if dtype.is_numeric() else "dates" if dtype.is_temporal() else "text"


def declared(column: Column, attribute: Attribute) -> dict[str, Any]:
    """What the schema declares of a column and a method may look at, as JSON has it; nothing of what it does not.

    >>> from pellucid.schema import Column
    >>> kids = Attribute("kids", Role.QUASI, Kind.NUMBER, pl.Series([0, 1]), False, pl.Series([0, 1]).to_numpy(), 20)
    >>> declared(Column(role="quasi", domain=[0, 20]), kids)
    {'domain': [0, 20]}
    """
    told: dict[str, Any] = {}
    if column.domain is not None:
        told["domain"] = [end.isoformat() if isinstance(end, date) else end for end in column.domain]
    if column.order is not None:
        told["order"] = list(column.order)
    if column.taxonomy is not None:
        rule = next((rule for rule in RULES if getattr(column.taxonomy, rule) is not None), None)
        if rule is not None:
            told["taxonomy"] = {rule: list(getattr(column.taxonomy, rule))}
        elif attribute.taxonomy is not None:
            told["taxonomy"] = attribute.taxonomy.to_nodes()
    if column.nulls != "value":
        told["nulls"] = column.nulls
    if column.missing:
        told["missing"] = list(column.missing)
    return told


def says_what_steered(recipe: Mapping[str, Any] | None) -> bool:
    """Whether a recipe tells everything that the groups depend on.

    >>> says_what_steered({"format": 2}), says_what_steered({"pellucid": "0.1.0"}), says_what_steered(None)
    (True, False, False)
    """
    found = None if recipe is None else recipe.get("format")
    return isinstance(found, int) and not isinstance(found, bool) and found >= FORMAT


def told_columns(recipe: Mapping[str, Any], kinds: Mapping[str, Kind | str] | None = None) -> dict[str, Column]:
    """What a recipe says of its columns. One that names no order of values has an ordered column as a category.

    >>> kids = {"name": "kids", "role": "quasi", "kind": "number", "domain": [0, 20]}
    >>> told_columns({"columns": [kids]})["kids"].domain
    (0, 20)
    """
    found = {}
    for entry in recipe["columns"]:
        name, kind = entry["name"], (kinds or {}).get(entry["name"], entry["kind"])
        try:
            if kind != entry["kind"]:
                found[name] = Column(role=entry["role"], kind=Kind.CATEGORY if kind == Kind.ORDERED else Kind(kind))
            else:
                found[name] = _column(entry)
        except (PellucidError, TypeError, ValueError, KeyError) as wrong:
            said = str(wrong) if isinstance(wrong, PellucidError) else "it is written in another way than ours"
            raise InputError(
                f"the recipe does not say what the column {name!r} is: {said}; give schema= and a copy of the data "
                "without the recipe"
            ) from None
    return found


def _column(entry: Mapping[str, Any]) -> Column:
    kind = Kind(entry["kind"])
    told: dict[str, Any] = {key: entry[key] for key in FACTS if key in entry}
    if kind is Kind.ORDERED and "order" not in told:
        kind = Kind.CATEGORY
    if "domain" in entry:
        told["domain"] = [_moment(end) if isinstance(end, str) else end for end in entry["domain"]]
    taxonomy = entry.get("taxonomy")
    if taxonomy is not None:
        told["taxonomy"] = Taxonomy.from_nodes(**taxonomy) if "nodes" in taxonomy else dict(taxonomy)
    return Column(role=entry["role"], kind=kind, **told)


def _moment(text: str) -> date:
    """A day or a time."""
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


def told_schema(recipe: Mapping[str, Any] | None) -> Schema | None:
    """The schema that a recipe tells, without an identifier; None where it does not say what was declared."""
    if recipe is None or not says_what_steered(recipe):
        return None
    return Schema.model_construct(columns=told_columns(recipe))
