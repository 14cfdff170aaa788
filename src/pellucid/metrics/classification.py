"""Classification: how well somebody who learns from the release predicts people whom it has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes
from pellucid.errors import MeasureError
from pellucid.messages import Count, Message, Share
from pellucid.metrics.boxes import Shown, require_one_sensitive
from pellucid.metrics.metric import Direction, Metric, Score
from pellucid.models import Groups
from pellucid.published.choices import Choices, Floats, Integers, Ticks, values_as_they_are

MOST_VALUES = 1_000  # to predict: of ten thousand, thirty trees of as many rows take five gigabytes
FEW = 64  # a category with more places is told by its place, as a number is


class ClassificationUtility(Metric):
    """The accuracy of predicting the sensitive value from quasi-identifiers, learnt from the release.

    A random forest is trained on what is published of some rows and predicts the original rows that were held out; the
    same trained on the originals, and always naming the most frequent value, are given beside it. An interval is its
    middle, a category the shares of the values that it may be. Rows are drawn from the ``seed`` by what is in them, so
    that the order of a table or of a release makes no difference.

    A release on disk does not say whose rows are whose: then all of it is learnt from, held-out rows included, and the
    score says so; it is another figure than that of the release in memory. With the groups that publishing kept
    (``groups=``, ``--groups``) it is the same. It needs scikit-learn: ``pip install 'pellucid[learn]'``.
    """

    name: ClassVar[str] = "classification"
    summary: ClassVar[str] = "how well the sensitive value is predicted by who learns from the release"
    unit: ClassVar[str] = "share of rows predicted right"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan. Workload-aware anonymization. KDD 2006"

    held_out: float = Field(default=0.3, gt=0, lt=1, description="the share of the rows that is tested on")
    rows: int = Field(default=20_000, ge=10, description="how many rows are looked at, at most")
    trees: int = Field(default=30, ge=1, description="how many trees the forest has")
    seed: int = Field(default=1, ge=0, description="what rows and trees are drawn from")

    def score(self, shown: Shown) -> Score:
        """The score of what is shown."""
        forest = _forest()
        require_one_sensitive(shown, "classification predicts")
        table = shown.table
        (column,) = table.having(Role.SENSITIVE)
        secret = table.codes[column]
        if len(table.attributes[column]) > MOST_VALUES:
            raise MeasureError(
                f"{table.attributes[column].name!r} has {len(table.attributes[column]):,} values, and a forest has a "
                f"figure for each in every leaf: classification takes up to {MOST_VALUES:,}; put them into classes"
            )
        order = _by_lot(shown, self.seed)[: self.rows]
        tested = order[: max(1, int(self.held_out * len(order)))]
        linked = shown.class_of_row is not None
        trained = order[len(tested) :]
        if len(trained) == 0:
            raise MeasureError(f"{len(table)} rows cannot be split into rows to learn from and rows to predict")
        own = _features([values_as_they_are(a, np.arange(len(a))) for a in _quasi(shown)], _quasi(shown))
        originals = [table.codes[i] for i in table.having(Role.QUASI)]
        examples, answers, weights = self._examples(shown, trained)  # of a file, all that is published
        known = _rows(own, [codes[tested] for codes in originals])

        def accuracy(x: Floats, y: NDArray[np.integer[Any]], w: Floats) -> float:
            model = forest(n_estimators=self.trees, min_samples_leaf=3, random_state=self.seed)
            with warnings.catch_warnings():  # few rows have each of many values: the figure says how few are right
                warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
                model.fit(x, y, sample_weight=w)
            return float((model.predict(known) == secret[tested]).mean())

        value = accuracy(examples, answers, weights)
        mine = _rows(own, [codes[trained] for codes in originals])
        best = accuracy(mine, secret[trained], np.ones(len(trained)))
        named = secret == np.bincount(secret).argmax()
        majority = float(named[tested].mean())
        unlinked = "; a file does not say whose rows are whose, so what was learnt from it includes the rows tested on"
        line = Message(
            "{value} of {rows} to test on are predicted right; from the original {best}, naming the commonest value "
            "{majority} (of all rows {named} have it){unlinked}",
            value=Share(value, 1),
            rows=Count(len(tested), "row"),
            best=Share(best, 1),
            majority=Share(majority, 1),
            named=Share(float(named.mean()), 1),
            unlinked="" if linked else unlinked,
        )
        return self.found(
            value,
            line,
            original=best,
            majority=majority,
            tested=len(tested),
            held_out=linked,
        )

    def _examples(self, shown: Shown, trained: Codes) -> tuple[Floats, NDArray[np.integer[Any]], Floats]:
        """What is published of the rows that are learnt from: features, values, and how much each counts."""
        of_choice = _features([cells.choices for cells in shown.valued.quasi], _quasi(shown))
        groups = shown.sensitive[0]
        if shown.class_of_row is None:
            every = _by_content(shown, of_choice)
            boxes = every[_some(shown.sizes[every], self.rows, self.seed)]
            features = _rows(of_choice, [cells.of_box[boxes] for cells in shown.quasi])
            return _spread(features, shown.classes[boxes], shown.sizes[boxes], groups)
        table = shown.table
        secret = table.having(Role.SENSITIVE)[0]
        published = shown.published if shown.published is not None else table.codes[secret]
        trained = trained[shown.class_of_row[trained] >= 0]
        if len(trained) == 0:
            raise MeasureError("every row that would be learnt from is suppressed; there is nothing to learn from")
        distinct, label = np.unique(shown.class_of_row[trained], return_inverse=True)
        counted = Groups.of(label.astype(np.int32), published[trained], groups.attribute)
        if shown.anatomy:
            published_codes = (shown.grouped or table).codes  # as they are, but for what was rounded before
            features = _rows(of_choice, [published_codes[i][trained] for i in table.having(Role.QUASI)])
            return _spread(features, label, np.ones(len(trained), np.int64), counted)
        # boxes are numbered as their classes are
        features = _rows(of_choice, [cells.of_box[distinct] for cells in shown.quasi])
        return _spread(features, np.arange(len(distinct)), counted.sizes, counted)


def _by_lot(shown: Shown, seed: int) -> Codes:
    """The rows of the original in an order that depends on the seed and on what is in them, and not on their own."""
    table = shown.table
    columns = [*table.having(Role.QUASI), *table.having(Role.SENSITIVE)]
    keys = [(table.codes[i], len(table.attributes[i])) for i in columns]
    if shown.class_of_row is not None:  # equal people may be published in several ways
        keys.append((shown.class_of_row + np.int32(1), int(shown.class_of_row.max()) + 2))
    rows, _ = sort_rows([codes for codes, _ in keys], [size for _, size in keys], 1)
    return rows[np.random.default_rng(seed).permutation(len(rows))]


def _by_content(shown: Shown, of_choice: Sequence[Floats]) -> Codes:
    """The boxes in an order that depends on what is in them, wherever they stand in a file and however it is read."""
    keys = [_ranked(features)[of.of_box] for features, of in zip(of_choice, shown.quasi, strict=True)]
    keys += [shown.sizes.astype(np.int32), _ranked(shown.sensitive[0].prints)[shown.classes]]
    boxes, _ = sort_rows(keys, [int(key.max()) + 1 for key in keys], 1)
    return boxes


def _ranked(numbers: NDArray[Any]) -> Codes:
    """The rank of each number, or of each row of them, among all that there are."""
    return np.unique(numbers, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _some(sizes: Integers, rows: int, seed: int) -> Integers:
    """All boxes where they have no more than so many rows together; else some by lot, with as many, and at least one.

    >>> _some(np.array([4, 4, 4]), 12, 1).tolist(), [len(_some(np.array([4, 4, 4]), rows, 1)) for rows in (9, 3)]
    ([0, 1, 2], [2, 1])
    """
    if int(sizes.sum()) <= rows:
        return np.arange(len(sizes))
    drawn = np.random.default_rng(seed).permutation(len(sizes))
    fit = int(np.searchsorted(np.cumsum(sizes[drawn]), rows, side="right"))
    return drawn[: max(1, fit)]


def _forest() -> Any:
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError:
        raise MeasureError(
            "classification needs scikit-learn, which is not installed; pip install 'pellucid[learn]'"
        ) from None
    return RandomForestClassifier


def _quasi(shown: Shown) -> list[Attribute]:
    return [cells.attribute for cells in shown.quasi]


def _rows(of_choice: Sequence[Floats], codes: Sequence[Codes]) -> Floats:
    """The features of rows, given by their choice in each column."""
    return np.hstack([features[of] for features, of in zip(of_choice, codes, strict=True)])


def _features(choices: Sequence[Choices], attributes: Sequence[Attribute]) -> list[Floats]:
    """For each column the features of its choices: shares of its few values, else the middle; and the share of null."""
    features = []
    for boxes, attribute in zip(choices, attributes, strict=True):
        ticks = Ticks.of(attribute)
        number = np.repeat(np.arange(len(boxes)), np.diff(boxes.starts))
        lengths = boxes.high - boxes.low + 1
        points = boxes.points
        columns = []
        if attribute.kind == "category" and ticks.count <= FEW:
            shares = np.zeros((len(boxes), ticks.count + 1))
            np.add.at(shares, (number, boxes.low), 1)
            np.add.at(shares, (number, boxes.high + 1), -1)
            columns.append(np.cumsum(shares, axis=1)[:, :-1] / points[:, None])
        else:
            middle = np.bincount(number, weights=(boxes.low + boxes.high) / 2 * lengths, minlength=len(boxes))
            known = points - boxes.nulls
            columns.append(np.where(known > 0, middle / np.maximum(known, 1), -1.0)[:, None])
        if attribute.has_null:
            columns.append((boxes.nulls / points)[:, None])
        features.append(np.hstack(columns))
    return features


def _spread(
    features: Floats, classes: NDArray[np.integer[Any]], sizes: Integers, groups: Groups
) -> tuple[Floats, NDArray[np.integer[Any]], Floats]:
    """Each box with each value of its class, counting as often as the class has it by its size."""
    distinct = np.diff(groups.starts)[classes]
    box = np.repeat(np.arange(len(classes)), distinct)
    at = np.arange(len(box)) - np.repeat(np.cumsum(distinct) - distinct, distinct)
    entry = groups.starts[:-1][classes][box] + at
    weights = sizes[box] * (groups.counts[entry] / groups.sizes[classes][box])
    return features[box], groups.codes[entry], weights
