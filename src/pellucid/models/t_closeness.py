"""t-closeness: every group looks like the whole table.

Distances are earth mover's, between every group and the whole table, as quotients of integers. With n rows in a group
and N in the table, frequencies differ by ``(c * N - q * n) / (n * N)``, so every distance is an integer over a known
denominator. A group's absent values are not visited one by one: time is linear in its present ones. Integers are 64
bits wide where they fit, else Python's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Codes
from pellucid.messages import Message
from pellucid.models import worst_case
from pellucid.models.exact import Direction, Rational, at_most
from pellucid.models.figures import Figures, Ratios
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel, Sizes
from pellucid.text.values import label_of


class TCloseness(PrivacyModel):
    """The sensitive values of every group are distributed as in the whole table, up to t.

    Definition: the earth mover's distance between the frequencies in the group and in the table is at most t. What
    moving a row from one value to another costs is the ``distance``:

    - ``equal``: 1 between any two values; this is the total variation;
    - ``ordered``: the difference of their ranks over the largest difference, for numbers, dates and ordered values. A
      rank counts the values that occur in the table; a null ranks below all of them;
    - ``hierarchical``: the height of their nearest common ancestor over the height of the taxonomy; a null that the
      taxonomy does not name stands directly below the root.

    >>> TCloseness(t=0.25).check_counts(np.array([[1, 1], [3, 1]]), np.array([2, 2])).tolist()
    [True, True]
    >>> TCloseness(t=0.24).check_counts(np.array([[1, 1], [3, 1]]), np.array([2, 2])).tolist()
    [True, False]
    """

    name: ClassVar[str] = "t-closeness"
    summary: ClassVar[str] = "the sensitive values of every group are distributed as in the table, up to t"
    reference: ClassVar[str] = "N. Li, T. Li, Venkatasubramanian: t-closeness. ICDE 2007."
    place: ClassVar[int] = 120
    directions: ClassVar[Mapping[str, Direction]] = {"t": "smallest"}
    variants: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "t-closeness": {"distance": "equal"},
        "ordered t-closeness": {"distance": "ordered"},
        "hierarchical t-closeness": {"distance": "hierarchical"},
    }
    examples: ClassVar[Mapping[str, str]] = {"t": "0.2"}

    t: Rational = Field(ge=0, le=1, description="the largest distance between a group and the table")
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal", description="what moving a row from one value to another costs"
    )

    def unfit(self, groups: Groups) -> Message | None:
        """Why the distance is not defined on the column."""
        attribute = groups.attribute
        if self.distance == "ordered" and attribute.kind is Kind.CATEGORY:
            return Message(
                'the values of {attribute!r} have no order; give the column kind = "ordered" and its order, '
                "or use t-closeness with the equal distance",
                attribute=attribute.name,
            )
        if self.distance == "hierarchical" and attribute.chains is None and attribute.taxonomy is None:
            return Message(
                "{attribute!r} has no taxonomy; give it one, or use t-closeness with the equal distance",
                attribute=attribute.name,
            )
        return None

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """The distances."""
        return {"t": {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}[self.distance](groups)}

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """The distance as what is learnt."""
        if self.distance == "equal":
            return Message(
                "finding a person's group changes the probability of any set of sensitive values by at most {at_most}",
                at_most=at_most(values["t"]),
            )
        kind = "their ranks" if self.distance == "ordered" else "the taxonomy"
        return Message(
            "every group is within {at_most} of the whole table when values are compared by {kind}",
            at_most=at_most(values["t"]),
            kind=kind,
        )

    @property
    def has_worst_case_size(self) -> bool:
        """Not by a taxonomy."""
        return self.distance != "hierarchical"

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """Choices that are far from the table at sight rule out most sizes before all choices are looked at."""
        of = {"equal": worst_case.equal_sizes, "ordered": worst_case.ordered_sizes}
        table = np.asarray(table_counts, dtype=np.int64)
        fast = of[self.distance](table, self.t) if self.distance in of else None
        return fast or super().worst_case_sizes(table, attribute)

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """By the sets of values that a choice of rows can favour most."""
        if self.distance == "hierarchical":
            return super().worst_case_size(counts, table_counts, attribute=attribute)
        held, table = np.asarray(counts, dtype=np.int64), np.asarray(table_counts, dtype=np.int64)
        farthest = (worst_case.equal if self.distance == "equal" else worst_case.ordered)(held, table)
        return worst_case.first_size(int(held.sum()), lambda size: farthest(size) <= self.t)


Integers = NDArray[Any]  # int64, or object where products would not fit


def equal(groups: Groups) -> Ratios:
    """Total variation: half the sum of ``|c/n - q/N|``."""
    whole = wide(groups, 1)
    rows = groups.table_rows
    sizes: Integers = groups.sizes.astype(whole)
    counts: Integers = groups.counts.astype(whole)
    table: Integers = groups.table_counts.astype(whole)
    apart = _apart(groups, counts, table, groups.codes, groups.starts)
    return Ratios(apart, 2 * sizes * rows)


def hierarchical(groups: Groups) -> Ratios:
    """Every level of the taxonomy adds the total variation of the nodes on it; their mean is the distance.

    Two values that meet h levels up are apart on the h levels below, so that a row moved between them adds h.
    """
    chains, ranks = _ancestors(groups.attribute)
    height = len(chains) - 1
    if height == 0:
        return Ratios(np.zeros(len(groups), np.int64), 1)
    whole = wide(groups, height)
    counts: Integers = groups.counts.astype(whole)
    codes, groups_of = groups.codes, groups.groups_of_entries
    if ranks is not None:
        order = np.lexsort((ranks[codes], groups_of))
        codes, counts = codes[order], counts[order]
    total: Integers = np.zeros(len(groups), dtype=whole)
    for level in chains[:-1]:
        _, nodes = np.unique(level, return_inverse=True)
        table: Integers = np.zeros(int(nodes.max()) + 1, dtype=whole)
        np.add.at(table, nodes, groups.table_counts.astype(whole))
        held = nodes[codes]
        # in the order of the taxonomy's leaves, what stands below a node are neighbours
        first = np.flatnonzero(np.append(True, (held[1:] != held[:-1]) | (groups_of[1:] != groups_of[:-1])))
        starts = np.searchsorted(groups_of[first], np.arange(len(groups) + 1))
        total += _apart(groups, np.add.reduceat(counts, first), table, held[first], starts)
    return Ratios(total, 2 * groups.sizes.astype(whole) * groups.table_rows * height)


def _ancestors(attribute: Attribute) -> tuple[Codes, NDArray[np.int64] | None]:
    """Chains of ancestors by code, and each code's place among the leaves where codes do not follow the leaves.

    Numbers, dates and ordered values are coded in their own order, whatever their taxonomy.
    """
    if attribute.chains is not None:
        return attribute.chains, None
    assert attribute.taxonomy is not None
    labels = [label_of(value) for value in attribute.values.to_list()[attribute.has_null :]]
    null = np.full(int(attribute.has_null), -1, np.int64)
    return attribute.taxonomy.chains(labels, attribute.has_null)[0], np.append(null, attribute.taxonomy.rank(labels))


def ordered(groups: Groups) -> Ratios:
    """The sum of ``|C/n - Q/N|`` over cumulated frequencies, over the number of steps from the first value to the last.

    Between two values that a group has, its cumulated count C stays while the table's Q grows, so that the sign of
    ``C * N - Q * n`` changes once; a search finds where, and sums of Q give both sides.
    """
    values = len(groups.table_counts)
    if values < 2:
        return Ratios(np.zeros(len(groups), np.int64), 1)
    whole = wide(groups, values)
    rows = groups.table_rows
    cumulated = np.cumsum(groups.table_counts)
    sums: Integers = np.append(0, np.cumsum(cumulated.astype(whole))).astype(whole)  # of cumulated counts, up to a code
    sizes: Integers = groups.sizes.astype(whole)
    own = sizes[groups.groups_of_entries]
    held = np.cumsum(groups.counts)
    held -= np.repeat(np.append(0, held[groups.starts[1:-1] - 1]), groups.distinct)
    begin = groups.codes.astype(np.int64)
    end = np.append(begin[1:], values)
    end[groups.starts[1:] - 1] = values
    ahead: Integers = held.astype(whole) * rows
    turn = np.clip(np.searchsorted(cumulated, (ahead // own).astype(np.int64), side="right"), begin, end)
    parts = ahead * (2 * turn - begin - end) + own * (sums[begin] + sums[end] - 2 * sums[turn])
    before = sizes * sums[groups.codes[groups.starts[:-1]]]
    total = before + np.add.reduceat(parts, groups.starts[:-1])
    return Ratios(total, sizes * rows * (values - 1))


def wide(groups: Groups, factor: int) -> type:
    """64-bit integers where four times rows times size times ``factor`` fits, else Python's."""
    largest = 4 * groups.table_rows * int(groups.sizes.max()) * factor
    return np.int64 if largest < 2**62 else object


def _apart(
    groups: Groups, counts: Integers, table: Integers, held: NDArray[Any], starts: NDArray[np.int64]
) -> Integers:
    """The sum of ``|c * N - q * n|`` over all values, of which a group's absent ones have c = 0."""
    rows = groups.table_rows
    owners = np.repeat(np.arange(len(groups)), np.diff(starts))
    expected = table[held] * groups.sizes.astype(table.dtype)[owners]
    present: Integers = np.add.reduceat(np.abs(counts * rows - expected) - expected, starts[:-1])
    everything: Integers = groups.sizes.astype(table.dtype) * rows
    return present + everything
