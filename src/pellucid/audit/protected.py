"""Only some values of a sensitive column are sensitive: nobody minds a cold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from pellucid.anonymize.named_nodes import values_below
from pellucid.core.recipe import Recipe
from pellucid.core.schema import Schema
from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.models import PrivacyModel
from pellucid.models.all_of import together as all_of
from pellucid.models.sensitive import DiversityModel, code_of, codes_of
from pellucid.runtime.arguments import brief, several
from pellucid.text.suggestions import meant
from pellucid.text.values import ANY, in_quotes, listed

Values = Iterable[Any] | Mapping[str, Iterable[Any]]


def protecting(model: PrivacyModel, values: Iterable[Any] | None, *, together: bool = False) -> PrivacyModel:
    """The model about these values only, each or all together as one; models that know no such sets stay as they are.

    Without values the model protects all of them.

    >>> from pellucid.models import parse
    >>> protecting(parse("l-diversity=2"), ["HIV", "cancer"], together=True)
    LDiversity(sensitive=('HIV', 'cancer'), together=True, l=2)
    >>> protecting(parse("k-anonymity=2"), ["HIV"])
    KAnonymity(k=2)
    """
    if model.sets is not None:
        return model  # which says itself what counts
    if model.parts != (model,):
        return all_of(protecting(part, values, together=together) for part in model.parts)
    if not isinstance(model, DiversityModel):
        return model
    given = {name: getattr(model, name) for name in model.model_fields_set - {"sensitive", "together"}}
    return type(model)(**given) if values is None else type(model)(**given, sensitive=tuple(values), together=together)


Promised = tuple[Any, ...] | dict[str, tuple[Any, ...]] | None


def promised_in(recipe: Recipe | None) -> Promised:
    """The values that a recipe promises something about, of all columns or by column; None when it is all of them.

    >>> promised_in(Recipe(parameters={"l": 5, "values": ["Yes"]})), promised_in(Recipe(parameters={"l": 5}))
    (('Yes',), None)
    >>> promised_in(Recipe(parameters={"l": 5, "values": {"ill": ["Yes"]}}))
    {'ill': ('Yes',)}
    >>> promised_in(Recipe(method="alpha-k", parameters={"alpha": "1/2", "k": 2, "sensitive": ["HIV"]}))
    ('HIV',)
    """
    if recipe is not None and recipe.method is not None:
        values = recipe.made_by.protects
    else:
        values = None if recipe is None else recipe.parameters.get("values")
    if isinstance(values, Mapping) and values:
        return {str(name): tuple(some) for name, some in values.items()}
    return tuple(values) if isinstance(values, list | tuple) and values else None


def protected_by(schema: Schema | None, columns: Sequence[Attribute]) -> tuple[Promised, bool]:
    """The values that a caller's schema protects, by column, and whether they count as one, as those of a node do."""
    said = {} if schema is None else schema.columns
    named = {one.name: (one, tuple(said[one.name].protect or ())) for one in columns if one.name in said}
    below = {name: values_below(some, one) for name, (one, some) in named.items() if some}
    return below or None, any(len(below[name]) > len(named[name][1]) for name in below)


def promised_as_one(recipe: Recipe | None) -> bool:
    """Whether these values count as one, as Mask's set does."""
    return recipe is not None and recipe.method is not None and recipe.made_by.as_one


def promised_sets(recipe: Recipe | None) -> tuple[tuple[Any, ...], ...] | None:
    """The sets of values that count as one each, where a recipe promises something about several."""
    required = None if recipe is None or recipe.method is None else recipe.made_by.required
    return None if required is None else required.sets


def in_words(promised: Promised) -> str:
    """These values, with their column where columns differ.

    >>> in_words(("Yes", None)), in_words({"ill": ("Yes",), "sad": ("Yes", "often")})
    ("'Yes', null", "'Yes' of ill, 'Yes' and 'often' of sad")
    """
    if isinstance(promised, dict):
        return ", ".join(f"{' and '.join(map(in_quotes, some))} of {name}" for name, some in promised.items())
    return ", ".join(map(in_quotes, promised or ()))


def by_column(values: Values | None, columns: Sequence[Attribute], *, together: bool = False) -> dict[str, list[Any]]:
    """Which values are protected in each column; a column that is not named here protects all of its values.

    A mapping says so column by column. Values without a column are meant in every sensitive column that has them, and
    some column must have each of them: a slip would protect nothing. The node of a column's taxonomy is named for the
    values below it, which count as one: it needs ``together``.
    """
    if values is None:
        return {}
    if isinstance(values, Mapping):
        given = {name: _several(some) for name, some in values.items()}
        return _of_named_columns(_below(given, columns, together=together), columns)
    chosen = _several(values)
    if not chosen:
        raise _names_no_value()
    if len(columns) < 2:
        return _below({column.name: chosen for column in columns}, columns, together=together)
    return _where_they_occur(chosen, columns)


def _below(given: Mapping[str, list[Any]], columns: Sequence[Attribute], *, together: bool) -> dict[str, list[Any]]:
    """The values of each column, with those below a node instead of it."""
    known = {column.name: column for column in columns}
    named = {name: list(values_below(some, known[name])) if name in known else some for name, some in given.items()}
    for name, some in given.items():
        if len(named[name]) > len(dict.fromkeys(some)) and not together:
            raise ModelError(
                "{some} of {name!r} names a node, which is a set of values that count as one",
                "say {TOGETHER}, or name the values: {values}",
                some=", ".join(map(in_quotes, some)),
                name=name,
                values=", ".join(map(in_quotes, named[name])),
            )
    return named


def _names_no_value() -> ModelError:
    return ModelError("{VALUES} names no value; name at least one to protect, or leave it out to protect all")


def _of_named_columns(given: dict[str, list[Any]], columns: Sequence[Attribute]) -> dict[str, list[Any]]:
    """The values of each column as they are given; raise for a column that is not sensitive or lacks a value."""
    if not given or not all(given.values()):
        raise _names_no_value()
    known = {column.name: column for column in columns}
    for name, some in given.items():
        if name not in known:
            there = f"the sensitive columns are: {listed(known)}" if known else "no column is"
            raise ModelError(
                f"values are named for column {name!r}, which is not sensitive{meant(name, known)}; {there}"
            )
        codes_of(tuple(some), known[name])
    return given


def _occurs_nowhere(value: Any, columns: Sequence[Attribute]) -> ModelError:
    texts = [str(other) for column in columns for other in column.values.to_list() if other is not None]
    hint = meant(str(value), texts) or "; name a value that occurs"
    among = " or ".join(repr(column.name) for column in columns)
    return ModelError(f"no row has {value!r} in {among}, the sensitive columns{hint}")


def _where_they_occur(values: list[Any], columns: Sequence[Attribute]) -> dict[str, list[Any]]:
    """The columns that have some of these values, each with those that it has; raise for one that no column has."""
    occurring = {
        column.name: [value for value in values if value == ANY or code_of(value, column) is not None]
        for column in columns
    }
    for value in values:
        if not any(value in there for there in occurring.values()):
            raise _occurs_nowhere(value, columns)
    return {name: there for name, there in occurring.items() if there}


def _several(values: Iterable[Any]) -> list[Any]:
    found = several(values, "values", "a list of values to protect, as in values=['HIV']", ModelError)
    if odd := [value for value in found if not isinstance(value, Hashable)]:
        raise ModelError(f"{brief(odd[0])} is no value of a column; name values such as 'HIV'")
    return found
