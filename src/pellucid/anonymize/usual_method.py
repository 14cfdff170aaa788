"""The method that is meant where none is named: Strata, or its strict form SoftCut where a table has no strata.

What is public decides: whether a column says which rows belong together, and how many rows are published. A value
never does, since a choice because of values tells about them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pellucid.anonymize.method import DEFAULT, STRICT, Method, usual_name
from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.anonymize.methods.strata import Strata
from pellucid.core.table import Table
from pellucid.messages import Count, Message


def unnamed(parameters: Collection[str]) -> str:
    """The method that parameters are for which name none: the strict one where the default has one of them not.

    >>> unnamed(["l", "size"]), unnamed(["l", "cluster_rows"])
    ('strata', 'soft-cut')
    """
    return STRICT if set(parameters) & (set(SoftCut.model_fields) - set(Strata.model_fields)) else DEFAULT


def usual_for(method: Method, table: Table) -> tuple[Method, Message]:
    """The method for a table, where nobody named one, and why it is another than ``method``; empty where it is not.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi="age", sensitive="disease")
    >>> usual_for(Strata(l=2), table)[0].name, usual_for(Strata(l=2, size=4), table)[0].name
    ('soft-cut', 'strata')
    """
    if not isinstance(method, Strata) or usual_name(table) == DEFAULT:
        return method, Message("")
    given = {name: getattr(method, name) for name in method.model_fields_set}
    if not set(given) <= set(SoftCut.model_fields) or isinstance(method.l, Mapping):
        return method, Message("")  # what was asked for is about strata, and its own error says what is in the way
    told = "no method is named, and {why}, so it is {method}: the bound is 1/l for everybody"
    why = Message("strata takes rows that belong together as people of their own")
    if table.clusters is None:
        rows = Count(len(table), "row")
        why = Message("{rows} are fewer than two strata of {size} have", rows=rows, size=method.size)
    return SoftCut(**given), Message(told, why=why, method=STRICT)
