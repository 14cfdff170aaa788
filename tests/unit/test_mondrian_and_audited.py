"""What Mondrian and Audited say about themselves, and what they refuse to do."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.anonymize.methods.audited import Audited
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.core.coins import Coins
from pellucid.core.table import Table
from pellucid.errors import Infeasible, MethodError
from plain.tables import line, secret, table_of

TWELVE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]


def people(values: list[int], ages: list[int] | None = None) -> Table:
    n = len(values)
    return table_of([line("age", ages or list(range(n))), secret("disease", values)], list(range(n)))


@pytest.mark.parametrize(
    ("method", "claim"),
    [
        (Mondrian(k=3), "algorithm"),
        (Mondrian(k=3, strict=True), "algorithm"),
        (Mondrian(model="maximum re-identification risk=1/3"), "algorithm"),
        (Mondrian(l=3, retry=False), "algorithm"),
        (Mondrian(model="l-diversity=3", retry=False), "algorithm"),
        (Mondrian(l=3), "frequency"),
        (Mondrian(l=3, strict=True, retry=False), "frequency"),
        (Mondrian(model={"name": "l-diversity", "l": 3, "sensitive": ["HIV"]}, retry=False), "frequency"),
        (Mondrian(model="distinct l-diversity=3", retry=False), "frequency"),
        (Mondrian(model="t-closeness=0.2"), "frequency"),
        (Audited(l=3), "algorithm"),
        (Audited(model="(alpha,k)-anonymity=0.5,3"), "algorithm"),
    ],
)
def test_a_setting_claims_what_is_known_of_it(method: Mondrian | Audited, claim: str) -> None:
    assert method.claim == claim
    if claim == "algorithm":
        assert method.warning is None
    else:
        assert method.warning is not None
        assert "minimality attack" in method.warning
        assert "use strata, which does" in method.warning


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (Mondrian(k=3), "Every group has at least 3 rows"),
        (Mondrian(k=3), "says nothing about how much a group tells of a person's disease"),
        (Mondrian(l=4, retry=False), "with probability at most 2/7"),
        (Mondrian(l=4, retry=False), "not proved"),
        (Mondrian(l=4), "names any one person's disease with probability at most 1/4; somebody who knows the method"),
        (Mondrian(l=1, retry=False), "promises nothing"),
        (Mondrian(model="t-closeness=0.2"), "Somebody who does may learn more"),
        (Audited(l=4), "with probability at most 1/4."),
        (Audited(l=1), "promises nothing"),
        (Audited(model="(alpha,k)-anonymity=0.4,3"), "with probability at most 2/5."),
        (
            Audited(model={"name": "l-diversity", "l": 2, "sensitive": ["HIV", "flu"], "together": True}),
            "is 'HIV' or 'flu' with probability at most 1/2",
        ),
    ],
)
def test_the_sentence_promises_that_and_no_more(method: Mondrian | Audited, said: str) -> None:
    assert said in method.sentence(people([1, 2]))


@pytest.mark.parametrize("kind", [Mondrian, Audited])
def test_exactly_one_requirement_is_given(kind: type[Mondrian | Audited]) -> None:
    with pytest.raises(MethodError, match="nothing is asked of the groups"):
        kind()
    if kind is Mondrian:
        assert kind(l=2, model="l-diversity=2").required == kind(l=2).required
    else:
        with pytest.raises(MethodError, match="asked for together"):
            kind(l=2, model="l-diversity=2")


def test_audited_refuses_models_that_bound_no_belief() -> None:
    for text in ("k-anonymity=3", "t-closeness=0.2", "distinct l-diversity=3", "entropy l-diversity=3"):
        with pytest.raises(MethodError, match="use l-diversity"):
            Audited(model=text)


def test_a_model_that_is_no_property_of_a_group_is_refused() -> None:
    with pytest.raises(MethodError, match="not a property of each group"):
        Mondrian(model="average re-identification risk=0.2").group(people(TWELVE), Coins.from_seed(1))


@pytest.mark.parametrize("method", [Mondrian(k=13), Mondrian(l=13), Audited(l=13)])
def test_what_the_whole_table_cannot_bear_is_infeasible(method: Mondrian | Audited) -> None:
    with pytest.raises(Infeasible, match=r"use . = 12 or less"):
        method.group(people(TWELVE), Coins.from_seed(1))


def test_rows_without_any_extent_are_one_group() -> None:
    """Codes may differ where positions do not; and equal rows are never cut, whatever their number."""
    for method in (Mondrian(k=2), Mondrian(l=2), Mondrian(model="t-closeness=0.5"), Audited(l=2)):
        assert len(method.group(people(TWELVE, [5] * 12), Coins.from_seed(1))) == 1


@pytest.mark.parametrize("method", [Mondrian(l=1), Mondrian(k=1), Mondrian(model="t-closeness=1"), Audited(l=1)])
def test_one_row_is_one_group(method: Mondrian | Audited) -> None:
    assert method.group(people([1]), Coins.from_seed(1)).labels.tolist() == [0]


@pytest.mark.parametrize("method", [Mondrian(k=7), Mondrian(model="distinct l-diversity=3"), Audited(l=3)])
def test_a_hundred_thousand_distinct_values(method: Mondrian | Audited) -> None:
    n = 100_000
    generator = np.random.default_rng(3)
    columns = [line(f"q{i}", generator.permutation(n).tolist()) for i in range(3)]
    table = table_of([*columns, secret("s", generator.permutation(n).tolist())], generator.permutation(n).tolist())
    one = method.group(table, Coins.from_seed(1), threads=1)
    two = method.group(table, Coins.from_seed(1), threads=2)
    assert np.array_equal(one.labels, two.labels)
    # halving stops where a half would be too small: 100,000 / 2**13 = 12.2, and / 2**15 = 3.05 with 3 rows the least
    assert set(one.sizes.tolist()) <= ({12, 13} if isinstance(method, Mondrian) and method.k else {3, 4})


def test_relaxed_halves_differ_by_at_most_one_row() -> None:
    for n in range(2, 40):
        sizes = Mondrian(k=n // 2).group(people(list(range(n)), [1] * (n - 1) + [2]), Coins.from_seed(1)).sizes.tolist()
        assert sizes == [(n + 1) // 2, n // 2]


def test_strict_keeps_equal_values_together_and_skips_what_offers_no_cut() -> None:
    """Half the ages are the least one, so age offers no cut; that is no refusal, and the next attribute is asked."""
    wide, narrow = [0, 0, 0, 9], [1, 1, 2, 2]
    table = table_of([line("age", wide), line("zip", narrow, (0, 9)), secret("s", [1, 2, 3, 4])], list(range(4)))
    for retry in (False, True):
        found = Mondrian(k=2, strict=True, retry=retry).group(table, Coins.from_seed(1))
        assert found.labels.tolist() == [0, 0, 1, 1]
