"""A run passes in spite of a failed test only if that talks to another program, and passes when it is alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import second_try

PAGE, JAVA = "tests/web/test_serve.py::test_x[SIGHUP]", "tests/engines/test_spark_ended.py::test_y"
COMPUTING = "tests/oracle/test_opening.py::test_z[3]"


@pytest.mark.parametrize(
    "computing",
    [
        COMPUTING,
        "tests/unit/test_models.py::test_a",
        "tests/contract/test_other_processes.py::test_b",
        "tests/cli/test_verb_attack.py::test_c",
        "src/pellucid/core/coins.py::pellucid.core.coins",
        "tests/web/test_serve.py",  # a file that cannot be read
        "tests/webs/test_serve.py::test_d",
    ],
)
def test_what_computes_has_no_second_chance_and_spoils_that_of_others(computing: str) -> None:
    assert second_try.to_try([computing]) == []
    assert second_try.to_try([PAGE, computing, JAVA]) == []


def test_what_talks_to_another_program_has() -> None:
    interrupted = "tests/cli/test_interrupt.py::test_x"
    assert second_try.to_try([PAGE, JAVA, PAGE, interrupted]) == [interrupted, JAVA, PAGE]


def test_what_is_listed_exists() -> None:
    for place in second_try.TALKING:
        assert (Path(__file__).parents[2] / place.removesuffix("::")).exists()


class Runs:
    """Stands for the second run, whose outcome is known."""

    def __init__(self, **outcome: Any) -> None:
        self.outcome = {"failed": [], "passed": [], "closing": "2 passed", "seed": 7, "code": 0} | outcome
        self.asked: list[tuple[list[str], int, list[str]]] = []

    def __call__(self, names: Sequence[str], seed: int, arguments: Sequence[str]) -> dict[str, Any]:
        self.asked.append((list(names), seed, list(arguments)))
        return self.outcome


def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failed: list[str], second: Runs) -> int:
    account = tmp_path / "account.json"
    first = {"failed": failed, "passed": [], "closing": "2 failed, 8684 passed", "seed": 7}
    account.write_text(json.dumps(first), encoding="utf-8")
    monkeypatch.setattr(second_try, "run_alone", second)
    return second_try.main(str(account), "--thorough")


def test_all_of_them_pass_alone_and_the_last_lines_name_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second = Runs(passed=[JAVA, PAGE])
    assert judged(tmp_path, monkeypatch, [PAGE, JAVA], second) == 0
    assert second.asked == [([JAVA, PAGE], 7, ["--thorough"])]
    *_, title, one, other, closing, _ = capsys.readouterr().out.splitlines()
    assert title.startswith("UNSTEADY: 2 tests")
    assert [one.strip(), other.strip()] == [JAVA, PAGE]
    assert "2 failed, 8684 passed" in closing


@pytest.mark.parametrize(
    "outcome",
    [
        {"failed": [PAGE], "passed": [JAVA], "code": 1},
        {"failed": [PAGE], "passed": [PAGE, JAVA], "code": 1},  # it passed, and then failed to clear up
        {"passed": [JAVA]},  # the other was skipped
        {"passed": [JAVA, PAGE], "code": 3},
        {"code": 5},
    ],
)
def test_it_fails_where_one_of_them_does_not_pass(
    outcome: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert judged(tmp_path, monkeypatch, [PAGE, JAVA], Runs(**outcome)) == (outcome.get("code") or 1)
    assert "UNSTEADY" not in capsys.readouterr().out


def test_nothing_is_tried_where_something_else_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second = Runs(passed=[PAGE, COMPUTING])
    assert judged(tmp_path, monkeypatch, [PAGE, COMPUTING], second) == 1
    assert second.asked == []
    assert judged(tmp_path, monkeypatch, [], second) == 1  # nothing failed, and yet the run did
