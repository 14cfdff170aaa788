"""What a reader of a release can tell, rule by rule: who may be in a class, and whether it may be several groups."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.recode import TwoTables
from pellucid.anonymize.recode.taxonomic import Taxonomic
from pellucid.cli.wording import in_options
from pellucid.core.coins import Coins
from pellucid.core.recipe import Recipe
from pellucid.core.schema import Column, Schema
from pellucid.errors import AttackError
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.by_membership_chance import NoLaw
from pellucid.risk.inference.method_at_work import MethodAtWork, partition_of
from pellucid.risk.inference.require_inputs import NotKnown, order_matters, require_known
from pellucid.risk.inference.select_engine import as_promised
from pellucid.risk.inference.untold_view import larger
from pellucid.risk.inference.world_enumeration import Contradicted, by_worlds
from pellucid.risk.verdict import Standing, verdict_of
from pellucid.risk.views import Evidence, PublishedFrom
from pellucid.risk.views.known_groups import evidence_of_groups
from pellucid.risk.views.membership import Membership
from pellucid.risk.views.missing_inputs import UNORDERED, lacking_of, refuse_other_schema, suppressed_rows
from pellucid.risk.views.reader_view import MOST_PEOPLE, covering, least_rows, may_be_several, settles, told_who

pytestmark = pytest.mark.filterwarnings(
    "ignore::pellucid.InformedAttackerWarning", "ignore::pellucid.SecretSeedWarning"
)
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}
TOWNS = {"tree": {"*": {"north": ["oslo", "riga"], "south": ["rome", "nice"]}}}


def groups(
    ages: list[Any], labels: list[int], method: pc.Method, recoder: Any, column: Column | None = None
) -> Evidence:
    """People in groups that are published in a way."""
    names = [f"p{number}" for number in range(len(ages))]
    frame = pl.DataFrame({"name": names, "age": ages, "ill": ["a", "b"] * (len(ages) // 2) + ["a"] * (len(ages) % 2)})
    columns = {"name": Column(role="identifier"), "age": column or Column(role="quasi")}
    table = pc.read(frame, schema=Schema(columns={**columns, "ill": Column(role="sensitive")}))
    evidence = evidence_of_groups(table, labels, method=method)
    return replace(evidence, origin=PublishedFrom(recoder=recoder))


@pytest.mark.parametrize(
    ("method", "rows"),
    [
        (pc.Mondrian(l=3), 3),
        (pc.Mondrian(k=4), 4),
        (pc.Mondrian(model="t-closeness=0.2"), 1),
        (pc.Mondrian(model="distinct l-diversity=3"), 1),
        (pc.GreedyGrouping(l=2, binary=("a",)), 1),
        (pc.Hybrid(l=3), 3),
        (pc.Hybrid(l=3, values=("a",)), 1),
        (pc.Mask(k=2, l=3, sensitive="a"), 1),
    ],
    ids=repr,
)
def test_how_many_rows_a_group_has_at_least(method: pc.Method, rows: int) -> None:
    """Never more than so: where it is not certain, one."""
    assert least_rows(method) == rows


def test_a_class_with_fewer_rows_than_two_groups_is_one() -> None:
    for rows, open_ in ((3, False), (4, True)):
        assert may_be_several(groups([30] * rows, [0] * rows, pc.GreedyGrouping(l=2), pc.Intervals())) is open_


def test_a_class_of_people_whom_nobody_knows_may_be_several_whoever_reaches_its_end() -> None:
    evidence = groups([20, 30, 30, 40], [0] * 4, pc.GreedyGrouping(l=2), pc.Intervals())
    assert not may_be_several(evidence)
    anybody = Membership(np.arange(5), np.zeros(4, np.int32), np.ones(4), np.zeros(4, np.bool_))
    assert may_be_several(replace(evidence, membership=anybody))


def test_a_set_of_categories_has_no_end_that_one_row_alone_could_reach() -> None:
    category = Column(role="quasi", kind="category")
    assert may_be_several(groups(["u", "v", "v", "w"], [0] * 4, pc.GreedyGrouping(l=2), pc.Intervals(), category))
    assert may_be_several(groups([None, 30, 30, 40], [0] * 4, pc.GreedyGrouping(l=2), pc.Intervals()))
    assert not may_be_several(groups([20, 30, 30, 40], [0] * 4, pc.GreedyGrouping(l=2), pc.Intervals()))


def test_whom_a_class_stands_for() -> None:
    def stood_for(ages: list[Any], recoder: Any, column: Column | None = None) -> list[int]:
        labels = [0, 1, 0, *[1] * (len(ages) - 3)]
        first, _ = covering(groups(ages, labels, pc.Mondrian(l=2), recoder, column))
        return first.nonzero()[0].tolist()

    assert stood_for([20, 25, 30, 40], pc.Intervals()) == [0, 1, 2]
    assert stood_for([None, 25, 30, None], pc.Intervals()) == [0, 2, 3]  # 30, or a missing value
    assert stood_for([20, 25, 20, 20], pc.Intervals()) == [0, 2, 3]
    assert stood_for([20, 25, 30, 40], pc.Suppression()) == [0, 1, 2, 3]
    towns = Column(role="quasi", taxonomy=TOWNS)
    assert stood_for(["oslo", "riga", "oslo", "rome"], Taxonomic(), towns) == [0, 2]
    assert stood_for(["oslo", "nice", "riga", "rome"], Taxonomic(), towns) == [0, 2]
    assert stood_for(["oslo", "riga", "rome", "nice"], Taxonomic(), towns) == [0, 1, 2, 3]
    category = Column(role="quasi", kind="category")
    assert stood_for(["u", "v", "w", "u"], pc.Intervals(), category) == [0, 2, 3]


def test_full_domain_classes_leave_open_who_is_in_them() -> None:
    """All values are shown at one level, which the rows of a class alone do not tell."""
    evidence = groups([20, 25, 30, 40], [0, 1, 0, 1], pc.Incognito(k=2), Taxonomic())
    evidence.grouping.levels = (1,)
    assert [int(mask.sum()) for mask in covering(evidence)] == [4, 4]


def test_classes_settle_who_is_in_them_only_where_each_covers_its_own() -> None:
    assert settles(groups([20, 21, 40, 41], [0, 0, 1, 1], pc.Mondrian(l=2), pc.Intervals()))
    assert not settles(groups([20, 30, 25, 41], [0, 0, 1, 1], pc.Mondrian(l=2), pc.Intervals()))
    assert not settles(groups([20] * 4, [0] * 4, pc.GreedyGrouping(l=2), pc.Intervals()))  # which may be several


def test_groups_that_were_read_are_not_told() -> None:
    evidence = groups([20, 21, 40, 41], [0, 0, 1, 1], pc.Mondrian(l=2), pc.Intervals())
    assert told_who(evidence)
    assert not told_who(replace(evidence, crowd=4))
    assert not told_who(replace(evidence, anonymous=True))
    assert not told_who(replace(evidence, origin=None))


KIDS: dict[str, Any] = {"name": "kids", "role": "quasi", "kind": "number", "domain": [0, 20], "missing": ["-9"]}
SIZE: dict[str, Any] = {"name": "size", "role": "quasi", "kind": "ordered", "order": ["small", "large"]}
TOWN: dict[str, Any] = {"name": "zip", "role": "quasi", "kind": "category", "taxonomy": {"prefix": [2]}}
ILL: dict[str, Any] = {"name": "ill", "role": "sensitive", "kind": "category"}
RECIPE: dict[str, Any] = {"format": 2, "columns": [KIDS, SIZE, TOWN, ILL]}
SAID: dict[str, Column] = {
    "kids": Column(role="quasi", kind="number", domain=[0, 20], missing=["-9"]),
    "size": Column(role="quasi", kind="ordered", order=["small", "large"]),
    "zip": Column(role="quasi", kind="category", taxonomy={"prefix": [2]}),
    "ill": Column(role="sensitive", kind="category"),
}


@pytest.mark.parametrize(
    ("name", "column", "word"),
    [
        ("kids", Column(role="quasi", kind="number", domain=[0, 10], missing=["-9"]), "domain"),
        ("kids", Column(role="quasi", kind="number", domain=[0, 20]), "missing"),
        ("kids", Column(role="quasi", kind="number", missing=["-9"]), "domain"),
        ("size", Column(role="quasi", kind="ordered", order=["large", "small"]), "order"),
        ("zip", Column(role="quasi", kind="category", taxonomy={"prefix": [1]}), "taxonomy"),
        ("zip", Column(role="quasi", kind="category"), "taxonomy"),
        ("ill", Column(role="sensitive", kind="number"), "kind"),
        ("ill", Column(role="carry", kind="category"), "role"),
        ("zip", Column(role="sensitive", kind="category", taxonomy={"prefix": [2]}), "quasi-identifiers"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_schema_that_says_something_else_than_the_recipe_is_refused(name: str, column: Column, word: str) -> None:
    refuse_other_schema(Recipe.of(RECIPE), Schema.model_construct(columns=SAID))
    with pytest.raises(AttackError, match=word):
        refuse_other_schema(Recipe.of(RECIPE), Schema.model_construct(columns=SAID | {name: column}))


def test_quasi_identifiers_in_another_order_are_another_table() -> None:
    other = {name: SAID[name] for name in ("size", "kids", "zip", "ill")}
    with pytest.raises(AttackError, match="in this order"):
        refuse_other_schema(Recipe.of(RECIPE), Schema.model_construct(columns=other))


def test_what_a_recipe_leaves_open_is_named() -> None:
    assert lacking_of(Recipe.of(RECIPE | {"suppressed": 0}), None, pc.Mondrian(l=2)) == ()
    (undeclared,) = lacking_of(Recipe.of({"suppressed": 0, "columns": []}), None, pc.Mondrian(l=2))
    assert "schema=" in undeclared
    assert lacking_of(Recipe.of({"suppressed": 0}), Schema.model_construct(columns=SAID), pc.Mondrian(l=2)) == ()
    close = pc.GreedyGrouping(model="t-closeness=0.2")
    for suppressed, number in ((0, 0), (1, 1), (None, 1), (True, 1)):
        assert len(lacking_of(Recipe.of(RECIPE | {"suppressed": suppressed}), None, close)) == number
    for alone in (pc.GreedyGrouping(l=2), pc.GreedyGrouping(l=2, binary=("a",))):  # which look at the group alone
        assert lacking_of(Recipe.of(RECIPE | {"suppressed": 1}), None, alone) == ()
    assert lacking_of(Recipe.of(RECIPE | {"suppressed": 1}), None, pc.GreedyGrouping(model="k-anonymity=2")) == ()


def test_how_many_rows_are_not_published() -> None:
    assert suppressed_rows(Recipe.of({"suppressed": 3}), pc.GreedyGrouping(l=2)) == 3
    assert suppressed_rows(Recipe.of({}), pc.GreedyGrouping(l=2)) is None
    assert suppressed_rows(None, None) is None
    assert suppressed_rows(None, pc.Tailor(l=2)) == 0  # which suppresses nobody


def test_what_is_not_known_stops_whoever_knows_a_method_that_gives_something_away() -> None:
    evidence = groups([20, 21, 40, 41], [0] * 4, pc.Mondrian(l=2), pc.Intervals())  # whose cut was refused
    unknown = replace(evidence, lacking=("give the schema",))
    with pytest.raises(NotKnown, match="give the schema"):
        require_known(unknown, Adversary(knows="algorithm"))
    two = replace(evidence, lacking=("give the schema", "name the identifier"))
    with pytest.raises(NotKnown) as found:
        require_known(two, Adversary(knows="algorithm"))
    assert found.value.message.problem.endswith("not known: give the schema; name the identifier")  # in a report too
    require_known(unknown, Adversary(knows="nothing"))
    require_known(evidence, Adversary(knows="algorithm"))
    require_known(replace(unknown, method=pc.Tailor(l=2)), Adversary(knows="algorithm"))  # which gives nothing away


def believed(evidence: Evidence, shares: list[dict[Any, float]], exactness: Exactness = Exactness.EXACT) -> Beliefs:
    """Beliefs with these posteriors."""
    risk = np.array([max(one.values()) for one in shares])
    told = Adversary(knows="algorithm")
    return Beliefs(told, evidence, risk, "some engine", lambda row: shares[row], str, exactness=exactness)


def test_the_larger_of_two_views_is_no_surer_than_the_less_sure_of_them() -> None:
    evidence = groups([20, 21, 40, 41], [0, 0, 1, 1], pc.Mondrian(l=2), pc.Intervals())
    told = believed(evidence, [{"a": 0.5, "b": 0.5}] * 4, Exactness.BOUND)
    alone = believed(evidence, [{"a": 0.75, "b": 0.25}] + [{"a": 0.5, "b": 0.5}] * 3)
    found = larger(told, alone)
    assert (found.max_risk, found.exactness) == (0.75, Exactness.BOUND)
    assert found.posterior_of(0) == {"a": 0.75, "b": 0.25}
    assert larger(alone, told).max_risk == 0.75


def test_the_larger_of_two_views_is_that_in_the_values_that_count() -> None:
    evidence = groups([20, 21, 40, 41], [0, 0, 1, 1], pc.Mondrian(l=2), pc.Intervals())
    evidence = replace(evidence, asked=("a",))
    told = believed(evidence, [{"a": 0.1, "b": 0.9}] * 4)
    alone = believed(evidence, [{"a": 0.4, "b": 0.6}] * 4)
    assert larger(told, alone).posterior_of(0) == {"a": 0.4, "b": 0.6}


def test_of_many_people_only_what_is_proved_bounds_the_other_view() -> None:
    rows = MOST_PEOPLE + 4
    names = [f"p{row:03}" for row in range(rows)]
    ill = ["abcd"[row * 7 // 3 % 4] for row in range(rows)]
    table = pl.DataFrame({"name": names, "age": [row % 4 for row in range(rows)], "ill": ill})
    for method, most in ((pc.Tailor(l=2), 0.5), (pc.Mondrian(l=2), 1.0)):
        release = pc.publish(table, method, recode=pc.Suppression(), **ROLES)
        assert len(release.private.grouping) > 1
        assert pc.attack(release, Adversary(knows="algorithm"), truth=table, **ROLES).at_most == most


UNNAMED = {"quasi": ["age"], "sensitive": "ill"}


def test_groups_of_whom_nobody_knows_the_order_may_tell_more_than_what_reads_as_one(tmp_path: Path) -> None:
    """Two groups of two read as a star: one of them may have nothing but a."""
    table = pl.DataFrame({"age": [20, 30, 30, 40], "ill": [*"aabb"]})
    folder = pc.publish(table, pc.Mondrian(k=2), recode=pc.Suppression(), **UNNAMED).write(tmp_path / "release")
    found = pc.attack(folder, Adversary(knows="algorithm"), truth=table)
    assert verdict_of(found, 1 / 2).standing is not Standing.HOLDS
    assert found.at_most == 1.0


@pytest.mark.parametrize(("facts", "most"), [((), 0.5), ((pc.Not(0, "b"),), 1.0)], ids=["no fact", "a fact"])
def test_what_is_proved_holds_for_whoever_knows_nobodys_value(facts: Any, most: float, tmp_path: Path) -> None:
    """The folder of a table without an identifier, whose groups nobody finds again."""
    table = pl.DataFrame({"age": [20, 30, 30, 40], "ill": [*"abab"]})
    releases = (pc.publish(table, pc.Audited(l=2), seed=seed, **UNNAMED) for seed in range(50))
    folder = next(one for one in releases if len(one.private.grouping) == 2).write(tmp_path / "release")
    found = pc.attack(folder, Adversary(knows="algorithm", facts=facts), truth=table)
    assert found.evidence.unsettled
    assert found.at_most == most


@pytest.mark.parametrize(("facts", "most"), [((), 0.5), ((pc.Not("p0", "b"),), 1.0)], ids=["no fact", "a fact"])
def test_so_does_what_counts_give_to_whoever_is_sure_who_is_in_the_table(facts: Any, most: float) -> None:
    names = ["p0", "p1", "p2", "p3", "p4"]
    crowd = pl.DataFrame({"name": names, "age": [20, 22, 24, 26, 23]})
    table = crowd[:4].with_columns(ill=pl.Series([*"abab"]))
    release = pc.publish(table, pc.Tailor(l=2), **ROLES)
    found = pc.attack(release, Adversary(knows="algorithm", facts=facts), population=crowd, identifier="name")
    assert found.at_most == most
    assert "not sure who is in the table" in found.other_view


def test_an_order_that_is_not_known_stops_only_where_it_tells_something() -> None:
    """The cut that was refused runs through two people aged 30, or between 25 and 30."""
    for ages, stops in (([20, 30, 30, 40], True), ([20, 25, 30, 40], False)):
        evidence = groups(ages, [0] * 4, pc.Mondrian(l=2, retry=False), pc.Intervals())
        unknown = replace(evidence, people=replace(evidence.people, order=None), lacking=(UNORDERED,))
        if stops:
            with pytest.raises(NotKnown, match="identifier="):
                require_known(unknown, Adversary(knows="algorithm"))
        else:
            require_known(unknown, Adversary(knows="algorithm"))


def test_an_order_that_decides_nothing_stops_nobody_whoever_may_be_in_the_table() -> None:
    """Strict cuts lie between ages, so that who stands first among equals is never asked."""
    anybody = Membership(np.arange(5), np.zeros(4, np.int32), np.ones(4), np.zeros(4, np.bool_))
    for strict in (False, True):
        evidence = groups([20, 30, 30, 40], [0] * 4, pc.Mondrian(l=2, strict=strict, retry=False), pc.Intervals())
        unknown = replace(evidence, people=replace(evidence.people, order=None), membership=anybody)
        assert order_matters(unknown) is not strict


def test_a_number_of_two_tables_stands_for_those_with_the_values_of_its_rows() -> None:
    evidence = groups([20, 30, 30, 40, 20, 50], [0, 0, 1, 1, 2, 2], pc.Anatomy(l=2), TwoTables())
    assert [mask.nonzero()[0].tolist() for mask in covering(evidence)] == [[0, 1, 2, 4], [1, 2, 3], [0, 4, 5]]


def test_the_lower_end_of_the_likeliest_value_says_nothing_of_one_that_is_protected() -> None:
    """A sample that shows 0.6 at least for b shows nothing for a; where a is the likeliest it shows that of a."""
    evidence = replace(groups([20, 21, 40, 41], [0, 0, 1, 1], pc.Mondrian(l=2), pc.Intervals()), asked=("a",))
    assert evidence.protected is not None
    shares = [{"a": 0.25, "b": 0.75}, {"a": 0.75, "b": 0.25}, {"a": 0.25, "b": 0.75}, {"a": 0.75, "b": 0.25}]
    sampled = believed(evidence, shares, Exactness.SAMPLED)
    ends = {"lower": np.array([0.6, 0.6, 0.75, 0.75]), "upper": np.array([0.9, 0.9, 0.75, 0.75])}
    counted = as_promised(replace(sampled, surely=np.full(4, 0.5), **ends))
    assert counted.risk.tolist() == [0.25, 0.75, 0.25, 0.75]
    assert counted.lower is not None
    assert counted.lower.tolist() == [0.0, 0.6, 0.25, 0.75]
    assert counted.surely is not None
    assert counted.surely.tolist() == [0.0, 0.5, 0.0, 0.5]


def test_worlds_that_read_the_same_differ_where_the_groups_are_told_and_are_others() -> None:
    """All are aged 30: the groups of Ann and Bob, Cid and Dan read like those of Ann and Cid, Bob and Dan."""
    evidence = groups([30] * 4, [0, 0, 1, 1], pc.GreedyGrouping(l=2), pc.Intervals())
    told, alone = MethodAtWork(evidence), MethodAtWork(evidence)
    alone.by_content = True
    seen: dict[bool, set[Any]] = {True: set(), False: set()}
    partitions = set()
    for values in sorted(set(permutations("aabb"))):
        table = pc.read(pl.DataFrame({"name": [*"ABCD"], "age": [30] * 4, "ill": values}), **ROLES)
        grouping = told.grouped(table, Coins.from_seed(1))
        assert grouping is not None
        partitions.add(partition_of(grouping))
        seen[True].add(told.published(table, Coins.from_seed(1)))
        seen[False].add(alone.published(table, Coins.from_seed(1)))
    assert len(partitions) > 1
    assert (len(seen[False]), len(seen[True])) == (1, len(partitions))


def test_where_all_of_the_table_is_published_nobody_is_suppressed() -> None:
    """Without a recipe nobody says so, but every person has a row; with one person more it is not known."""
    table = pl.DataFrame({"name": [*"stuv"], "age": [1, 2, 3, 4], "ill": [*"abab"]})
    published = pl.DataFrame({"age": ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"], "ill": [*"abab"]})
    told: dict[str, Any] = {
        "quasi": ["age"],
        "sensitive": "ill",
        "identifier": "name",
        "made_by": pc.GreedyGrouping(l=2),
    }
    found = pc.attack(published, Adversary(knows="nothing"), population=table.select("name", "age"), **told)
    assert found.evidence.origin is not None
    assert found.evidence.origin.suppressed == 0
    more = pl.concat([table, pl.DataFrame({"name": ["w"], "age": [2], "ill": ["a"]})])
    found = pc.attack(published, Adversary(knows="nothing"), population=more.select("name", "age"), **told)
    assert found.evidence.origin is not None
    assert found.evidence.origin.suppressed is None


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "another cut"])
def test_a_method_that_makes_other_groups_of_the_true_table_did_not_make_these(tmp_path: Path, ours: bool) -> None:
    """Both files satisfy l-diversity; Mondrian cuts these ages between 30 and 40, and another tool did below 30."""
    table = pl.DataFrame({"name": [*"ABCDEF"], "age": [20, 25, 30, 40, 45, 50], "ill": [*"xyxyxy"]})
    groups = [[20, 30], [40, 50]] if ours else [[20, 25], [30, 50]]
    cells = [next(f"[{low}, {high}]" for low, high in groups if low <= age <= high) for age in table["age"]]
    path = tmp_path / "theirs.csv"
    table.with_columns(age=pl.Series(cells)).drop("name").write_csv(path)
    method = pc.Mondrian(k=2, strict=True)
    schema = Schema(columns={"age": Column(role="quasi", kind="number"), "ill": Column(role="sensitive")})
    given: dict[str, Any] = {"schema": schema, "made_by": method, "truth": table, "identifier": "name"}
    if ours:
        assert pc.attack(path, Adversary(knows="algorithm"), **given).evidence.method == method
    else:
        with pytest.raises(Contradicted, match="makes other groups of the true table"):
            pc.attack(path, Adversary(knows="algorithm"), **given)


def test_of_a_variant_that_makes_these_groups_it_is_said_so(tmp_path: Path) -> None:
    """Four people of age 30: strict cuts keep them together, relaxed ones (what is said without strict=) do not."""
    table = pl.DataFrame({"name": [*"ABCDEFGH"], "age": [20, 30, 30, 30, 30, 40, 45, 50], "ill": [*"xyxyxyxy"]})
    path = tmp_path / "theirs.csv"
    pc.publish(table, pc.Mondrian(k=2, strict=True), **ROLES).frame.write_csv(path)
    schema = Schema(columns={"age": Column(role="quasi", kind="number"), "ill": Column(role="sensitive")})
    given: dict[str, Any] = {"schema": schema, "truth": table, "identifier": "name"}
    with pytest.raises(Contradicted, match="with strict=True it makes exactly these; say so") as wrong:
        pc.attack(path, Adversary(knows="algorithm"), made_by=pc.Mondrian(k=2), **given)
    assert "with --strict it makes exactly these" in in_options(wrong.value.message)
    assert pc.attack(path, Adversary(knows="algorithm"), made_by=pc.Mondrian(k=2, strict=True), **given).max_risk == 0.5


def test_look_alikes_are_told_apart_by_their_names_and_not_by_the_file(tmp_path: Path) -> None:
    """20 and 30, 30 and 40: which of those aged 30 is where follows from their names, also in a shuffled file."""
    ages = {"Ann": 20, "Bob": 30, "Cid": 30, "Dan": 40}
    table = pl.DataFrame({"name": [*ages], "age": [*ages.values()], "ill": [*"abcc"]})
    folder = pc.publish(table, pc.Mondrian(k=2), **ROLES).write(tmp_path / "release")
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        crowd = table.drop("ill")[order]
        found = pc.attack(folder, Adversary(knows="nothing"), population=crowd, identifier="name")
        said = dict(zip(crowd["name"].to_list(), found.risk.tolist(), strict=True))
        assert said == {"Ann": 0.5, "Bob": 0.5, "Cid": 1.0, "Dan": 1.0}


def test_where_groups_are_put_together_the_informed_are_bounded_and_those_who_know_more_are_not() -> None:
    table = pl.DataFrame({"name": [*"stuvw"], "age": [2, 1, 1, 3, 4], "ill": [*"abbca"]})
    release = pc.publish(table, pc.Anatomy(l=2, values=("a", "b"), k=2), **ROLES)
    known = {"truth": table, "identifier": "name"}
    assert pc.attack(release, Adversary(knows="algorithm"), **known).exactness is Exactness.BOUND
    more = Adversary(knows="algorithm", prior=pc.Distribution("age"))
    assert pc.attack(release, more, **known).exactness is Exactness.UNKNOWN


def test_worlds_are_not_listed_where_somebody_was_suppressed() -> None:
    evidence = groups([20, 21, 22, 23, 24], [0, 0, 0, 0, -1], pc.ART(r=2), pc.Intervals())
    with pytest.raises(NoLaw, match="truth="):
        by_worlds(evidence, Adversary(knows="algorithm"))


def test_ways_of_recoding_that_tell_differently_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = groups([20, 21, 40, 41], [0, 0, 1, 1], pc.AlphaK(alpha=0.5, k=2), pc.Intervals())
    evidence = replace(evidence, origin=PublishedFrom(recoder=pc.Intervals(), fingerprint=b"", assumed=True))

    def said(tried: Evidence, *_: Any) -> Beliefs:
        assert tried.origin is not None
        most = 0.75 if isinstance(tried.origin.recoder, Taxonomic) else 0.5
        return believed(tried, [{"a": most, "b": 1 - most}] * 4)

    monkeypatch.setattr("pellucid.risk.inference.world_enumeration._exactly", said)
    with pytest.raises(NoLaw, match="how its groups were recoded"):
        by_worlds(evidence, Adversary(knows="algorithm"))


def test_people_without_the_identifier_that_ordered_the_rows_show_nothing(tmp_path: Path) -> None:
    """The cut between Bob and Cid, both aged 30, was refused: which of them was left of it is not known."""
    names = ["Ann", "Bob", "Cid", "Dan"]
    table = pl.DataFrame({"name": names, "age": [20, 30, 30, 40], "ill": [*"aabb"]})
    folder = pc.publish(table, pc.Mondrian(l=2, retry=False), **ROLES).write(tmp_path / "release")
    with pytest.raises(NotKnown, match="identifier="):
        pc.attack(folder, Adversary(knows="algorithm"), population=table.select("age"))
