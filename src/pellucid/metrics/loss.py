"""Loss: how many values, how wide a box, how high a name or how many bits each published cell leaves open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from pellucid.anonymize.layout.hierarchies import hierarchy_of
from pellucid.errors import MeasureError
from pellucid.messages import Message, Share
from pellucid.metrics.margins import Margin, Margins, require_cells
from pellucid.metrics.metric import Direction, MarginMetric, MeanMetric, Score
from pellucid.published.choices import Floats, Integers, domain_of, is_line

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Loss(MeanMetric):
    """The share of the column's domain that a cell was generalised to, as ARX defines it; a suppressed cell has 1.

    A value that is published as it is has 1/n, where n is the number of values of the domain: the leaves of the
    column's taxonomy, else the values that occur, null being one of them. The value is the mean over the columns of the
    mean over the rows, which is ARX's score. ``details`` has each column, and each ``scaled`` so that values as they
    are have 0, which is the loss that ARX shows of a column.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.Loss()], **roles)
    >>> score.value, score.details["columns"]  # 5 ages: four rows are one of 3, two are one of 2, two are known
    (0.45, {'age': 0.45, 'zipcode': 0.45})
    """

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "the share of each column's values that a cell leaves possible"
    unit: ClassVar[str] = "share of the domain, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Iyengar. Transforming data to satisfy privacy constraints. KDD 2002; as in ARX"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        columns = [
            shown.mean(i, c.choices.covered / c.choices.domain, weighted=self.weighted)
            for i, c in enumerate(shown.columns)
        ]
        value = float(np.mean(columns))
        scaled = [
            shown.mean(i, scaled_coverage(cells), weighted=self.weighted) for i, cells in enumerate(shown.columns)
        ]
        least = float(np.mean([1 / domain_of(cells.attribute) for cells in shown.columns]))
        return self.found(
            value,
            Message(
                "a cell leaves {value} of its column's values possible; values as they are would have {least}",
                value=Share(value, 1),
                least=Share(least, 1),
            ),
            least=least,
            columns=shown.by_column(columns),
            scaled=shown.by_column(scaled),
        )


class InformationLoss(MeanMetric):
    """Coverage less one by base less one, weighted by column: 0 when nothing is generalised, 1 when everything is.

    The coverage of a published value is the number of values it may stand for, the base of a column the number of its
    values. ``weights`` has a weight for each quasi-identifier; each counts alike unless given, with 1 in all.

    >>> InformationLoss(weights={"age": 0.5, "zipcode": -1})
    Traceback (most recent call last):
    pellucid.errors.MeasureError: information-loss: weights.zipcode = -1 must be greater than or equal to 0 \
(weights is how much each quasi-identifier counts)
    """

    name: ClassVar[str] = "information-loss"
    summary: ClassVar[str] = "coverage less one by base less one, weighted by column"
    unit: ClassVar[str] = "weighted share, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Wong, Fu, Wang, Pei. Minimality attack in privacy preserving data publishing. VLDB 2007"

    weights: dict[str, Weight] | None = Field(default=None, description="how much each quasi-identifier counts")

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        columns = shown.by_column(
            [shown.mean(i, scaled_coverage(cells), weighted=self.weighted) for i, cells in enumerate(shown.columns)]
        )
        weights = weights_of(self.weights, list(columns))
        value = sum(weights[name] * loss for name, loss in columns.items())
        return self.found(
            value,
            Message("{value} of what the quasi-identifiers could say is lost", value=Share(value, 1)),
            columns=columns,
            weights=weights,
        )


class NormalizedCertaintyPenalty(MeanMetric):
    """Of a number the width of its interval by the range, of a category the leaves that it stands for by all leaves.

    A value that is published as it is costs nothing, a suppressed cell 1. The value is the mean over rows, weighted by
    column (each alike unless ``weights`` are given).
    """

    name: ClassVar[str] = "certainty-penalty"
    summary: ClassVar[str] = "how uncertain each cell is: width by range, or leaves by all leaves"
    unit: ClassVar[str] = "weighted share, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Xu et al. Utility-based anonymization using local recoding. KDD 2006"

    weights: dict[str, Weight] | None = Field(default=None, description="how much each quasi-identifier counts")

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        columns = shown.by_column(
            [shown.mean(i, _penalty(cells), weighted=self.weighted) for i, cells in enumerate(shown.columns)]
        )
        weights = weights_of(self.weights, list(columns))
        value = sum(weights[name] * penalty for name, penalty in columns.items())
        line = Message("the certainty lost per row is {value} of the most possible", value=Share(value, 1))
        return self.found(value, line, columns=columns, weights=weights)


def weights_of(given: dict[str, float] | None, columns: list[str]) -> dict[str, float]:
    """A weight for each column: what was given, which must name each, else the same for all with 1 in all."""
    if given is None:
        return dict.fromkeys(columns, 1 / len(columns))
    wrong = [name for name in given if name not in columns] or [name for name in columns if name not in given]
    if wrong:
        what = "is no quasi-identifier" if wrong[0] in given else "has no weight"
        raise MeasureError(f"weights: {wrong[0]!r} {what}; give a weight for each of {', '.join(columns)}")
    return {name: float(given[name]) for name in columns}


def scaled_coverage(cells: Margin) -> Floats:
    """Coverage less one by base less one; nothing is lost of a column with one value."""
    choices = cells.choices
    return (choices.covered - 1) / np.maximum(choices.domain - 1, 1)


def _penalty(cells: Margin) -> Floats:
    choices = cells.choices
    if is_line(cells.attribute):
        return choices.extent
    return np.where(choices.single, 0.0, choices.covered / choices.domain)


class Precision(MeanMetric):
    """1 less the mean height of the published cells: 1 when nothing is generalised, 0 when everything is.

    The height of a name is its level by the height of its taxonomy. Without a taxonomy, and where an interval or a set
    is published instead of a name, there are two levels: the value, and anything else.
    """

    name: ClassVar[str] = "precision"
    summary: ClassVar[str] = "1 less how far up their taxonomies the published values stand"
    unit: ClassVar[str] = "1 less the mean height, 0 to 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Sweeney. Achieving k-anonymity privacy protection. IJUFKS 2002"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        heights = [shown.mean(i, cells.choices.height, weighted=self.weighted) for i, cells in enumerate(shown.columns)]
        value = 1 - float(np.mean(heights))
        degrees = [(cells.choices.height > 0) & (cells.choices.height < 1) for cells in shown.columns]
        trees = any(cells.attribute.taxonomy is not None for cells in shown.columns) or any(map(np.any, degrees))
        up = Share(1 - value, 1)
        high = Message("the published cells stand at {up} of the height of their taxonomies", up=up)
        plain = Message(
            "{up} of the published cells are generalised; without taxonomies no cell is so by degrees", up=up
        )
        return self.found(
            value,
            high if trees else plain,
            heights=shown.by_column(heights),
        )


class Perimeter(MeanMetric):
    """The sum over all rows of the extents of what is published for them, from 0 to the number of quasi-identifiers.

    The extent of an interval is its width by the column's range, of a name in a taxonomy its leaves less one by all
    leaves less one, of a set its values less one by all values less one; 0 for a value, 1 for a suppressed cell. The
    value is the mean over rows; ``details`` has the total, which Tailor, Ace and Hybrid minimise, and each column.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.Perimeter()], **roles)
    >>> round(score.value, 4), score.unit, score.direction
    (0.4295, 'mean sum of extents per row', 'lower')
    """

    name: ClassVar[str] = "perimeter"
    summary: ClassVar[str] = "how wide the published boxes are, summed over the quasi-identifiers"
    unit: ClassVar[str] = "mean sum of extents per row"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Xiao, Tao, Koudas. Transparent anonymization. TODS 2010"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        means = [shown.mean(i, cells.choices.extent, weighted=self.weighted) for i, cells in enumerate(shown.columns)]
        value = sum(means)
        columns = len(means)
        return self.found(
            value,
            f"a row's box spans {value:.3g} of at most {columns} ranges; 0: every value is published as it is",
            total=value * shown.tally(weighted=self.weighted).counted,
            columns=shown.by_column(means),
        )


class NonUniformEntropy(MarginMetric):
    """The bits that are missing from a cell to its value, by how often values occur in the original.

    A cell that may be one of several values, of which the true one occurs in a share p of the rows that have one of
    them, lacks -log2 p bits. The value is what all cells lack by what they would lack if everything were suppressed;
    ``details["columns"]`` has the same of each column. A column of many values has more bits to lose than one of few,
    so this is no mean over columns. ``objective="entropy"`` of full-domain recoding minimises the same bits where
    importance and the weight of suppression are 1. It is computed from sums over the column, so it needs to know which
    cells are published and not whose they are.

    A suppressed row lacks all of its bits. ARX counts it otherwise, and ``details["bits_as_arx"]`` has that where
    every column is published on one level: it lacks the bits of that level like the others, and as many more as tell
    its name there among those of the suppressed rows.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> score, = pc.measure(release, pc.datasets.patients(), [pc.NonUniformEntropy()], **roles)
    >>> score.details["bits"]["age"]  # [21, 32]: 2 + 2 + 1 + 1 bits; [54, 60]: 2 + log2 4/3
    8.415037499278844
    """

    name: ClassVar[str] = "entropy"
    summary: ClassVar[str] = "the bits missing from a cell to its value, by how often values occur"
    unit: ClassVar[str] = "share of the bits, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "de Waal, Willenborg. Information loss through global recoding. 1999; as in ARX"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        if shown.added:
            raise MeasureError(
                f"entropy is about people's own cells, and {shown.added:,} published records have nobody behind them; "
                "measure loss instead"
            )
        for margin in shown.columns:
            require_cells(margin)
        n = shown.original_rows
        bits, most = [], []
        for weights, cells, counts in zip(shown.weights, shown.columns, shown.original, strict=True):
            possible = cells.choices.weights(cells.ticks, counts)
            known = math.fsum((counts * np.log2(counts)).tolist())  # the codebook has only values that occur
            bits.append(
                math.fsum((weights * np.log2(possible)).tolist()) + shown.suppressed * float(np.log2(n)) - known
            )
            most.append(n * float(np.log2(n)) - known)
        value = _share(sum(bits), sum(most))
        told = _columns_as_arx(shown)
        return self.found(
            value,
            Message(
                "{value} of the bits are missing that tell people's values; {bits:.3g} bits per row{arx}",
                value=Share(value, 1),
                bits=sum(bits) / n,
                arx=arx_words(told, n) if shown.suppressed else "",
            ),
            columns=shown.by_column([_share(lacking, of) for lacking, of in zip(bits, most, strict=True)]),
            bits=shown.by_column(bits),
            bits_as_arx=shown.by_column(told) if told else None,
        )


def _share(lacking: float, most: float) -> float:
    """The share of the bits that are missing; none where there are none."""
    return lacking / most if most > 0 else 0.0


def _columns_as_arx(shown: Margins) -> list[float]:
    """The bits of each column as ARX counts them; none where those of one are not known."""
    as_arx = [bits_as_arx(*of_column) for of_column in zip(shown.weights, shown.columns, shown.original, strict=True)]
    return [] if None in as_arx else [float(one or 0) for one in as_arx]


def arx_words(bits: Sequence[float], rows: int) -> Message:
    """The bits per row as ARX counts them, where they are known."""
    per_row = sum(bits) / rows
    return Message(", {bits:.3g} as ARX counts suppressed rows", bits=per_row) if bits else Message("")


def bits_as_arx(published: Integers | Floats, cells: Margin, counts: Integers) -> float | None:
    """The bits of a column where suppressed rows have names on the level of the others; None where there is no such.

    Of several levels with the names that are published it is the lowest.
    """
    taxonomy = cells.attribute.taxonomy
    there = np.flatnonzero(published)
    if len(there) == 0 or (taxonomy is not None and not taxonomy.is_tree):
        return None
    choices, published = cells.choices.take(there), published[there]
    named = choices.weights(cells.ticks, counts)
    for nodes in hierarchy_of(cells.attribute).nodes:
        among, numbers = np.bincount(nodes, counts), nodes.astype(np.float64)
        one = np.rint(choices.weights(cells.ticks, counts * numbers) / np.maximum(named, 1)).astype(np.int64)
        squares = choices.weights(cells.ticks, counts * (numbers - numbers.mean()) ** 2)
        alike = np.allclose(squares, named * (one - numbers.mean()) ** 2)
        gone = among - np.bincount(one, published, len(among))
        if alike and np.array_equal(among[one], named) and gone.min() >= 0:
            left, held = gone[gone > 0], among[among > 0]
            told = [held @ np.log2(held), -(counts @ np.log2(counts)), -(left @ np.log2(left / left.sum()))]
            return math.fsum(map(float, told))
    return None
