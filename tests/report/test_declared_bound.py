"""What a release promises comes from what its method declares, and from no parameter that happens to be called l.

A bound from above that is above 1/l is no broken promise: the report says that it is not shown, and what to give.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.comparison.cell import bound_of
from pellucid.datasets import schema_of
from pellucid.reports.promise import bounds_of
from pellucid.risk.attack_all import attack_all
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import promise_status
from pellucid.risk.report.undecided import surely_exceeds

pytestmark = [
    pytest.mark.filterwarnings("ignore:seed= fixes the coins"),
    pytest.mark.filterwarnings("ignore:.*does not withstand somebody who knows how it works"),
]

SKEWED = pl.DataFrame({"age": list(range(12)), "d": (["flu"] * 5 + ["HIV"]) * 2})
EVEN = pl.DataFrame({"age": list(range(20, 38)), "d": ["flu", "HIV", "cold", "gout", "mumps", "none"] * 3})
ROLES: dict[str, Any] = {"quasi": "age", "sensitive": "d"}
INFORMED = "knows the algorithm, its parameters and everybody's quasi-identifiers"
COUNTING = "knows only the release"
UNBOUNDED = [
    pc.Tailor(model="distinct l-diversity=2"),
    pc.Mondrian(model="distinct l-diversity=2"),
    pc.Mondrian(model=pc.RecursiveDiversity(c=6, l=2)),
    pc.SymmetricGrouping(model="distinct l-diversity=2"),
]
CENSUS = "census:60"


@pytest.mark.parametrize("method", UNBOUNDED, ids=repr)
def test_a_model_that_bounds_no_share_is_not_said_to_bound_one(method: pc.Method) -> None:
    release = pc.publish(SKEWED, method, seed=1, **ROLES)
    page = pc.report(release, audience="public").html
    assert "at most 1/2" not in page
    private = pc.report(release, SKEWED, audience="private", **ROLES).html
    assert "The promise is not kept" not in private
    assert "people above 1/2" not in private
    assert "dashed line is 1/2" not in private
    assert bound_of(method) is None


@pytest.mark.parametrize("method", UNBOUNDED, ids=repr)
def test_an_attack_does_not_judge_such_a_release_by_one_over_l(method: pc.Method) -> None:
    found = pc.attack_all(pc.publish(SKEWED, method, seed=1, **ROLES), truth=SKEWED, adversaries=["nothing"], **ROLES)
    assert found.max_risk > 1 / 2
    assert (found.limit, found.l, found.bound, result_of(found).bound) == (None, None, None, None)
    assert result_of(found, most=Fraction(1, 4)).bound == Fraction(1, 4)
    with pytest.raises(pc.AttackError, match="promises no bound"):
        found.keeps()


@pytest.mark.parametrize("l", [2, 3])
@pytest.mark.parametrize("kind", ["symmetric-grouping", "mondrian"])
def test_what_is_said_by_attacker_is_what_the_sentence_says(kind: str, l: int) -> None:
    method = pc.SymmetricGrouping(l=l) if kind == "symmetric-grouping" else pc.Mondrian(l=l, retry=False)
    release = pc.publish(EVEN, method, seed=1, **ROLES)
    most = Fraction(2, 2 * l - 1)
    assert f"at most {most}" in release.recipe["sentence"]
    told = dict(bounds_of(method.claim, method))
    assert told[COUNTING] == f"at most 1/{l}"
    assert told[INFORMED] == f"at most {most} ({method.unproved})"
    assert "not proved" in told[INFORMED]
    assert method.proved is None
    found = pc.attack_all(release, truth=EVEN, adversaries=["nothing", "algorithm"], **ROLES)
    assert (found.limit, found.l) == (most, None)
    assert found.keeps()
    assert bound_of(method) == 1 / most


def test_every_bound_of_a_method_is_proved_or_said_not_to_be() -> None:
    """Whoever knows the method is told a figure only where it is proved, or with how it is known."""
    for kind in methods().values():
        if "l" not in kind.model_fields or kind.name in ("mask", "art"):
            continue
        also = {"spurious-records": {"k": 3}, "randomized-greedy-grouping": {"p": 0.5}}.get(kind.name, {})
        method = kind(l=3, **also)
        said = dict(bounds_of(method.claim, method))[INFORMED]
        if method.assumption is not None:  # it differs from person to person
            assert said == "what the sentence says"
        elif method.claim == "algorithm":
            assert said == f"at most {method.proved}" or said.endswith("not proved)"), kind.name
        else:
            assert said == "nothing is promised"


@pytest.mark.parametrize("audience", ["public", "private"])
def test_the_table_of_what_is_promised_says_which_values_it_is_about(audience: Any) -> None:
    release = pc.publish(SKEWED, pc.SoftCut(l=5, values=["HIV"]), seed=1, **ROLES)
    page = pc.report(release, *([SKEWED] if audience == "private" else []), audience=audience).html
    (head,) = re.findall(r"<th>(names [^<]*with probability)</th>", page)
    assert head == "names one person&#39;s value, of those protected (HIV; no other value is), with probability"
    whole = pc.report(pc.publish(EVEN, pc.SoftCut(l=5), seed=1, **ROLES), audience="public").html
    assert "<th>names one person&#39;s value with probability</th>" in whole


@pytest.mark.parametrize("name", ["opt-gen", "injector", "soft-cut", "spurious-records"])
def test_l_of_one_is_said_to_promise_nothing(name: str) -> None:
    table = pc.read(EVEN, **ROLES)
    method = methods()[name](l=1, **({"k": 1} if name == "spurious-records" else {}))
    assert method.sentence(table).startswith("l = 1 promises nothing")


def test_where_nothing_is_promised_no_value_is_called_protected() -> None:
    release = pc.publish(SKEWED, pc.SoftCut(l=1, values=["HIV"]), seed=1, **ROLES)
    assert release.recipe["sentence"].startswith("l = 1 promises nothing")
    assert "protected" not in release.recipe["sentence"]


def test_the_sentence_about_several_columns_reads_well() -> None:
    both = EVEN.with_columns(e=pl.col("d").reverse())
    told = pc.SoftCut(l=2, values={"d": ["HIV"]}).sentence(pc.read(both, quasi="age", sensitive=["d", "e"]))
    assert "'HIV' as any one person's d and any one person's e, each by itself, with probability at most 1/2." in told


@pytest.mark.parametrize("values", [{"d": ()}, {"d": []}, {"d": None}, {"d": set()}])
def test_no_value_of_a_column_is_refused_with_a_way_out(values: Any) -> None:
    with pytest.raises(pc.MethodError, match=r"names no value of 'd'; .* leave the column out") as refused:
        pc.SoftCut(l=2, values=values)
    assert "\n" not in str(refused.value)


@pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")
def test_a_bound_from_above_is_no_broken_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As before something was proved of the method, which bounds the figure from above today."""
    monkeypatch.setattr(import_module("pellucid.risk.inference.select_engine"), "as_proved", lambda beliefs: beliefs)
    schema = schema_of(CENSUS)
    release = pc.publish(pc.read(CENSUS, schema=schema), pc.SoftCut(l=2), seed=1)
    release.write(tmp_path / "out")
    report = attack_all(tmp_path / "out", truth=CENSUS, schema=schema, adversaries=["nothing", "algorithm"])
    informed = report.attempts[1]
    assert informed.exceeds  # by the figure from above
    assert not len(informed.surely_above)
    assert surely_exceeds(informed) is None
    found = result_of(report, "algorithm")
    assert not found.broken
    standing = promise_status(found)
    assert "It is not shown that somebody who knows the algorithm stays within 1/2" in standing.covered
    assert "believes more than" not in standing.covered
    private = pc.report(tmp_path / "out", CENSUS, schema=schema, attacks=report, scores=[]).html
    assert "The promise is not kept" not in private
    assert "--groups FILE" in private


def test_a_promise_about_some_values_can_be_broken_too(tmp_path: Path) -> None:
    ill = ["hiv", "flu", "flu", "flu", "cold", "flu", "hiv", "cold"]
    table = pl.DataFrame({"name": list("abcdefgh"), "age": range(20, 28), "ill": ill})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "identifier": "name"}
    folder = pc.publish(table, pc.Hybrid(l=2, values=("hiv",)), **roles).write(tmp_path / "out")
    table.write_csv(tmp_path / "people.csv")
    for l, kept in ((2, True), (4, False)):  # the second recipe promises what was not done
        recipe = json.loads((folder / "recipe.json").read_text())
        recipe["parameters"]["l"] = l
        (folder / "recipe.json").write_text(json.dumps(recipe))
        given: dict[str, Any] = {"truth": tmp_path / "people.csv", "identifier": "name", "adversaries": ["nothing"]}
        report = attack_all(folder, **given)
        found = result_of(report, "algorithm", "hiv")
        assert found.broken is not kept
        assert "'s ill being 'hiv'" in promise_status(found).covered
        page = pc.report(folder, tmp_path / "people.csv", identifier="name", attacks=report, scores=[]).html
        assert ("The promise is not kept" in page) is not kept
        assert "the figures are about every value" not in page
