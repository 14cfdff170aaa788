"""The privacy models edge by edge: hand-computed levels, exact thresholds, sets of values, nulls, refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.errors import ModelError
from pellucid.models import Groups, Level, PrivacyModel, models, parse
from pellucid.models.adversary import AdversaryModel, MConfidentiality, RRobustness, TransparentLDiversity
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.beta_likeness import BetaLikeness
from pellucid.models.delta_disclosure import DeltaDisclosure
from pellucid.models.delta_presence import DeltaPresence
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.models.enhanced_beta_likeness import EnhancedBetaLikeness
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.figures import Ratios, largest_quotients
from pellucid.models.groups import numbered
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.k_e_anonymity import KEAnonymity
from pellucid.models.k_map import KMap
from pellucid.models.l_diversity import LDiversity
from pellucid.models.recursive_diversity import RecursiveDiversity
from pellucid.models.t_closeness import TCloseness

Group = Sequence[Any]


def groups(*members: Group, population: Sequence[int] | None = None, absent: int = 0, **column: Any) -> Groups:
    """Groups with these sensitive values; ``column`` is what the schema says about them."""
    values = [value for group in members for value in group]
    labels = np.repeat(np.arange(len(members)), [len(group) for group in members]).astype(np.int32)
    frame = pl.DataFrame({"q": labels, "s": pl.Series(values, strict=False)})
    schema = pc.Schema(columns={"q": pc.Column(role="quasi"), "s": pc.Column(role="sensitive", **column)})
    table = pc.read(frame, schema=schema)
    people = None if population is None else np.array(population)
    return Groups.of(labels, table.codes[1], table.attributes[1], population=people, absent=absent)


def counted(*counts: int) -> list[str]:
    """A group in which the first value occurs so often, the second so often, ..."""
    return [f"v{value:02}" for value, count in enumerate(counts) for _ in range(count)]


def by_name(levels: list[Level]) -> dict[str, Level]:
    return {level.model: level for level in levels}


def every_level(looked_at: Groups) -> list[Level]:
    return [level for kind in dict.fromkeys(models().values()) for level in kind.levels(looked_at)]


# Two groups, a a b and a b b c c: the table has 3 a, 3 b and 2 c.
SMALL = groups("aab", "abbcc", population=[6, 10], kind="ordered", order=["a", "b", "c"])

HAND_COMPUTED = {
    "k-anonymity": 3,
    "(alpha,k)-anonymity": Fraction(2, 3),
    "l-diversity": 1,
    "distinct l-diversity": 2,
    "t-closeness": Fraction(7, 24),  # (|2/3 - 3/8| + |1/3 - 3/8| + |0 - 1/4|) / 2
    "ordered t-closeness": Fraction(13, 48),  # (|2/3 - 3/8| + |1 - 3/4|) / 2
    "beta-likeness": Fraction(7, 9),  # (2/3) / (3/8) - 1
    "enhanced beta-likeness": Fraction(7, 9),  # below -ln(3/8) = 0.98
    "recursive (c,l)-diversity": 2,
    "delta-disclosure": math.inf,  # c is not in the first group
    "delta-presence": Fraction(1, 2),
    "k-map": 6,
    "maximum re-identification risk": Fraction(1, 3),
    "average re-identification risk": Fraction(1, 4),
    "sample uniqueness": 0,
}


def test_levels_of_a_small_table_are_those_computed_by_hand() -> None:
    found = by_name(every_level(SMALL))
    assert {name: found[name].exact for name in HAND_COMPUTED} == HAND_COMPUTED
    entropy = found["entropy l-diversity"]
    assert entropy.exact is None  # 3 / 2**(2/3) is not rational
    assert entropy.level == pytest.approx(3 / 2 ** (2 / 3), rel=1e-15)
    assert found["(alpha,k)-anonymity"].parameters == {"alpha": Fraction(2, 3), "k": 3}
    assert found["delta-presence"].parameters == {"low": Fraction(1, 2), "high": Fraction(1, 2)}
    assert found["recursive (c,l)-diversity"].parameters == {"c": 2, "l": 2}


def test_the_worst_group_is_named_with_its_values() -> None:
    worst = LDiversity(l=2).check(SMALL).worst
    assert worst is not None
    assert (worst.group, worst.size, list(worst.counts.items())) == (0, 3, [("a", 2), ("b", 1)])
    average = by_name(every_level(SMALL))["average re-identification risk"].worst
    assert average is not None
    assert average.size == 3


def test_among_groups_of_the_same_l_the_highest_share_is_the_worst() -> None:
    found = LDiversity(l=2).level(groups(["a", "b", "a"], ["a", "a", "a", "b"], ["a", "b"]))
    assert found.level == 1
    assert found.worst is not None
    assert found.worst.group == 1
    assert "above 1/2" in found.meaning
    known = LDiversity(l=2).level(groups(["a", "b", "a"], ["b"], ["a", "a"]))
    assert known.worst is not None
    assert known.worst.group == 1
    assert known.meaning.endswith("is known")
    assert LDiversity(l=1, sensitive=("a",)).level(groups(["b", "b"], ["a", "a", "b"])).meaning.endswith("above 1/2")


def test_parameters_are_told_in_the_order_in_which_they_are_written() -> None:
    table = groups([1, 2, 3], [1, 1, 5])
    for model, names in (
        (KEAnonymity(k=2, e=1), ["k", "e"]),
        (AlphaKAnonymity(alpha=0.9, k=2), ["alpha", "k"]),
        (RecursiveDiversity(c=3, l=2), ["c", "l"]),
    ):
        verdict = model.check(table)
        assert list(verdict.parameters) == list(verdict.reached) == list(model.level(table).parameters) == names
    verdict = RecursiveDiversity(c=3, l=2).check(table)
    assert (verdict.reached, verdict.strict) == ({"c": 2, "l": 2}, True)


def test_sentences_are_rounded_to_the_side_on_which_they_are_true() -> None:
    counts = np.array([2_000_001, 1_000_000])
    odds = RecursiveDiversity(c=1, l=2).level(Groups.of_counts(counts, counts, numbered(2)))
    assert "at most 2.001 to 1" in odds.meaning
    thirds = groups(["a"], ["b", "b"])
    risk = pc.AverageRisk(risk=1).level(thirds)
    assert "at most 0.6667 on average" in risk.meaning
    assert "at least 1 row and" in AlphaKAnonymity(alpha=1, k=1).level(thirds).meaning
    assert "fewer than 3 different values" in RecursiveDiversity(c=1, l=3).level(thirds).meaning
    assert "as 1.889 equally" in EntropyLDiversity(l=1).level(groups(["a", "a", "b"])).meaning


def test_a_verdict_says_what_failed_and_by_how_much() -> None:
    verdict = AlphaKAnonymity(alpha="0.7", k=4).check(SMALL)
    assert not verdict
    assert verdict.parameters == {"alpha": 0.7, "k": 4}
    assert (verdict.required, verdict.exact) == (0.7, Fraction(2, 3))
    assert verdict.worst is not None
    assert verdict.worst.size == 3
    assert AlphaKAnonymity(alpha=Fraction(2, 3), k=3).check(SMALL).holds


# --- exact at the edge


@pytest.mark.parametrize("values", range(1, 51))
def test_entropy_of_equally_frequent_values_is_their_number(values: int) -> None:
    for times in (1, 3, 7, 10**6):
        counts = np.full(values, times)
        level = EntropyLDiversity(l=1).level(Groups.of_counts(counts, counts, attribute_of(values)))
        assert level.level == level.exact == values
        assert isinstance(level.level, int)
        assert EntropyLDiversity(l=values).check_counts(counts, counts)
        assert not EntropyLDiversity(l=f"{values}.0000000000000000000001").check_counts(counts, counts)
        if values > 1:
            uneven = counts * 10**5 + np.eye(1, values, dtype=np.int64)[0]  # one row more of one value
            assert not EntropyLDiversity(l=values).check_counts(uneven, uneven)
            assert EntropyLDiversity(l=f"{values - 1}.999").check_counts(uneven, uneven)


def attribute_of(values: int) -> Any:
    return groups([f"v{value:02}" for value in range(values)]).attribute


def test_entropy_can_be_an_integer_without_equal_counts() -> None:
    # counts 4, 1, 1, 1, 1: ln 8 - (4 ln 4) / 8 = ln 8 - ln 2 = ln 4
    level = EntropyLDiversity(l=4).level(groups(counted(4, 1, 1, 1, 1)))
    assert level.level == level.exact == 4


def test_entropies_that_floats_confuse_are_told_apart() -> None:
    n = 10**7
    counts = np.array([[n, n], [n, n + 1], [n, n + 2], [1, 1], [n + 1, n]])
    looked_at = Groups.of_counts(counts, counts.sum(axis=0), attribute_of(2))
    level = EntropyLDiversity(l=2).level(looked_at)
    assert level.worst is not None
    assert level.worst.group == 2
    assert level.exact is None
    assert level.level == pytest.approx(2)
    assert not EntropyLDiversity(l=2).check(looked_at).holds
    assert EntropyLDiversity(l=2).check_counts(counts, counts.sum(axis=0)).tolist() == [True, False, False, True, False]
    assert EntropyLDiversity(l=level.level).check(looked_at).holds


def test_the_float_of_a_level_can_be_asked_for() -> None:
    looked_at = groups(counted(3, 2, 1), counted(1, 2, 2))
    for level in every_level(looked_at):
        if level.strict or level.level is None:
            continue
        main = next(iter(models()[level.model].directions))
        given = {**level.parameters, main: level.level}
        preset = models()[level.model].variants.get(level.model, {})
        assert models()[level.model](**given, **preset).check(looked_at).holds


def test_recursive_diversity_of_98_1_1() -> None:
    looked_at = groups(counted(98, 1, 1))
    for l, odds in ((2, 49), (3, 98)):
        level = RecursiveDiversity(c=1, l=l).level(looked_at)
        assert (level.exact, level.strict) == (odds, True)
        assert not RecursiveDiversity(c=odds, l=l).check(looked_at).holds
        assert RecursiveDiversity(c=f"{odds}.0000001", l=l).check(looked_at).holds
    at_four = RecursiveDiversity(c=10**9, l=4).check(looked_at)
    assert (at_four.holds, at_four.level) == (False, math.inf)
    assert "no c holds at l = 4" in at_four.meaning


def test_a_value_that_a_group_lacks_makes_delta_infinite() -> None:
    level = DeltaDisclosure(delta=1).level(groups("aabb", "aaa"))
    assert level.level == math.inf
    assert "lacks a value" in level.meaning


def test_delta_is_decided_by_as_many_digits_as_it_takes() -> None:
    # In the first group a is twice as frequent as in the table, and b half as frequent in the second.
    looked_at = groups(counted(2, 1), counted(2, 7))
    level = DeltaDisclosure(delta=1).level(looked_at)
    assert level.level == pytest.approx(math.log(2), abs=1e-15)
    below = "0.6931471805599453094172321214581765680755001343602"
    assert not DeltaDisclosure(delta=below).check(looked_at).holds
    assert DeltaDisclosure(delta=below + "6").check(looked_at).holds
    assert DeltaDisclosure(delta=level.level).check(looked_at).holds


def test_delta_of_groups_like_the_table_is_above_zero() -> None:
    level = DeltaDisclosure(delta=1).level(groups("ab", "aabb"))
    assert (level.exact, level.strict) == (0, True)
    assert DeltaDisclosure(delta="0.0000001").check(groups("ab", "aabb")).holds


def test_enhanced_beta_likeness_may_have_no_beta() -> None:
    looked_at = groups("aaaa", "abbb")
    assert BetaLikeness(beta=1).level(looked_at).exact == 1  # b: (3/4) / (3/8) - 1
    level = EnhancedBetaLikeness(beta=1).level(looked_at)  # a gains 3/5 and -ln(5/8) = 0.47
    assert (level.level, level.exact) == (None, None)
    assert level.meaning.startswith("no beta holds")
    verdict = EnhancedBetaLikeness(beta=10**6).check(looked_at)
    assert (verdict.holds, verdict.level) == (False, None)


def test_decimals_are_taken_as_written() -> None:
    looked_at = groups(counted(7, 3), counted(3, 7))  # a distance of exactly one fifth
    assert TCloseness(t=0.2).check(looked_at).holds
    assert TCloseness(t="0.2").check(looked_at).holds
    assert TCloseness(t=Fraction(1, 5)).check(looked_at).holds
    assert not TCloseness(t="0.19999999999999999999").check(looked_at).holds
    assert AlphaKAnonymity(alpha=0.7, k=1).check(looked_at).holds
    assert repr(TCloseness(t=0.2)) == "TCloseness(t=0.2)"
    assert repr(TCloseness(t="1/3")) == "TCloseness(t='1/3')"


# --- which values count


def test_sets_of_sensitive_values_each_and_together() -> None:
    group = ["flu"] * 4 + ["cold"] * 2 + ["hiv"] * 2 + ["cancer"] * 2
    looked_at = groups(group, ["flu"] * 9)

    def best(kind: type[PrivacyModel], **given: Any) -> Any:
        return kind(**given).level(looked_at).exact

    both = ("hiv", "cancer")
    assert best(LDiversity, l=1) == 1
    assert best(LDiversity, l=1, sensitive=both) == 5
    assert best(LDiversity, l=1, sensitive=both, together=True) == 2
    assert best(AlphaKAnonymity, alpha=1, k=1, sensitive=both) == Fraction(1, 5)
    assert best(AlphaKAnonymity, alpha=1, k=1, sensitive=both, together=True) == Fraction(2, 5)
    assert best(DistinctLDiversity, l=1) == 1
    assert best(DistinctLDiversity, l=1, sensitive=both) == 4
    assert best(DistinctLDiversity, l=1, sensitive=both, together=True) == 3
    assert best(EntropyLDiversity, l=1) == 1
    assert EntropyLDiversity(l=1, sensitive=both).level(looked_at).level == pytest.approx(
        math.exp(-(0.4 * math.log(0.4) + 0.6 * math.log(0.2)))
    )
    assert EntropyLDiversity(l=1, sensitive=both, together=True).level(looked_at).level == pytest.approx(
        math.exp(-(0.8 * math.log(0.4) + 0.2 * math.log(0.2)))
    )
    assert best(RecursiveDiversity, c=1, l=2) == math.inf  # the group of flu alone
    assert best(RecursiveDiversity, c=1, l=2, sensitive=both) == Fraction(2, 8)
    assert best(RecursiveDiversity, c=1, l=3, sensitive=both) == Fraction(2, 4)  # flu is ruled out
    assert best(RecursiveDiversity, c=1, l=3, sensitive=both, together=True) == Fraction(4, 2)


def test_a_set_of_values_is_named_in_the_sentence_and_may_be_one_value() -> None:
    looked_at = groups(["flu", "hiv", None, None])
    level = LDiversity(l=1, sensitive="hiv").level(looked_at)
    assert level.exact == 4
    assert "'hiv'" in level.meaning
    assert LDiversity(l=1, sensitive=[None]).level(looked_at).exact == 2
    assert LDiversity(l=3, sensitive={"hiv", "flu"}).check(looked_at).holds


def test_a_group_without_a_protected_value_satisfies_everything() -> None:
    column = groups(["flu", "hiv"]).attribute
    only_flu = Groups.of_counts(np.array([3, 0]), np.array([3, 1]), column)
    for model in (
        LDiversity(l=99, sensitive="hiv"),
        DistinctLDiversity(l=99, sensitive="hiv"),
        EntropyLDiversity(l=99, sensitive="hiv"),
    ):
        verdict = model.check(only_flu)
        assert (verdict.holds, verdict.level) == (True, math.inf)
        assert "never occurs" in verdict.meaning
    assert RecursiveDiversity(c="1/99", l=2, sensitive="hiv").check(only_flu).holds
    assert AlphaKAnonymity(alpha=0, k=3, sensitive="hiv").check(only_flu).holds


def test_a_sensitive_value_that_nobody_has_is_an_error() -> None:
    with pytest.raises(ModelError, match="no row has 'HVI' in 's', which is said to be sensitive; did you mean 'HIV'"):
        LDiversity(l=2, sensitive="HVI").check(groups(["HIV", "flu"]))
    with pytest.raises(ModelError, match="no row has null in 's'"):
        LDiversity(l=2, sensitive=[None]).check(groups(["HIV", "flu"]))
    with pytest.raises(ModelError, match="pass attribute="):
        LDiversity(l=2, sensitive="HIV").worst_case_size(np.array([1, 1]), np.array([1, 1]))


def test_null_is_a_value_of_its_own() -> None:
    looked_at = groups([None, None, "?", ""])
    assert DistinctLDiversity(l=1).level(looked_at).exact == 3
    assert LDiversity(l=1).level(looked_at).exact == 2
    worst = KAnonymity(k=1).level(looked_at).worst
    assert worst is not None
    assert worst.counts == {None: 2, "": 1, "?": 1}


def test_a_constant_sensitive_column_is_as_bad_and_as_good_as_it_gets() -> None:
    found = by_name(every_level(groups("aaa", "aa")))
    assert [found[name].exact for name in ("l-diversity", "distinct l-diversity", "entropy l-diversity")] == [1, 1, 1]
    assert found["t-closeness"].exact == found["beta-likeness"].exact == found["enhanced beta-likeness"].exact == 0
    assert found["recursive (c,l)-diversity"].level == math.inf
    assert "agree" in found["distinct l-diversity"].meaning


# --- what a column must be


def test_integer_codes_that_are_names_have_no_order() -> None:
    nominal = groups([250, 401, 250, 780], kind="category")
    assert "ordered t-closeness" not in by_name(every_level(nominal))
    assert "(k,e)-anonymity" not in by_name(every_level(nominal))
    with pytest.raises(ModelError, match="ordered t-closeness: the values of 's' have no order"):
        TCloseness(t=0.2, distance="ordered").check(nominal)
    with pytest.raises(ModelError, match="'s' is no number"):
        KEAnonymity(k=2, e=1).check(nominal)
    assert "ordered t-closeness" in by_name(every_level(groups([250, 401, 250, 780])))


def test_hierarchical_distance_follows_the_schemas_taxonomy() -> None:
    tree = {"*": {"lung": ["flu", "cold"], "gut": ["ulcer", "colitis"]}}
    looked_at = groups(
        ["flu", "cold"], ["ulcer", "colitis"], ["flu", "ulcer"], ["cold", "colitis"], taxonomy={"tree": tree}
    )
    figures = TCloseness(t=0, distance="hierarchical").figures(looked_at)["t"]
    # the first two groups move half their rows to the other organ, the last two move half to a sibling
    assert [figures.exact(group) for group in range(4)] == [Fraction(1, 2)] * 2 + [Fraction(1, 4)] * 2
    with pytest.raises(ModelError, match="'s' has no taxonomy"):
        TCloseness(t=0.2, distance="hierarchical").check(groups("ab"))


def test_ranges_are_of_the_decimals_that_people_read() -> None:
    looked_at = groups([0.1, 0.3, None], [1.1, 1.3])
    level = KEAnonymity(k=2, e=0).level(looked_at)
    assert (level.exact, level.parameters) == (Fraction(1, 5), {"e": Fraction(1, 5), "k": 2})
    assert KEAnonymity(k=2, e=0.2).check(looked_at).holds  # 0.3 - 0.1 is below 0.2 in floats, 1.3 - 1.1 is above
    assert KEAnonymity(k=1, e=0).level(groups([5, None], [None, 7, 7])).exact == 0
    assert KEAnonymity(k=1, e=0, distinct=True).level(groups([5, None], [None, 7, 7])).parameters["k"] == 2
    assert KEAnonymity(k=1, e=0).level(groups([1e-300, 1e300], [2.0, 3.0])).exact == 1
    assert KEAnonymity(k=1, e=0).level(groups([1e-300, 1e300])).exact == 10**300 - Fraction(1, 10**300)


def test_a_population_is_needed_where_presence_is_the_question() -> None:
    for model in (KMap(k=2), DeltaPresence(low=0, high=1)):
        with pytest.raises(ModelError, match="needs a population"):
            model.check(groups("ab"))
    with pytest.raises(ModelError, match="a group has more rows than the population has people like them: 3 and 1"):
        DeltaPresence(low=0, high=1).check(groups("ab", "abc", population=[2, 1]))
    with pytest.raises(ModelError, match="counted for 1 groups and there are 2"):
        groups("ab", "abc", population=[2])


def test_people_outside_every_group_are_known_to_be_absent() -> None:
    looked_at = groups("ab", "abc", population=[4, 4], absent=9)
    level = DeltaPresence(low=0, high=1).level(looked_at)
    assert level.parameters == {"low": 0, "high": Fraction(3, 4)}
    verdict = DeltaPresence(low=0.1, high=1).check(looked_at)
    assert not verdict.holds
    assert verdict.worst is not None
    assert (verdict.worst.group, verdict.worst.size, verdict.worst.population) == (-1, 0, 9)


@pytest.mark.parametrize("model", [MConfidentiality(m=2), RRobustness(r=2), TransparentLDiversity(l=2)])
def test_models_about_an_adversary_say_that_they_need_one(model: PrivacyModel) -> None:
    with pytest.raises(ModelError, match=r"what an adversary believes.*truth="):
        model.check(SMALL)
    with pytest.raises(ModelError, match="adversar"):
        model.level(SMALL)
    assert type(model).levels(SMALL) == []


# --- parameters, names and requirements


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: KAnonymity(k=0), "k-anonymity: k = 0 must be greater than or equal to 1"),
        (lambda: KAnonymity(k=2.5), "k-anonymity: k = 2.5 must be a valid integer"),
        (lambda: KAnonymity(k=True), "k-anonymity: k = True must be a valid integer"),
        (lambda: LDiversity(l=1.5), "l-diversity: l = 1.5 must be a valid integer"),
        (lambda: TCloseness(t=1.5), "t-closeness: t = 1.5 must be less than or equal to 1"),
        (lambda: TCloseness(t=math.nan), "t-closeness: t = nan must be a finite number"),
        (lambda: KEAnonymity(k=2, e="1e999999999"), r"\(k,e\)-anonymity: e = '1e999999999' must be below 1e300"),
        (lambda: KEAnonymity(k=2, e=10**301), "must be below 1e300"),
        (lambda: TCloseness(t="1/0"), "t-closeness: t = '1/0' must be a finite number"),
        (lambda: TCloseness(t="a lot"), "t-closeness: t = 'a lot' must be a finite number"),
        (lambda: TCloseness(t=0.1, distance="far"), "t-closeness: distance = 'far' must be 'equal', 'ordered' or"),
        (lambda: EntropyLDiversity(l=0.5), "entropy l-diversity: l = 0.5 must be greater than or equal to 1"),
        (lambda: KAnonymity(), "k-anonymity needs the parameter 'k'"),
        (lambda: KAnonymity(k=2, l=2), "k-anonymity has no parameter 'l'; its parameters are: k"),
        (lambda: DeltaPresence(low=0.5, high=0.2), "delta-presence: low = 0.5 is above high = 0.2; swap them"),
        (lambda: RecursiveDiversity(c=0, l=2), r"recursive \(c,l\)-diversity: c = 0 must be greater than 0"),
    ],
)
def test_a_parameter_out_of_range_is_one_line_that_names_it(make: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told) as error:
        make()
    assert "\n" not in str(error.value)


def test_every_name_of_the_issue_is_known_and_every_model_is_described() -> None:
    names = (
        "k-anonymity, (alpha,k)-anonymity, l-diversity, distinct l-diversity, entropy l-diversity, "
        "recursive (c,l)-diversity, t-closeness, ordered t-closeness, hierarchical t-closeness, (k,e)-anonymity, "
        "delta-disclosure, beta-likeness, enhanced beta-likeness, delta-presence, k-map, m-confidentiality, "
        "r-robustness, transparent l-diversity, average re-identification risk, maximum re-identification risk, "
        "sample uniqueness"
    )
    assert set(names.split(", ")) <= set(models())
    for model in models().values():
        assert model.summary
        assert model.reference
        assert set(model.directions.values()) <= {"largest", "smallest"}
        assert model.surveyed(SMALL) or model.name == "population uniqueness"  # which levels tells by itself
        told = {model.name, *model.variants} & {*HAND_COMPUTED} or ">>>" in (model.__doc__ or "")
        assert told or issubclass(model, AdversaryModel), f"{model.name} has no level that was computed by hand"


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("k-anonymity=5", KAnonymity(k=5)),
        (" K-Anonymity = 5 ", KAnonymity(k=5)),
        ("t-closeness=0.2", TCloseness(t=0.2, distance="equal")),
        ("ordered t-closeness=1/3", TCloseness(t="1/3", distance="ordered")),
        ("(alpha,k)-anonymity=0.5,3", AlphaKAnonymity(alpha=0.5, k=3)),
        ("recursive (c,l)-diversity=3,3", RecursiveDiversity(c=3, l=3)),
        ("(k,e)-anonymity=3,1000.5", KEAnonymity(k=3, e=1000.5)),
        ("delta-presence=0,0.5", DeltaPresence(low=0, high=0.5)),
        ("transparent l-diversity=8", TransparentLDiversity(l=8)),
    ],
)
def test_requirements_are_written_as_name_and_parameters(requirement: str, expected: PrivacyModel) -> None:
    made = parse(requirement)
    assert made == expected
    assert made.label == requirement.partition("=")[0].strip().lower()


@pytest.mark.parametrize(
    ("requirement", "told"),
    [
        ("k-anonimity=5", "there is no privacy model 'k-anonimity'; did you mean 'k-anonymity'?"),
        ("k=5", "there is no privacy model 'k'; did you mean 'k-anonymity'?"),
        ("l=3", "there is no privacy model 'l'; did you mean 'l-diversity'?"),
        ("t=0.2", "there is no privacy model 't'; did you mean 't-closeness'?"),
        ("k-anonymity", "'k-anonymity': k-anonymity needs k; write it as 'k-anonymity=5'"),
        ("k-anonymity=5,6", "'k-anonymity=5,6': k-anonymity needs k; write it as 'k-anonymity=5'"),
        ("(alpha,k)-anonymity=3", "needs alpha and k; write it as '(alpha,k)-anonymity=0.5,3'"),
        ("k-anonymity=five", "k-anonymity: k = 'five' must be a valid integer"),
        ("t-closeness=", "t-closeness: t = '' must be a finite number such as 0.2 or 1/3"),
        ("5", "there is no privacy model '5'; there are: (alpha,k)-anonymity, "),
    ],
)
def test_a_requirement_that_cannot_be_read_says_how_to_write_it(requirement: str, told: str) -> None:
    with pytest.raises(ModelError) as error:
        parse(requirement)
    assert told in str(error.value)


@pytest.mark.parametrize(
    "model",
    [
        TCloseness(t=0.2, distance="ordered"),
        TCloseness(t="1/3"),
        LDiversity(l=3, sensitive=["hiv", None], together=True),
        RecursiveDiversity(c=2.5, l=3),
        DeltaPresence(low=0, high="2/3"),
    ],
    ids=repr,
)
def test_a_model_can_be_written_down_and_read_back(model: PrivacyModel) -> None:
    assert type(model)(**json.loads(json.dumps(model.model_dump()))) == model
    assert type(model).model_validate_json(model.model_dump_json()) == model
    assert set(type(model).model_json_schema()["properties"]) == set(type(model).model_fields)


def test_a_risk_of_the_table_is_no_matter_of_one_group() -> None:
    with pytest.raises(ModelError, match="average re-identification risk is about a table"):
        parse("average re-identification risk=0.5").check_counts(np.array([1, 1]), np.array([1, 1]))


def test_counts_of_a_group_without_rows_are_refused() -> None:
    with pytest.raises(ModelError, match="group 1 has no rows"):
        LDiversity(l=2).check_counts(np.array([[1, 1], [0, 0]]), np.array([1, 1]))
    with pytest.raises(ModelError, match="there is no group to look at"):
        LDiversity(l=2).check_counts(np.zeros((0, 2), np.int64), np.array([1, 1]))


def test_floats_propose_and_fractions_decide() -> None:
    large = 10**17  # quotients that differ by 1e-34, the worst one in the middle
    figures = Ratios(np.array([large + 2, large + 1, large + 3]), np.array([large + 1, large, large + 2]))
    assert len(set(figures.floats)) == 1
    assert (figures.worst("smallest"), figures.worst("largest")) == (1, 2)
    limit = Fraction(large + 2, large + 1)
    assert figures.meet(limit, "smallest").tolist() == [True, False, True]
    assert figures.meet(limit, "largest").tolist() == [True, True, False]
    assert figures.meet(limit, "largest", strict=True).tolist() == [False, True, False]
    looked_at = groups("abc", "abc")
    above = np.array([large + 2, large + 1, large + 3] * 2)
    below = np.array([large + 1, large, large + 2] * 2)
    assert largest_quotients(looked_at, above, below).tolist() == [1, 4]


def test_groups_are_numbered_without_gaps_and_exist() -> None:
    column = groups("ab").attribute
    codes = np.array([0, 1], np.int32)
    with pytest.raises(ModelError, match="group 0 has no rows"):
        KAnonymity(k=1).check(Groups.of(np.array([1, 1], np.int32), codes, column))
    with pytest.raises(ModelError, match="there is no group to look at"):
        Groups.of(np.array([-1, -1], np.int32), codes, column)
    with pytest.raises(ModelError, match="3 labels for 2 rows"):
        Groups.of(np.array([0, 0, 0], np.int32), codes, column)


def test_what_was_counted_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        SMALL.sizes[0] = 99
