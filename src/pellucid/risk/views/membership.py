"""Who is in which group, as far as a release and a population tell.

A published group covers people: those whose quasi-identifiers its values stand for. Every way to give each row a person
of its own whom it covers is as likely as any other. Where the groups that share people with each other are few and
small, the ways are counted and the chances are exact; elsewhere a person is taken to be in whichever of the groups is
worst, which bounds the risk from above and is said to be a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.messages import Note, NoteKind
from pellucid.risk.views.joined import Joined

PAIRS = 200_000  # of a tangled group and a place that it covers
STEPS = 3_000  # transitions between states that counting may take for groups that share people
MOST_KINDS = 12  # kinds of people in groups that are counted at all
TANGLES = 40  # groups of groups that may use up their steps without success, before the rest is left uncounted

APART = Note("people with the same quasi-identifiers in different groups are taken as known apart", NoteKind.LOOK_ALIKE)

Counts = NDArray[np.int64]
State = tuple[int, ...]  # how many people of each kind are left
Move = tuple[State, State, tuple[int, ...], int]  # from a state to another, whom a group takes, and in how many ways


@dataclass(frozen=True, eq=False)
class Membership:
    """Each person's groups with the chance to be in them.

    Person p may be in ``groups[starts[p]:starts[p + 1]]``, with ``chance`` beside each. Where not ``exact[p]`` the
    chances are bounds, 1 each: the groups that may hold the person.
    """

    starts: NDArray[np.int64]
    groups: NDArray[np.int32]
    chance: NDArray[np.float64]
    exact: NDArray[np.bool_]

    def of(self, person: int) -> Iterator[tuple[int, float]]:
        """The groups of a person, each with its chance."""
        part = slice(int(self.starts[person]), int(self.starts[person + 1]))
        return zip(self.groups[part].tolist(), self.chance[part].tolist(), strict=True)

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Who may be in the table at all."""
        return np.diff(self.starts) > 0

    @property
    def certain(self) -> bool:
        """Whether everybody who may be in the table is in one known group."""
        return bool(self.exact.all() and (np.diff(self.starts) <= 1).all() and (self.chance == 1).all())

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group of whoever is certainly in it, -1 for the others."""
        labels = np.full(len(self.exact), -1, np.int32)
        sure = np.flatnonzero(np.diff(self.starts) == 1)
        sure = sure[(self.chance[self.starts[sure]] == 1) & self.exact[sure]]
        labels[sure] = self.groups[self.starts[sure]]
        return labels

    @classmethod
    def by_place(
        cls, groups_of: Mapping[int, Sequence[tuple[int, float]]], exact: NDArray[np.bool_], place: NDArray[np.int64]
    ) -> Membership:
        """From the groups of each place, and whether they are exact, to the people at the places."""
        places = len(exact)
        counts = np.array([len(groups_of.get(p, ())) for p in range(places)], np.int64)
        first = np.append(0, np.cumsum(counts))
        flat = [pair for p in range(places) for pair in groups_of.get(p, ())]
        groups = np.array([group for group, _ in flat], np.int32)
        chance = np.array([chance for _, chance in flat], np.float64)
        mine = counts[place]
        starts = np.append(0, np.cumsum(mine)).astype(np.int64)
        index = np.repeat(first[place] - starts[:-1], mine) + np.arange(starts[-1])
        return cls(starts, groups[index], chance[index], exact[place])


@dataclass(frozen=True, eq=False)
class Tangle:
    """Groups that share people: the sizes of groups, how many people there are of each kind, who fits which group.

    People of a kind are covered by the same groups, ``kinds[k]``, and are exchangeable.
    """

    sizes: Mapping[int, int]
    kinds: Sequence[tuple[int, ...]]
    people: Sequence[int]

    def chances(self, steps: int = STEPS) -> list[dict[int, Fraction]] | None:
        """For each kind the chance of one of its people to be in each group; None when counting takes too long."""
        counted = self._count(steps) if len(self.kinds) <= MOST_KINDS else None
        if counted is None:
            return None
        total, expected = counted
        if not total:
            raise AttackError(
                "the population does not fit the release: there is no way to give every row a person whom it covers",
                "give the people from whom the table was drawn, everyone of the table included",
            )
        return [
            {group: Fraction(expected[k, group], total * self.people[k]) for group in fits}
            for k, fits in enumerate(self.kinds)
        ]

    def _count(self, steps: int) -> tuple[int, dict[tuple[int, int], int]] | None:
        """The ways to choose people for all groups, and the sum over them of how many of a kind are in a group.

        Groups take their people one after the other; a state is how many people of each kind are left.
        """
        fitting = {group: [k for k, fits in enumerate(self.kinds) if group in fits] for group in self.sizes}
        forward: list[dict[State, int]] = [{tuple(self.people): 1}]
        moves: list[list[Move]] = []
        for group, rows in self.sizes.items():
            taken = list(islice(_moves(forward[-1], fitting[group], rows), steps + 1))
            steps -= len(taken)
            if steps < 0:
                return None
            moves.append(taken)
            forward.append(_reached(forward[-1], taken))
        return sum(forward[-1].values()), self._expected(fitting, forward, moves)

    def _expected(
        self, fitting: Mapping[int, list[int]], forward: Sequence[dict[State, int]], moves: Sequence[list[Move]]
    ) -> dict[tuple[int, int], int]:
        """The sum over all ways of how many of a kind are in a group: the moves taken, from the last group back."""
        expected = {(k, group): 0 for k, fits in enumerate(self.kinds) for group in fits}
        backward = dict.fromkeys(forward[-1], 1)
        for group, reached, taken in reversed(list(zip(self.sizes, forward[:-1], moves, strict=True))):
            before: dict[State, int] = {}
            for state, rest, taking, ways in taken:
                mass = ways * backward.get(rest, 0)
                before[state] = before.get(state, 0) + mass
                for k, n in zip(fitting[group], taking, strict=True):
                    expected[k, group] += reached[state] * mass * n
            backward = before
        return expected


def _reached(before: Mapping[State, int], taken: Iterable[Move]) -> dict[State, int]:
    """How many ways lead to each state after some moves."""
    after: dict[State, int] = {}
    for state, rest, _, ways in taken:
        after[rest] = after.get(rest, 0) + before[state] * ways
    return after


def _moves(states: Iterable[State], fitting: Sequence[int], rows: int) -> Iterator[Move]:
    """Every way in which a group takes its rows from the kinds of people that fit it."""
    for state in states:
        for taking in splits(rows, [state[k] for k in fitting]):
            rest = list(state)
            for k, n in zip(fitting, taking, strict=True):
                rest[k] -= n
            yield state, tuple(rest), taking, prod(comb(state[k], n) for k, n in zip(fitting, taking, strict=True))


def splits(rows: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every way to split so many rows over kinds with at most so many people each.

    >>> list(splits(2, [1, 2]))
    [(0, 2), (1, 1)]
    """
    if not most:
        if rows == 0:
            yield ()
        return
    rest = sum(most[1:])
    for n in range(max(0, rows - rest), min(most[0], rows) + 1):
        yield from ((n, *others) for others in splits(rows - n, most[1:]))


@dataclass(frozen=True, eq=False)
class Fit:
    """Which places each group covers: pair i says that ``groups[i]`` covers ``places[i]``.

    Where more than ``PAIRS`` pairs are tangled, nobody unravels them, and what follows are bounds.
    """

    sizes: Counts
    people: Counts  # at each place
    places: NDArray[np.int64]
    groups: NDArray[np.int64]

    @classmethod
    def of(cls, walk: Iterator[tuple[int, NDArray[np.int64]]], sizes: Counts, people: Counts) -> Fit:
        """From the groups with the places that they cover."""
        reached = [(group, places) for group, places in walk if len(places)]
        places = np.concatenate([places for _, places in reached]) if reached else np.zeros(0, np.int64)
        groups = np.repeat([group for group, _ in reached], [len(places) for _, places in reached]).astype(np.int64)
        order = np.lexsort((groups, places))
        fit = cls(sizes, people, places[order].astype(np.int64), groups[order])
        covered = fit.covered
        short = np.flatnonzero(covered < sizes)
        if len(short):
            group = int(short[0])
            raise AttackError(
                f"the population does not fit the release: a group of {int(sizes[group]):,} rows covers "
                f"{int(covered[group]):,} of its people ({len(short):,} of {len(sizes):,} groups are short of people)",
                ""
                "give the people from whom the table was drawn, everyone of the table included, and a schema with the "
                "taxonomies of the columns if values stand for others",
            )
        return fit

    @cached_property
    def covered(self) -> Counts:
        """How many people each group covers."""
        covered = np.bincount(self.groups, weights=self.people[self.places], minlength=len(self.sizes))
        return covered.astype(np.int64)

    @cached_property
    def of_place(self) -> dict[int, tuple[int, ...]]:
        """The groups that cover each place."""
        return self._by_place(np.ones(len(self.places), np.bool_))

    def _by_place(self, pairs: NDArray[np.bool_]) -> dict[int, tuple[int, ...]]:
        places, groups = self.places[pairs], self.groups[pairs]
        if not len(places):
            return {}
        starts = np.flatnonzero(np.append(True, places[1:] != places[:-1]))
        ends = np.append(starts[1:], len(places))
        return {
            int(places[a]): tuple(groups[a:b].tolist()) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        }

    @cached_property
    def tangled(self) -> NDArray[np.bool_]:
        """The pairs of groups that share people with others; the rest is a matter of dividing."""
        shared = np.bincount(self.places, minlength=len(self.people)) > 1
        mixed = np.zeros(len(self.sizes), np.bool_)
        mixed[self.groups[shared[self.places]]] = True
        return np.asarray(mixed[self.groups])

    def tangles(self) -> Iterator[tuple[Tangle, list[list[int]]]]:
        """Groups that share people, directly or through others, and the places of each of their kinds of people."""
        by_kind: dict[tuple[int, ...], list[int]] = {}
        for place, groups in self._by_place(self.tangled).items():
            by_kind.setdefault(groups, []).append(place)
        joined = Joined[int]()
        for groups in by_kind:
            joined.join(groups)
        together: dict[int, list[tuple[int, ...]]] = {}
        for groups in by_kind:
            together.setdefault(joined.find(groups[0]), []).append(groups)
        for kinds in together.values():
            members = sorted({group for groups in kinds for group in groups})
            people = [int(self.people[by_kind[groups]].sum()) for groups in kinds]
            sizes = {group: int(self.sizes[group]) for group in members}
            yield Tangle(sizes, kinds, people), [by_kind[groups] for groups in kinds]

    def forced(self) -> dict[int, dict[int, int]] | None:
        """How many people of each place are in each group, where everybody is in the table and nothing else fits.

        A place that fits one group goes there, and a group that needs everybody who is left, or whom one place alone
        fits, gets them, until all is settled; None when something stays open. People at a place look exactly alike.
        """
        if int(self.people.sum()) != int(self.sizes.sum()) or int(self.tangled.sum()) > PAIRS:
            return None
        if len(self.of_place) != len(self.people):
            return None
        return _Settling(
            self.sizes.astype(object).tolist(), self.people.astype(object).tolist(), self.of_place
        ).settled()

    def membership(self, place: NDArray[np.int64], steps: int = STEPS) -> Membership:
        """The chances of everybody; ``place`` is the place of each person."""
        chance = np.ones(len(self.places))
        alone = ~self.tangled
        chance[alone] = (self.sizes / np.maximum(self.covered, 1))[self.groups[alone]]
        exact = np.ones(len(self.people), np.bool_)
        if int(self.tangled.sum()) > PAIRS:
            exact[self.places[self.tangled]] = False
        else:
            self._unravel(chance, exact, steps)
        return self._of_people(place, chance, exact)

    def bounds(self, place: NDArray[np.int64]) -> Membership:
        """The groups that may hold each person, with no chance counted: the values of a group limit each other."""
        return self._of_people(place, np.ones(len(self.places)), np.zeros(len(self.people), np.bool_))

    def _of_people(self, place: NDArray[np.int64], chance: NDArray[np.float64], exact: NDArray[np.bool_]) -> Membership:
        """From the chances of places to those of the people at them."""
        kept = chance > 0
        places, groups, chance = self.places[kept], self.groups[kept].astype(np.int32), chance[kept]
        counts = np.bincount(places, minlength=len(self.people))
        first = np.append(0, np.cumsum(counts))[:-1]
        mine = counts[place]
        starts = np.append(0, np.cumsum(mine)).astype(np.int64)
        index = np.repeat(first[place] - starts[:-1], mine) + np.arange(starts[-1])
        return Membership(starts, groups[index], chance[index], exact[place])

    def _unravel(self, chance: NDArray[np.float64], exact: NDArray[np.bool_], steps: int) -> None:
        """Write the chances of tangled groups, or note that they are bounds."""
        first = np.searchsorted(self.places, np.arange(len(self.people)))
        in_vain = 0
        for tangle, places in self.tangles():
            chances = tangle.chances(steps) if in_vain < TANGLES else None
            in_vain += chances is None and len(tangle.kinds) <= MOST_KINDS
            for k, here in enumerate(places):
                if chances is None:
                    exact[here] = False
                    continue
                chances_of = [float(chances[k][group]) for group in tangle.kinds[k]]
                for one in here:
                    chance[first[one] : first[one] + len(chances_of)] = chances_of


class _Settling:
    """People of places are put into groups, one forced step after the other."""

    def __init__(self, room: list[int], left: list[int], of_place: Mapping[int, tuple[int, ...]]) -> None:
        self.room = room  # of each group
        self.left = left  # people of each place
        self.fitting = {place: set(groups) for place, groups in of_place.items()}
        self.covers: dict[int, set[int]] = {group: set() for group in range(len(room))}
        for place, groups in of_place.items():
            for group in groups:
                self.covers[group].add(place)
        self.waiting = {group: sum(left[place] for place in places) for group, places in self.covers.items()}
        self.put_in: dict[int, dict[int, int]] = {place: {} for place in of_place}
        self.places = [place for place, groups in self.fitting.items() if len(groups) == 1]
        self.groups = list(self.covers)

    def settled(self) -> dict[int, dict[int, int]] | None:
        """How many people of each place are in each group; None when something stays open or does not fit."""
        while self.places or self.groups:
            while self.places:
                if not self._place_fits(self.places.pop()):
                    return None
            if self.groups and not self._group_is_filled(self.groups.pop()):
                return None
        return None if any(self.left) else self.put_in

    def _place_fits(self, place: int) -> bool:
        """Put the people of a place that fits one group there; whether it has room for them."""
        if self.left[place] and len(self.fitting[place]) == 1:
            (group,) = self.fitting[place]
            if self.left[place] > self.room[group]:
                return False
            self._put(place, group, self.left[place])
        return True

    def _group_is_filled(self, group: int) -> bool:
        """Put everybody who is left into a group that needs them all; whether there are enough."""
        if self.room[group] and self.waiting[group] == self.room[group]:
            for place in list(self.covers[group]):
                self._put(place, group, self.left[place])
        elif self.room[group] and len(self.covers[group]) == 1:
            (place,) = self.covers[group]
            if self.left[place] < self.room[group]:
                return False
            self._put(place, group, self.room[group])
        return True

    def _put(self, place: int, group: int, people: int) -> None:
        self.put_in[place][group] = people
        self.room[group] -= people
        self.left[place] -= people
        for other in self.fitting[place]:
            self.waiting[other] -= people
        if self.left[place] == 0:
            self._leave(place, list(self.fitting[place]))
        if self.room[group] == 0:
            for covered in list(self.covers[group]):
                self._leave(covered, [group])
        self.groups.append(group)

    def _leave(self, place: int, groups: list[int]) -> None:
        """Nobody of a place is put into these groups any more."""
        for group in groups:
            self.fitting[place].discard(group)
            self.covers[group].discard(place)
            self.waiting[group] -= self.left[place]
            self.groups.append(group)
        if len(self.fitting[place]) == 1:
            self.places.append(place)


def apart(found: Mapping[int, Mapping[int, int]], rows: NDArray[np.int32]) -> tuple[Membership, tuple[str, ...]]:
    """Membership where it is settled how many people of each place are in each group.

    ``rows`` lists the people place after place. Who among people who look exactly alike is in which group is taken as
    known: they could change places, so the risks are those of the attacker who knows it.
    """
    labels = np.empty(len(rows), np.int32)
    labels[rows] = [
        group for place in range(len(found)) for group, people in sorted(found[place].items()) for _ in range(people)
    ]
    everyone = len(labels)
    known = Membership(np.arange(everyone + 1, dtype=np.int64), labels, np.ones(everyone), np.ones(everyone, np.bool_))
    return known, (APART,) if any(len(groups) > 1 for groups in found.values()) else ()
