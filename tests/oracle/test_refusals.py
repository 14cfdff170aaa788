"""What refused cuts give away, by enumeration of all worlds: at most 1/l under Audited, everything under others."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random

import pytest

from oracle import halving
from oracle.worlds import PUBLICATIONS, Method, Population, beliefs, highest, worlds, worst
from pellucid.anonymize.methods.audited import Audited
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.models import of

# (multiset, l): odd groups, groups that become odd, counts at the limit; the first two need the audit
CASES = [
    ((0, 0, 0, 1, 2, 3, 4), 2),
    ((0, 0, 1, 2, 3, 4, 5), 2),
    ((0, 0, 1, 1, 2), 2),
    ((0, 1, 2, 3, 4), 2),
    ((0, 0, 1, 1, 2, 2), 2),
    ((0, 0, 1, 2, 3, 4), 3),
    ((0, 0, 0, 1, 1, 1), 2),
    ((0, 0, 0, 1, 1, 2, 3), 2),
    ((0, 0, 0, 0, 1, 1, 2, 2), 2),
]
PAIR = (0, 0, 1, 2, 3, 4)


def people(multiset: tuple[int, ...]) -> list[Population]:
    """One after the other on a line; and, where there are not too many worlds, many of them alike."""
    n = len(multiset)
    on_a_line = Population(tuple((p,) for p in range(n)), tuple(range(n)))
    if len(set(multiset)) > 4:
        return [on_a_line]
    return [on_a_line, Population.random(Random(f"refusals {multiset}"), n, 2, 3)]


def worst_for_members(population: Population, multiset: tuple[int, ...], method: Method) -> Fraction:
    """The same for somebody who is told who is in which group, who knows most."""
    return highest(beliefs(population, worlds(len(multiset), multiset), method, PUBLICATIONS["composition"]))


@pytest.mark.parametrize(("multiset", "l"), CASES)
def test_beliefs_under_audited_stay_within_one_in_l(multiset: tuple[int, ...], l: int) -> None:
    for population in people(multiset):
        for publication, belief in worst(population, multiset, halving.audited(population, l)).items():
            assert belief <= Fraction(1, l), publication


def test_audited_without_its_audit_is_caught() -> None:
    """On the very people on which Audited is found private, under every form of publication."""
    multiset, l = CASES[0]
    population = people(multiset)[0]
    assert min(worst(population, multiset, halving.unaudited(population, l)).values()) > Fraction(1, l)


@pytest.mark.parametrize(("multiset", "l"), CASES)
def test_relaxed_mondrian_without_retry_stays_within_one_in_l_less_a_half(multiset: tuple[int, ...], l: int) -> None:
    """And the bound is reached: by seven rows and one pair at l = 2, which is most likely on the smaller side."""
    population = people(multiset)[-1]
    found = worst_for_members(population, multiset, halving.relaxed(population, l))
    assert found <= Fraction(2, 2 * l - 1)
    if multiset == (0, 0, 1, 2, 3, 4, 5):
        assert found == Fraction(2, 3)


SAME_TWICE = ((0, 0), (0, 0), (0, 1), (1, 0), (1, 1), (1, 1))
ALONE_THRICE = ((0, 0, 0), (0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1))


@pytest.mark.parametrize("l", [2, 3])
@pytest.mark.parametrize(("vectors", "expected"), [(SAME_TWICE, Fraction(1, 2)), (ALONE_THRICE, Fraction(1))])
@pytest.mark.parametrize("name", ["relaxed_with_retry", "audited_with_retry"])
def test_a_second_cut_after_a_refusal_gives_the_pair_away(
    name: str, vectors: tuple[tuple[int, ...], ...], expected: Fraction, l: int
) -> None:
    """Erratum 16: six rows, one pair; the two who are on the same side of every cut that was refused have it.

    Halves are equal, so that each cut by itself tells nothing: an audit does not help against a second cut.
    """
    population = Population(vectors, tuple(range(6)))
    assert worst_for_members(population, PAIR, getattr(halving, name)(population, l)) == expected
    assert worst_for_members(population, PAIR, halving.audited(population, l)) <= Fraction(1, 3)


def test_strict_mondrian_names_somebody_with_certainty() -> None:
    """Figure 6(b): places a, b and c, c, c, d; two of six are positive, and only that is sensitive."""
    population = Population(((0,), (1,), (2,), (2,), (2,), (3,)), tuple(range(6)))
    model = of({"name": "l-diversity", "l": 2, "sensitive": ["s 1"]})
    multiset = (0, 0, 0, 0, 1, 1)
    method = halving.compiled(population, Mondrian(model=model, strict=True, retry=False))
    assert worst_of(population, multiset, method, 1) == 1
    audited = halving.compiled(population, Audited(model=model))
    assert worst_of(population, multiset, audited, 1) <= Fraction(1, 2)


def worst_of(population: Population, multiset: tuple[int, ...], method: Method, value: int) -> Fraction:
    """The highest belief in one value."""
    found = beliefs(population, worlds(len(multiset), multiset), cache(method), PUBLICATIONS["composition"])
    return max(belief for facts in found.values() for (_, held), belief in facts.items() if held == value)


@pytest.mark.parametrize("positives", [1, 2])
@pytest.mark.parametrize("l", [2, 3])
def test_audited_protects_a_set_of_values_where_equal_halves_do_not_suffice(positives: int, l: int) -> None:
    """Erratum 15: with one sensitive value, odd groups give it away without an audit."""
    n = 2 * l * positives - 1
    population = Population(tuple((place,) for place in range(n)), tuple(range(n)))
    multiset = (*(0 for _ in range(n - positives)), *(1 for _ in range(positives)))
    model = of({"name": "l-diversity", "l": l, "sensitive": ["s 1"]})
    audited = halving.compiled(population, Audited(model=model))
    assert worst_of(population, multiset, audited, 1) <= Fraction(1, l)
    if positives == 1:
        relaxed = halving.compiled(population, Mondrian(model=model, retry=False))
        assert worst_of(population, multiset, relaxed, 1) == Fraction(1, l - 1)


def test_k_anonymous_mondrian_leaves_exactly_the_frequency() -> None:
    """Sizes alone decide: knowing the method adds nothing to reading the groups."""
    for number in range(3):
        population = Population.random(Random(f"sizes {number}"), 6, 2, 6)
        method = halving.compiled(population, Mondrian(k=2))
        found = beliefs(population, worlds(6, (0, 0, 1, 1, 2, 3)), cache(method), PUBLICATIONS["composition"])
        assert max(len(release) for release in found) > 1  # something was cut
        for release, facts in found.items():
            for members, values in release:
                for person in members:
                    for value in values:
                        assert facts[person, value] == Fraction(values.count(value), len(values))
