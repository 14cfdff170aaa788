"""Parameters that are checked when a value is made: the base of methods, models and metrics.

A value that exists is valid. What is wrong with a parameter is said in one line: the parameter, what was given, the
rule, and what the parameter means.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from pellucid.errors import PellucidError
from pellucid.messages import Message, Term
from pellucid.models.exact import plain

PARAMETER = "parameter of a thing"  # the term for one, in what is wrong with it


class Parameters(BaseModel):
    """Named parameters as frozen fields; ``name`` is what users call the thing, ``refusal`` the error it raises."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: ClassVar[str]
    refusal: ClassVar[type[PellucidError]]

    def __init__(self, *positional: object, **parameters: object) -> None:
        if positional:
            first = next((f"{field}={positional[0]!r}" for field in type(self).model_fields), "")
            raise self.refusal(f"{self.name} takes its parameters by name; write {type(self).__name__}({first})")
        # a number that comes out of numpy is a number
        given = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
        try:
            super().__init__(**self._renamed(given))
        except ValidationError as error:
            raise self.refusal(self._complaint(error)) from None

    @classmethod
    def _renamed(cls, given: dict[str, object]) -> dict[str, object]:
        """The parameters under the names of the fields."""
        return given

    @classmethod
    def _complaint(cls, error: ValidationError) -> Message:
        """The first thing wrong with the parameters, in one line."""
        # a parameter that does not exist may be a misspelt one that is missing
        problem = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        name = ".".join(str(part) for part in problem["loc"]) or "parameters"
        known = ", ".join(cls.model_fields) or "none"
        if problem["type"] == "extra_forbidden":
            return Message(
                "{name} has no parameter {term}; its parameters are: {known}",
                name=cls.name,
                term=Term(PARAMETER, repr(name), name),
                known=known,
            )
        if problem["type"] == "missing":
            return Message(
                "{name} needs the parameter {term}; its parameters are: {known}",
                name=cls.name,
                term=Term(PARAMETER, repr(name), name),
                known=known,
            )
        told = problem["msg"].removeprefix("Value error, ")
        if not problem["loc"]:
            return Message("{name}: {told}", name=cls.name, told=told)
        if problem["type"] != "value_error":
            told = told[:1].lower() + told[1:].replace("should", "must")
        given = plain(problem["input"]) if isinstance(problem["input"], Fraction) else repr(problem["input"])
        rule = told.removeprefix("input ")
        return Message(
            "{name}: {term} = {given} {rule}{meaning_of}",
            name=cls.name,
            term=Term(PARAMETER, name, name),
            given=given,
            rule=rule,
            meaning_of=cls._meaning_of(str(problem["loc"][0])),
        )

    @classmethod
    def _meaning_of(cls, field: str) -> Message:
        """What a parameter is, in brackets, where it says so."""
        meaning = cls.model_fields[field].description if field in cls.model_fields else None
        return Message(" ({field} is {meaning})", field=field, meaning=meaning) if meaning else Message("")
