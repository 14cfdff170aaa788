"""The parameters of a method as fields of a form."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from pellucid.anonymize.method import About, DiversityMethod, largest_feasible
from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods.strata import Strata
from pellucid.cli.parameters import SEVERAL, bare
from pellucid.core.schema import Role
from pellucid.errors import PellucidError
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.web.chosen_setting import protected_values
from pellucid.web.model_fields import ModelChoice, choices_of, is_model, usable
from pellucid.web.option_fields import ON_THE_FORM, page_title
from pellucid.web.possible_l import feasible_with
from pellucid.web.session import Session
from pellucid.web.values_by_column import can_be_written

TITLES = {  # what the page calls a parameter; the others have their name
    "l": "Strength, l",
    "k": "Smallest group, k",
    "values": "Values to protect",
    "model": "Privacy model",
    "cluster_rows": "Rows of a cluster",
    "max_suppressed": "Rows to withhold at most",
}
OF_SEVERAL = (
    "tick the values to protect; of a column where none is ticked, all are protected. Each is protected by itself: "
    "that somebody has one or another of them may be certain. Who has none of them may be published alone, as they "
    "are, unless k says how many rows a group has at least"
)
OF_ONE = (
    "tick the values to protect; all are protected while none is ticked. Each is protected by itself: that somebody "
    "has one or another of them may be certain. Who has none of them may be published alone, as they are, unless k "
    "says how many rows a group has at least"
)
OF_EACH = "one number for all sensitive columns, or one for each: income=4,drugs=2; a column's own in the schema counts"
STRENGTH = "nobody may be surer than 1 in l; the larger l, the safer the people and the coarser the data"

FORMS: Mapping[str, Literal["switch", "number", "choice", "text"]] = {
    "flag": "switch",
    "number": "number",
    "choice": "choice",
    "text": "text",
}


@dataclass(frozen=True, slots=True)
class Tick:
    """One value of the sensitive column, to be protected or not."""

    label: str
    rows: int
    share: float
    on: bool


@dataclass(frozen=True, slots=True)
class Ticks:
    """The values of one sensitive column to tick; none where they are too many or cannot be told apart in a text."""

    column: str
    ticks: tuple[Tick, ...]
    empties: int  # rows without a value, which no tick can name
    distinct: int
    before: str = ""  # of a value in the field of a form: its column, where there are several


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter of a method as a form shows it."""

    name: str
    form: Literal["number", "switch", "choice", "text", "ticks", "model"]
    about: str
    value: str
    required: bool
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    example: str = ""
    ticks: tuple[Ticks, ...] = ()
    models: tuple[ModelChoice, ...] = ()
    called: str = ""  # where it is no parameter

    @property
    def title(self) -> str:
        """What the page calls it."""
        return self.called or TITLES.get(self.name, self.name)


@dataclass(frozen=True, slots=True)
class Fields:
    """The parameters in the order of the form: what the promise depends on, what else is chosen, what few need."""

    first: list[Field]
    then: list[Field]
    rarely: list[Field]
    given: bool  # whether one of the last was chosen


def fields_of(session: Session, kind: type[Method], given: Mapping[str, str]) -> list[Field]:
    """The parameters of a method as a form."""
    assert session.checked is not None
    largest, rows = session.checked["feasible"]["largest"], session.checked["rows"]
    protected: About = None
    with suppress(PellucidError):  # no row has such a value, as the promise says
        protected = None if session.outline is None else protected_values(session.outline, kind.name, given)
        if session.outline is not None and (protected or _clustered(session)):
            # where rows belong together, as many as single rows allow: “Rows of a cluster” says how many are one
            largest = largest_feasible(session.outline, values=protected, cluster_rows=1).largest
        if session.outline is not None and kind is Strata:
            largest = feasible_with(session.outline, kind.name, given).largest
    sensitive = session.checked["sensitive"]
    ticks = _ticks(sensitive, protected)
    if session.hiding:
        return _hiding_fields(rows, kind, given)

    def field(name: str, declared: FieldInfo) -> Field:
        if name == "values" and ticks:
            return Field(name, "ticks", OF_ONE if len(ticks) == 1 else OF_SEVERAL, "", required=False, ticks=ticks)
        if is_model(declared) and usable(kind.name, name):
            return _model_field(kind.name, name, declared, given.get(name, ""))
        if name == "l" and kind.l_of_each and len(sensitive) > 1:
            return Field(name, "text", OF_EACH, given.get(name, ""), required=True, example="income=4,drugs=2")
        return _field(name, declared, given.get(name, ""), largest, rows)

    return [
        field(name, declared)
        for name, declared in kind.model_fields.items()
        if name != "cluster_rows" or given.get(name) or _clustered(session)
    ]


def in_order(fields: list[Field], given: Mapping[str, str]) -> Fields:
    """The fields as the form has them: few people need more than the first."""
    first = [field for field in fields if field.required or field.name in ("l", "model")]
    then = [field for field in fields if field not in first and field.form == "ticks"]
    rarely = [field for field in fields if field not in [*first, *then]]
    return Fields(first, then, rarely, any(given.get(field.name) for field in rarely))


def _clustered(session: Session) -> bool:
    """Whether a column says which rows belong together."""
    return any(column.role is Role.CLUSTER for column in session.columns.values())


def _hiding_fields(rows: int, kind: type[Method], given: Mapping[str, str]) -> list[Field]:
    """The same where no column is protected: without what asks for one, and k is needed."""
    fields = [
        _field(name, declared, given.get(name, ""), rows, rows)
        for name, declared in kind.model_fields.items()
        if name != "l" and not is_model(declared)
    ]
    return [replace(field, required=True, least=2) if field.name == "k" else field for field in fields]


def _model_field(method: str, name: str, declared: FieldInfo, given: str) -> Field:
    about, required = declared.description or "a parameter of the method", declared.is_required()
    return Field(name, "model", about, given, required, models=choices_of(method, name, given))


def _ticks(sensitive: list[dict[str, Any]], protected: About) -> tuple[Ticks, ...]:
    """The values of each sensitive column to tick, where they are few and fit a list; nothing where no column has any.

    Of several columns the others stand there too, without ticks: all their values are protected.
    """
    several = len(sensitive) > 1
    found = tuple(_of_column(one, protected, several=several) for one in sensitive)
    listed = {(one.column, tick.label) for one in found for tick in one.ticks if tick.on}
    if several:
        meant = protected.items() if isinstance(protected, Mapping) else [("", protected or ())]
        asked = {(column, str(value)) for column, values in meant for value in values}
    else:
        asked = {(one["name"], value) for one in sensitive for value in _meant(one["name"], protected)}
    if asked != listed or not any(one.ticks for one in found):
        return ()  # what was written shows, and is told to be wrong
    return found


def _of_column(facts: dict[str, Any], protected: About, *, several: bool) -> Ticks:
    name, values = facts["name"], facts["values"]
    named = [one for one in values if one["value"] is not None]
    labels = [str(one["value"]) for one in named]
    able = can_be_written(name if several else "only", labels) and facts["distinct"] <= len(named)
    chosen = _meant(name, protected)
    ticks = tuple(Tick(str(one["value"]), one["count"], one["share"], str(one["value"]) in chosen) for one in named)
    return Ticks(name, ticks if able else (), facts["nulls"], facts["distinct"], f"{name}=" if several else "")


def _meant(name: str, protected: About) -> set[str]:
    """The values of a column that are asked for, where not all are."""
    values = protected.get(name, ()) if isinstance(protected, Mapping) else protected or ()
    return set(map(str, values))


def _field(name: str, declared: FieldInfo, given: str, largest: int, rows: int) -> Field:
    type_ = bare(declared.annotation)
    about, required = _about(name, declared), declared.is_required()
    default = None if required else declared.get_default()
    typed = "" if default is None else str(default)
    if type_ is bool:
        return Field(name, "switch", about, given or str(default), required)
    if get_origin(type_) is Literal:
        choices = tuple(map(str, get_args(type_)))
        return Field(name, "choice", about, given or str(default), required, choices=choices)
    if type_ is int:
        least = next((int(bound.ge) for bound in declared.metadata if hasattr(bound, "ge")), 1)
        least = max(least, 2) if name == "l" else least  # 1/1 is no promise
        most = {"l": max(largest, 2), "k": min(rows, 100)}.get(name)
        return Field(name, "number", about, given or typed, required, least, most)
    if get_origin(type_) in SEVERAL:
        return _several_field(name, about, given, required)
    example = "k-anonymity=5" if type_ is PrivacyModel else ""
    return Field(name, "text", about, given or typed, required, example=example)


def _about(name: str, declared: FieldInfo) -> Message:
    if name == "l" and declared.description == DiversityMethod.model_fields["l"].description:
        return Message(STRENGTH)  # where l is what is promised, which the page says beside the slider
    return Message(declared.description or "a parameter of the method")


def _several_field(name: str, about: str, given: str, required: bool) -> Field:
    """A field for values with commas between them."""
    if name == "values":
        told = "the values to protect, separated by commas; leave it empty to protect all values"
        return Field(name, "text", told, given, required, example="all values")
    return Field(name, "text", f"{about}; separated by commas", given, required)


def option_fields(options: Mapping[str, str]) -> list[Field]:
    """The options as fields of a form."""
    return [
        Field(
            option.name,
            FORMS[option.form],
            option.told()[:1].lower() + option.told()[1:].removesuffix("."),
            options.get(option.name, ""),
            required=False,
            least=option.least,
            choices=option.choices and ("", *option.choices),
            called=page_title(option),
        )
        for option in ON_THE_FORM
    ]
