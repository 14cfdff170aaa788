"""A method without a law by group: worlds that fit the release are tried one by one (E5), or sampled by a walk (E6).

A world says who is in the table and who has which value. One that fits gives every row a person whom its group covers,
and the people of a group its values; it counts once, in however many ways it does. What the method publishes of a world
is compared with the release.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count, pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.advice import BLACK_BOX, POPULATION, TRUTH
from pellucid.attacking.adversary import Adversary
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.evidence.fingerprint import fingerprint
from pellucid.attacking.evidence.row_orders import every_order, order_is_idle
from pellucid.attacking.evidence.what_steered import SHARES
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.facts import Fact, Has, Implies, Not
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.attacking.inference.black_box import attack_anonymizer
from pellucid.attacking.inference.by_membership_chance import NoLaw, unclear
from pellucid.coins import Coins
from pellucid.errors import AttackError, PellucidError
from pellucid.group import Grouping, Method
from pellucid.io import encode
from pellucid.progress import SILENT, Progress
from pellucid.recode import RECODERS, Recoder
from pellucid.recode.sets import LARGEST_SET
from pellucid.schema import Role
from pellucid.table import Attribute, Table

MOST_WORLDS = 5_000  # runs of the method for one exact answer
MOST_PEOPLE = 200  # of whom worlds are tried
STEPS_PER_WORLD = 10  # that finding them may take
MOST_ROWS = 1_000  # rows of a table that is walked through worlds
STEPS = 2_000
_COINS = Coins.from_seed("one")  # of a method that draws none


class Contradicted(AttackError):
    """The method never publishes this release, so somebody who believes that it did is mistaken."""


Codes = tuple[int, ...]  # the sensitive code of everybody, -1 for whoever is not in the table
Lacking = tuple[int, ...]  # of each group and value how many rows have no person yet


def by_worlds(
    evidence: Evidence,
    adversary: Adversary,
    *,
    truth: NDArray[np.int32] | None = None,
    exact: bool = False,
    progress: Progress = SILENT,
    most: int = MOST_WORLDS,
) -> Beliefs:
    """What somebody who knows the method believes, by running it on other worlds; raise where that is out of reach.

    With ``membership``, and where groups were read off a release, a world counts if the method publishes the same of
    it, whoever is in which group; where the groups are told, if it makes the same groups.
    """
    method = _method_that_runs(evidence, adversary)
    made = _Made(evidence)
    fitting = None
    untold = method.suppresses and made.somebody_suppressed()  # whoever was suppressed may have any value
    if not made.changes and not untold and not method.draws_coins:
        fitting = made.worlds(most)
    if fitting is not None and evidence.origin is not None and evidence.origin.assumed:
        return _however_recoded(evidence, adversary, fitting, exact, progress)
    if fitting is not None:
        return _exactly(evidence, adversary, made, fitting, exact, progress)
    if adversary.facts or truth is None or (truth < 0).any() or evidence.membership is not None:
        raise _not_sampled(made, method, most)
    if len(truth) > MOST_ROWS:
        raise AttackError(
            f"{method.name} has no law by group, and the table has {len(truth):,} rows",
            f"worlds are sampled of tables "
            f"of up to {MOST_ROWS:,}; attack a part of it, or use {BLACK_BOX} with more patience",
        )
    return _sampled(evidence, adversary, made, truth, progress)


def _method_that_runs(evidence: Evidence, adversary: Adversary) -> Method:
    """The method, where it can be run on other worlds for this adversary; raise where it cannot."""
    method = evidence.method
    if method is None or adversary.knows != "algorithm" or adversary.prior != "uniform":
        raise AttackError(
            "worlds are tried for somebody who knows the algorithm, with a uniform prior", "drop the others"
        )
    if evidence.beside:
        raise NoLaw(
            f"{method.name} looked at {' and '.join(evidence.beside)} as well, so what it would have published cannot "
            f"be told from other worlds of {evidence.attribute.name} alone"
        )
    if evidence.anonymous:
        raise AttackError(
            f"{method.name} has no law by group, so it must be run on the people of other worlds",
            f"give everybody's quasi-identifiers with {POPULATION}",
        )
    if evidence.membership is not None and (evidence.origin is None or evidence.origin.fingerprint is None):
        raise NoLaw(
            f"{unclear(evidence)}, and what {method.name} would have published of others cannot be compared with a "
            f"release that is not ours",
            f"give exactly the people of the table as {POPULATION}",
        )
    if _other_ends(evidence):
        raise NoLaw(f"{unclear(evidence)}, and {SHARES.marked}")
    return method


def _not_sampled(made: _Made, method: Method, most: int) -> NoLaw:
    """Why worlds are not counted, and what to give so that they are sampled."""
    if method.draws_coins and not made.changes:
        return NoLaw(made.draws)  # that some coins agree is no proof that all do
    why = "more worlds than can be counted fit"
    if made.changes:
        why = f"{method.name} may publish values that are not true, so worlds cannot be read off"
    return NoLaw(
        f"{method.name} has no law by group, and {why} the release (up to {most:,} are tried)",
        f"give the table that it was made of as {TRUTH}, with which worlds are sampled",
    )


def _other_ends(evidence: Evidence) -> bool:
    """Whether columns that end by shares of the rows would end elsewhere in some of the worlds."""
    if evidence.origin is None or not evidence.origin.by_share or evidence.membership is None:
        return False
    return int(evidence.membership.covered.sum()) > int(evidence.published.sizes.sum())


def _however_recoded(
    evidence: Evidence, adversary: Adversary, worlds: list[Codes], exact: bool, progress: Progress
) -> Beliefs:
    """Where nobody says how groups were recoded: as any recoding that publishes this of a world; all must agree."""
    assert evidence.origin is not None
    by_recoder: list[Beliefs] = []
    tried: list[Recoder] = []
    refused: Contradicted | None = None
    for recoder in (evidence.origin.recoder, *_recoders(evidence)):
        if recoder is None or recoder in tried:
            continue
        recoded = replace(evidence, origin=replace(evidence.origin, recoder=recoder))
        try:
            by_recoder.append(_exactly(recoded, adversary, _Made(recoded), worlds, exact, progress))
            tried.append(recoder)
        except Contradicted as wrong:
            refused = wrong
    if not by_recoder:
        raise Contradicted(
            f"{refused}", "or it was recoded in a way of its own, which nobody says: give the folder with its recipe"
        )
    if any(not np.allclose(beliefs.risk, by_recoder[0].risk) for beliefs in by_recoder):
        raise NoLaw("nobody says how its groups were recoded, and that matters", "give the folder with its recipe")
    return by_recoder[0]


def _recoders(evidence: Evidence) -> Iterator[Recoder]:
    """Every recoding that there is, with every size of the largest set that makes a difference to these people."""
    known = (Role.QUASI, Role.CARRY)
    most = max((len(one) for one in evidence.people.attributes if one.role in known), default=1)
    for kind in RECODERS.values():
        yield kind()
        if "largest_set" in kind.model_fields:
            yield from (kind.model_validate({"largest_set": size}) for size in range(1, min(most, LARGEST_SET)))


def _exactly(
    evidence: Evidence, adversary: Adversary, made: _Made, worlds: list[Codes], exact: bool, progress: Progress
) -> Beliefs:
    number = len(worlds)
    total, fitting = Fraction(0), 0
    having: list[dict[int, Fraction]] = [{} for _ in range(len(evidence.people))]
    progress.stage("trying worlds", number)
    for tried, world in enumerate(worlds):
        weight = made.weight(world)
        fitting += weight > 0
        if weight and holds_in(adversary.facts, world, evidence):
            total += weight
            for person, code in enumerate(world):
                if code >= 0:
                    having[person][code] = having[person].get(code, Fraction(0)) + weight
        if tried % 64 == 0:
            progress.advance(tried)
    progress.advance(number)
    _refuse_contradictions(made, adversary, fitting=fitting, worlds=number, total=total)
    shares = [{code: mass / total for code, mass in sorted(of_person.items())} for of_person in having]

    def posterior_of(row: int) -> dict[Any, Any]:
        return {evidence.values[code]: p if exact else float(p) for code, p in shares[row].items()}

    def reason_of(row: int) -> str:  # noqa: ARG001
        refused = number - fitting
        given = f"; given that {', and '.join(map(str, adversary.facts))}" if adversary.facts else ""
        return (
            f"{number:,} worlds fit the published groups, and of {refused:,} of them {made.name} would have published "
            f"something else; {fitting:,} are left{given}"
        )

    return Beliefs(
        adversary,
        evidence,
        risk=np.array([float(max(of_person.values(), default=Fraction(0))) for of_person in shares]),
        engine=f"exact (all {number:,} worlds that fit)",
        posterior_of=posterior_of,
        reason_of=reason_of,
        notes=evidence.notes,
        exactness=Exactness.EXACT,
    )


def _refuse_contradictions(made: _Made, adversary: Adversary, *, fitting: int, worlds: int, total: Fraction) -> None:
    """Raise where the release is published of no world, or of none in which the facts hold."""
    if not fitting:
        raise Contradicted(
            f"{made.name} publishes this of none of the {worlds:,} worlds that fit: it was made by another "
            "method, with other parameters, or of other people"
        )
    if not total:
        known = "; ".join(map(str, adversary.facts))
        raise AttackError(f"the facts contradict the release: no world is left in which {known}")


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
    of_group: list[list[int]]  # the cells of each group
    fitting: list[list[int]]  # the groups that each person may be in
    room: list[list[int]]  # how many of those from a person on may be in each group
    lacking: Lacking  # rows of each cell that have no person yet, before anybody is placed

    @classmethod
    def of(cls, evidence: Evidence, fitting: list[list[int]]) -> _Slots:
        counts = [evidence.counts(group) for group in range(len(evidence.published))]
        cells = [(group, int(code)) for group, (codes, _) in enumerate(counts) for code in codes.tolist()]
        lacking = tuple(int(n) for _, rows in counts for n in rows.tolist())
        of_group = [[i for i, (group, _) in enumerate(cells) if group == g] for g in range(len(counts))]
        room = [[0] * len(of_group)]
        for groups in reversed(fitting):
            room.append([n + (g in groups) for g, n in enumerate(room[-1])])
        return cls(cells, of_group, fitting, room[::-1], lacking)

    def options(self, person: int, state: Lacking) -> list[tuple[int, Lacking]]:
        """The codes that a person may have (-1 for not being in the table), with what is lacking then."""
        taken = [
            (self.cells[i][1], (*state[:i], state[i] - 1, *state[i + 1 :]))
            for group in self.fitting[person]
            for i in self.of_group[group]
            if state[i]
        ]
        if len(self.fitting) > sum(self.lacking):
            taken.append((-1, state))
        return [(code, rest) for code, rest in taken if self.can_be_filled(person + 1, rest)]

    def can_be_filled(self, person: int, state: Lacking) -> bool:
        """Whether enough people follow, from this one on, for what each group lacks."""
        room = self.room[person]
        return all(sum(state[i] for i in places) <= n for places, n in zip(self.of_group, room, strict=True))


@dataclass(eq=False)
class _Made:
    """The method at work on other worlds."""

    evidence: Evidence

    def __post_init__(self) -> None:
        self.tables: dict[tuple[int, ...], Table] = {}
        self.spellings: dict[Hashable, Hashable] = {}
        self.origin = self.evidence.origin
        self.changes = self.origin is not None and self.origin.changes
        ours = self.origin is not None and self.origin.fingerprint is not None
        read = self.evidence.membership is not None or self.evidence.crowd is not None
        self.by_content = ours and read  # otherwise by groups

    @property
    def name(self) -> str:
        assert self.evidence.method is not None
        return self.evidence.method.name

    def somebody_suppressed(self) -> bool:
        """Whether somebody of the table may be in no group."""
        told = self.evidence.origin is not None and self.evidence.origin.suppressed != 0
        return bool(told or (self.evidence.membership is None and (self.evidence.grouping.labels < 0).any()))

    def candidates(self) -> list[list[int]]:
        """The groups that each person may be in."""
        evidence = self.evidence
        return [evidence.groups_of(person) for person in range(len(evidence.people))]

    def worlds(self, most: int = MOST_WORLDS) -> list[Codes] | None:
        """Every world that fits, each once, in whatever ways its people may be in the groups; None where too many.

        People get their values one after the other. Beside each world goes what the groups still lack, in every way
        to put the people so far into groups; a world that leaves no way open is left.
        """
        people = len(self.evidence.people)
        if people > MOST_PEOPLE:
            return None
        slots = _Slots.of(self.evidence, self.candidates())
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
            after: dict[int, set[Lacking]] = {}
            for state in states:
                for code, rest in slots.options(len(world), state):
                    after.setdefault(code, set()).add(rest)
            waiting += [((*world, code), frozenset(rests)) for code, rests in sorted(after.items(), reverse=True)]
        return fitting

    def table(self, members: tuple[int, ...]) -> Table:
        """The people of a world, in codes of their own: of other people, a method sees other domains."""
        if members not in self.tables:
            evidence = self.evidence
            if len(members) == len(evidence.people):
                self.tables[members] = evidence.people
            elif self.origin is None or self.origin.frame is None or self.origin.schema is None:
                raise AttackError("the people of other worlds are not known", f"give {POPULATION} as a frame or a file")
            else:
                frame = self.origin.frame.select(list(self.origin.schema.columns))[list(members)]
                self.tables[members] = encode(frame, self.origin.schema, threads=1)
        return self.tables[members]

    def world(self, members: tuple[int, ...], codes: NDArray[np.int32]) -> Table:
        people = self.table(members)
        attribute = used(self.evidence.attribute, codes)
        order = np.unique(codes, return_inverse=True)[1].astype(np.int32)
        return replace(people, attributes=(*people.attributes, attribute), codes=(*people.codes, order))

    def weight(self, world: Codes) -> Fraction:
        """How likely the method makes this release of a world."""
        members = tuple(person for person, code in enumerate(world) if code >= 0)
        codes = np.array([world[person] for person in members], np.int32)
        table = self.world(members, codes)
        if table.order is None:
            return self._over_orders(table, members)
        return Fraction(int(self._seen(table, members, _COINS) == self._published))

    def _over_orders(self, table: Table, members: tuple[int, ...]) -> Fraction:
        """Where coins order the rows, every order is as likely as any other."""
        assert self.evidence.method is not None
        orders = every_order(table)
        if orders is None:
            if not order_is_idle(self.evidence.method, table):
                raise NoLaw(self.draws)
            return Fraction(int(self._seen(table, members, _COINS) == self._published))
        made = [self._seen(one, members, _COINS) == self._published for one in orders]
        return Fraction(sum(made), len(made))

    @property
    def draws(self) -> str:
        """That coins decide, and what to give."""
        return (
            f"{self.name} draws coins, if only for an order of rows, and has no law by group; give the table that it "
            f"was made of as {TRUTH}, with which worlds are sampled, or publish with an identifier"
        )

    @cached_property
    def _published(self) -> Hashable:
        """What a world must come out as."""
        if self.by_content:
            assert self.origin is not None
            return self.origin.fingerprint
        return partition_of(self.evidence.grouping)

    def _seen(self, table: Table, members: tuple[int, ...], coins: Coins) -> Hashable:
        """What comes out of a table: what is published of it, or who is in which group; None where it is refused."""
        grouping = self.grouped(table, coins)
        if grouping is None:
            return None
        if not self.by_content:
            groups = partition_of(grouping)
            return frozenset(frozenset(members[row] for row in group) for group in groups)
        sensitive = table.codes[-1]
        starts = grouping.starts.tolist()
        held = (sorted(sensitive[grouping.members[a:b]].tolist()) for a, b in pairwise(starts))
        rows = (sorted(grouping.members[a:b].tolist()) for a, b in pairwise(starts))
        key = members, str(sorted(zip(rows, held, strict=True))), grouping.levels
        if key not in self.spellings:
            self.spellings[key] = self.spelled(table, grouping)
        return self.spellings[key]

    def grouped(self, table: Table, coins: Coins) -> Grouping | None:
        """The groups of a table; None when the method refuses it, which is not the world that was published."""
        assert self.evidence.method is not None
        try:
            return self.evidence.method.group(table, coins, threads=1)
        except PellucidError:
            return None

    def spelled(self, table: Table, grouping: Grouping) -> Hashable:
        """What is published of the groups: what we would write, or where we do not know that, the groups."""
        if self.origin is None or self.origin.recoder is None:
            return partition_of(grouping)
        return fingerprint(self.origin.recoder.recode(*grouping.as_published(table)))

    def published(self, table: Table, coins: Coins) -> Hashable:
        """What the method publishes of a table of everybody, and where the groups are told, who is in which."""
        grouping = self.grouped(table, coins)
        if grouping is None:
            return None
        told = None if self.by_content else sorted(map(sorted, partition_of(grouping)))
        return str((self.spelled(table, grouping), told))


def used(attribute: Attribute, codes: NDArray[np.int32]) -> Attribute:
    """The codebook without the values that no row has."""
    kept = np.unique(codes)
    if len(kept) == len(attribute):
        return attribute
    return replace(
        attribute,
        values=attribute.values.gather(kept.astype(np.uint32)),
        has_null=attribute.has_null and int(kept[0]) == 0,
        positions=attribute.positions[kept],
        chains=None if attribute.chains is None else attribute.chains[:, kept],
    )


def partition_of(grouping: Grouping) -> frozenset[frozenset[int]]:
    """The groups as sets of rows."""
    starts = grouping.starts.tolist()
    return frozenset(frozenset(grouping.members[a:b].tolist()) for a, b in pairwise(starts))


def _sampled(
    evidence: Evidence, adversary: Adversary, made: _Made, truth: NDArray[np.int32], progress: Progress
) -> Beliefs:
    """The method as a black box; the true table is where the walk starts."""
    people, attribute = evidence.people, evidence.attribute
    everyone = tuple(range(len(people)))
    rows = pl.DataFrame({"row": np.arange(len(people)), "value": truth})

    def publish(coins: Callable[[], Coins]) -> Callable[[pl.DataFrame], pl.DataFrame]:
        def anonymizer(frame: pl.DataFrame) -> pl.DataFrame:
            codes = frame["value"].to_numpy().astype(np.int32)
            return pl.DataFrame({"published": [made.published(made.world(everyone, codes), coins())]})

        return anonymizer

    runs = count()  # the attacker's own coins are no secret: the same attack says the same again
    fixed = publish(lambda: Coins.from_seed("one"))
    method = evidence.method
    assert method is not None
    # that two draws agree on the true table is no proof that they do in every world
    same = not method.draws_coins and (people.order is not None or order_is_idle(method, people))
    found = attack_anonymizer(
        fixed if same else publish(lambda: Coins.from_seed(f"run {next(runs)}")),
        rows,
        adversary,
        quasi=["row"],
        sensitive="value",
        randomised=not same,
        groups=evidence.grouping.labels.tolist(),
        steps=STEPS if same else STEPS // 10,
        progress=progress,
    )

    def posterior_of(row: int) -> dict[Any, Any]:
        return {attribute.values[int(code)]: p for code, p in found.posterior_of(row).items()}

    return replace(found, evidence=evidence, posterior_of=posterior_of, notes=(*evidence.notes, *found.notes))
