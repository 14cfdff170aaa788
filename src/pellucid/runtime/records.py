"""Frozen values that are there at once: dataclasses whose methods are shared instead of generated.

``dataclass(frozen=True)`` writes the source of up to six methods for every class, and compiles it when the class is
imported: a tenth of the instructions of a program that publishes 30,000 rows, for the seventy classes that it imports.
A record has the fields of a dataclass, so that ``fields``, ``replace``, ``asdict``, ``match`` and type checkers take it
as one, and methods that look them up. What users make by name stays a dataclass: its signature is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, NoReturn, TypeVar, dataclass_transform

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(*, eq: bool = True) -> Callable[[type[Kind]], type[Kind]]:
    """Make a class a record; with ``eq=False`` it equals only itself, as what holds arrays must.

    >>> @record()
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(x=1, y=0), len({Point(1), Point(1)})
    (Point(x=1, y=0), True, 1)
    >>> Point(1).x = 2
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: Point is frozen: its x stays as it is
    """
    shared: dict[str, Any] = {"__repr__": _told, "__setattr__": _refused, "__delattr__": _refused}
    if eq:
        shared |= {"__eq__": _equal, "__hash__": _hashed}

    def recorded(kind: type[Kind]) -> type[Kind]:
        dataclass(init=False, repr=False, eq=False)(kind)
        for name, method in {"__init__": _maker(kind), **shared}.items():
            if name not in vars(kind):
                setattr(kind, name, method)
        return kind

    return recorded


def _maker(kind: Any) -> Callable[..., None]:
    """What makes a value of this kind: its ``__init__``."""
    names = tuple(one.name for one in fields(kind))
    known = frozenset(names)
    usual = {one.name: one.default for one in fields(kind) if one.default is not MISSING}
    afresh = [(one.name, one.default_factory) for one in fields(kind) if one.default_factory is not MISSING]
    finish = getattr(kind, "__post_init__", None)

    def make(self: object, *given: object, **named: object) -> None:
        values = vars(self)
        values.update(zip(names, given, strict=False))
        values.update(named)
        if len(values) != len(given) + len(named):
            raise TypeError(f"{kind.__name__} has the fields {', '.join(names)}: more was given, or one of them twice")
        for name, factory in afresh:
            if name not in values:
                values[name] = factory()
        for name, value in usual.items():
            values.setdefault(name, value)
        if values.keys() != known:
            raise TypeError(f"{kind.__name__} has the fields {', '.join(names)}; given were {', '.join(values)}")
        if finish is not None:
            finish(self)

    return make


def _compared(value: Any) -> tuple[object, ...]:
    return tuple([getattr(value, one.name) for one in fields(value) if one.compare])


def _equal(self: object, other: object) -> bool:
    return _compared(self) == _compared(other) if other.__class__ is self.__class__ else NotImplemented


def _hashed(self: object) -> int:
    return hash(_compared(self))


def _told(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refused(self: object, name: str, *_value: object) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__} is frozen: its {name} stays as it is")
