"""What every method is: frozen parameters, a stated guarantee, and one function from a table and coins to groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pellucid.coins import Coins
from pellucid.errors import Infeasible, MethodError
from pellucid.group.grouping import Grouping
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role
from pellucid.table import Attribute, Table, frequencies


class Method(BaseModel, ABC):
    """A method with its parameters as fields.

    The same class is the Python argument, the section of a job file and the row in ``pellucid methods``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: ClassVar[str]
    summary: ClassVar[str]
    guarantee: ClassVar[str]
    explanation: ClassVar[str]
    reference: ClassVar[str]

    def __init__(self, *positional: object, **parameters: object) -> None:
        if positional:
            first = next(iter(type(self).model_fields))
            example = f"{type(self).__name__}({first}={positional[0]!r})"
            raise MethodError(f"{self.name} takes its parameters by name; write {example}")
        # a number that comes out of numpy is a number
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
        try:
            super().__init__(**plain)
        except ValidationError as error:
            raise MethodError(self._complaint(error)) from None

    @classmethod
    def _complaint(cls, error: ValidationError) -> str:
        """The first thing wrong with the parameters, in one line."""
        problem = error.errors()[0]
        name = ".".join(str(part) for part in problem["loc"]) or "parameters"
        known = ", ".join(cls.model_fields)
        if problem["type"] == "extra_forbidden":
            return f"{cls.name} has no parameter {name!r}; its parameters are: {known}"
        if problem["type"] == "missing":
            return f"{cls.name} needs the parameter {name!r}; its parameters are: {known}"
        meaning = cls.model_fields[name].description if name in cls.model_fields else None
        return f"{name} = {problem['input']!r}: {problem['msg'].lower()}" + (
            f" ({name} is {meaning})" if meaning else ""
        )

    @abstractmethod
    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""

    @abstractmethod
    def sentence(self, table: Table) -> str:
        """The guarantee in one plain sentence a steward can sign."""


class DiversityMethod(Method):
    """A method whose groups are l-diverse: in each, no sensitive value is carried by more than one row in l."""

    l: int = Field(ge=1, description="the promise: nobody's sensitive value is named with probability above 1/l")

    def check(self, table: Table, threads: int = 1) -> int:
        """How many rows the most frequent sensitive value has; raises when no release of the table is l-diverse."""
        require_quasi(table)
        most = 0
        for column in table.having(Role.SENSITIVE):
            attribute = table.attributes[column]
            counts = frequencies(table.codes[column], len(attribute), threads)
            worst = int(counts.argmax())
            most = max(most, int(counts[worst]))
            if int(counts[worst]) * self.l > len(table):
                raise Infeasible(self._in_the_way(attribute, worst, int(counts[worst]), len(table)))
        return most

    def _in_the_way(self, attribute: Attribute, code: int, count: int, rows: int) -> str:
        """Which value is too frequent for this l, and the way out."""
        shown = "null" if attribute.values[code] is None else repr(attribute.values[code])
        largest = rows // count
        way_out = (
            f"use l = {largest} or less, or split {shown} into finer values"
            if largest > 1
            else f"no l above 1 is; protect another column, or split {shown} into finer values"
        )
        return (
            f"l = {self.l} is not feasible: {shown} is the {attribute.name!r} of {count:,} of {rows:,} rows "
            f"({count / rows:.1%}), and l-diversity needs at most one in {self.l}; {way_out}"
        )

    def sentence(self, table: Table) -> str:
        """The guarantee in one plain sentence."""
        columns = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
        if self.l == 1:
            return f"l = 1 promises nothing: somebody may learn a person's {' and '.join(columns)} with certainty."
        if len(columns) == 1:
            return (
                f"Somebody who knows the method, its parameters and everything about everyone except {columns[0]} "
                f"names any one person's {columns[0]} with probability at most 1/{self.l}."
            )
        listed = ", ".join(columns[:-1]) + " and " + columns[-1]
        return (
            f"Somebody who knows the method, its parameters and everything about everyone except {listed} names "
            f"any one person's value of each single one of these columns with probability at most 1/{self.l}."
        )


def require_quasi(table: Table) -> None:
    """Raise unless the table has rows, a quasi-identifier and a sensitive column."""
    if len(table) == 0:
        raise MethodError("the table has no rows; there is nothing to publish")
    if not table.having(Role.QUASI):
        raise MethodError("the table has no quasi-identifier; name at least one column that an attacker may know")
    if not table.having(Role.SENSITIVE):
        raise MethodError("the table has no sensitive column; name the column to protect")


def single_sensitive(table: Table, method: str) -> int:
    """The one sensitive column, or an error that names the method that protects several."""
    columns = table.having(Role.SENSITIVE)
    if len(columns) > 1:
        names = ", ".join(table.attributes[i].name for i in columns)
        raise MethodError(
            f"{method} protects one sensitive column, and this table has {len(columns)} ({names}); "
            f"use Tailor, which protects each of them, or drop all but one"
        )
    return columns[0]
