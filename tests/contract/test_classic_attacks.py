"""Every method's release is attacked by every classic attack that applies; the others say what they lack."""

from __future__ import annotations

import json
import warnings

import pytest

import pellucid as pc
from pellucid.anonymize.method import Method
from pellucid.anonymize.methods import methods
from pellucid.risk import classic_attacks
from pellucid.risk.views.known_groups import evidence_of_release, sensitive_column
from plain.settings import SETTINGS

ROLES = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
ALWAYS = {"prosecutor linkage", "marketer linkage", "uniqueness", "homogeneity", "background knowledge", "skewness"}


@pytest.mark.parametrize("name", sorted(set(methods()) & set(SETTINGS)))
def test_attacks_run_or_say_why_not(name: str) -> None:
    people = pc.datasets.patients()
    method: Method = SETTINGS[name](2, pc.read(people, **ROLES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = pc.publish(people, method, **ROLES, seed=3)
    table = pc.read(people, **ROLES)
    evidence = evidence_of_release(release, table)
    truth = table.codes[sensitive_column(table)[0]]
    blind, scored = classic_attacks(evidence), classic_attacks(evidence, truth=truth)
    assert {one.attack for one in blind if one.ran} >= ALWAYS
    assert all(one.reason for one in blind if not one.ran)
    json.dumps([one.record() for one in scored])
    for one, other in zip(blind, scored, strict=True):  # the truth scores and decides nothing
        assert (one.figure, one.exposed.tolist(), one.reason) == (other.figure, other.exposed.tolist(), other.reason)


def test_a_release_with_replaced_values_is_not_called_certain_without_saying_so() -> None:
    people = pc.datasets.census(400)
    roles = {"quasi": ["age", "education"], "sensitive": "occupation"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        masked = pc.publish(people, pc.Mask(k=3, l=2, sensitive=(str(people["occupation"][0]),)), **roles, seed=1)
        plain = pc.publish(people, pc.Mondrian(k=3), **roles, seed=1)
    table = pc.read(people, **roles)
    for release, said in ((masked, True), (plain, False)):
        for one in classic_attacks(evidence_of_release(release, table)):
            assert ("may be replaced" in one.sentence) == (said and one.ran)
