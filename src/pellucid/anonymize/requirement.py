"""Methods whose groups must satisfy a privacy model: given as k, as l, or as any model with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from pellucid.anonymize.method import DEFAULT, Method, require_quasi, shown_value, single_sensitive
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table
from pellucid.errors import Infeasible, MethodError
from pellucid.messages import Message
from pellucid.models import Groups, ModelField, PrivacyModel
from pellucid.models.all_of import together
from pellucid.models.exact import Direction, plain
from pellucid.models.groups import Counts
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.maximum_risk import MaximumRisk
from pellucid.models.sensitive import DiversityModel

MOST = 2**31 - 1  # rows that a table can have: nothing above it makes sense as k or l
K_MEANING = "the least number of rows of a group"
L_MEANING = "how rare every sensitive value is in a group: at most one row in l"
MODEL_MEANING = "the privacy model that every group satisfies, such as t-closeness=0.2, or several of them"


class ModelMethod(Method):
    """A method that takes ``model``; subclasses add ``k`` or ``l`` as shorthands.

    All that is given is asked for: k, l, and one or several models. A method that takes one alone says ``one_only``.
    """

    shorthands: ClassVar[dict[str, type[PrivacyModel]]] = {"k": KAnonymity, "l": LDiversity}
    one_only: ClassVar[str] = ""  # why it takes one requirement, where it does
    of_tables: ClassVar[bool] = False  # whether it can enforce a risk of the table as a whole

    model: ModelField | None = Field(default=None, description=MODEL_MEANING)

    @model_validator(mode="after")
    def _one_requirement(self) -> Self:
        ways = [name for name in (*self.shorthands, "model") if name in type(self).model_fields]
        if all(getattr(self, name) is None for name in ways):
            raise ValueError(f"nothing is asked of the groups; give one of {', '.join(ways)}")
        parts = [part.label for model in self._asked() for part in model.parts]
        if self.one_only and len(parts) > 1:
            raise ValueError(
                f"{' and '.join(parts)} are asked for together, and {self.one_only}; use tailor, mondrian or "
                "incognito, which take several, or ask for one"
            )
        return self

    def _asked(self) -> list[PrivacyModel]:
        """What is asked, in the order of the shorthands."""
        short = {name: getattr(self, name, None) for name in self.shorthands}
        asked = [self.shorthands[name](**{name: value}) for name, value in short.items() if value is not None]
        return asked if self.model is None else [*asked, self.model]

    @property
    def required(self) -> PrivacyModel:
        """The model that every group satisfies; of several things that are asked, all of them."""
        asked = self._asked()
        return asked[0] if len(asked) == 1 else together(asked)

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
        for part in model.parts:
            if part.looks_at == "population" or not (part.by_group or self.of_tables):
                raise MethodError(
                    "{method} cannot enforce {label}, which is not a property of each group by itself{instead}",
                    "use a model such as k-anonymity, l-diversity or t-closeness, and verify this one afterwards",
                    method=self.name,
                    label=part.label,
                    instead=enforced_otherwise(part),
                )
        self._check_column(table, single_sensitive(table, self.name))

    def _check_column(self, table: Table, column: int) -> None:
        """Raise when the whole table does not satisfy the model on this column."""
        attribute = table.attributes[column]
        self._check_counts(attribute, np.bincount(table.codes[column], minlength=len(attribute)))

    def _check_counts(self, attribute: Attribute, counts: Counts) -> None:
        """The same for a column whose values occur so often."""
        whole = Groups.of_counts(counts, counts, attribute)
        for model in self.required.parts:
            if not model.check(whole).holds:
                level = model.level(whole)
                raise Infeasible(_in_the_way(model, attribute, counts, level.parameters, level.meaning))


def enforced_otherwise(part: PrivacyModel) -> Message:
    """Which method enforces a risk of the table as a whole, and from what of each group it follows.

    >>> from pellucid.models import parse
    >>> enforced_otherwise(parse("average re-identification risk=0.3"))
    '; incognito enforces it, and it follows from k-anonymity=4'
    """
    if part.looks_at == "population" or part.by_group:
        return Message("")
    least = getattr(part, "implied_by", None)
    follows = Message(", and it follows from k-anonymity={k}", k=least) if least else ""
    return Message("; incognito enforces it{follows}", follows=follows)


def _in_the_way(
    model: PrivacyModel, attribute: Attribute, counts: Counts, levels: Mapping[str, Any], meaning: str
) -> Message:
    """What the whole table reaches, which is the most that any grouping of this kind can."""
    rows = int(counts.sum())
    name = next((name for name, way in model.directions.items() if _short(model, name, way, levels)), "")
    name = name or next(iter(model.directions))
    asked = model.model_dump(mode="json")[name]
    level = levels.get(name)
    more = {"largest": "less", "smallest": "more"}[model.directions[name]]
    reached = "no value of it is" if level is None else f"the whole table reaches {name} = {float(level):g}"
    way_out = "ask for another model" if level is None else f"use {name} = {float(level):g} or {more}"
    worst = int(counts.argmax())
    why = Message(
        "{reached} ({meaning}; the most frequent {column!r} is {value}, {most:,} of {rows:,} rows)",
        reached=reached,
        meaning=meaning,
        column=attribute.name,
        value=shown_value(attribute.values[worst]),
        most=counts[worst],
        rows=rows,
    )
    if model.looks_at == "sizes":
        why = Message("the table has {rows:,} rows", rows=rows)
    told = "{name} = {asked} is not feasible for {model}: {why}; {way_out}"
    return Message(told, name=name, asked=asked, model=model.label, why=why, way_out=way_out)


def _short(model: PrivacyModel, name: str, way: Direction, levels: Mapping[str, Any]) -> bool:
    """Whether a parameter asks for more than the level that is reached."""
    asked, level = getattr(model, name), levels.get(name)
    return level is None or (level < asked if way == "largest" else level > asked)


def uninformed_sentence(model: PrivacyModel, table: Table, what: str | None = None) -> Message:
    """The promise of a method that only counts frequencies; ``what`` holds of groups where that has words."""
    return Message(
        "{what}; this bounds what somebody learns who does not know the method. Somebody who does may learn more "
        "about a person's {columns}.",
        what=what or f"Every group satisfies {described(model)}",
        columns=sensitive_names(table),
    )


def size_sentence(model: PrivacyModel, table: Table) -> Message:
    """The promise of a model that looks at nothing but sizes."""
    return Message(
        "Every group satisfies {described}, also for somebody who knows the method; nothing is "
        "promised about a person's {columns}, which all rows of a group may share.",
        described=described(model),
        columns=sensitive_names(table),
    )


def sensitive_names(table: Table) -> str:
    """Of the columns that are sensitive; empty where none is."""
    return " and ".join(table.attributes[i].name for i in table.having(Role.SENSITIVE))


def described(model: PrivacyModel) -> str:
    """A model with its parameters and what they mean."""
    if model.parts != (model,):
        return " and ".join(described(part) for part in model.parts)
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


def smallest_group(model: PrivacyModel) -> int:
    """The rows that models of sizes ask of a group; 0 where none of them is one.

    >>> from pellucid.models import of
    >>> asked = ("k-anonymity=3 and sample uniqueness=0", "maximum re-identification risk=0.3", "sample uniqueness=0")
    >>> [smallest_group(of(text)) for text in asked]
    [3, 4, 0]
    """
    rows = [part.k for part in model.parts if isinstance(part, KAnonymity)]
    return max([0, *rows, *(ceil(1 / part.risk) for part in model.parts if isinstance(part, MaximumRisk))])
