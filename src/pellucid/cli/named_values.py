"""``--values disease=HIV``: the values to protect with their column, as ``verify`` and ``levels`` have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pellucid.anonymize.methods import Method
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.cli.columns import split_names
from pellucid.core.schema import Role, Schema
from pellucid.errors import MethodError


def with_named_values(method: Method, described: Schema | Path | None, words: Mapping[str, Sequence[str]]) -> Method:
    """The method about the values of the columns that were typed before them; what columns there are is read last.

    >>> from pellucid.anonymize.methods.ace import Ace
    >>> typed = Ace(l=2, values=("disease=HIV", "cancer", "job=spy"))
    >>> with_named_values(typed, None, {"sensitive": ["disease,job"]}).values
    {'disease': ('HIV', 'cancer'), 'job': ('spy',)}
    >>> with_named_values(Ace(l=2, values=("a=b",)), None, {"sensitive": ["disease"]}).values
    ('a=b',)
    """
    field = "values" if isinstance(method, ProtectingMethod) else "sensitive"
    typed = getattr(method, field, None)
    if not isinstance(typed, tuple) or not any("=" in str(value) for value in typed):
        return method
    sensitive = _sensitive(described, words)
    columns = by_column([str(value) for value in typed], sensitive)
    if not columns:
        return method
    alone = len(sensitive) == 1
    return method.model_copy(update={field: columns[sensitive[0]] if alone else columns})


def by_column(typed: Sequence[str], sensitive: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Values by the column before them, which holds until another is named; empty where none names a column.

    >>> by_column(["disease=HIV", "cancer", "job=a=b"], ["disease", "job"])
    {'disease': ('HIV', 'cancer'), 'job': ('a=b',)}
    """
    values_of: dict[str, list[str]] = {}
    column, loose = None, []
    for value in typed:
        name, given, rest = value.partition("=")
        if given and name.strip() in sensitive:
            column, value = name.strip(), rest.strip()
        if column is None:
            loose.append(value)
        else:
            values_of.setdefault(column, []).append(value)
    if values_of and loose:
        raise MethodError(
            f"--values {loose[0]} names no column and others do; write the column of each, "
            f"for example --values {next(iter(values_of))}={loose[0]}"
        )
    return {name: tuple(values) for name, values in values_of.items()}


def _sensitive(described: Schema | Path | None, words: Mapping[str, Sequence[str]]) -> list[str]:
    if described is None:
        return [name for word in words.get("sensitive", ()) for name in split_names(word)]
    return (described if isinstance(described, Schema) else Schema.load(described)).names(Role.SENSITIVE)
