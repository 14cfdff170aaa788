"""Taxonomic: the nearest common ancestor of a group's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from pellucid.anonymize.layout.ranges import ranges_of
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.published import Published, numbered
from pellucid.anonymize.recode.recoder import RowRecoder, reads_like_a_group
from pellucid.anonymize.recode.sets import (
    LARGEST_SET,
    codes_in_set,
    distinct_sets,
    may_be_set,
    published_sets,
    set_choices,
    sets_tell_apart,
)
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.core.taxonomy import Taxonomy
from pellucid.core.taxonomy.declaration import TOP
from pellucid.messages import Message
from pellucid.published.choices import Choices, anything, names, values_as_they_are
from pellucid.published.forms import BROADER_INTERVAL, INTERVALS, group_shows
from pellucid.published.grammar import STAR
from pellucid.text.values import label_of


class Taxonomic(RowRecoder):
    """Publish the nearest common ancestor of a group's values, and the value itself where the group agrees.

    An attribute without a taxonomy is published as the set ``{a, b}`` of its values; where that would be more than
    ``largest_set`` values (12; None: any number), as ``[low, high]`` if its values have an order, else as ``*``. A null
    hangs below the root, so a group that mixes null with other values gets the root. In a taxonomy where a node has
    several parents, it is the common ancestor with the fewest leaves.

    Groups that come with levels (full-domain recoding) are published on these: the ancestor of that level, also where
    the group has a nearer one, so that every value of a column is generalised alike. An attribute without a taxonomy is
    then published as it is or as ``*``.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> schema = pc.Schema(columns={
    ...     "name": pc.Column(role="identifier"),
    ...     "age": pc.Column(role="quasi", taxonomy={"ladder": [10, 20]}),
    ...     "zipcode": pc.Column(role="quasi"),
    ...     "disease": pc.Column(role="sensitive"),
    ... })
    >>> release = pc.publish(patients, pc.Tailor(l=2), schema=schema, recode=pc.Taxonomy())
    >>> release.frame["age"].unique(maintain_order=True).to_list()
    ['*', '[20, 39]', '60']
    """

    name: ClassVar[str] = "taxonomy"
    summary: ClassVar[str] = "the broader name above, such as [20, 29]"
    coarse: ClassVar[bool] = True
    largest_set: int | None = Field(default=LARGEST_SET, ge=1, description="the most values that are listed as a set")

    def spell(self, attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Published:
        """How every group's values of one attribute are published."""
        if attribute.taxonomy is None:
            return published_sets(attribute, codes, grouping, threads, self.largest_set)
        return published_nodes(attribute, codes, grouping, threads)

    def spell_keys(self, attribute: Attribute, keys: NDArray[np.int64]) -> list[pl.Series]:
        """The published values of these keys."""
        return [node_names(attribute, keys)]

    def stands_for(self, attribute: Attribute, held: Codes) -> NDArray[np.bool_]:
        """What is below the node, or in the set or the interval of values without a taxonomy."""
        if attribute.taxonomy is None:
            return codes_in_set(attribute, held, self.largest_set)
        return codes_below(attribute, held)

    def tells_apart(self, attribute: Attribute) -> bool:
        """Not where nodes are published, which groups on both sides of a cut may share."""
        if attribute.taxonomy is not None or reads_like_a_group(attribute):
            return False
        return sets_tell_apart(attribute, self.largest_set)

    def clear_choices(self, table: Table, column: int, grouping: Grouping) -> tuple[Codes, Choices]:
        """What the nodes, or the sets of values without a taxonomy, leave open."""
        level, attribute, codes = level_of(table, column, grouping), table.attributes[column], table.codes[column]
        if attribute.taxonomy is None:
            if level:
                return np.zeros(len(grouping), np.int32), anything(attribute)
            return set_choices(attribute, codes, grouping, self.largest_set)
        return node_choices(attribute, codes, grouping, level)

    def may_write(self, attribute: Attribute, text: str) -> bool:
        """A set, what stands in place of a large one, or ``*`` of full-domain recoding; a node is never a value."""
        if attribute.taxonomy is not None:
            return False
        return text == STAR or may_be_set(attribute, text, self.largest_set)

    def lists(self, attribute: Attribute) -> bool:
        """Where there is no taxonomy."""
        return attribute.taxonomy is None

    @classmethod
    def uses_names(cls, kind: str) -> bool:  # noqa: ARG003
        """Of any kind."""
        return True

    def describe(self, forms: Sequence[Mapping[str, int]]) -> Message:
        """An interval is a rung of a ladder: as wide as its step, not as the group."""
        return group_shows(forms, {INTERVALS: BROADER_INTERVAL})

    def spell_values(self, table: Table, column: int, grouping: Grouping, threads: int) -> Published:
        """A quasi-identifier is published on its level where the method chose one."""
        level = level_of(table, column, grouping)
        attribute, codes = table.attributes[column], table.codes[column]
        if level is None:
            return self.spell(attribute, codes, grouping, threads)
        if attribute.taxonomy is not None:
            return published_nodes(attribute, codes, grouping, threads, level)
        if level == 0:
            return self.spell(attribute, codes, grouping, threads)
        return Published(np.zeros(len(grouping), np.int32), [pl.Series(attribute.name, [TOP])])


def level_of(table: Table, column: int, grouping: Grouping) -> int | None:
    """The level on which a method publishes every value of a column; None when it leaves that to the groups."""
    if grouping.levels is None or table.attributes[column].role is not Role.QUASI:
        return None
    return grouping.levels[table.having(Role.QUASI).index(column)]


def nodes_of_groups(
    attribute: Attribute, taxonomy: Taxonomy, codes: Codes, grouping: Grouping, threads: int, level: int | None = None
) -> tuple[Codes, NDArray[np.int64], Codes]:
    """The chains of a tree, the leaves below its nodes, and each group's node: on a level, else the nearest above."""
    chains, leaves, codes = leaf_chains(attribute, taxonomy, codes)
    if level is not None:  # all rows of a group have the same there
        return chains, leaves, chains[level, codes[grouping.members[grouping.starts[:-1]]]]
    ranges = ranges_of(attribute, codes, grouping, threads)
    low = np.where(ranges.nulls, 0, ranges.low)
    high = np.where(ranges.high < 0, 0, ranges.high)
    return chains, leaves, common_ancestors(chains, low, high)


def node_choices(
    attribute: Attribute, codes: Codes, grouping: Grouping, level: int | None = None
) -> tuple[Codes, Choices]:
    """What the node of each group leaves open."""
    taxonomy = attribute.taxonomy
    assert taxonomy is not None
    if level is None and not taxonomy.is_tree:
        return _choices_in_dag(attribute, taxonomy, codes, grouping)
    chains, leaves, nodes = nodes_of_groups(attribute, taxonomy, codes, grouping, 1, level)
    distinct, ranks = numbered(nodes.astype(np.int64), len(leaves))
    null = distinct == (int(chains[0, 0]) if attribute.has_null else -1)  # the last number
    labels = [taxonomy.node_label(int(node)) for node in distinct[~null]]
    nulls = values_as_they_are(attribute, np.zeros(int(null.sum()), np.int64))
    return ranks, Choices.joined([names(attribute, labels), nulls])


def _choices_in_dag(
    attribute: Attribute, taxonomy: Taxonomy, codes: Codes, grouping: Grouping
) -> tuple[Codes, Choices]:
    spelled, ranks = names_in_dag(attribute, taxonomy, codes, grouping)
    distinct = sorted({label for label in spelled if label is not None})
    place: dict[str | None, int] = {label: i for i, label in enumerate([*distinct, None])}
    nulls = values_as_they_are(attribute, np.zeros(int(None in spelled), np.int64))
    choice = np.array([place[label] for label in spelled], np.int32)[ranks]
    return choice, Choices.joined([names(attribute, distinct), nulls])


def published_nodes(
    attribute: Attribute, codes: Codes, grouping: Grouping, threads: int, level: int | None = None
) -> Published:
    """The ancestors of all groups, on a level or the nearest: in the order of their first leaf, larger ones first."""
    taxonomy = attribute.taxonomy
    assert taxonomy is not None
    if level is None and not taxonomy.is_tree:
        return published_in_dag(attribute, taxonomy, codes, grouping)
    nodes = nodes_of_groups(attribute, taxonomy, codes, grouping, threads, level)
    return published_names(attribute, taxonomy, *nodes)


def codes_below(attribute: Attribute, held: Codes) -> NDArray[np.bool_]:
    """The codes below the nearest node above these; all where the tree is not at hand, or has names with two parents.

    A null hangs below the root.
    """
    chains = attribute.chains
    if chains is not None and attribute.taxonomy is not None and attribute.taxonomy.is_tree:
        for level in chains:
            if (level[held] == level[held[0]]).all():
                return np.asarray(level == level[held[0]])
    return np.ones(len(attribute), np.bool_)


def published_names(
    attribute: Attribute, taxonomy: Taxonomy, chains: Codes, leaves: NDArray[np.int64], nodes: Codes
) -> Published:
    """The names of the nodes that the groups get, in the order of their first leaf, larger ones first."""
    places = node_places(chains, leaves)
    keys, ranks = numbered(places[nodes], len(leaves))
    return Published(ranks, [_names(attribute, taxonomy, chains, np.argsort(places)[keys])], keys)


def node_places(chains: Codes, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each node among all nodes, whatever the data: by its first leaf, then larger ones first."""
    first = np.zeros(len(leaves), np.int64)
    for level in chains[::-1]:
        first[level[::-1]] = np.arange(chains.shape[1])[::-1]
    places = np.empty(len(leaves), np.int64)
    places[np.lexsort((np.arange(len(leaves)), -leaves, first))] = np.arange(len(leaves))
    return places


def node_names(attribute: Attribute, keys: NDArray[np.int64]) -> pl.Series:
    """The names of the nodes that the keys of :func:`published_nodes` stand for."""
    taxonomy = attribute.taxonomy
    assert taxonomy is not None
    chains, leaves, _ = leaf_chains(attribute, taxonomy, np.zeros(0, np.int32))
    return _names(attribute, taxonomy, chains, np.argsort(node_places(chains, leaves))[keys])


def _names(attribute: Attribute, taxonomy: Taxonomy, chains: Codes, nodes: NDArray[np.int64]) -> pl.Series:
    null_node = int(chains[0, 0]) if attribute.has_null else -1
    labels = [None if node == null_node else taxonomy.node_label(node) for node in nodes.tolist()]
    return pl.Series(attribute.name, labels, dtype=pl.String)


def leaf_chains(attribute: Attribute, taxonomy: Taxonomy, codes: Codes) -> tuple[Codes, NDArray[np.int64], Codes]:
    """The chains of a tree, the leaves below its nodes, and the codes in the order of the leaves."""
    if attribute.chains is not None and attribute.leaves is not None:
        return attribute.chains, attribute.leaves, codes
    return in_leaf_order(attribute, taxonomy, codes)


def in_leaf_order(attribute: Attribute, taxonomy: Taxonomy, codes: Codes) -> tuple[Codes, NDArray[np.int64], Codes]:
    """A number or a date has its codes in the order of values; here they become codes in the order of the leaves."""
    labels = [label_of(value) for value in attribute.values.drop_nulls().to_list()]
    order = np.argsort(taxonomy.rank(labels), kind="stable")
    chains, leaves, _ = taxonomy.chains([labels[i] for i in order], attribute.has_null)
    shift = 1 if attribute.has_null else 0
    place = np.zeros(len(attribute), np.int32)
    place[order + shift] = np.arange(shift, len(attribute), dtype=np.int32)
    return chains, leaves, place[codes]


def common_ancestors(chains: Codes, low: Codes, high: Codes) -> Codes:
    """The lowest node above both ends of each range of leaves; in leaf order it is above everything between."""
    nodes: Codes = chains[-1, low]
    open_ = np.ones(len(low), np.bool_)
    for level in chains:
        meets = open_ & (level[low] == level[high])
        nodes[meets] = level[low[meets]]
        open_ &= ~meets
    return nodes


def published_in_dag(attribute: Attribute, taxonomy: Taxonomy, codes: Codes, grouping: Grouping) -> Published:
    """Where nodes have several parents the whole set of values counts, not only its ends."""
    spelled, ranks = names_in_dag(attribute, taxonomy, codes, grouping)
    distinct = pl.Series(attribute.name, spelled, dtype=pl.String).unique().sort()
    place = {name: i for i, name in enumerate(distinct.to_list())}
    return Published(np.array([place[name] for name in spelled], np.int32)[ranks], [distinct])


def names_in_dag(
    attribute: Attribute, taxonomy: Taxonomy, codes: Codes, grouping: Grouping
) -> tuple[list[str | None], NDArray[np.int64]]:
    """The common ancestor of each distinct set of values, None where it is null alone, and each group's set number."""
    number, code, ranks = distinct_sets(codes, grouping)
    labels = ["" if value is None else label_of(value) for value in attribute.values.to_list()]
    members: dict[int, list[int]] = {}
    for n, c in zip(number.tolist(), code.tolist(), strict=True):
        members.setdefault(n, []).append(c)
    root = taxonomy.path(taxonomy.leaves[0])[-1]
    spelled: list[str | None] = []
    for n in range(len(members)):
        mixed = attribute.has_null and 0 in members[n]
        if mixed and len(members[n]) == 1:
            spelled.append(None)
        else:
            spelled.append(root if mixed else taxonomy.common_ancestor([labels[c] for c in members[n]]))
    return spelled, ranks
