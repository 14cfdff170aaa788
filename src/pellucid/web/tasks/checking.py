"""Check the roles: read the table under its schema, and say what is feasible; show a column's taxonomy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.cluster_method import COUNTED
from pellucid.anonymize.layout.entries import row_order
from pellucid.anonymize.method import Feasible, largest_feasible
from pellucid.core.attribute_disclosure import said_in
from pellucid.core.schema import Column, Role
from pellucid.core.table import Attribute, Table, frequencies
from pellucid.core.taxonomy import Taxonomy
from pellucid.drafting.schema_file import uniqueness_sentence
from pellucid.drafting.uniqueness import most_telling
from pellucid.io.unnamed_people import people_unnamed
from pellucid.publishing import protected_codes, require_answer
from pellucid.runtime.progress import Progress
from pellucid.text.values import label_of
from pellucid.web.people import write_names
from pellucid.web.tasks.open_table import said, shown
from pellucid.web.worker_state import NAMES_FILE, OUTLINE_FILE, Desk, write_pickle

FREQUENT = 8  # sensitive values that are listed
CHILDREN = 12  # of a node that are drawn
DEPTH = 6
MOST = 400  # nodes that are drawn in all


def check(desk: Desk, *, source: dict[str, Any], schema: str, progress: Progress) -> dict[str, Any]:
    """Read the table under the schema; leave its outline for the server."""
    table = desk.table(source, schema, progress)
    require_answer(table.persons or people_unnamed(desk.frame(source, progress), table))
    quasi = [table.attributes[i].name for i in table.having(Role.QUASI)]
    frame = desk.rows(source, table, progress)
    asked = desk.schema(schema).columns
    uniques = most_telling(_as_rounded(frame, table, asked), quasi, progress)
    feasible = (  # before anything is set: of every value, with all rows that belong together as one
        largest_feasible(table) if table.having(Role.SENSITIVE) else Feasible(len(table), "", None, 1, len(table))
    )
    write_pickle(desk.folder / OUTLINE_FILE, outline(table))
    named = [name for name, column in asked.items() if column.role is Role.IDENTIFIER]
    write_names(desk.folder / NAMES_FILE, frame[named[0]] if named else None)
    told = said_in(table, protected=protected_codes({n: c.protect for n, c in asked.items() if c.protect}, table))
    return {
        "rows": len(table),
        "says": {one.column: said(one) for one in sorted(told, key=lambda one: one.told)},  # the worst one stays
        "determined": {one.column: one.words for one in sorted(told, key=lambda one: one.told) if one.determines},
        "quasi": quasi,
        "sensitive": [_frequent(table, i) for i in table.having(Role.SENSITIVE)],
        "feasible": {"largest": feasible.largest, "sentence": feasible.sentence, "column": feasible.column},
        "unique": [uniqueness_sentence(found) for found in uniques],
        "ordered": table.order is not None,
    }


def _as_rounded(frame: pl.DataFrame, table: Table, asked: Mapping[str, Column]) -> pl.DataFrame:
    """The table with the columns that are rounded before grouping as they are then."""
    rounded = [i for i in table.having(Role.QUASI) if asked[table.attributes[i].name].round is not None]
    return frame.with_columns(pl.Series(table.attributes[i].name, table.codes[i]) for i in rounded)


def outline(table: Table) -> Table:
    """The table without its quasi-identifiers' rows: what a promise and a feasible l depend on, and no more."""
    nothing = np.zeros(len(table), np.int32)  # one array for all columns
    codes = tuple(
        table.codes[i] if attribute.role is Role.SENSITIVE else nothing for i, attribute in enumerate(table.attributes)
    )
    return replace(table, codes=codes, order=_order_in_clusters(table), before={})  # before: rows of what was rounded


def _order_in_clusters(table: Table) -> NDArray[np.int64] | None:
    """How rows that belong together follow each other, which tells what a part of some of them has; else nothing."""
    if table.clusters is None:
        return None
    keys: list[NDArray[Any]] = [row_order(table, COUNTED, 1)]
    keys += [table.codes[i] for i in reversed(table.having(Role.QUASI))]
    ranks = np.empty(len(table), np.int64)
    ranks[np.lexsort(keys)] = np.arange(len(table))
    return ranks


def _frequent(table: Table, column: int) -> dict[str, Any]:
    attribute = table.attributes[column]
    counts = frequencies(table.codes[column], len(attribute))
    largest = np.argsort(-counts, kind="stable")[:FREQUENT].tolist()
    return {
        "name": attribute.name,
        "values": [
            {"value": shown(attribute.values[code]), "count": int(counts[code]), "share": counts[code] / len(table)}
            for code in largest
        ],
        "distinct": len(attribute) - attribute.values.null_count(),  # as at steps 1 and 2: empty is counted beside
        "nulls": int(counts[attribute.values.is_null().to_numpy()].sum()),
    }


def shown_tree(attribute: Attribute) -> dict[str, Any]:
    """The taxonomy of a column over the values that occur, as a page shows it."""
    taxonomy, column = attribute.taxonomy, attribute.name
    labels = [label_of(value) for value in attribute.values.drop_nulls().to_list()] if taxonomy is not None else []
    if taxonomy is None:
        return {"column": column, "tree": None}
    return {
        "column": column,
        "tree": drawn(taxonomy),
        "leaves": len(taxonomy.leaves),
        "height": taxonomy.height,
        "example": taxonomy.path(labels[len(labels) // 2]) if labels else [],
    }


def drawn(taxonomy: Taxonomy) -> dict[str, Any] | None:
    """The upper part of a tree as nested names, as much of it as a person looks at; None where it cannot be nested."""
    if not taxonomy.is_tree:
        return None
    left = [MOST]

    def node(name: str, below: Any, depth: int) -> dict[str, Any]:
        left[0] -= 1
        children = list(below.items())
        drawn_now = children[:CHILDREN] if depth < DEPTH and left[0] > 0 else []
        return {
            "name": name,
            "children": [node(child, under, depth + 1) for child, under in drawn_now],
            "more": len(children) - len(drawn_now),
        }

    ((root, below),) = taxonomy.to_tree().items()
    return node(root, below, 0)
