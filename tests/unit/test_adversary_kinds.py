"""One record per kind of adversary: who is tried as one of a kind is of that kind, and every reader knows the kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

import pellucid as pc
from pellucid.risk.adversary_kinds import KINDS, KindName, kind_of

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "attack.schema.json"


@pytest.mark.parametrize("name", KINDS)
def test_those_who_are_tried_as_one_of_a_kind_are_of_that_kind(name: KindName) -> None:
    tried = KINDS[name].tried(["age", "zipcode"])
    assert tried
    assert {kind_of(one) for one in tried} == {name}
    assert (len(tried) > 1) is KINDS[name].by_column
    assert kind_of(eval(KINDS[name].in_python, {"pc": pc})) == name


@pytest.mark.parametrize("name", KINDS)
def test_nobody_is_both_covered_by_a_promise_and_mistaken_under_it(name: KindName) -> None:
    kind = KINDS[name]
    assert not {*kind.covered_by} & {*kind.mistaken_under}
    assert kind.reasons or not kind.covered_by, "a promise covers those who reason from the release and the method"


def test_names_and_the_order_in_which_they_are_tried_are_unambiguous() -> None:
    for told in ("name", "promised_to", "cost"):
        assert len({getattr(kind, told) for kind in KINDS.values()}) == len(KINDS)


def test_type_checkers_and_readers_of_json_know_every_kind() -> None:
    assert get_args(KindName) == tuple(KINDS)
    assert json.loads(SCHEMA.read_text())["$defs"]["kind"]["enum"] == list(KINDS)
