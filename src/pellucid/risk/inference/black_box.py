"""E6: any anonymizer as a black box, by running it again on other worlds that would publish the same.

The auditor has the truth. From it, sensitive values are swapped or shuffled among people, and a new world is kept when
the anonymizer publishes exactly the same of it. The worlds that are met are a sample of what an attacker who knows the
anonymizer considers possible, each equally likely beforehand. Where there are few enough worlds they are all tried.

Small moves alone may never reach some of the worlds. So now and then one is drawn anew, everybody at once; those of
which the same is published are independent draws, and only these show that somebody is surely believed to have a value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from statistics import NormalDist
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.core.schema import Role, Roles, as_roles
from pellucid.core.table import Codes, Table
from pellucid.errors import AttackError, Cancelled
from pellucid.io import to_native
from pellucid.messages import Message
from pellucid.models import Groups
from pellucid.posterior.worlds import arrangements, number_of_worlds
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import SURE, Exactness
from pellucid.risk.inference.alike_worlds import AlikeWorlds
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.views import Evidence
from pellucid.risk.views.fingerprint import fingerprint
from pellucid.risk.views.given_tables import opened_table
from pellucid.risk.views.known_groups import people_of, sensitive_column
from pellucid.runtime.arguments import number_between, whole_number
from pellucid.runtime.progress import SILENT, Progress

RUNS = 4  # of the true table, before others are tried
SECONDS = 60.0  # that all worlds may take where nobody says how many are tried
ONLY_TOLD = "the figures are of somebody who is told who is in which group; who is not told may believe more"
FEWEST = 10_000  # worlds that are tried all the same


class _Refused:
    """What an anonymizer publishes of a world that it refuses, or fails on: nothing."""


def attack_anonymizer(  # noqa: PLR0913  (a public verb)
    anonymizer: Callable[[Any], Any],
    table: Any,
    adversary: Adversary | None = None,
    *,
    roles: Roles | None = None,
    quasi: Sequence[str] | str | None = None,
    sensitive: str | None = None,
    identifier: str | None = None,
    randomised: bool = False,
    groups: Sequence[int] | None = None,
    steps: int = 4_000,
    runs: int = 20,
    confidence: float = 0.95,
    worlds_budget: int | None = None,
    alike: bool | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Beliefs:
    """What somebody who knows ``anonymizer`` learns from what it publishes of ``table``.

    ``table`` is a frame or a file with its ``quasi`` and ``sensitive`` columns named (or ``roles``), or what
    :func:`pellucid.read` gave, which knows them. ``anonymizer`` is any function from such a frame (of the library that
    ``table`` is in) to what it publishes: a frame, several frames by name, or a :class:`Release`. It is called with the
    sensitive values of people exchanged. Up to ``worlds_budget`` worlds are tried one by one, which is exact; without
    a number, as many as the anonymizer takes about a minute for. Beyond, ``steps`` moves of a random walk give
    estimates, and ``lower`` and ``upper`` say how much they vary along it: no more, since a walk may miss worlds.
    Nothing is shown to hold by them, and to fail only by worlds that were drawn independently. ``randomised`` says that
    it draws coins; the probability of the release is then estimated from ``runs`` runs per world. ``groups`` may tell
    who is in which published group: where all worlds are too many, those that exchange values inside groups are tried
    or walked through; otherwise everybody is taken as one group. Whoever is in no group (-1) may have any value.
    ``alike`` says that people who differ in nothing but name and place in the table are treated alike: worlds with the
    same rows are then tried once, so that a dozen people who look alike are exact. Where nobody says so and all worlds
    are too many, some exchanges among such people are tried: if each is published alike the figures are those of all
    worlds, and shown only by what you say; if not, or if nobody looks alike, worlds are sampled.
    A world on which the anonymizer raises an error publishes nothing, which is not the release. The walk is the same
    for the same ``seed``, which is no secret.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [20, 20, 30, 30, 30, 30], "ill": ["yes", "yes", "no", "no", "no", "no"]})
    >>> def merges_when_needed(table):  # publishes two groups unless more than half of one of them is ill
    ...     share = table.group_by("age").agg((pl.col("ill") == "yes").mean())["ill"].max()
    ...     return table if share <= 0.5 else table.with_columns(age=pl.lit("20-30"))
    >>> attack_anonymizer(merges_when_needed, people, quasi=["age"], sensitive="ill").posterior(0, "yes")
    1.0
    """
    who = adversary if adversary is not None else Adversary(knows="algorithm")
    budget = {} if worlds_budget is None else {"worlds_budget": worlds_budget}
    _refuse_others(who, confidence, steps=steps, runs=runs, seed=seed, **budget)
    columns = as_roles(roles, quasi=quasi, sensitive=sensitive, identifier=identifier)
    encoded, frame, native = opened_table(table, columns)
    column, attribute = sensitive_column(encoded)
    truth = encoded.codes[column]
    box = _Box(anonymizer, frame, native, attribute.name, attribute.values, runs if randomised else 1)
    labels = np.zeros(len(truth), np.int32) if groups is None else np.asarray(groups, dtype=np.int32)
    grouping = Grouping.from_labels(labels)
    names = None if encoded.names is None else encoded.names.to_list()
    evidence = Evidence(people_of(encoded), grouping, Groups.of(grouping.labels, truth, attribute), names=names)
    begun = perf_counter()
    release = _release_of(box, truth, randomised)
    most = _most_worlds(worlds_budget, (perf_counter() - begun) / RUNS)
    counts = np.bincount(truth, minlength=len(attribute)).tolist()
    people = _People(encoded, truth, grouping)
    tried = None if randomised else _tried_each(box, release, people, most, alike, seed, progress)
    if tried is None:
        hidden = np.flatnonzero(labels < 0)
        walk = _Walk(box, truth.copy(), release, grouping, np.random.default_rng(seed), len(counts), hidden)
        walk.go(steps, progress)
        tried = _as_walked(walk, counts, steps, confidence, people.worlds)
    values = list(attribute.values.to_list())

    def posterior_of(row: int) -> Mapping[Any, Any]:
        return {values[code]: float(p) for code, p in enumerate(tried.posterior[row]) if counts[code]}

    def reason_of(row: int) -> str:  # noqa: ARG001
        return "this is how often the person has the value in the worlds of which the anonymizer publishes the same"

    return Beliefs(
        who,
        evidence,
        tried.risk,
        tried.engine,
        posterior_of,
        reason_of,
        lower=tried.lower,
        upper=tried.upper,
        confidence=confidence if tried.exactness is Exactness.SAMPLED else 1.0,
        notes=(*tried.notes, *box.notes()),
        exactness=tried.exactness,
        surely=tried.surely,
        at_most=1.0 if tried.told else None,
        other_view=ONLY_TOLD if tried.told else "",
    )


def _refuse_others(adversary: Adversary, confidence: float, **whole: int) -> None:
    """Raise for an adversary, or a walk, of which nothing can be said here."""
    if adversary.knows != "algorithm" or adversary.prior != "uniform" or adversary.facts:
        raise AttackError(
            "a black box is attacked by somebody who knows the algorithm, with a uniform prior and no facts",
            "use attack() for other adversaries",
        )
    for name, given in whole.items():
        whole_number(given, name, AttackError, least=0 if name in ("seed", "worlds_budget") else 1)
    meaning = "how often intervals like these contain what is so"
    number_between(confidence, "confidence", AttackError, above=0, below=1, meaning=meaning)


def _most_worlds(budget: int | None, seconds: float) -> int:
    """How many worlds are tried one by one: as many as were said, else those that take about a minute."""
    return max(FEWEST, int(SECONDS / max(seconds, 1e-6))) if budget is None else budget


def _release_of(box: _Box, truth: Codes, randomised: bool) -> Any:
    """What is published of the true table; an anonymizer that draws coins must be said to."""
    release = box.published(truth)
    if isinstance(release, _Refused):
        raise AttackError(f"the anonymizer refuses this table, so there is no release to attack: {box.failures[-1]}")
    if not randomised and any(box.published(truth) != release for _ in range(RUNS - 1)):
        raise AttackError(
            "the anonymizer publishes something else of the same table when it runs again: it draws coins",
            "give randomised=True",
        )
    return release


@dataclass(frozen=True, eq=False)
class _Inside:
    """The worlds in which people of a group have each other's values: of each group, members and how often values."""

    groups: tuple[tuple[list[int], dict[int, int]], ...]

    @classmethod
    def of(cls, grouping: Grouping, truth: Codes) -> _Inside:
        """Those of one true table."""
        members = [grouping.members[a:b].tolist() for a, b in pairwise(grouping.starts)]
        return cls(tuple((group, dict(Counter(truth[group].tolist()))) for group in members))

    @property
    def told(self) -> bool:
        """Whether they are those of somebody who is told who is in which of several groups."""
        return len(self.groups) > 1

    @property
    def number(self) -> int:
        """How many there are."""
        return math.prod(number_of_worlds(len(members), counts) for members, counts in self.groups)

    def __iter__(self) -> Iterator[Codes]:
        world = np.zeros(sum(len(members) for members, _ in self.groups), np.int32)
        for values in product(*(arrangements(counts) for _, counts in self.groups)):
            for (members, _), held in zip(self.groups, values, strict=True):
                world[members] = held
            yield world


@dataclass(frozen=True, eq=False)
class _Tried:
    """What the worlds that were tried tell of everybody."""

    posterior: NDArray[np.float64]
    risk: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    engine: str
    notes: tuple[str, ...] = ()
    surely: NDArray[np.float64] | None = None
    told: bool = False  # whether they are those of somebody who is told who is in which of several groups
    exactness: Exactness = Exactness.EXACT


@dataclass(frozen=True, eq=False)
class _People:
    """The people of a black box: their table, their true values, and their groups where these are told."""

    table: Table
    truth: Codes
    grouping: Grouping

    @property
    def everybody(self) -> Grouping:
        """All of them as one group."""
        return Grouping.from_labels(np.zeros(len(self.truth), np.int32))

    @property
    def worlds(self) -> int:
        """How many worlds there are at least."""
        return _Inside.of(self.grouping, self.truth).number


def _tried_each(
    box: _Box, release: Any, people: _People, most: int, alike: bool | None, seed: int, progress: Progress
) -> _Tried | None:
    """What all worlds tell, each or each that has other rows; None where there are too many."""
    if (people.grouping.labels < 0).any():
        return None
    inside = _Inside.of(people.everybody, people.truth)
    if inside.number > most:
        inside = _Inside.of(people.grouping, people.truth)
    if inside.number <= most and not alike:
        return _all_worlds(box, release, inside, len(box.values), progress)
    kinds = None if alike is False else _kinds(box, people, most, alike)
    found = None if kinds is None else _worlds_of_alike(box, release, kinds, people.truth, alike, seed, progress)
    if found is None and alike:
        raise _not_alike(kinds, most)
    return found


def _not_alike(kinds: AlikeWorlds | None, most: int) -> AttackError:
    """Why people cannot be taken for alike: there are too many worlds, or the anonymizer tells them apart."""
    if kinds is None:
        return AttackError(
            f"alike = True: more than {most:,} worlds have different rows",
            "give fewer people or a larger worlds_budget=",
        )
    return AttackError(
        "alike = True: people who differ in nothing but name and place are not treated alike by this anonymizer",
        "leave alike out",
    )


def _kinds(box: _Box, people: _People, most: int, alike: bool | None) -> AlikeWorlds | None:
    """The worlds that have different rows; None where these are all, or too many."""
    looks = _looks(box.frame, people.table)
    for grouping in (people.everybody, people.grouping):
        kinds = AlikeWorlds.of(grouping, looks, people.truth)
        if kinds.nobody and not alike:
            return None
        if kinds.number_up_to(most) <= most:
            return kinds
    return None


def _all_worlds(box: _Box, release: Any, inside: _Inside, values: int, progress: Progress) -> _Tried:
    progress.stage("trying worlds", inside.number)
    people = np.arange(sum(len(members) for members, _ in inside.groups))
    having = np.zeros((len(people), values), np.int64)
    fitting = 0
    for number, world in enumerate(inside):
        if box.published(world) == release:
            having[people, world] += 1
            fitting += 1
        if number % 64 == 0:
            progress.advance(number)
    progress.advance(inside.number)
    posterior = having / fitting  # the true table is one of them
    risk = posterior.max(axis=1)
    told = " of the groups" if inside.told else ""
    return _Tried(posterior, risk, risk, risk, f"exact (all {inside.number:,} worlds{told})", told=inside.told)


def _worlds_of_alike(
    box: _Box,
    release: Any,
    kinds: AlikeWorlds,
    truth: Codes,
    alike: bool | None,
    seed: int,
    progress: Progress,
) -> _Tried | None:
    """What the worlds tell of which those with the same rows are tried once; None where an exchange showed."""
    random, number = np.random.default_rng(seed), kinds.number_up_to(kinds.worlds)
    if not _treats_alike(box, kinds, truth, random):
        return None
    progress.stage("trying worlds", number)
    having = [[0] * len(box.values) for _ in kinds.parts]
    total = 0
    for tried, (world, dealt, ways) in enumerate(kinds):
        if box.published(world) == release:
            if box.published(kinds.exchanged(world, random)) != release:
                return None
            total += ways
            for part, held in enumerate(dealt):
                for code, count in held.items():
                    having[part][code] += ways * count
        if tried % 64 == 0:
            progress.advance(tried)
    progress.advance(number)
    if not total:
        return None
    posterior = np.zeros((len(truth), len(box.values)))
    for part, members in enumerate(kinds.parts):
        posterior[members] = [count / (total * len(members)) for count in having[part]]
    risk = posterior.max(axis=1)
    told = kinds.groups > 1
    of = "worlds of the groups" if told else "worlds"
    these = f"all {kinds.worlds:,} {of}, of which {number:,} have different rows"
    if alike:
        return _Tried(posterior, risk, risk, risk, f"exact ({these})", told=told)
    note = (
        "people who differ in nothing but name and place are taken to be treated alike, as in each exchange that was "
        "tried; if you know that they are, say alike=True, and the figures are exact"
    )
    return _Tried(posterior, risk, risk, risk, these, (note,), told=told, exactness=Exactness.UNKNOWN)


def _looks(frame: pl.DataFrame, table: Table) -> Codes:
    """A number for each person, the same for those who differ in nothing but the sensitive value and the identifier."""
    hidden = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
    hidden += [] if table.schema is None else table.schema.names(Role.IDENTIFIER)
    seen = frame.drop([name for name in hidden if name in frame.columns])
    if not seen.width:
        return np.zeros(frame.height, np.int32)
    numbers = seen.with_row_index("the row").group_by(seen.columns, maintain_order=True).agg(pl.col("the row"))
    looks = np.zeros(frame.height, np.int32)
    for number, rows in enumerate(numbers["the row"].to_list()):
        looks[rows] = number
    return looks


EXCHANGES = 64  # worlds in which people who look alike exchange values, before it is believed that they may


def _treats_alike(box: _Box, kinds: AlikeWorlds, truth: Codes, random: np.random.Generator) -> bool:
    """Whether the same is published when people who look alike exchange values, in the true world and some others."""
    for number in range(EXCHANGES):
        world = truth.copy() if number % 4 == 0 else random.permutation(truth).astype(np.int32)
        one, other = box.published(world), box.published(kinds.exchanged(world, random))
        if isinstance(one, _Refused) != isinstance(other, _Refused) or (not isinstance(one, _Refused) and one != other):
            return False
    return True


def _as_walked(walk: _Walk, counts: Sequence[int], steps: int, confidence: float, worlds: int) -> _Tried:
    lower, upper, notes = walk.bounds(confidence)
    few = "these are estimates: all {worlds:,} worlds take too long; {few}, or groups= that tell who is in which"
    if walk.box.runs == 1 and not len(walk.hidden):
        notes = (
            *notes,
            Message(
                few,
                worlds=worlds,
                few="give fewer people, columns in which more of them look alike, or a larger worlds_budget=",
            ),
        )
    posterior, risk = walk.posterior, walk.posterior.max(axis=1)
    if walk.accepted == 0:  # it knows the truth that it started from, and nothing else: so nobody is called safe
        posterior = np.tile(np.array(counts) / sum(counts), (len(risk), 1))
        risk = np.ones(len(risk))
    engine = f"sampled ({steps:,} moves, {walk.accepted:,} accepted)"
    return _Tried(posterior, risk, lower, upper, engine, notes, walk.surely(), exactness=Exactness.SAMPLED)


@dataclass(frozen=True, eq=False)
class _Box:
    """The anonymizer, and the table with other sensitive values."""

    anonymizer: Callable[[Any], Any]
    frame: pl.DataFrame
    native: str
    sensitive: str
    values: pl.Series
    runs: int
    failures: list[str] = field(default_factory=list)  # what it said of the worlds that it raised an error on

    def published(self, codes: Codes) -> Any:
        """What is published of a world, as something that can be compared: independent of the order of rows."""
        column = self.values.gather(pl.Series(codes.astype(np.uint32))).alias(self.sensitive)
        world = self.frame.with_columns(column)
        try:
            made = self.anonymizer(world if self.native == "polars" else to_native(world, self.native))
        except Cancelled:
            raise
        except Exception as wrong:  # whatever somebody else's program raises, it published nothing
            self.failures.append(f"{type(wrong).__name__}: {wrong}".splitlines()[0])
            return _Refused()
        return fingerprint(made)

    def chance(self, codes: Codes, release: Any) -> float:
        """How often the release is published of a world."""
        return sum(bool(self.published(codes) == release) for _ in range(self.runs)) / self.runs

    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the worlds on which it raised an error."""
        if not self.failures:
            return ()
        return (
            f"the anonymizer raised an error on {len(self.failures):,} of the worlds that were tried, which publish "
            f"nothing: {self.failures[-1]}",
        )


@dataclass(eq=False)
class _Walk:
    """A random walk over the worlds that publish the same; every such world is equally likely in the long run."""

    box: _Box
    world: Codes
    release: Any
    grouping: Grouping
    random: np.random.Generator
    values: int
    hidden: NDArray[np.int64]  # people in no group, who may have any value
    accepted: int = 0
    tried: int = 0
    history: list[Codes] = field(default_factory=list)
    attempts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    anew: int = 0  # worlds that were drawn with everybody's value at once
    independent: list[Codes] = field(default_factory=list)  # those of them of which the same is published

    def go(self, steps: int, progress: Progress) -> None:
        """Walk; a move swaps two people of a group, or shuffles a group."""
        groups = [self.grouping.members[a:b] for a, b in pairwise(self.grouping.starts) if b - a > 1]
        if not groups and not len(self.hidden):
            raise AttackError("every group has one row: the release shows every value as it is")
        shares = np.array([*(len(members) for members in groups), len(self.hidden)], dtype=float)
        shares /= shares.sum()
        self.attempts = np.zeros(len(self.world), np.int64)
        chance = self._chance_of_truth()
        progress.stage("walking through worlds", steps)
        for step in range(steps):
            chance = self._step(groups, shares, chance)
            self.history.append(self.world.copy())
            if step % 64 == 0:
                progress.advance(step)
        progress.advance(steps)

    def _step(self, groups: list[NDArray[np.int32]], shares: NDArray[np.float64], chance: float) -> float:
        """Try one move, and the chance of the world that is then ours."""
        anywhere = self.random.random() < self._share_anew
        chosen = int(self.random.choice(len(shares), p=shares))
        if anywhere:
            moved = self._anew(groups)
        else:
            moved = self._move(groups[chosen]) if chosen < len(groups) else self._drawn()
        chance = self._try(moved, chance)
        if anywhere and self.box.runs == 1 and np.array_equal(moved, self.world):
            self.independent.append(moved)
        return chance

    def _chance_of_truth(self) -> float:
        """How often the release is published of the world in which the walk begins."""
        chance = self.box.chance(self.world, self.release)
        if chance == 0:
            raise AttackError(
                f"the anonymizer did not publish the same of the true table again in {self.box.runs} runs, so its law "
                "cannot be estimated",
                "raise runs=, or fix its seed",
            )
        return chance

    def _try(self, moved: Codes, chance: float) -> float:
        """Go to another world as often as the release is published of it; the chance of the world that is then ours."""
        changed = np.flatnonzero(moved != self.world)
        if not len(changed):
            return chance
        self.tried += 1
        self.attempts[changed] += 1
        other = self.box.chance(moved, self.release)
        if other > 0 and self.random.random() < other / chance:
            self.world = moved
            self.accepted += 1
            return other
        return chance

    @property
    def _share_anew(self) -> float:
        """How many of the moves draw everybody's value anew: few where none of them ever fits."""
        return 0.25 if self.independent or self.anew < 100 else 0.02

    def _anew(self, groups: Sequence[NDArray[np.int32]]) -> Codes:
        """Everybody of a group has any of its values, and whoever is in none any value; all worlds equally likely."""
        self.anew += 1
        moved = self.world.copy()
        for members in groups:
            moved[members] = moved[self.random.permutation(members)]
        moved[self.hidden] = self.random.integers(self.values, size=len(self.hidden))
        return moved

    def surely(self) -> NDArray[np.float64]:
        """What is believed of each person at least, for all of them at once, by the independent draws alone."""
        if not self.independent:
            return np.zeros(len(self.world))
        drawn = np.stack(self.independent)
        shares = np.stack([(drawn == code).mean(axis=0) for code in range(self.values)], axis=1)
        z = NormalDist().inv_cdf(1 - (1 - SURE) / (2 * shares.size))
        return np.array([wilson(float(share), len(drawn), z)[0] for share in shares.max(axis=1)])

    def _drawn(self) -> Codes:
        """Somebody in no group has another value; all are equally likely."""
        moved = self.world.copy()
        moved[int(self.random.choice(self.hidden))] = int(self.random.integers(self.values))
        return moved

    def _move(self, members: NDArray[np.int32]) -> Codes:
        moved = self.world.copy()
        if len(members) > 2 and self.random.random() < 0.25:
            moved[members] = moved[self.random.permutation(members)]
        else:
            a, b = self.random.choice(members, 2, replace=False)
            moved[[a, b]] = moved[[b, a]]
        return moved

    @property
    def posterior(self) -> NDArray[np.float64]:
        """How often each person has each value along the walk."""
        trace = np.stack(self.history)
        shares = np.stack([(trace == code).mean(axis=0) for code in range(self.values)], axis=1)
        return np.asarray(shares, dtype=np.float64)

    def bounds(self, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
        """Each person's risk with an interval, and what a reader must know about the walk."""
        trace = np.stack(self.history)
        posterior = self.posterior
        likeliest = posterior.argmax(axis=1)
        # for all people and values at once: the likeliest value is chosen after looking
        z = NormalDist().inv_cdf(1 - (1 - confidence) / (2 * posterior.size))
        lower, upper = np.zeros(len(posterior)), np.ones(len(posterior))
        for row, code in enumerate(likeliest.tolist()):
            flags = (trace[:, row] == code).astype(float)
            # a walk is worth somewhat less than its autocorrelations tell, which are estimated too
            size = effective_size(flags) / 1.5 if 0 < flags.mean() < 1 else self.attempts[row] / 4
            lower[row], upper[row] = wilson(float(flags.mean()), size, z)
        notes = []
        still = int((np.ptp(trace, axis=0) == 0).sum())
        if self.accepted == 0:
            lower, upper = np.zeros(len(posterior)), np.ones(len(posterior))
            notes.append(
                f"the walk did not move in {self.tried:,} attempts: either the release gives everything away, or the "
                "moves are too small; nothing is shown about anybody"
            )
        elif still:
            notes.append(f"{still:,} of {trace.shape[1]:,} people kept their value along the whole walk")
        return lower, upper, tuple(notes)


def effective_size(flags: NDArray[np.float64]) -> float:
    """How many independent draws a correlated sequence is worth (initial positive sequence of autocorrelations)."""
    centred = flags - flags.mean()
    variance = float((centred**2).mean())
    if variance == 0:
        return 1.0
    spectrum = np.abs(np.fft.rfft(centred, 2 * len(flags))) ** 2
    correlation = np.fft.irfft(spectrum)[: len(flags)] / (len(flags) * variance)
    time = 1.0
    for lag in range(1, len(flags) - 1, 2):
        pair = float(correlation[lag] + correlation[lag + 1])
        if pair <= 0:
            break
        time += 2 * pair
    return max(1.0, len(flags) / time)


def wilson(share: float, size: float, z: float) -> tuple[float, float]:
    """The interval of a share that was observed in so many independent draws.

    >>> [round(end, 2) for end in wilson(1.0, 10, 1.96)]
    [0.72, 1.0]
    """
    size = max(size, 1e-9)
    centre = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    return max(0.0, centre - half), min(1.0, centre + half)
