"""A gate must not turn green because nobody read why it is red."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid as pc

PROGRAM = Path(sys.executable).parent / "pellucid"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_verify_with_a_reader_that_left_does_not_end_with_zero(options: list[str], tmp_path: Path) -> None:
    table = tmp_path / "same.csv"
    table.write_text("a,d\n" + "1,x\n" * 3000)
    command = [PROGRAM, "verify", table, "--quasi", "a", "--sensitive", "d", "--require", "l-diversity=3", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as verify:
        assert verify.stdout is not None
        verify.stdout.close()
        assert verify.wait() != 0


def test_risks_of_finding_people_are_not_claimed_of_a_release_that_publishes_quasi_identifiers_as_they_are() -> None:
    release = pc.publish(
        pc.datasets.census(2000),
        pc.Hybrid(l=4),
        quasi=["age", "gender", "education", "birthplace"],
        sensitive="occupation",
        recode=pc.Anatomy(),
    )
    found = pc.levels(release)
    risky = {"maximum re-identification risk", "average re-identification risk", "sample uniqueness"}
    assert risky <= set(found.unanswered)
    assert not risky & {level.model for level in found}
    with pytest.raises(pc.ModelError, match="published as they are"):
        pc.verify(release, [pc.SampleUniqueness(share=0)])


def test_models_take_their_parameters_by_name_and_numbers_from_numpy() -> None:
    with pytest.raises(pc.ModelError, match=r"write KAnonymity\(k=5\)"):
        pc.KAnonymity(5)
    assert pc.KAnonymity(k=np.int64(5)) == pc.KAnonymity(k=5)
