"""Sensitive values that are named by a node of their column's taxonomy, as in "cancer, and everything below it"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table
from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import MethodError
from pellucid.models import PrivacyModel
from pellucid.models.all_of import together as all_of
from pellucid.models.parameters import Parameters
from pellucid.text.values import label_of

if TYPE_CHECKING:
    from pellucid.anonymize.method import Method

Named = TypeVar("Named", bound=Parameters)
SETS = ("values", "sensitive", "binary")  # what parameters that name values are called


def with_nodes(made: Named, table: Table) -> Named:
    """The method or model about the values below a node, where it names one for a value.

    A node is a set: its values count as one.

    >>> import pellucid as pc
    >>> ill = {"*": {"chest": ["flu", "bronchitis", "asthma"], "other": ["gastritis", "dyspepsia", "diabetes"]}}
    >>> ill = {"tree": ill}
    >>> columns = {"age": pc.Column(role="quasi"), "disease": pc.Column(role="sensitive", taxonomy=ill)}
    >>> table = pc.read(pc.datasets.patients().select("age", "disease"), schema=pc.Schema(columns=columns))
    >>> method = with_nodes(pc.Hybrid(l=2, values=["chest"]), table)
    >>> method.values, method.together
    (('flu', 'bronchitis'), True)
    """
    model = getattr(made, "model", None)
    if isinstance(model, PrivacyModel):
        resolved = all_of(with_nodes(part, table) for part in model.parts)
        made = made if resolved == model else made.model_copy(update={"model": resolved})
    columns = [table.attributes[place] for place in table.having(Role.SENSITIVE)]
    for field in SETS:
        given = getattr(made, field, None)
        if given is None:
            continue
        by_name = given if isinstance(given, Mapping) else {column.name: given for column in columns}
        below = {
            column.name: values_below(by_name[column.name], column) for column in columns if column.name in by_name
        }
        if any(set(below[name]) != set(by_name[name]) for name in below):
            values = {**by_name, **below} if isinstance(given, Mapping) or len(columns) > 1 else below[columns[0].name]
            made = made.model_copy(update={field: values, **_as_one(made, by_name, below)})
    return made


def require_sets(method: Method, table: Table) -> None:
    """Raise where a schema protects a node of a column's taxonomy, and a method protects values one by one."""
    if method.as_one or (method.required is not None and method.required.sets is not None):
        return
    columns = {} if table.schema is None else table.schema.columns
    for attribute in (table.attributes[place] for place in table.having(Role.SENSITIVE)):
        said = columns.get(attribute.name)
        if said is not None and _names_a_set(said.protect or (), attribute):
            raise _one_by_one(method.name)


def _names_a_set(values: Sequence[Any], column: Attribute) -> bool:
    """Whether a node is named, of which several values stand below."""
    below = values_below(values, column)
    return len(below) > 1 and set(below) != set(values)


def _one_by_one(name: str) -> MethodError:
    return MethodError(
        "{name} protects each value by itself, and a node of a taxonomy is named, which is a set of values",
        "name the values, or use a method that can protect them together, such as soft-cut",
        name=name,
    )


def _as_one(
    made: Parameters, named: Mapping[str, Sequence[Any]], below: Mapping[str, Sequence[Any]]
) -> dict[str, bool]:
    """That the values count as one; raise where they cannot, or it is not clear which of several names do."""
    if (
        getattr(made, "as_one", False)
        or getattr(made, "together", False)
        or all(len(some) < 2 for some in below.values())
    ):
        return {}
    if "together" not in type(made).model_fields:
        raise _one_by_one(type(made).name)
    if any(len(some) > 1 for some in named.values()):
        raise MethodError(
            "a node of a taxonomy is a set of values that count as one, and other values are named beside it",
            "say that all of them count as one with {TOGETHER}, or name values alone",
        )
    return {"together": True}


def values_below(values: Sequence[Any], column: Attribute) -> tuple[Any, ...]:
    """The values, with those of the column that stand below a node of its taxonomy instead of the node.

    A name that is both, as a code of a disease and of its kinds, is the node: what it means must not hang on whether
    some row has it. Whoever names all values of a node names them.
    """
    tree, found = column.taxonomy, list[Any]()
    for value in values:
        if tree is None or value is None or not tree.knows(label_of(value)):
            found.append(value)
            continue
        found += _below(label_of(value), column, tree) or [value]
    return tuple(dict.fromkeys(found))


def _below(node: str, column: Attribute, tree: Taxonomy) -> list[Any]:
    """The values of a column that a node of its taxonomy is, or is above."""
    known = [one for one in column.values.to_list() if one is not None and tree.knows(label_of(one))]
    return [one for one in known if node in tree.above(label_of(one))]
