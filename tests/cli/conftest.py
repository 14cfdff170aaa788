"""Two ways to run the program: as a process of its own, as a person does, and within the test, which is quicker."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cli.program import PROGRAM, Outcome, Program
from pellucid.cli.program import main
from pellucid.datasets import patients


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder with the eight patients in a CSV file."""
    monkeypatch.chdir(tmp_path)
    patients().write_csv("patients.csv")
    return tmp_path


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Program:
    """Run the program within the test."""

    def call(*words: str | Path) -> Outcome:
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def out(folder: Path, call: Program) -> Path:
    """A release of the patients."""
    assert call("publish", "patients", "--l", "2", "--out", "out").code == 0
    return folder / "out"


@pytest.fixture
def run() -> Program:
    """Run the program as a process of its own."""

    def run(*words: str | Path, **environment: str) -> Outcome:
        done = subprocess.run(
            [*PROGRAM, *map(str, words)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=os.environ | environment,
            timeout=900,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run
