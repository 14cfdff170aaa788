"""Mondrian and Audited as the oracle asks for them, and Audited's mistakes on purpose."""

from __future__ import annotations

from fractions import Fraction

from oracle.methods import certainly, groups_of_labels
from oracle.worlds import Method, Population, Rows, World
from pellucid.anonymize.method import Method as Grouper
from pellucid.anonymize.methods.audited import Audited
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.core.coins import Coins
from plain import halving


def compiled(population: Population, grouper: Grouper) -> Method:
    """One of the package's own methods that draws no coins when there is an identifier."""

    def method(world: World) -> dict[Rows, Fraction]:
        found = grouper.group(population.table(world), Coins.from_seed(0), threads=1)
        return certainly(groups_of_labels(found.labels.tolist()))

    return method


def audited(population: Population, l: int) -> Method:
    return compiled(population, Audited(l=l))


def relaxed(population: Population, l: int) -> Method:
    return compiled(population, Mondrian(l=l, retry=False))


def relaxed_with_retry(population: Population, l: int) -> Method:
    return compiled(population, Mondrian(l=l))


def unaudited(population: Population, l: int) -> Method:
    """Audited without its audit: it looks at the sides of odd groups whatever a refusal tells."""

    def method(world: World) -> dict[Rows, Fraction]:
        t = population.inputs(world)
        share = Fraction(1, l)
        return certainly(halving.audited(t.codes, t.order, t.sensitive, share, t.geometry, least=l, audit=False))

    return method


def audited_with_retry(population: Population, l: int) -> Method:
    """Audited that tries the next widest attribute after a refusal, each cut audited by itself."""
    share = Fraction(1, l)

    def grow(world: World, rows: list[int]) -> list[list[int]]:
        t = population.inputs(world)
        for left, right in halving.cuts(rows, t.codes, t.order, t.geometry, strict=False):
            values = [t.sensitive[row][0] for row in rows]
            counts = [values.count(value) for value in sorted(set(values))]
            if not halving.refusal_is_safe((len(left), len(right)), counts, range(len(counts)), share):
                break
            sides = [[t.sensitive[row][0] for row in side] for side in (left, right)]
            if all(side.count(value) * l <= len(side) for side in sides for value in side):
                return [*grow(world, left), *grow(world, right)]
        return [rows]

    return lambda world: certainly(grow(world, list(range(len(world.members)))))
