"""How large groups are is told in one way everywhere, or with the reason why figures differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pellucid as pc
from pellucid.app.cli import main
from plain.promise_words import plainly
from report.clinic import written


def test_numbers_shown_at_different_places_agree_or_say_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table, roles = written(tmp_path)
    words = ["publish", str(table), "--schema", str(roles), "--method", "hybrid", "--l", "3", "--recode", "taxonomy"]
    assert main([*words, "--seed", "7", "--out", "out"]) == 0
    told = plainly(capsys.readouterr().out)
    data = pc.read("out/data.csv", quasi=["age", "zip", "born", "sex"], sensitive="disease")
    sizes = np.unique(np.stack(data.codes[:-1]), axis=1, return_counts=True)[1]  # as a reader counts them
    median, mean = f"{np.median(sizes):g}", f"{sizes.mean():.1f}"
    assert f"{len(sizes)} that a reader can tell apart, of {sizes.min()} to {sizes.max()} rows" in told
    assert f"(median {median}, {mean} on average); the other groups are published alike" in told
    (score,) = pc.measure(tmp_path / "out", table, [pc.AverageClassSize()], schema=roles)
    assert score.meaning == f"{mean} rows are published alike on average, {median} in the median class"
    page = plainly(pc.report(tmp_path / "out", audience="public", schema=roles).html)
    assert f"in {len(sizes)} groups of {sizes.min()} to {sizes.max()} rows" in page
    assert f"{median} in the middle and {mean} on average, as a reader can tell them apart" in page
