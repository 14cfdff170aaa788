"""Every exception a user can meet.

Each message is one line that names the value, the rule it breaks and the way out: a template with values
(:mod:`pellucid.messages`), so that the command line and the page say it in their own words. Nothing else derives from
:class:`PellucidError`, so ``except PellucidError`` is enough.
"""

from __future__ import annotations

from typing import Any

from pellucid.messages.message import Message, on_one_line


class PellucidError(Exception):
    r"""The call or the input is wrong, or the request cannot be met; the message says what to do.

    >>> PellucidError("k = [1,\n 2] is not a number")  # whatever a value looks like, the message is one line
    PellucidError('k = [1, 2] is not a number')
    >>> PellucidError("k = {k} is not a number", k="1\n2")
    PellucidError('k = 1 2 is not a number')
    >>> wrong = PellucidError("k = {k} is too small", "use {least} or more", k=0, least=1)
    >>> wrong, wrong.message.way_out
    (PellucidError('k = 0 is too small; use 1 or more'), 'use 1 or more')
    """

    def __init__(self, problem: object = "", way_out: str = "", /, **values: Any) -> None:
        super().__init__(Message.of(_message(problem, values), _message(way_out, values)))

    @property
    def message(self) -> Message:
        """What is wrong and what to do, for whoever tells it in other words than Python's."""
        return Message(self.args[0] if self.args else "")

    advice = message


def _message(text: object, values: dict[str, Any]) -> Message:
    """A template with those of the values that it names."""
    if isinstance(text, Message):
        said = text
    else:
        template = text if isinstance(text, str) else str(text)
        said = Message(
            on_one_line(template), **{name: value for name, value in values.items() if f"{{{name}" in template}
        )
    return said if on_one_line(said) == said else Message("{text}", text=on_one_line(said))  # a value has several lines


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
