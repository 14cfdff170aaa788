"""Who is in which group where the published values leave it open, because boxes overlap.

The owner of the table can tell: publishing kept the groups, or the method is run again on the true table and publishes
the same. Somebody who is told knows more, and yet may be less sure of a person: both views are looked at then
(:mod:`pellucid.risk.inference.untold_view`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.recode import Recoder
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.errors import AttackError, PellucidError
from pellucid.io import load
from pellucid.messages import Message
from pellucid.risk.views.fingerprint import fingerprint
from pellucid.risk.views.row_orders import every_order, order_is_idle
from pellucid.runtime.arguments import brief, several

COLUMN = "group"  # of the file that publishing keeps
MOST_GROUPS = 2**31
_COINS = Coins.from_seed("one")  # of a method that draws none


@dataclass(frozen=True, eq=False)
class HowMade:
    """How a release was made and what came out; ``by_identifier`` says that its rows were ordered by an identifier."""

    method: Method
    recoder: Recoder
    prints: bytes
    by_identifier: bool = False

    def publishes(self, table: Table, grouping: Grouping) -> bool:
        """Whether these groups of the table read like the release."""
        return fingerprint(self.recoder.recode(*grouping.as_published(table))) == self.prints


def kept_groups(given: Any) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The group of each row of the table, from a sequence of numbers or the file that publishing kept them in.

    >>> kept_groups([0, 1, -1]).tolist()
    [0, 1, -1]
    """
    found = _kept_in(given) if isinstance(given, str | Path) else given
    if isinstance(found, np.ndarray) and _are_numbers(found):
        return found.astype(np.int32)
    values = several(found, "groups", "the number of each row's group, or the file that has them", AttackError)
    wrong = [value for value in values if not _is_number(value)]
    if wrong:
        raise AttackError(
            "{GROUPS} has {brief}",
            "give the number of each row's group, -1 for a suppressed row",
            brief=brief(wrong[0]),
        )
    return np.array(values, np.int32)


def _kept_in(path: str | Path) -> Any:
    """The numbers in a file, as an array where all are numbers, so that millions of them take little."""
    frame, _ = load(path)
    if frame.columns != [COLUMN]:
        raise AttackError(
            f"{path} has the columns {', '.join(frame.columns)}",
            f"groups are kept in a file with the one column {COLUMN!r}, a number for each row of the table",
        )
    column = frame[COLUMN]
    return column.to_numpy() if column.dtype.is_integer() and not column.has_nulls() else column.to_list()


def _are_numbers(found: np.ndarray[Any, np.dtype[Any]]) -> bool:
    """Whether an array has numbers of groups and nothing else, one for each row."""
    whole = found.ndim == 1 and found.dtype.kind in "iu"
    return whole and (not len(found) or (int(found.min()) >= -1 and int(found.max()) < MOST_GROUPS))


def _is_number(value: Any) -> bool:
    """Whether it can be the number of a group."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and -1 <= int(value) < MOST_GROUPS


def refuse_other_groups(groups: Any, own: np.ndarray[Any, np.dtype[np.int32]]) -> None:
    """Raise when groups are told of a release in memory that are not its own: it knows them itself."""
    labels = kept_groups(groups)
    if len(labels) != len(own) or _numbered(labels) != _numbered(own):
        raise AttackError("{GROUPS} are not those of this release, which knows its own", "leave {GROUPS} out")


def _numbered(labels: np.ndarray[Any, np.dtype[np.int32]]) -> list[int]:
    """Groups numbered as they are met, whatever their numbers were; -1 is no group."""
    numbers: dict[int, int] = {-1: -1}
    return [numbers.setdefault(label, len(numbers)) for label in labels.tolist()]


def told_groups(table: Table, made: HowMade, labels: Codes) -> Grouping:
    """The groups that publishing kept, if they are those of this release and this table."""
    if len(labels) != len(table):
        raise AttackError(
            "{GROUPS} tells of {labels:,} rows and the table has {table:,}",
            "give what was kept when this table was published",
            labels=len(labels),
            table=len(table),
        )
    grouping = Grouping.from_labels(labels)
    if made.publishes(table, grouping):
        return grouping
    again, _ = run_again(table, made)  # a method that recodes whole columns decides more than who is in which group
    if again is None or _numbered(again.labels) != _numbered(labels):
        raise AttackError(
            "{GROUPS} does not give this release of the table: they are kept from another publishing, or from the one "
            "before if this one was killed before its groups were in place, or the columns were read differently",
            "give the {SCHEMA} that was used, and the groups that were kept with this release",
        )
    return again


def run_again(table: Table, made: HowMade) -> tuple[Grouping | None, str]:
    """The groups of the method on the true table, if it makes the same whatever its coins; and what to say.

    Groups that read the same and hold other people do not tell who was in which: then it is left open.
    """
    name = made.method.name
    groupings: list[Grouping] = []
    for ordered in _orders(table, made.method):
        try:
            grouping = made.method.group(ordered, _COINS)
            same = made.publishes(ordered, grouping)
        except PellucidError:
            same = False
        if not same:
            groupings = []
            break
        groupings.append(grouping)
        if not _hold_the_same(table, groupings[0], grouping):
            return None, Message(
                "running {name} again on the table gives releases that read the same and have other people in their "
                "groups, so who is in which group stays open where values fit several; tell it with {GROUPS}",
                name=name,
            )
    if groupings:
        found = "who is in which group was found by running {name} again on the table, and is taken as known"
        return groupings[0], Message(found, name=name)
    if made.by_identifier and table.order is None:
        return None, Message(
            "its rows were ordered by an identifier: name that with {IDENTIFIER}, and {name} can be run again",
            name=name,
        )
    return None, Message(
        "running {name} again on the table does not give this release (it draws coins, or the columns were read "
        "differently), so who is in which group stays open where values fit several; tell it with {GROUPS}",
        name=name,
    )


def _orders(table: Table, method: Method) -> Iterable[Table]:
    """The table in every order of rows that its coins may have given; none where that cannot be looked at."""
    if method.draws_coins:  # that some coins give this release does not tell that these were the ones
        return ()
    if table.order is not None or order_is_idle(method, table):
        return (table,)
    return every_order(table) or ()


def _hold_the_same(table: Table, one: Grouping, other: Grouping) -> bool:
    """Whether two groupings are the same but for exchanging rows that agree in all their values."""
    if one is other:
        return True
    columns = [table.codes[i] for i in (*table.having(Role.QUASI), *table.having(Role.SENSITIVE))]
    _, kind = np.unique(np.stack(columns), axis=1, return_inverse=True)
    return _kinds_in_groups(one, kind.ravel()) == _kinds_in_groups(other, kind.ravel())


def _kinds_in_groups(grouping: Grouping, kind: np.ndarray[Any, np.dtype[np.intp]]) -> list[bytes]:
    """The kinds of row in each group, in an order that does not depend on how groups and rows are numbered."""
    return sorted(np.sort(kind[members]).tobytes() for members in np.split(grouping.members, grouping.starts[1:-1]))


def grouping_of(labels: np.ndarray[Any, np.dtype[np.int32]], groups: int) -> Grouping:
    """A grouping in which some groups may be empty."""
    kept = np.flatnonzero(labels >= 0)
    members = kept[np.argsort(labels[kept], kind="stable")].astype(np.int32)
    sizes = np.bincount(labels[members], minlength=groups)
    return Grouping(members, np.append(0, np.cumsum(sizes)).astype(np.int64), len(labels))
