"""The worst groups in words: groups share the largest belief only if theirs is as large."""

from __future__ import annotations

import polars as pl

import pellucid as pc
from pellucid.risk.report.worst_groups import tie_of, worst_groups


def test_groups_of_which_less_is_believed_do_not_share_the_largest_belief() -> None:
    people = pl.DataFrame({"age": [20, 21, 80, 80, 80], "ill": ["a", "b", "c", "d", "e"]})
    roles = {"quasi": ["age"], "sensitive": "ill"}
    release = pc.publish(people, pc.Tailor(l=2), **roles)
    (attempt,) = pc.attack_all(release, truth=people, adversaries=["algorithm"], **roles).attempts
    beliefs = [round(belief, 6) for belief in (one.belief for one in worst_groups(attempt))]
    assert beliefs == [0.5, 0.333333]
    assert tie_of(attempt) is None
