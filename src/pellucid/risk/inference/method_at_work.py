"""The method at work on other worlds: what it would have published of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Recoder
from pellucid.core.coins import Coins
from pellucid.core.table import Attribute, Table
from pellucid.errors import AttackError, PellucidError
from pellucid.io import encode
from pellucid.messages import Message
from pellucid.risk.inference.by_membership_chance import NoLaw
from pellucid.risk.inference.worlds_that_fit import Codes
from pellucid.risk.views import Evidence
from pellucid.risk.views.fingerprint import fingerprint
from pellucid.risk.views.row_orders import every_order, order_is_idle

COINS = Coins.from_seed("one")  # of a method that draws none


@dataclass(eq=False)
class MethodAtWork:
    """The method at work on other worlds."""

    evidence: Evidence

    def __post_init__(self) -> None:
        self.tables: dict[tuple[int, ...], Table] = {}
        self.spellings: dict[Hashable, Hashable] = {}
        self.groupings: dict[Hashable, Grouping | None] | None = None  # of worlds, where they are remembered
        self.origin = self.evidence.origin
        ours = self.origin is not None and self.origin.fingerprint is not None
        read = self.evidence.membership is not None or self.evidence.crowd is not None
        self.by_content = ours and read  # otherwise by groups

    def recoded_by(self, recoder: Recoder) -> MethodAtWork:
        """The same method where its groups become something else; of people and groups it knows what this one does."""
        assert self.origin is not None
        other = MethodAtWork(replace(self.evidence, origin=replace(self.origin, recoder=recoder)))
        other.tables, other.groupings = self.tables, self.groupings
        return other

    @property
    def name(self) -> str:
        """The method's name."""
        assert self.evidence.method is not None
        return self.evidence.method.name

    def somebody_suppressed(self) -> bool:
        """Whether somebody of the table may be in no group."""
        counted = self.evidence.origin is not None and self.evidence.origin.suppressed != 0
        return bool(counted or (self.evidence.membership is None and (self.evidence.grouping.labels < 0).any()))

    def table(self, members: tuple[int, ...]) -> Table:
        """The people of a world, in codes of their own: of other people, a method sees other domains."""
        if members not in self.tables:
            evidence = self.evidence
            if len(members) == len(evidence.people):
                self.tables[members] = evidence.people
            elif self.origin is None or self.origin.frame is None or self.origin.schema is None:
                raise AttackError("the people of other worlds are not known", "give {POPULATION} as a frame or a file")
            else:
                frame = self.origin.frame.select(list(self.origin.schema.columns))[list(members)]
                self.tables[members] = encode(frame, self.origin.schema, threads=1)
        return self.tables[members]

    def world(self, members: tuple[int, ...], codes: NDArray[np.int32]) -> Table:
        """The table of a world: its people, and the sensitive codes that they have in it."""
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
        return Fraction(int(self._seen(table, members, COINS) == self._published))

    def _over_orders(self, table: Table, members: tuple[int, ...]) -> Fraction:
        """Where coins order the rows, every order is as likely as any other."""
        assert self.evidence.method is not None
        orders = every_order(table)
        if orders is None:
            if not order_is_idle(self.evidence.method, table):
                raise NoLaw(self.draws)
            return Fraction(int(self._seen(table, members, COINS) == self._published))
        made = [self._seen(one, members, COINS) == self._published for one in orders]
        return Fraction(sum(made), len(made))

    @property
    def draws(self) -> Message:
        """That coins decide, and what to give."""
        return Message(
            "{name} draws coins, if only for an order of rows, and has no law by group; give the table that it "
            "was made of as {TRUTH}, with which worlds are sampled, or publish with an identifier",
            name=self.name,
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
        grouping = self._grouped_once(table, members, coins)
        if grouping is None:
            return None
        if not self.by_content:
            groups = partition_of(grouping)
            return frozenset(frozenset(members[row] for row in group) for group in groups)
        return self._spelled_once(table, members, grouping)

    def _grouped_once(self, table: Table, members: tuple[int, ...], coins: Coins) -> Grouping | None:
        """As ``grouped``, which is asked once for the same world where groups are remembered."""
        if self.groupings is None:
            return self.grouped(table, coins)
        order = None if table.order is None else table.order.tobytes()
        key = members, table.codes[-1].tobytes(), tuple(table.attributes[-1].values.to_list()), order, coins
        if key not in self.groupings:
            self.groupings[key] = self.grouped(table, coins)
        return self.groupings[key]

    def grouped(self, table: Table, coins: Coins) -> Grouping | None:
        """The groups of a table; None when the method refuses it, which is not the world that was published."""
        assert self.evidence.method is not None
        try:
            return self.evidence.method.group(table, coins, threads=1)
        except PellucidError:
            return None

    def _spelled_once(self, table: Table, members: tuple[int, ...], grouping: Grouping) -> Hashable:
        """As ``spelled``, which is asked once for the same groups of the same people with the same published values.

        Whose value is whose in a group makes no difference to what is published, and most worlds that are tried differ
        in nothing else. Codes are those of the values that a world has, so these belong to what is compared.
        """
        sensitive = table.codes[-1] if grouping.sensitive is None else grouping.sensitive
        starts = grouping.starts.tolist()
        values = (sorted(sensitive[grouping.members[a:b]].tolist()) for a, b in pairwise(starts))
        rows = (sorted(grouping.members[a:b].tolist()) for a, b in pairwise(starts))
        added = (
            None if grouping.added is None else sorted(zip(*(part.tolist() for part in grouping.added), strict=True))
        )
        codebook = tuple(table.attributes[-1].values.to_list())
        key = members, str(sorted(zip(rows, values, strict=True))), grouping.levels, str(added), codebook
        if key not in self.spellings:
            self.spellings[key] = self.spelled(table, grouping)
        return self.spellings[key]

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
        groups = None if self.by_content else sorted(map(sorted, partition_of(grouping)))
        return str((self._spelled_once(table, tuple(range(len(table))), grouping), groups))


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
