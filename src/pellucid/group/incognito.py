"""Incognito: one level of generalisation per column, as low as the model allows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.coins import Coins
from pellucid.errors import MethodError
from pellucid.group.grouping import Grouping
from pellucid.group.hierarchies import hierarchies
from pellucid.group.lattice import Lattice, Node, each_satisfying, minimal, satisfying
from pellucid.group.method import Deciding, Guarantee, RecoderName
from pellucid.group.nothing_sensitive import counting, hidden_sentence
from pellucid.group.requirement import K_MEANING, L_MEANING, ModelMethod
from pellucid.group.withholding import BUDGET, MEANING, Share, asks_of_group_alone, in_words, still_holds
from pellucid.messages import Message
from pellucid.model import Groups, PrivacyModel, spell
from pellucid.model.alpha_k_anonymity import AlphaKAnonymity
from pellucid.model.beta_likeness import BetaLikeness
from pellucid.model.delta_disclosure import DeltaDisclosure
from pellucid.model.distinct_l_diversity import DistinctLDiversity
from pellucid.model.enhanced_beta_likeness import EnhancedBetaLikeness
from pellucid.model.entropy_l_diversity import EntropyLDiversity
from pellucid.model.k_anonymity import KAnonymity
from pellucid.model.k_e_anonymity import KEAnonymity
from pellucid.model.l_diversity import LDiversity
from pellucid.model.maximum_risk import MaximumRisk
from pellucid.model.recursive_diversity import RecursiveDiversity
from pellucid.model.t_closeness import TCloseness
from pellucid.parallel import thread_count
from pellucid.posterior.shape import Likelihood
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role
from pellucid.table import Table

MONOTONE: tuple[type[PrivacyModel], ...] = (
    KAnonymity,  # sizes, numbers of values and ranges do not shrink when groups are merged
    MaximumRisk,
    DistinctLDiversity,
    KEAnonymity,
    LDiversity,  # a merged group's frequencies lie between those of its parts, and what is accepted is convex
    AlphaKAnonymity,
    EntropyLDiversity,
    RecursiveDiversity,
    TCloseness,
    BetaLikeness,
    EnhancedBetaLikeness,
    DeltaDisclosure,
)
MOST_NODES = 2**18  # more take minutes
SURE = 1 + 1e-9  # by so much a sum of floats may be off

Met = Callable[[Node], NDArray[np.bool_]]


def is_monotone(model: PrivacyModel) -> bool:
    """Whether groups that satisfy the model still do when they are merged.

    Entropy l-diversity of some values only is asked of groups that have one of them; a group that has none is asked
    nothing, and merging it with one that has may lower the entropy.
    """
    if isinstance(model, EntropyLDiversity):
        return model.sensitive is None
    return isinstance(model, MONOTONE)


class Incognito(ModelMethod):
    """Every group satisfies the model; every column is generalised to one level of its taxonomy, the same for all rows.

    **Definition.** A node gives every quasi-identifier a level of its taxonomy, from 0, the value itself, to the root;
    without a taxonomy there are two, the value and ``*``. The rows with the same ancestors on these levels are a group.
    A node satisfies the model when all its groups do. It is minimal when no predecessor (one level lower in one
    attribute) satisfies. Of all minimal nodes the one with the least loss is taken: the sum over attributes of the mean
    over rows of (leaves below the ancestor - 1) / (all leaves - 1), where ``*`` loses 1 and a constant attribute 0;
    ties go to the lexicographically smallest levels. No row is suppressed, unless ``max_suppressed`` is given: a node
    then satisfies the model when the groups that do not have at most that share of all rows together. These rows are
    withheld, and lose 1 in every attribute that is not constant. Of all nodes that satisfy so, and not of the minimal
    ones alone, the one with the least loss is taken: a higher node may lose less because it withholds less. A larger
    budget therefore never loses more. The model must be monotone: merging groups
    that satisfy it gives one that does, so that everything above a satisfying node satisfies. These are k-anonymity,
    maximum risk, simple, distinct, entropy and recursive l-diversity, (alpha,k)- and (k,e)-anonymity, t-closeness,
    beta-likeness and delta-disclosure. Of the last three a whole table decides, so that nothing can be withheld from
    it. Groups are numbered in the order of their codes.

    **What its decisions look at.** Quasi-identifiers, and whether the groups of lower nodes satisfy the model. With
    k-anonymity these are sizes, so the release tells nothing about sensitive values but the groups' frequencies; nor
    does it tell anything of the values of rows that are withheld, by itself: the totals of the whole table, if these
    are known, minus the release do. With a model of sensitive values, that no predecessor
    satisfies tells that one of its groups does not, which may name somebody's value, and so may that a row is withheld.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> schema = pc.Schema(columns={
    ...     "name": pc.Column(role="identifier"),
    ...     "age": pc.Column(role="quasi", taxonomy={"ladder": [20, 40]}),
    ...     "zipcode": pc.Column(role="quasi"),
    ...     "disease": pc.Column(role="sensitive"),
    ... })
    >>> release = pc.publish(patients, pc.Incognito(k=2), schema=schema)
    >>> release.private.grouping.levels, release.frame["age"].unique(maintain_order=True).to_list()
    ((2, 1), ['[0, 39]', '[40, 79]'])
    >>> release = pc.publish(patients, pc.Incognito(k=2, max_suppressed="25%"), schema=schema)
    >>> release.private.grouping.levels, release.recipe["suppressed"]  # ages by 20 years, without one of them
    ((1, 1), 1)

    Reference: K. LeFevre, D. DeWitt, R. Ramakrishnan. Incognito: efficient full-domain k-anonymity. SIGMOD 2005; with
    rows withheld: P. Samarati. Protecting respondents' identities in microdata release. TKDE 2001.
    """

    name: ClassVar[str] = "incognito"
    summary: ClassVar[str] = "generalises each column to one level of its taxonomy, as low as the model allows"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "Incognito replaces every value of a column by its name on one level of the column's taxonomy, the same level "
        "for everybody: all ages become decades, all towns become regions. It finds all combinations of levels that "
        "satisfy the model and cannot be lowered, and takes the one that loses least. Such tables are easy to analyse, "
        "since equal values stay equal, but they lose more than groups that are formed locally, and one unusual row "
        "makes a column coarser for everybody, unless a few such rows may be withheld. A column without a taxonomy is "
        "either kept or dropped. With k-anonymity it looks at group sizes only. With a model about "
        "sensitive values, the levels it did not choose tell something: use soft-cut where that matters."
    )
    reference: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Incognito, SIGMOD 2005"
    recoder: ClassVar[RecoderName] = "taxonomy"
    suppresses: ClassVar[bool] = True
    attack: ClassVar[str] = (
        "the minimality attack: that a lower level was not chosen tells that some group of it would have broken the "
        "model"
    )

    k: int | None = Field(default=None, ge=1, description=K_MEANING)
    l: int | None = Field(default=None, ge=1, description=L_MEANING)
    max_suppressed: Share | None = Field(default=None, description=MEANING)

    @property
    def may_suppress(self) -> bool:
        """Where a budget is given."""
        return bool(self.max_suppressed)

    @property
    def claim(self) -> Guarantee:
        """Sizes tell nothing about sensitive values; a model that looks at these is open to the minimality attack."""
        return "algorithm" if self.required.looks_at == "sizes" else "frequency"

    def check(self, table: Table) -> None:
        """Raise when the model is not monotone, or not even the top satisfies it."""
        model = self.required
        super().check(counting(table, model))
        if not is_monotone(model):
            raise MethodError(
                f"incognito cannot enforce {model.label} with these parameters, because merging groups that satisfy it "
                "may break it",
                "use l-diversity, t-closeness or another monotone model",
            )
        if self.may_suppress and not asks_of_group_alone(model):
            raise MethodError(
                "{label} compares groups with the whole table, so that no row can be withheld from it: "
                "{budget} goes with k-anonymity, maximum risk, (k,e)- and (alpha,k)-anonymity and l-diversity",
                "leave {budget} out, or use one of these",
                label=model.label,
                budget=BUDGET,
            )

    @property
    def order_decides(self) -> Deciding:
        """All rows that look alike are in one group."""
        return "nothing"

    def group(  # it has no use for coins
        self,
        table: Table,
        coins: Coins,  # noqa: ARG002
        *,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> Grouping:
        """Decide the groups of a table."""
        table = counting(table, self.required)
        lattice = self._lattice(table, thread_count(threads))
        met, most = self._met(table, lattice), self._most(table)
        if most:
            chosen = least_loss_withholding(lattice, met, most, progress)
        else:
            chosen = least_loss(
                lattice, minimal(satisfying(lattice.shape, lambda node: bool(met(node).all()), progress))
            )
        classes = lattice.classes(chosen)
        order = np.lexsort(
            [
                of_column.nodes[level][codes[classes.examples]]
                for of_column, level, codes in zip(lattice.levels, chosen, lattice.vectors, strict=True)
            ][::-1]
        )
        order = order[met(chosen)[order]]
        place = np.full(len(classes), -1, np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        grouping = Grouping.from_labels(lattice.row_labels(place[classes.labels]))
        grouping.levels = chosen
        return grouping

    def minimal_nodes(self, table: Table, *, threads: int | None = None) -> list[Node]:
        """All minimal nodes, in lexicographic order: for each quasi-identifier its level.

        >>> import pellucid as pc
        >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
        >>> pc.Incognito(k=1).minimal_nodes(table), pc.Incognito(l=2).minimal_nodes(table)
        ([(0, 0)], [(1, 1)])
        """
        table = counting(table, self.required)
        lattice = self._lattice(table, thread_count(threads))
        met, most = self._met(table, lattice), self._most(table)
        search = satisfying if still_holds(self.required) or not most else each_satisfying
        return minimal(search(lattice.shape, lambda node: withheld(lattice, node, met) <= most, SILENT))

    def _lattice(self, table: Table, threads: int) -> Lattice:
        self.check(table)
        levels = hierarchies(table)
        nodes = int(np.prod([len(of_column.nodes) for of_column in levels], dtype=object))
        if nodes > MOST_NODES:
            raise MethodError(
                "the {levels} quasi-identifiers have {nodes:,} combinations of levels, and incognito searches at "
                "most {limit:,}",
                "use fewer quasi-identifiers, flatter taxonomies, or alpha-k, which has no limit",
                levels=len(levels),
                nodes=nodes,
                limit=MOST_NODES,
            )
        return Lattice(table, levels, threads)

    def _most(self, table: Table) -> int:
        """The number of rows that may be withheld: never all."""
        return min(floor((self.max_suppressed or 0) * len(table)), len(table) - 1)

    def _met(self, table: Table, lattice: Lattice) -> Met:
        """Which groups of a node satisfy the model."""
        model = self.required
        (column,) = table.having(Role.SENSITIVE)
        attribute = table.attributes[column]
        sensitive = table.codes[column]
        if model.looks_at == "sizes":
            least = smallest_group(model)
            return lambda node: lattice.classes(node).sizes >= least
        by_vector = sensitive[lattice.rows]
        lengths = np.diff(lattice.starts)
        return lambda node: model.met(Groups.of(np.repeat(lattice.classes(node).labels, lengths), by_vector, attribute))

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood | None:  # noqa: ARG002
        """Sizes tell nothing; of other models no law by group is known."""
        return Likelihood.transparent(grouping.sizes, len(people)) if self.required.looks_at == "sizes" else None

    def left_open(self, table: Table) -> list[str]:
        """What it means that rows are withheld."""
        if not self.max_suppressed:
            return []
        return [in_words(self.max_suppressed, self.required, _sensitive_name(table))]

    def sentence(self, table: Table) -> Message:
        """What is promised and what is not."""
        model, name = self.required, _sensitive_name(table)
        if model.looks_at == "sizes" and not name:
            return hidden_sentence(smallest_group(model))
        if model.looks_at == "sizes":
            least = smallest_group(model)
            none = ", or with none where the person's is withheld" if self.may_suppress else ""
            return Message(
                "Whoever knows a person's quasi-identifiers, even with knowledge of the method, is left with at least "
                "{least} row{s} to choose from{none}; nothing is promised about {name}, which may be the same in all "
                "of them.",
                least=least,
                s="s" if least > 1 else "",
                none=none,
                name=name,
            )
        if isinstance(model, LDiversity) and model.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        if isinstance(model, LDiversity) and model.sensitive is None:
            what = f"In every group at most a share 1/{model.l} of the rows carries the same {name}"
        else:
            spelled = spell(model)
            what = f"Every group satisfies {spelled if isinstance(spelled, str) else repr(model)} ({model.summary})"
        return Message(
            "{what}; this bounds what somebody learns who does not know the method. Somebody who does may learn more "
            "about a person's {name}.",
            what=what,
            name=name,
        )


def _sensitive_name(table: Table) -> str:
    """Of the column that is sensitive; empty where nothing is."""
    return next((table.attributes[i].name for i in table.having(Role.SENSITIVE)), "")


def smallest_group(model: PrivacyModel) -> int:
    """The rows that a model of sizes asks for."""
    return model.k if isinstance(model, KAnonymity) else ceil(1 / model.risk)  # type: ignore[attr-defined]


def withheld(lattice: Lattice, node: Node, met: Met) -> int:
    """The rows of a node's groups that do not satisfy."""
    return int(lattice.classes(node).sizes[~met(node)].sum())


def least_loss(lattice: Lattice, nodes: list[Node]) -> Node:
    """The node with the least loss, the first of equals."""
    losses = [mean_loss(lattice, i) for i in range(len(lattice.levels))]
    return min(nodes, key=lambda node: (sum(loss[level] for loss, level in zip(losses, node, strict=True)), node))


def least_loss_withholding(lattice: Lattice, met: Met, most: int, progress: Progress) -> Node:
    """The node with the least loss of those that withhold at most so many rows, the first of equals.

    Withholding only adds loss, so that what a node loses without it is a bound: nodes are tried in that order until
    none that is left can lose less. The top satisfies, so that there is one.
    """
    bounds = np.zeros(lattice.shape)
    for i, axis in enumerate(np.ix_(*(range(size) for size in lattice.shape))):
        bounds = bounds + np.array([float(loss) for loss in mean_loss(lattice, i)])[axis]
    best: tuple[Fraction, Node] | None = None
    progress.stage("searching", bounds.size)
    for done, place in enumerate(np.argsort(bounds, axis=None, kind="stable")):
        node = tuple(int(level) for level in np.unravel_index(place, lattice.shape))
        if best is not None and bounds[node] > float(best[0]) * SURE:
            break
        progress.advance(done)
        satisfied = met(node)
        if int(lattice.classes(node).sizes[~satisfied].sum()) <= most:
            this = (loss_of_kept(lattice, node, satisfied), node)
            best = this if best is None else min(best, this)
    progress.advance(bounds.size)
    assert best is not None  # the model was checked on the whole table
    return best[1]


def mean_loss(lattice: Lattice, column: int) -> list[Fraction]:
    """The mean share of the leaves that each level of a column leaves open, over the rows."""
    rows, levels = np.diff(lattice.starts), lattice.levels[column]
    sums = [int(rows @ level[lattice.vectors[column]]) for level in levels.open]
    return [Fraction(lost, int(rows.sum()) * levels.width) for lost in sums]


def loss_of_kept(lattice: Lattice, node: Node, met: NDArray[np.bool_]) -> Fraction:
    """The same summed over the columns, where rows of groups that do not satisfy the model lose everything."""
    rows = np.diff(lattice.starts)
    withheld = np.where(met[lattice.classes(node).labels], 0, rows)
    total = Fraction(0)
    for levels, level, codes in zip(lattice.levels, node, lattice.vectors, strict=True):
        everything = int(levels.open.max())
        lost = int((rows - withheld) @ levels.open[level][codes]) + int(withheld.sum()) * everything
        total += Fraction(lost, int(rows.sum()) * levels.width)
    return total
