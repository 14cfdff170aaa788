"""Whether everything that steered a method is known: what was declared of the columns, the order of rows, the people.

A method that gives something away does so by what it looked at. Somebody who reconstructs that from a recipe which does
not tell it, or from people who were not in the table, gets figures that look exact and are not. So each thing that is
missing is named, with what to give, and nothing is then claimed of such a method.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.core.recipe import RULES, Recipe
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.models.sensitive import DiversityModel
from pellucid.text.values import shortened

UNDECLARED = Message(
    "nobody says which domain, order and taxonomy the columns were declared with: give the {SCHEMA} that it was "
    "published with{DRAFTED}"
)
UNORDERED = Message("its rows were ordered by an identifier: name that column of the people with {IDENTIFIER}")
UNTOLD = Message(
    "nobody says what ordered its rows: name the identifier that did with {IDENTIFIER}, or give the folder with its "
    "recipe, which says whether any did"
)
SHARES = Message(
    "a column ends where a share of the table's rows did, which depends on who is in it: give exactly the people of "
    "the table as {POPULATION}"
)
HIDDEN = Message("rows of the table are not published, and it is not known whose: give the table as {TRUTH}")


def lacking_of(recipe: Recipe | None, schema: Schema | None, method: Method | None) -> tuple[str, ...]:
    """What a recipe leaves open of what steered the method, the people aside; ``schema`` is what the caller gave."""
    reasons: list[str] = []
    if schema is None and (recipe is None or not recipe.tells_what_steered):
        reasons.append(UNDECLARED)
    suppressed = suppressed_rows(recipe, method)
    if suppressed != 0 and _compares_with_table(method):
        some = "some" if suppressed is None else f"{suppressed:,}"
        reasons.append(f"groups were compared with the whole table, and {some} of its rows are not published")
    return tuple(reasons)


def _compares_with_table(method: Method | None) -> bool:
    """Whether a model that the method enforces compares groups with the whole table."""
    model = None if method is None else method.required
    parts = () if model is None else model.parts
    return any(part.looks_at == "values" and not isinstance(part, DiversityModel) for part in parts)


def suppressed_rows(recipe: Recipe | None, method: Method | None) -> int | None:
    """How many rows of the table are not published; None where nobody says it and the method may suppress some."""
    if method is not None and not method.may_suppress:
        return 0
    return None if recipe is None else recipe.suppressed


def refuse_other_schema(recipe: Recipe | None, schema: Schema | None) -> None:
    """Raise when a schema is given that says something else of the columns than the recipe of the release."""
    if recipe is None or schema is None or not recipe.tells_what_steered:
        return
    declared = recipe.declared()
    quasi = [name for name, column in declared.items() if column.role is Role.QUASI]
    if schema.names(Role.QUASI) != quasi:
        raise _contradiction(
            f"the quasi-identifiers are {', '.join(schema.names(Role.QUASI))}, in this order", ", ".join(quasi)
        )
    for name, column in declared.items():
        given = schema.columns.get(name)
        if given is None or given.role is Role.DROP:
            continue
        _refuse_other_column(name, given, schema.folder, column)


def _refuse_other_column(name: str, given: Column, folder: Path, in_recipe: Column) -> None:
    """Raise when a column is declared otherwise than the recipe tells."""
    for key in ("role", "kind", "domain", "order", "taxonomy", "missing", "importance"):
        value, known = _said(given, key, folder), _said(in_recipe, key, Path())
        if value != known and not (key == "kind" and value is None):
            raise _contradiction(f"{key} of {name!r} is {_brief(value)}", _brief(known))


def _said(column: Column, key: str, folder: Path) -> Any:
    """What a column says under a key, so that the same said differently is equal."""
    value = getattr(column, key)
    if key != "taxonomy" or value is None:
        return value
    rule = next((rule for rule in RULES if getattr(value, rule) is not None), None)
    if rule is not None:
        return rule, tuple(getattr(value, rule))
    if value.ready is not None:
        return value.ready
    return Taxonomy.from_tree(value.tree) if value.tree is not None else Taxonomy.load(folder / value.file)


def _brief(value: Any) -> str:
    if value is None or value == ():
        return "not declared"
    return shortened(str(list(value) if isinstance(value, tuple) else value), 60)


def _contradiction(given: str, known: str) -> AttackError:
    return AttackError(
        "{SCHEMA} says that {given}, and the release's recipe says {known}; leave {SCHEMA} out, or, if the recipe is "
        "wrong, attack a copy of the data without it",
        given=given,
        known=known,
    )
