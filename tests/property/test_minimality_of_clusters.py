"""What minimality tells, of releases with clusters and of any groups: everybody's figures by trying every arrangement.

A release of households with some values protected has nearly as many kinds of groups as groups, and they are counted
side by side. Here each group is looked at by itself, person by person: who looks like whom, what people who look alike
have who are published as they are, and which ways to hand out the values leave some kind of people with too many.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.shape import Merged
from pellucid.risk.inference import group_shares, kind_tables
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.best_guess import best_guess
from pellucid.risk.inference.group_signatures import Kinds
from pellucid.risk.inference.infer import infer
from pellucid.risk.inference.kind_tables import KindShares, KindTable, lines_of
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups

LARGEST = 7  # rows of a group whose arrangements are tried
MINIMALITY = pc.Adversary(knows="minimality")
Look = tuple[int, ...]
Apart = dict[Look, Counter[Any]]  # what people of a look have who are published as they are


def households(random: np.random.Generator) -> pl.DataFrame:
    """People of homes of one to four; many look alike, and some have no disease that is told."""
    homes = np.repeat(np.arange(60), random.integers(1, 5, 60))
    rows = len(homes)
    diseases = np.array([*"abcdefghijkl", None], dtype=object)
    return pl.DataFrame(
        {
            "home": homes,
            "age": random.integers(0, 4, rows),
            "town": random.integers(0, 3, rows),
            "ill": random.choice(diseases, rows).tolist(),
            "pay": random.integers(10, 22, rows),
            "name": random.permutation(rows),
        },
        schema_overrides={"ill": pl.String},
    )


def settings(random: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any], str]:
    """A method's parameters, the roles of a call, and the column that is attacked."""
    method: dict[str, Any] = {"l": int(random.integers(2, 4))}
    both = random.random() < 0.3
    column = str(random.choice(["ill", "pay"])) if both else "ill"
    chosen = random.permutation(list("abcdefgh"))[: int(random.integers(1, 4))].tolist()
    if both:
        some = random.permutation(np.arange(10, 22))[:2].tolist()
        method["values"] = {"ill": chosen, "pay": some}
    elif random.random() < 0.8:
        method["values"] = chosen
    if random.random() < 0.4:
        method["cluster_rows"] = int(random.integers(1, 4))
    sensitive = ["ill", "pay"] if both else ["ill"]
    roles = {"quasi": ["age", "town"], "sensitive": sensitive, "cluster": "home", "identifier": "name"}
    return method, roles, column


def looks(evidence: Evidence) -> list[Look]:
    people = evidence.people
    return list(zip(*(people.codes[i].tolist() for i in (0, 1)), strict=True))


def published_as_they_are(evidence: Evidence, look_of: list[Look]) -> Apart:
    """What people who look alike have whose group has nobody else."""
    apart: Apart = {}
    for group in range(len(evidence.grouping)):
        of_group = {look_of[row] for row in evidence.members(group).tolist()}
        if len(of_group) == 1:
            codes, counts = evidence.counts(group)
            held = {evidence.values[c]: n for c, n in zip(codes.tolist(), counts.tolist(), strict=True)}
            apart.setdefault(of_group.pop(), Counter()).update(held)
    return apart


def too_many(look: Look, has: Counter[Any], apart: Apart, model: Any) -> bool:
    """Whether people who look so have a protected value too often, with those who are published as they are."""
    everybody = has + apart.get(look, Counter())
    counting = [n for v, n in everybody.items() if model.sensitive is None or str(v) in set(map(str, model.sensitive))]
    most = sum(counting) if model.together else max(counting, default=0)
    return most * model.l > everybody.total()


def expected(evidence: Evidence, group: int, look_of: list[Look], apart: Apart) -> list[dict[Any, Fraction]]:
    """Everybody's posterior in a group, by trying every arrangement of its values."""
    mine = [look_of[row] for row in evidence.members(group).tolist()]
    codes, counts = evidence.counts(group)
    held = [c for c, n in zip(codes.tolist(), counts.tolist(), strict=True) for _ in range(n)]
    tried = sorted(set(permutations(held)))
    if len(set(mine)) > 1:
        forced = []
        for arrangement in tried:
            has: dict[Look, Counter[Any]] = {look: Counter() for look in mine}
            for look, code in zip(mine, arrangement, strict=True):
                has[look][evidence.values[code]] += 1
            if any(too_many(look, has[look], apart, evidence.model) for look in has):
                forced.append(arrangement)
        tried = forced or tried  # where nothing can have forced it, it tells nothing
    shares = [Counter(arrangement[place] for arrangement in tried) for place in range(len(mine))]
    return [{evidence.values[c]: Fraction(own[c], len(tried)) for c in codes.tolist()} for own in shares]


def check(beliefs: Beliefs, protected: set[str] | None) -> int:
    """Compare everybody of groups that are small enough; how many people are believed more of than by counting."""
    evidence = beliefs.evidence
    look_of = looks(evidence)
    apart = published_as_they_are(evidence, look_of)
    chances = {value: beliefs.belief(value) for value in evidence.values}
    some = evidence.values[:3]
    assert beliefs.guesses is not None
    together, guesses, exposed = beliefs.belief(*some), beliefs.guesses(), 0
    for group in range(len(evidence.grouping)):
        if evidence.published.sizes[group] > LARGEST:
            continue
        by_person = expected(evidence, group, look_of, apart)
        for row, posterior in zip(evidence.members(group).tolist(), by_person, strict=True):
            counting = [p for v, p in posterior.items() if protected is None or str(v) in protected]
            assert beliefs.risk[row] == pytest.approx(float(max(counting, default=Fraction(0))), abs=1e-12)
            assert [chances[v][row] for v in evidence.values] == pytest.approx(
                [float(posterior.get(v, 0)) for v in evidence.values], abs=1e-12
            )
            assert together[row] == pytest.approx(float(sum(posterior.get(v, Fraction(0)) for v in some)), abs=1e-12)
            assert evidence.values[int(guesses[row])] == best_guess({v: float(p) for v, p in posterior.items()})
            exposed += beliefs.risk[row] > evidence.baseline[row] + 1e-12
    return exposed


def attacked(seed: int, folder: Path) -> tuple[Beliefs, set[str] | None] | None:
    """What somebody believes who knows minimality and who is in which group, and which values count; None: no release.

    Every other release is read from its folder.
    """
    random = np.random.default_rng(seed)
    frame = households(random)
    method, roles, column = settings(random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            release = pc.publish(frame, pc.SoftCut(**method), seed=seed, **roles)
        except pc.Infeasible:
            return None
        if seed % 2:
            beliefs = pc.attack(release, MINIMALITY, truth=frame, sensitive=column)
        else:
            release.write(folder)
            labels = release.private.labels
            beliefs = pc.attack(folder, MINIMALITY, truth=frame, groups=labels, sensitive=column)
    values = method.get("values")
    protected = values[column] if isinstance(values, dict) else values
    return beliefs, None if protected is None else set(map(str, protected))


@pytest.mark.parametrize("at_once", [1, 1_000])  # few figures at a time, or all
@pytest.mark.parametrize("first", range(0, 80, 8))
def test_everybody_is_believed_what_every_arrangement_gives(
    first: int, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_shares, "KINDS_AT_ONCE", at_once)
    monkeypatch.setattr(kind_tables, "AT_ONCE", 20 * at_once)
    tried = told = 0
    for seed in range(first, first + 8):
        found = attacked(seed, tmp_path / str(seed))
        if found is not None:
            told += check(*found)
            tried += 1
    assert tried > 3
    assert told > 0  # minimality is not always mistaken for counting


def any_groups(random: np.random.Generator, *, sensitive: Sequence[str] | None, together: bool) -> Evidence:
    """People in groups as they come; now and then groups of one look. Values are repeated, and some are in no group."""
    rows = 40
    frame = pl.DataFrame(
        {
            "age": random.integers(0, 3, rows),
            "town": random.integers(0, 2, rows),
            "ill": [*"abcd", *random.choice(["a", "b", "c", "d", None], rows - 4).tolist()],
        }
    )
    table = pc.read(frame, quasi=["age", "town"], sensitive="ill")
    alone = random.random(rows) < random.choice([0.0, 0.4])
    of_look = table.codes[0] * 2 + table.codes[1]
    labels = np.where(alone, of_look * 3 + random.integers(0, 3, rows), 20 + random.integers(0, 8, rows))
    labels[random.random(rows) < 0.1] = -1
    _, numbered = np.unique(labels, return_inverse=True)
    model = pc.LDiversity(l=int(random.integers(2, 4)), sensitive=sensitive, together=together)
    return evidence_of_groups(table, numbered - (labels.min() < 0), model=model)


@pytest.mark.parametrize(
    ("sensitive", "together"), [(None, False), (("a",), False), (("a", "b"), False), (("a", "b"), True)]
)
def test_any_groups_tell_what_every_arrangement_gives(sensitive: Sequence[str] | None, together: bool) -> None:
    told = 0
    for seed in range(30):
        evidence = any_groups(np.random.default_rng(seed), sensitive=sensitive, together=together)
        told += check(infer(evidence, MINIMALITY), None)
    assert told > 0


def test_figures_that_are_certain_stay_so_beside_others() -> None:
    """Kinds that are told one by one: the first is sampled, the second is not, and the third is counted with others."""
    column = SensitiveColumn(["a", "b"], [1, 1])
    sampled = Merged((1, 1), pc.DistinctLDiversity(l=2), (("a", 1), ("b", 1)))
    limited = Merged((1, 1), pc.LDiversity(l=2), (("a", 1), ("b", 1)))
    shares = [[0.5, 0.5], [0.25, 0.75]]
    told = [KindShares(sampled, shares, [[0.1, 0.1]] * 2, [[0.9, 0.9]] * 2), KindShares(sampled, shares)]
    looks = [(sampled, column), (sampled, column), (limited, column)]
    lines = lines_of(looks, range(3), 1_000, lambda number: told[number])
    kinds = Kinds(np.arange(3), np.arange(3))
    most, least, at_most = (figures.tolist() for figures in KindTable.of(kinds, [lines, lines]).largest())
    assert most == [0.5, 0.75, 0.5, 0.75, 0.5, 0.5] * 2
    assert least == [0.1, 0.1, 0.5, 0.75, 0.5, 0.5] * 2
    assert at_most == [0.9, 0.9, 0.5, 0.75, 0.5, 0.5] * 2
