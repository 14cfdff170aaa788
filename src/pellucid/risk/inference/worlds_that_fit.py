"""Worlds that fit the published groups: who is in the table and who has which value, each world once.

A world that fits gives every row a person whom its group covers, and the people of a group its values, in whatever way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from pellucid.risk.facts import Fact, Has, Implies, Not
from pellucid.risk.views import Evidence

MOST_PEOPLE = 200  # of whom worlds are tried
STEPS_PER_WORLD = 10  # that finding them may take

Codes = tuple[int, ...]  # the sensitive code of everybody, -1 for whoever is not in the table
Lacking = tuple[int, ...]  # of each group and value how many rows have no person yet


def worlds_that_fit(evidence: Evidence, most: int) -> list[Codes] | None:
    """Every world that fits, each once, in whatever ways its people may be in the groups; None where too many.

    People get their values one after the other. Beside each world goes what the groups still lack, in every way
    to put the people so far into groups; a world that leaves no way open is left.
    """
    people = len(evidence.people)
    if people > MOST_PEOPLE:
        return None
    slots = _Slots.of(evidence, [evidence.groups_of(person) for person in range(people)])
    if people and not slots.can_be_filled:
        return []
    fitting: list[Codes] = []
    steps = STEPS_PER_WORLD * most
    waiting: list[tuple[Codes, frozenset[Lacking]]] = [((), frozenset([slots.lacking]))]
    while waiting:
        world, states = waiting.pop()
        if len(world) == people:
            fitting.append(world)
            if len(fitting) > most:
                return None
            continue
        steps -= len(states)
        if steps < 0:
            return None
        after = slots.after(len(world), states)
        waiting += [((*world, code), frozenset(rests)) for code, rests in sorted(after.items(), reverse=True)]
    return fitting


def holds_in(facts: Sequence[Fact], world: Codes, evidence: Evidence) -> bool:
    """Whether facts hold in a world; whoever is not in the table has no value."""

    def true(part: Has | Not) -> bool:
        return (world[evidence.person(part.person)] == evidence.code(part.value)) == isinstance(part, Has)

    return all(
        (true(fact.consequence) or not true(fact.condition)) if isinstance(fact, Implies) else true(fact)
        for fact in facts
    )


@dataclass(frozen=True, eq=False)
class _Slots:
    """What people can still be: the published groups' values, and how many of those who follow fit each group."""

    cells: list[tuple[int, int]]  # a group and a code that it has
    of_group: list[range]  # the cells of each group, which follow each other
    fitting: list[list[int]]  # the groups that each person may be in
    room: list[list[int]]  # how many of those from a person on may be in each group
    lacking: Lacking  # rows of each cell that have no person yet, before anybody is placed

    @classmethod
    def of(cls, evidence: Evidence, fitting: list[list[int]]) -> _Slots:
        counts = [evidence.counts(group) for group in range(len(evidence.published))]
        cells = [(group, int(code)) for group, (codes, _) in enumerate(counts) for code in codes.tolist()]
        lacking = tuple(int(n) for _, rows in counts for n in rows.tolist())
        ends = [0, *accumulate(len(codes) for codes, _ in counts)]
        of_group = [range(a, b) for a, b in pairwise(ends)]
        return cls(cells, of_group, fitting, _room(fitting, len(counts)), lacking)

    def after(self, person: int, states: Iterable[Lacking]) -> dict[int, set[Lacking]]:
        """The codes that a person may have in any of these states, with what may be lacking then."""
        after: dict[int, set[Lacking]] = {}
        for state in states:
            for code, rest in self.options(person, state):
                after.setdefault(code, set()).add(rest)
        return after

    def options(self, person: int, state: Lacking) -> list[tuple[int, Lacking]]:
        """The codes that a person may have (-1 for not being in the table), with what is lacking then.

        Until now enough people followed for every group. Where those after this one are too few for a group, the person
        must be in it; and of two such groups one stays short.
        """
        groups, room = self.fitting[person], self.room[person + 1]
        short = [group for group in groups if self._lacks(group, state) > room[group]]
        if len(short) > 1:
            return []
        taken = [
            (self.cells[i][1], (*state[:i], state[i] - 1, *state[i + 1 :]))
            for group in short or groups
            for i in self.of_group[group]
            if state[i]
        ]
        if self.somebody_is_left_out and not short:
            taken.append((-1, state))
        return taken

    @cached_property
    def somebody_is_left_out(self) -> bool:
        """Whether there are more people than rows."""
        return len(self.fitting) > sum(self.lacking)

    @property
    def can_be_filled(self) -> bool:
        """Whether there are enough people for each group."""
        return all(self._lacks(group, self.lacking) <= n for group, n in enumerate(self.room[0]))

    def _lacks(self, group: int, state: Lacking) -> int:
        """How many rows of a group have no person yet."""
        places = self.of_group[group]
        return sum(state[places.start : places.stop])


def _room(fitting: list[list[int]], groups: int) -> list[list[int]]:
    """How many of those from a person on may be in each group, of every person and of nobody left."""
    room = [[0] * groups]
    for of_person in reversed(fitting):
        room.append([n + (group in of_person) for group, n in enumerate(room[-1])])
    return room[::-1]
