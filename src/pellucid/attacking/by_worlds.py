"""A method without a law by group: worlds that fit the release are tried one by one (E5), or sampled by a walk (E6).

A world that fits gives every row a person whom its group covers, and the people of a group its values. What the method
publishes of a world is compared with the release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, pairwise, product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.beliefs import Beliefs
from pellucid.attacking.black_box import attack_anonymizer
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.fingerprint import fingerprint
from pellucid.attacking.membership import assignments
from pellucid.attacking.uncertain import NoLaw, unclear
from pellucid.coins import Coins
from pellucid.errors import AttackError, PellucidError
from pellucid.group import Grouping
from pellucid.io import encode
from pellucid.posterior.exclusion import multinomial
from pellucid.posterior.worlds import arrangements
from pellucid.progress import SILENT, Progress
from pellucid.table import Attribute, Table

MOST_WORLDS = 5_000  # runs of the method for one exact answer
MOST_ROWS = 1_000  # rows of a table that is walked through worlds
STEPS = 2_000


class Contradicted(AttackError):
    """The method never publishes this release, so somebody who believes that it did is mistaken."""


Chosen = tuple[tuple[int, ...], ...]  # the people of each group
Held = tuple[tuple[int, ...], ...]  # their sensitive codes, in the same order


def by_worlds(
    evidence: Evidence,
    adversary: Adversary,
    *,
    truth: NDArray[np.int32] | None = None,
    exact: bool = False,
    progress: Progress = SILENT,
) -> Beliefs:
    """What somebody who knows the method believes, by running it on other worlds; raise where that is out of reach."""
    method = evidence.method
    if method is None or adversary.knows != "algorithm" or adversary.prior != "uniform" or adversary.facts:
        raise AttackError(
            "worlds are tried for somebody who knows the algorithm, with a uniform prior and no facts; drop the others"
        )
    if evidence.anonymous:
        raise AttackError(
            f"{method.name} has no law by group, so it must be run on the people of other worlds; "
            "give everybody's quasi-identifiers with population="
        )
    if evidence.membership is not None and (evidence.origin is None or evidence.origin.fingerprint is None):
        raise NoLaw(
            f"{unclear(evidence)}, and what {method.name} would have published of others cannot be compared with a "
            "release that is not ours; give exactly the people of the table as population="
        )
    made = _Made(evidence)
    number = made.number()
    if method.suppresses and evidence.membership is None and (evidence.grouping.labels < 0).any():
        number = None  # whoever was suppressed may have any value
    if number is not None and not made.changes:
        return _exactly(evidence, adversary, made, number, exact, progress)
    if truth is None or (truth < 0).any() or evidence.membership is not None:
        what = "more worlds than can be counted fit" if number is None else f"{number:,} worlds fit"
        if made.changes:
            what = f"{method.name} may publish values that are not true, so worlds cannot be read off"
        raise AttackError(
            f"{method.name} has no law by group, and {what} the release (up to {MOST_WORLDS:,} are tried); give the "
            "table that it was made of as truth=, with which worlds are sampled"
        )
    if len(truth) > MOST_ROWS:
        raise AttackError(
            f"{method.name} has no law by group, and the table has {len(truth):,} rows; worlds are sampled of tables "
            f"of up to {MOST_ROWS:,}; attack a part of it, or use attack_anonymizer() with more patience"
        )
    return _sampled(evidence, adversary, made, truth, progress)


def _exactly(
    evidence: Evidence, adversary: Adversary, made: _Made, number: int, exact: bool, progress: Progress
) -> Beliefs:
    total = 0
    having: list[Counter[int]] = [Counter() for _ in range(len(evidence.people))]
    progress.stage("trying worlds", number)
    for tried, (chosen, held) in enumerate(made.worlds()):
        if made.publishes_the_same(chosen, held):
            total += 1
            for people, codes in zip(chosen, held, strict=True):
                for person, code in zip(people, codes, strict=True):
                    having[person][code] += 1
        if tried % 64 == 0:
            progress.advance(tried)
    progress.advance(number)
    assert evidence.method is not None
    if not total:
        raise Contradicted(
            f"{evidence.method.name} publishes this of none of the {number:,} worlds that fit: it was made by another "
            "method, with other parameters, or of other people"
        )
    shares = [{code: Fraction(n, total) for code, n in one.items()} for one in having]
    risk = np.array([float(max(one.values(), default=Fraction(0))) for one in shares])

    def posterior_of(row: int) -> dict[Any, Any]:
        return {evidence.values[code]: p if exact else float(p) for code, p in sorted(shares[row].items())}

    def reason_of(row: int) -> str:  # noqa: ARG001
        refused = number - total
        return (
            f"{number:,} worlds fit the published groups, and of {refused:,} of them {made.name} would have published "
            f"something else; {total:,} are left"
        )

    engine = f"exact (all {number:,} worlds that fit)"
    return Beliefs(
        adversary,
        evidence,
        risk,
        engine,
        posterior_of,
        reason_of,
        notes=evidence.notes,
        exactness=Exactness.EXACT,
    )


@dataclass(eq=False)
class _Made:
    """The method at work on other worlds."""

    evidence: Evidence

    def __post_init__(self) -> None:
        self.tables: dict[tuple[int, ...], Table] = {}
        self.tried = 0
        self.origin = self.evidence.origin
        self.changes = self.origin is not None and self.origin.changes

    @property
    def name(self) -> str:
        assert self.evidence.method is not None
        return self.evidence.method.name

    def candidates(self) -> list[list[int]]:
        """The people who may be in each group."""
        evidence = self.evidence
        if evidence.membership is None:
            return [evidence.members(group).tolist() for group in range(len(evidence.published))]
        fitting: list[list[int]] = [[] for _ in range(len(evidence.published))]
        for person in np.flatnonzero(evidence.membership.covered).tolist():
            for group, _ in evidence.membership.of(person):
                fitting[group].append(person)
        return fitting

    def number(self) -> int | None:
        """How many worlds fit; None when they are more than are tried."""
        published = self.evidence.published
        ways = 1
        for group in range(len(published)):
            ways *= multinomial(self.evidence.counts(group)[1].tolist())
            if ways > MOST_WORLDS:
                return None
        chosen = 0
        for _ in assignments(published.sizes.tolist(), self.candidates()):
            chosen += 1
            if chosen * ways > MOST_WORLDS:
                return None
        return chosen * ways

    def worlds(self) -> Iterator[tuple[Chosen, Held]]:
        published = self.evidence.published
        inside = []
        for group in range(len(published)):
            codes, counts = self.evidence.counts(group)
            inside.append(list(arrangements(dict(zip(codes.tolist(), counts.tolist(), strict=True)))))
        for chosen in assignments(published.sizes.tolist(), self.candidates()):
            for held in product(*inside):
                yield chosen, held

    def table(self, members: tuple[int, ...]) -> Table:
        """The people of a world, in codes of their own: of other people, a method sees other domains."""
        if members not in self.tables:
            evidence = self.evidence
            if len(members) == len(evidence.people):
                self.tables[members] = evidence.people
            elif self.origin is None or self.origin.frame is None or self.origin.schema is None:
                raise AttackError("the people of other worlds are not known; give population= as a frame or a file")
            else:
                frame = self.origin.frame.select(list(self.origin.schema.columns))[list(members)]
                self.tables[members] = encode(frame, self.origin.schema, threads=1)
        return self.tables[members]

    def world(self, members: tuple[int, ...], codes: NDArray[np.int32]) -> Table:
        people = self.table(members)
        attribute = used(self.evidence.attribute, codes)
        order = np.unique(codes, return_inverse=True)[1].astype(np.int32)
        return replace(people, attributes=(*people.attributes, attribute), codes=(*people.codes, order))

    def publishes_the_same(self, chosen: Chosen, held: Held) -> bool:
        members = tuple(sorted(person for people in chosen for person in people))
        place = {person: i for i, person in enumerate(members)}
        codes, labels = np.empty(len(members), np.int32), np.empty(len(members), np.int32)
        for group, (people, values) in enumerate(zip(chosen, held, strict=True)):
            for person, code in zip(people, values, strict=True):
                codes[place[person]], labels[place[person]] = code, group
        table = self.world(members, codes)
        self.tried += 1  # other coins for every world: the same two may agree by chance, in all worlds alike
        first, second = (self.grouped(table, Coins.from_seed(seed)) for seed in ("one", f"other {self.tried}"))
        if first is None or second is None:  # refused
            return False
        mine = partition_of(Grouping.from_labels(labels))
        seen: set[Hashable] = {partition_of(first), partition_of(second)}
        ours = self.origin is not None and self.origin.fingerprint is not None
        if seen == {mine} and (self.evidence.membership is None or not ours):  # of other people the boxes may differ
            return True
        if ours:  # other groups may read alike
            seen = {self.spelled(table, one) for one in ((first, second) if len(seen) > 1 else (first,))}
        if len(seen) > 1:
            raise NoLaw(
                f"{self.name} draws coins and has no law by group; give the table that it was made of as truth=, with "
                "which worlds are sampled"
            )
        return bool(ours and self.origin is not None and seen == {self.origin.fingerprint})

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
        """What the method publishes of a table."""
        grouping = self.grouped(table, coins)
        return None if grouping is None else self.spelled(table, grouping)


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
            return pl.DataFrame({"published": [repr(made.published(made.world(everyone, codes), coins()))]})

        return anonymizer

    runs = count()  # the attacker's own coins are no secret: the same attack says the same again
    fixed = publish(lambda: Coins.from_seed("one"))
    same = fixed(rows).equals(publish(lambda: Coins.from_seed("other"))(rows))
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
