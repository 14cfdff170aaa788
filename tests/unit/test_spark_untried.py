"""With Spark, whoever is asked about and cannot be tried there is refused, and counts for nothing."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from pellucid.app.attack_on_spark import attack_by_spark
from pellucid.attacking.adversary_kinds import KINDS, KindName
from pellucid.errors import AttackError
from pellucid.schema import Roles


@pytest.mark.parametrize("asked", [("algorithm", "learned"), ("learned",), tuple(KINDS)])
def test_an_attacker_who_cannot_be_tried_with_spark_is_refused(asked: tuple[KindName, ...]) -> None:
    with pytest.raises(AttackError, match=r"learned.*attack without --engine spark"):
        attack_by_spark("nowhere", Roles(), nullcontext(), adversaries=asked, most=None, as_json=False)
