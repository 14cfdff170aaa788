"""Methods whose groups must satisfy a privacy model: given as k, as l, or as any model with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from pellucid.errors import Infeasible, MethodError
from pellucid.group.method import DEFAULT, Method, require_quasi, shown_value, single_sensitive
from pellucid.messages import Message
from pellucid.model import Groups, ModelField, PrivacyModel
from pellucid.model.exact import Direction, plain
from pellucid.model.groups import Counts
from pellucid.model.k_anonymity import KAnonymity
from pellucid.model.l_diversity import LDiversity
from pellucid.model.sensitive import DiversityModel
from pellucid.schema import Role
from pellucid.table import Attribute, Table

MOST = 2**31 - 1  # rows that a table can have: nothing above it makes sense as k or l
K_MEANING = "the least number of rows of a group"
L_MEANING = "how rare every sensitive value is in a group: at most one row in l"
MODEL_MEANING = "the privacy model that every group satisfies, such as t-closeness=0.2"


class ModelMethod(Method):
    """A method that takes ``model``; subclasses add ``k`` or ``l`` as shorthands, of which exactly one is given."""

    shorthands: ClassVar[dict[str, type[PrivacyModel]]] = {"k": KAnonymity, "l": LDiversity}

    model: ModelField | None = Field(default=None, description=MODEL_MEANING)

    @model_validator(mode="after")
    def _one_requirement(self) -> Self:
        ways = [name for name in (*self.shorthands, "model") if name in type(self).model_fields]
        given = [name for name in ways if getattr(self, name) is not None]
        if len(given) != 1:
            problem = f"{' and '.join(given)} are both given" if given else "nothing is asked of the groups"
            raise ValueError(f"{problem}; give exactly one of {', '.join(ways)}")
        return self

    @property
    def required(self) -> PrivacyModel:
        """The model that every group satisfies."""
        if self.model is not None:
            return self.model
        for name, kind in self.shorthands.items():
            value = getattr(self, name, None)
            if value is not None:
                return kind(**{name: value})
        raise AssertionError("checked when the method was made")

    @property
    def counted(self) -> Fraction | None:
        """What the model bounds."""
        return self.required.largest_share

    def alternative(self) -> Message:
        """The safe method to use instead: the default for l-diversity, tailor for models that it can enforce."""
        if not isinstance(self.required, LDiversity) and self.required.has_worst_case_size:
            return Message("use tailor with the same model, which does, or {default}", default=DEFAULT)
        return super().alternative()

    def check(self, table: Table) -> None:
        """Raise when the model cannot be asked of groups, or when not even the whole table satisfies it."""
        require_quasi(table)
        model = self.required
        if model.looks_at == "population" or not model.by_group:
            raise MethodError(
                f"{self.name} cannot enforce {model.label}, which is not a property of each group by itself",
                "use a model such as k-anonymity, l-diversity or t-closeness, and verify this one afterwards",
            )
        self._check_column(table, single_sensitive(table, self.name))

    def _check_column(self, table: Table, column: int) -> None:
        """Raise when the whole table does not satisfy the model on this column."""
        attribute = table.attributes[column]
        self._check_counts(attribute, np.bincount(table.codes[column], minlength=len(attribute)))

    def _check_counts(self, attribute: Attribute, counts: Counts) -> None:
        """The same for a column whose values occur so often."""
        whole = Groups.of_counts(counts, counts, attribute)
        if not self.required.met(whole).all():
            level = self.required.level(whole)
            raise Infeasible(self._in_the_way(attribute, counts, level.parameters, level.meaning))

    def _in_the_way(self, attribute: Attribute, counts: Counts, levels: Mapping[str, Any], meaning: str) -> Message:
        """What the whole table reaches, which is the most that any grouping of this kind can."""
        model = self.required
        rows = int(counts.sum())
        name = next((name for name, way in model.directions.items() if _short(model, name, way, levels)), "")
        name = name or next(iter(model.directions))
        asked = model.model_dump(mode="json")[name]
        level = levels.get(name)
        more = {"largest": "less", "smallest": "more"}[model.directions[name]]
        reached = "no value of it is" if level is None else f"the whole table reaches {name} = {float(level):g}"
        way_out = "ask for another model" if level is None else f"use {name} = {float(level):g} or {more}"
        if model.looks_at == "sizes":
            return Message(
                "{name} = {asked} is not feasible for {model}: the table has {rows:,} rows; {way_out}",
                name=name,
                asked=asked,
                model=model.label,
                rows=rows,
                way_out=way_out,
            )
        worst = int(counts.argmax())
        value = shown_value(attribute.values[worst])
        return Message(
            "{name} = {asked} is not feasible for {model}: {reached} ({meaning}; the most frequent {column!r} is "
            "{value}, {most:,} of {rows:,} rows); {way_out}",
            name=name,
            asked=asked,
            model=model.label,
            reached=reached,
            meaning=meaning,
            column=attribute.name,
            value=value,
            most=counts[worst],
            rows=rows,
            way_out=way_out,
        )


def _short(model: PrivacyModel, name: str, way: Direction, levels: Mapping[str, Any]) -> bool:
    """Whether a parameter asks for more than the level that is reached."""
    asked, level = getattr(model, name), levels.get(name)
    return level is None or (level < asked if way == "largest" else level > asked)


def uninformed_sentence(model: PrivacyModel, table: Table) -> Message:
    """The promise of a method that only counts frequencies."""
    columns = " and ".join(table.attributes[i].name for i in table.having(Role.SENSITIVE))
    return Message(
        "Every group satisfies {described}; this bounds what somebody learns who does not know "
        "the method. Somebody who does may learn more about a person's {columns}.",
        described=described(model),
        columns=columns,
    )


def size_sentence(model: PrivacyModel, table: Table) -> Message:
    """The promise of a model that looks at nothing but sizes."""
    columns = " and ".join(table.attributes[i].name for i in table.having(Role.SENSITIVE))
    return Message(
        "Every group satisfies {described}, also for somebody who knows the method; nothing is "
        "promised about a person's {columns}, which all rows of a group may share.",
        described=described(model),
        columns=columns,
    )


def described(model: PrivacyModel) -> str:
    """A model with its parameters and what they mean."""
    preset = model.variants.get(model.label, {})
    left_out = {"sensitive", "together", *preset}
    given = [
        f"{name} = {plain(getattr(model, name))}"
        for name in type(model).model_fields
        if name in model.model_fields_set - left_out
    ]
    text = f"{model.label} with {' and '.join(given)} ({model.summary}"
    if isinstance(model, DiversityModel) and model.sensitive is not None:
        values = ", ".join("null" if value is None else repr(value) for value in model.sensitive)
        text += f"; only {values} {'are protected, counted as one value' if model.together else 'protected'}"
    return text + ")"
