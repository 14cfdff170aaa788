"""Things that hang together, directly or through others (union and find)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class Joined(Generic[Thing]):
    """Whatever was joined has one thing that stands for all of it.

    >>> groups = Joined[int]()
    >>> groups.join([1, 2])
    >>> groups.join([2, 3])
    >>> groups.find(3) == groups.find(1), groups.find(4) == groups.find(1)
    (True, False)
    """

    def __init__(self) -> None:
        self._above: dict[Thing, Thing] = {}

    def find(self, thing: Thing) -> Thing:
        """The one that stands for a thing and for all that hangs together with it."""
        above = self._above
        while above.setdefault(thing, thing) != thing:
            above[thing] = above[above[thing]]
            thing = above[thing]
        return thing

    def join(self, things: Sequence[Thing]) -> None:
        """These hang together."""
        for other in things[1:]:
            self._above[self.find(other)] = self.find(things[0])
