"""What an attacker with statistics gets right, by definition: every arrangement of a group is tried, in fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod

Row = Mapping[str, Hashable]
Shares = Mapping[str, Fraction]
Known = Callable[[Row], Shares]  # how likely each value is of a person who looks like this


def shares_of(values: Sequence[str]) -> dict[str, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def by_looks(rows: Sequence[Row], secret: str, columns: Sequence[str], enough: int) -> Known:
    """The distribution among those who agree in these columns; of looks that too few have, that of everybody."""

    def known(row: Row) -> Shares:
        alike = [one for one in rows if all(one[name] == row[name] for name in columns)]
        return shares_of([str(one[secret]) for one in (alike if len(alike) >= enough else rows)])

    return known


def by_bayes(rows: Sequence[Row], secret: str, columns: Sequence[str], enough: int) -> Known:
    """Naive Bayes, with a tenth of a person for each look and value; looks that too few have say nothing.

    Those are one more look together, whether anybody has it or not.
    """
    of = {value: [row for row in rows if row[secret] == value] for value in {str(row[secret]) for row in rows}}
    tenth = Fraction(1, 10)

    def looks(name: str) -> Counter[Hashable]:
        counts = Counter(row[name] for row in rows)
        return Counter({value: count for value, count in counts.items() if count >= enough})

    def known(row: Row) -> Shares:
        weights = {}
        for value, having in of.items():
            weight = Fraction(len(having), len(rows))
            for name in columns:
                common = looks(name)
                if row[name] in common:
                    alike = sum(one[name] == row[name] for one in having)
                    weight *= (alike + tenth) / (len(having) + tenth * (len(common) + 1))
            weights[value] = weight
        return {value: weight / sum(weights.values()) for value, weight in weights.items()}

    return known


def with_release(rows: Sequence[Row], secret: str, groups: Sequence[int], known: Known) -> list[dict[str, Fraction]]:
    """What is believed of each person: every way of handing out the group's values weighs what its people weigh."""
    believed: list[dict[str, Fraction]] = [{} for _ in rows]
    for group in set(groups):
        members = [i for i, label in enumerate(groups) if label == group]
        shares = [known(rows[i]) for i in members]
        weights: Counter[tuple[int, str]] = Counter()
        for handed in permutations([str(rows[i][secret]) for i in members]):
            weight = prod(
                (one.get(value, Fraction(0)) for one, value in zip(shares, handed, strict=True)), start=Fraction(1)
            )
            for i, value in zip(members, handed, strict=True):
                weights[i, value] += weight  # type: ignore[assignment]  # fractions add up too
        for i in members:
            mine = {value: weight for (who, value), weight in weights.items() if who == i}
            believed[i] = {value: Fraction(weight) / sum(mine.values()) for value, weight in mine.items()}
    return believed


def likeliest(shares: Shares) -> str:
    """The first of the likeliest."""
    return max(sorted(shares), key=lambda value: shares[value])


def scored(rows: Sequence[Row], secret: str, beliefs: Sequence[Shares]) -> tuple[Fraction, Fraction]:
    """The mean probability of the truth, and how often the best guess is right."""
    truth = [str(row[secret]) for row in rows]
    mean = sum((one.get(value, Fraction(0)) for one, value in zip(beliefs, truth, strict=True)), start=Fraction(0))
    right = sum(likeliest(one) == value for one, value in zip(beliefs, truth, strict=True))
    return mean / len(rows), Fraction(right, len(rows))


def base(
    rows: Sequence[Row], secret: str, beliefs: Sequence[Shares], limit: Fraction, counting: Sequence[str] | None
) -> Fraction | None:
    """The share of the table that has such a value: one that counts, or what is guessed of those believed above."""
    table = shares_of([str(row[secret]) for row in rows])
    if counting is not None:
        return sum((table[value] for value in counting), Fraction(0))
    guessed = [table[likeliest(one)] for one in beliefs if max(one.values(), default=0) > limit]
    return sum(guessed, Fraction(0)) / len(guessed) if guessed else None


def above(
    rows: Sequence[Row], secret: str, beliefs: Sequence[Shares], limit: Fraction, counting: Sequence[str] | None
) -> tuple[int, int]:
    """Of how many people a value that counts is believed above the limit, and of how many of them the true one.

    Where all count, of how many the likeliest is the true one.
    """
    if counting is None:
        sure = [(row, one) for row, one in zip(rows, beliefs, strict=True) if max(one.values(), default=0) > limit]
        return len(sure), sum(row[secret] == max(sorted(one), key=one.__getitem__) for row, one in sure)
    found = [{v: p for v, p in one.items() if p > limit and (counting is None or v in counting)} for one in beliefs]
    return sum(map(bool, found)), sum(row[secret] in one for row, one in zip(rows, found, strict=True))
