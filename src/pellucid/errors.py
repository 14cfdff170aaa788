"""Every exception a user can meet.

Each message is one line that names the value, the rule it breaks and the way out: ``advice``, in which what a person
can change is a term (:mod:`pellucid.advice`), so that the command line says it in its own words. Nothing else derives
from :class:`PellucidError`, so ``except PellucidError`` is enough.
"""

from __future__ import annotations

import re

from pellucid.advice import Advice

_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")  # where text.splitlines() begins a new line


class PellucidError(Exception):
    r"""The call or the input is wrong, or the request cannot be met; the message says what to do.

    >>> PellucidError("k = [1,\n 2] is not a number")  # whatever a value looks like, the message is one line
    PellucidError('k = [1, 2] is not a number')
    >>> PellucidError("k = 0 is too small", "use 1 or more").advice.way_out
    'use 1 or more'
    """

    def __init__(self, message: object = "", way_out: str = "") -> None:
        text = Advice.of(message if isinstance(message, str) else str(message), way_out)
        super().__init__(Advice(_BREAKS.sub(" ", text.marked)))

    @property
    def advice(self) -> Advice:
        """The message, for whoever tells it in other words than Python's."""
        return Advice(self.args[0] if self.args else "")


def first_line(wrong: BaseException) -> str:
    r"""What another library or the system says, without its further lines, such as where in its own code it was.

    >>> first_line(ValueError("no such column\nat line 7 of plan.rs"))
    'no such column'
    """
    return str(wrong).partition("\n")[0]


class SchemaError(PellucidError):
    """A schema names an unknown column, role or kind, or contradicts itself."""


class TaxonomyError(PellucidError):
    """A taxonomy misses a value, has a cycle or is not a hierarchy."""


class InputError(PellucidError):
    """A table cannot be read: missing, empty, ragged, in another encoding, with duplicate columns or identifiers."""


class OutputError(PellucidError):
    """A release cannot be written: the target exists, is not writable, or the disk is full."""


class MethodError(PellucidError):
    """A method's parameters are out of range, or the method cannot treat this table."""


class ModelError(PellucidError):
    """A privacy model's parameters are out of range, or the model says nothing about this table."""


class Infeasible(PellucidError):
    """No release with this parameter exists; the message names the value in the way and the largest feasible one."""


class AttackError(PellucidError):
    """An attack cannot run: something is missing or contradicts the release. It never means that a release is safe."""


class MeasureError(PellucidError):
    """A release cannot be measured: it does not belong to the original, or the metric says nothing about it."""


class EngineError(PellucidError):
    """Spark or a machine that works for it failed: not there, not reachable, full, or without pellucid."""


class RequirementNotMet(PellucidError):
    """A job's release does not satisfy a model that the job requires; nothing was written."""


class PromiseNotKept(AssertionError):
    """Groups that a method made break its promise: a defect of ours, found before anything was published.

    It is no :class:`PellucidError`: nothing is wrong with the call, and another try must not be made until one passes.
    """


class Cancelled(PellucidError):
    """The person at the keyboard, or the page, asked to stop. Nothing was written."""
