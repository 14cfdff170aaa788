"""Predicates on counts equal the definitions, and worst-case sizes equal brute force over all sub-multisets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.beta_likeness import BetaLikeness
from pellucid.models.delta_disclosure import DeltaDisclosure
from pellucid.models.delta_presence import DeltaPresence
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.models.enhanced_beta_likeness import EnhancedBetaLikeness
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.k_e_anonymity import KEAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.maximum_risk import MaximumRisk
from pellucid.models.model import PrivacyModel
from pellucid.models.recursive_diversity import RecursiveDiversity
from pellucid.models.t_closeness import TCloseness
from plain import models as plain
from plain.tables import attribute

QUICK, THOROUGH = 400, 2_000  # multisets

Case = tuple[PrivacyModel, Callable[[Sequence[int]], bool]]
Made = Callable[[Random, list[int], list[int]], Case]


def column(values: int) -> Attribute:
    """Text values a, b, ... of which the first is null."""
    book = pl.Series("s", [None, *"abcdefgh"][:values], dtype=pl.String)
    return attribute(Role.SENSITIVE, Kind.ORDERED, book, [-1, *range(values - 1)], values)


def numbers(values: int) -> Attribute:
    book = pl.Series("s", [None, 0.1, 0.3, 1.0, 2.5, 2.6][:values], dtype=pl.Float64)
    return attribute(Role.SENSITIVE, Kind.NUMBER, book, [-1, *range(values - 1)], values)


def share(random: Random, most: int = 1) -> Fraction:
    return Fraction(random.randint(0, most * 12), random.choice([3, 4, 7, 8, 12])) % (most + Fraction(1, 99))


def sets(random: Random, values: int) -> tuple[dict[str, object], plain.Sets | None]:
    """A random set of sensitive values, as the models and as the definitions take it."""
    if random.random() < 0.4:
        return {}, None
    codes = random.sample(range(values), random.randint(1, values))
    together = random.random() < 0.5
    named = tuple(column(values).values.to_list()[code] for code in codes)
    each = [frozenset([code]) for code in codes]
    return {"sensitive": named, "together": together}, [frozenset(codes)] if together else each


def k_anonymity(random: Random, _counts: list[int], _table: list[int]) -> Case:
    k = random.randint(1, 6)
    return KAnonymity(k=k), lambda some: sum(some) >= k


def alpha_k(random: Random, counts: list[int], _table: list[int]) -> Case:
    alpha, k = share(random), random.randint(1, 5)
    given, protected = sets(random, len(counts))
    return AlphaKAnonymity(alpha=alpha, k=k, **given), lambda some: plain.alpha_k(some, alpha, k, protected)


def simple(random: Random, counts: list[int], _table: list[int]) -> Case:
    l = random.randint(1, 4)
    given, protected = sets(random, len(counts))
    return LDiversity(l=l, **given), lambda some: plain.simple(some, l, protected)


def distinct(random: Random, counts: list[int], _table: list[int]) -> Case:
    l = random.randint(1, 4)
    given, protected = sets(random, len(counts))
    return DistinctLDiversity(l=l, **given), lambda some: plain.distinct(some, l, protected)


def entropy(random: Random, _counts: list[int], _table: list[int]) -> Case:
    l = random.choice([Fraction(1), Fraction(2), Fraction(3), 1 + share(random, 2)])
    return EntropyLDiversity(l=l), lambda some: plain.entropy(some, l)


def recursive(random: Random, counts: list[int], _table: list[int]) -> Case:
    c, l = share(random, 3) + Fraction(1, 4), random.randint(1, 4)
    given, protected = sets(random, len(counts))
    return RecursiveDiversity(c=c, l=l, **given), lambda some: plain.recursive(some, c, l, protected)


def equal_t(random: Random, _counts: list[int], table: list[int]) -> Case:
    t = share(random)
    return TCloseness(t=t), lambda some: plain.total_variation(some, table) <= t


def ordered_t(random: Random, _counts: list[int], table: list[int]) -> Case:
    t = share(random)
    return TCloseness(t=t, distance="ordered"), lambda some: plain.ordered_distance(some, table) <= t


def k_e(random: Random, counts: list[int], _table: list[int]) -> Case:
    k, different = random.randint(1, 4), random.random() < 0.5
    e = random.choice([Fraction(0), Fraction(2, 10), Fraction(7, 10), Fraction(9, 10), Fraction(3, 2), Fraction(3)])
    values = [None if value is None else Fraction(str(value)) for value in numbers(len(counts)).values]
    model = KEAnonymity(k=k, e=e, distinct=different)
    return model, lambda some: plain.k_e(some, values, k, e, different)


def presence(random: Random, _counts: list[int], _table: list[int]) -> Case:
    low, high = sorted([share(random), share(random)])
    return DeltaPresence(low=low, high=high), lambda some: plain.presence(some, low, high)


def disclosure(random: Random, _counts: list[int], table: list[int]) -> Case:
    delta = share(random, 3) + Fraction(1, 20)
    return DeltaDisclosure(delta=delta), lambda some: plain.delta_disclosure(some, table, delta)


def beta(random: Random, _counts: list[int], table: list[int]) -> Case:
    most = share(random, 3) + Fraction(1, 20)
    return BetaLikeness(beta=most), lambda some: plain.beta_likeness(some, table, most)


def enhanced_beta(random: Random, _counts: list[int], table: list[int]) -> Case:
    most = share(random, 3) + Fraction(1, 20)
    return EnhancedBetaLikeness(beta=most), lambda some: plain.enhanced_beta_likeness(some, table, most)


def maximum_risk(random: Random, _counts: list[int], _table: list[int]) -> Case:
    risk = share(random) + Fraction(1, 100)
    return MaximumRisk(risk=min(risk, Fraction(1))), lambda some: min(risk, Fraction(1)) * sum(some) >= 1


MODELS: list[Made] = [
    k_anonymity,
    alpha_k,
    simple,
    distinct,
    entropy,
    recursive,
    equal_t,
    ordered_t,
    k_e,
    presence,
    disclosure,
    beta,
    enhanced_beta,
    maximum_risk,
]


@pytest.mark.parametrize("made", MODELS, ids=lambda made: made.__name__)
def test_counts_and_worst_case_sizes_equal_brute_force(made: Made, thorough: bool) -> None:
    random, multisets = Random(made.__name__), THOROUGH if thorough else QUICK
    found = {"some": 0, "none": 0}
    for _ in range(multisets):
        values = 2 if made is presence else random.randint(1, 4)
        counts = [random.choice([0, 1, 1, 2, 3]) for _ in range(values)]
        counts[random.randrange(values)] += random.randint(1, 3)
        table = [count + random.choice([0, 1, 2, 5]) for count in counts]
        geometry = numbers(values) if made is k_e else column(values)
        model, holds = made(random, counts, table)
        chosen = list(plain.sub_multisets(counts))
        met = model.check_counts(np.array(chosen), np.array(table), attribute=geometry)
        assert met.tolist() == [holds(some) for some in chosen], (model, counts, table)
        size = model.worst_case_size(np.array(counts), np.array(table), attribute=geometry)
        from_then_on, first = plain.worst_case_size(counts, holds)
        assert size == from_then_on, (model, counts, table)
        if size is not None:
            assert size == first, (model, counts, table)
        found["none" if size is None else "some"] += 1
    assert min(found.values()) > multisets // 20


def test_a_bound_that_always_holds_asks_for_no_size() -> None:
    """At the ends of their ranges, closed forms such as "s >= l * c1" ask for more than brute force does."""
    counts, table = np.array([6, 2]), np.array([9, 9])
    assert LDiversity(l=1).worst_case_size(counts, table) == 1  # not l * c1 = 6
    assert AlphaKAnonymity(alpha=Fraction(1), k=2).worst_case_size(counts, table) == 2  # not c1 / alpha = 6
    assert RecursiveDiversity(c=Fraction(2), l=1).worst_case_size(counts, table) == 1  # not 1 + c1 / c = 4
    half = DeltaPresence(low=Fraction(0), high=Fraction(1, 2))
    assert half.worst_case_size(np.array([95, 5]), table) == 10  # not (N - c) / (1 - low) = 95
    most_of_them = DeltaPresence(low=Fraction(1, 100), high=Fraction(1))
    assert most_of_them.worst_case_size(np.array([5, 95]), table) == 6  # not c / high = 95


def test_a_model_without_a_worst_case_size_says_so() -> None:
    with pytest.raises(ModelError, match="no worst-case size"):
        EntropyLDiversity(l=2, sensitive=("a",)).worst_case_size(np.array([1, 1]), np.array([1, 1]))
    with pytest.raises(ModelError, match="no worst-case size"):
        TCloseness(t=Fraction(1, 5), distance="hierarchical").worst_case_size(np.array([1, 1]), np.array([1, 1]))
