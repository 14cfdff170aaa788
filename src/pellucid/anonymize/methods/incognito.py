"""Incognito: one level of generalisation per column, as low as the model allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.k_anonymity_only import counting, hidden_sentence
from pellucid.anonymize.layout.hierarchies import hierarchies
from pellucid.anonymize.layout.lattice import Lattice, Node, each_satisfying, minimal, satisfying
from pellucid.anonymize.method import Deciding, Guarantee, RecoderName
from pellucid.anonymize.objectives import KINDS, Objective, ObjectiveName, best_node
from pellucid.anonymize.requirement import (
    K_MEANING,
    L_MEANING,
    ModelMethod,
    described,
    sensitive_names,
    smallest_group,
    uninformed_sentence,
)
from pellucid.anonymize.withholding import MEANING, Share, in_words, still_holds
from pellucid.anonymize.workload_counts import Counts, conditions
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import MethodError
from pellucid.messages import Message
from pellucid.models import Groups, PrivacyModel
from pellucid.models.all_of import together
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.beta_likeness import BetaLikeness
from pellucid.models.delta_disclosure import DeltaDisclosure
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.models.enhanced_beta_likeness import EnhancedBetaLikeness
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.exact import Rational
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.k_e_anonymity import KEAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.maximum_risk import MaximumRisk
from pellucid.models.recursive_diversity import RecursiveDiversity
from pellucid.models.t_closeness import TCloseness
from pellucid.models.table_risk import AverageRisk, PopulationUniques, SampleUniqueness, TableRisk
from pellucid.posterior.shape import Likelihood
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

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
FALLING = (AverageRisk, SampleUniqueness)  # of the table: merging leaves fewer groups, and fewer rows that are alone
MOST_NODES = 2**18  # more take minutes

Longs = NDArray[np.int64]
Met = Callable[[Node], NDArray[np.bool_]]


def is_monotone(model: PrivacyModel) -> bool:
    """Whether groups that satisfy the model still do when they are merged.

    Entropy l-diversity of some values only is asked of groups that have one of them; a group that has none is asked
    nothing, and merging it with one that has may lower the entropy.
    """
    if model.parts != (model,):
        return all(map(is_monotone, model.parts))
    if isinstance(model, EntropyLDiversity):
        return model.sensitive is None
    return isinstance(model, (*MONOTONE, *FALLING))


def require_monotone(model: PrivacyModel, method: str) -> None:
    """Raise where merging groups that satisfy a part of the model may break it."""
    for part in model.parts:
        if not is_monotone(part) and not isinstance(part, TableRisk):
            raise MethodError(
                f"{method} cannot enforce {part.label} with these parameters, because merging groups that satisfy "
                "it may break it",
                "use l-diversity, t-closeness or another monotone model",
            )


class Incognito(ModelMethod):
    """Every group satisfies the model; every column is generalised to one level of its taxonomy, the same for all rows.

    **Definition.** A node gives every quasi-identifier a level of its taxonomy, from 0, the value itself, to the root;
    without a taxonomy there are two, the value and ``*``. The rows with the same ancestors on these levels are a group.
    A node satisfies the model when all its groups do, and several models when it satisfies each. It is minimal when no
    predecessor (one level lower in one attribute) satisfies. With ``max_suppressed`` a node satisfies when the groups
    that do not have at most that share of all rows together. These rows are withheld.

    Of all nodes that satisfy, the one with the least ``objective`` is taken; ties go to the lexicographically smallest
    levels. Each is a sum over attributes, times their importance, of the mean over rows of

    - ``loss``: (leaves below the ancestor - 1) / (all leaves - 1), where ``*`` loses 1 and a constant attribute 0;
    - ``precision``: the level by the height of the taxonomy;
    - ``entropy``: the bits from the ancestor to the value, by how often values occur in the table (their total);

    or ``discernibility``, the sum of squared group sizes and of all rows for each withheld one; or ``class-size``, rows
    by groups, all withheld rows being one group more. A withheld row counts as if all of it were lost, times
    ``suppression_weight``. Or it is ``workload``: the mean over the conditions in ``workload`` of the error of a count
    of the rows for which one holds, by that count or by 0.5 % of all rows where this is more. It is estimated from what
    is published: an ancestor is any of the values in the table below it, equally likely, and withheld rows are missing.
    Without a budget the best node is a minimal one (of a workload it may be any); with it a higher node may lose less,
    because it withholds less, so all are searched. A larger budget therefore never loses more.

    The model must be monotone: merging groups that satisfy it gives one that does. These are k-anonymity, maximum risk,
    simple, distinct, entropy and recursive l-diversity, (alpha,k)- and (k,e)-anonymity, t-closeness, beta-likeness and
    delta-disclosure. The last three compare with the whole table, withheld rows included. Risks of the table as a whole
    can be asked for too: average risk, sample uniqueness and estimated population uniqueness. Groups that do not
    satisfy are withheld first, and then the smallest, one by one in the order of their codes, until the risk holds; for
    population uniqueness, which is no sum, all groups of a size at once. Groups are numbered in the order of their
    codes.

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
    >>> both = pc.Incognito(model=["k-anonymity=2", "average re-identification risk=0.3"], objective="discernibility")
    >>> pc.publish(patients, both, schema=schema).private.grouping.levels
    (2, 1)

    Reference: K. LeFevre, D. DeWitt, R. Ramakrishnan. Incognito: efficient full-domain k-anonymity. SIGMOD 2005; with
    rows withheld: P. Samarati. Protecting respondents' identities in microdata release. TKDE 2001. The objectives: as
    in ARX, F. Prasser, J. Eicher, H. Spengler, R. Bild, K. A. Kuhn, Flexible data anonymization using ARX, SPE 2020.
    """

    name: ClassVar[str] = "incognito"
    summary: ClassVar[str] = "generalises each column to one level of its taxonomy, as low as the model allows"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "Incognito replaces every value of a column by its name on one level of the column's taxonomy, the same level "
        "for everybody: all ages become decades, all towns become regions. It finds all combinations of levels that "
        "satisfy the model, or several models, and takes the one that loses least, by the objective that is chosen. "
        "Such tables are easy to analyse, "
        "since equal values stay equal, but they lose more than groups that are formed locally, and one unusual row "
        "makes a column coarser for everybody, unless a few such rows may be withheld. A column without a taxonomy is "
        "either kept or dropped. With k-anonymity it looks at group sizes only. With a model about "
        "sensitive values, the levels it did not choose tell something: use soft-cut where that matters."
    )
    reference: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Incognito, SIGMOD 2005"
    recoder: ClassVar[RecoderName] = "taxonomy"
    suppresses: ClassVar[bool] = True
    of_tables: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True
    attack: ClassVar[str] = (
        "the minimality attack: that a lower level was not chosen tells that some group of it would have broken the "
        "model"
    )

    k: int | None = Field(default=None, ge=1, description=K_MEANING)
    l: int | None = Field(default=None, ge=1, description=L_MEANING)
    max_suppressed: Share | None = Field(default=None, description=MEANING)
    objective: ObjectiveName = Field(
        default="loss", description="what is minimised over all levels that satisfy the model"
    )
    suppression_weight: Rational = Field(
        default=Fraction(1), ge=0, description="how many times a withheld row counts, beside one of which all is lost"
    )

    workload: str | None = Field(
        default=None,
        description="conditions on quasi-identifiers, separated by ; such as age >= 65, whose counts are to come out "
        "right with objective workload",
    )

    @model_validator(mode="after")
    def _weighable(self) -> Self:
        counted = {"class-size": "classes", "workload": "the rows that are left"}.get(self.objective)
        if counted is not None and self.suppression_weight != 1:
            raise ValueError(
                f"{self.objective} counts {counted}, not withheld rows; leave the weight out or choose another"
            )
        if (self.objective == "workload") != bool(self.workload and conditions(self.workload)):
            raise ValueError("objective = workload and workload = conditions belong together; give both or neither")
        return self

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
        require_monotone(model, self.name)

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
        met = self._met(table, lattice)
        chosen = self._best(table, lattice, met, progress)
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

    def _best(self, table: Table, lattice: Lattice, met: Met, progress: Progress) -> Node:
        """The node that loses least of those that may be published."""
        most, losing = self._most(table), self.objective_on(table, lattice)

        def judged(node: Node) -> NDArray[np.bool_] | None:
            kept = met(node)
            return kept if int(lattice.classes(node).sizes[~kept].sum()) <= most else None

        if not self._rises:
            return best_node(lattice, losing, judged, [(0,) * len(lattice.shape)], progress)
        satisfied = satisfying(lattice.shape, lambda node: judged(node) is not None, progress)
        lowest = minimal(satisfied)
        if most or not losing.rises:  # a higher node may lose less because it withholds less
            return best_node(lattice, losing, judged, lowest, progress)
        return min(lowest, key=lambda node: (losing.value(node, met(node)), node))

    def objective_on(self, table: Table, lattice: Lattice) -> Objective:
        """What is minimised, for one table."""
        quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
        if self.workload is not None:
            return Counts(lattice, conditions(self.workload), quasi)
        importance = [attribute.importance for attribute in quasi]
        return KINDS[self.objective](lattice, self.suppression_weight, importance, self._most(table))

    @property
    def _rises(self) -> bool:
        """Whether every node above one that may be published may be, too."""
        return is_monotone(self.required) and (not self.may_suppress or still_holds(self.required))

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
        search = satisfying if self._rises else each_satisfying
        return minimal(
            search(lattice.shape, lambda node: int(lattice.classes(node).sizes[~met(node)].sum()) <= most, SILENT)
        )

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
        """Which groups of a node are published: they satisfy the model, and then the table does."""
        risks = [part for part in self.required.parts if isinstance(part, TableRisk)]
        alone = self._alone(table, lattice, of_groups(self.required))
        if not risks:
            return alone
        return lambda node: without_smallest(lattice.classes(node).sizes, alone(node), risks)

    def _alone(self, table: Table, lattice: Lattice, model: PrivacyModel | None) -> Met:
        """Which groups of a node satisfy what is asked of each."""
        if model is None:
            return lambda node: np.ones(len(lattice.classes(node)), np.bool_)
        (column,) = table.having(Role.SENSITIVE)
        attribute = table.attributes[column]
        sensitive = table.codes[column]
        if model.looks_at == "sizes":
            least = max(1, smallest_group(model))
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
        return [in_words(self.max_suppressed, self.required, sensitive_names(table))]

    def sentence(self, table: Table) -> Message:
        """What is promised and what is not; risks of the table stand behind what holds of each group."""
        risks = [described(part) for part in self.required.parts if isinstance(part, TableRisk)]
        if not risks:
            return self._of_each_group(table)
        return Message(
            "{groups} The published table as a whole satisfies {risks}.",
            groups=self._of_each_group(table),
            risks=" and ".join(risks),
        )

    def _of_each_group(self, table: Table) -> Message:
        """What holds of each group."""
        model, name = self.required, sensitive_names(table)
        if model.looks_at == "sizes":
            return self._of_sizes(max(1, smallest_group(model)), name)
        if isinstance(model, LDiversity) and model.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        what = None
        if isinstance(model, LDiversity) and model.sensitive is None:
            what = f"In every group at most a share 1/{model.l} of the rows carries the same {name}"
        return uninformed_sentence(of_groups(model) or model, table, what)

    def _of_sizes(self, least: int, name: str) -> Message:
        """What holds of each group where its size alone is asked; ``name`` is empty where nothing is sensitive."""
        if not name:
            return hidden_sentence(least)
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


def of_groups(model: PrivacyModel) -> PrivacyModel | None:
    """What is asked of each group by itself; None where nothing is."""
    parts = [part for part in model.parts if not isinstance(part, TableRisk)]
    return together(parts) if parts else None


def without_smallest(sizes: Longs, kept: NDArray[np.bool_], risks: Sequence[TableRisk]) -> NDArray[np.bool_]:
    """Which groups are left when the smallest are withheld, one by one, until the risks of the table hold.

    Equal ones go in the order of their quasi-identifiers. Some risks only fall by that; of others all groups of a size
    go at once.

    >>> from pellucid.models import parse
    >>> all_of_them = np.ones(4, np.bool_)
    >>> without_smallest(np.array([1, 3, 1, 5]), all_of_them, [parse("average re-identification risk=0.35")]).tolist()
    [False, True, True, True]
    """
    kept = kept.copy()
    order = np.flatnonzero(kept)
    order = order[np.argsort(sizes[order], kind="stable")]
    inside = sizes[order]
    gone = 0
    for risk in sorted(risks, key=lambda risk: isinstance(risk, PopulationUniques)):  # which may rise by one group less
        gone = risk.least_withheld(inside, gone)
    kept[order[:gone]] = False
    return kept
