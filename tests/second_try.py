"""Whether a run passes in which tests failed that talk to another program: they are tried once more, alone.

A browser, Java, a server or a process that is killed may be slow in its own way, and one such test must not cost the
work of a day. So those that failed run again in one process, with the same seed. If every one of them passes, so does
the run, and its last lines say which tests were unsteady; they are to be mended. A test that computes gets no second
chance, and where one of those failed nothing is tried: a case that was drawn and fails is a finding.

    python tests/second_try.py ACCOUNT [--thorough]

script/test calls it with the account that pytest wrote into the file that the environment's ``PELLUCID_ACCOUNT`` names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ACCOUNT = "PELLUCID_ACCOUNT"
# What starts, stops or waits for another program. Of tests/cli the files whose tests do.
TALKING = (
    "tests/engines/",
    "tests/faults/",
    "tests/web/",
    "tests/cli/test_interrupt.py::",
    "tests/cli/test_program.py::",
    "tests/cli/test_progress_bar.py::",
)


def to_try(failed: Sequence[str]) -> list[str]:
    """The tests that are tried again: all that failed, or none where one of them computes, or is no test at all."""
    return sorted(set(failed)) if all(name.startswith(TALKING) and "::" in name for name in failed) else []


def main(account: str, *arguments: str) -> int:
    """The exit code of the run."""
    first = read_account(Path(account))
    names = to_try(first["failed"])
    if not names:
        print("==> no second try: not every test that failed talks to another program", flush=True)
        return 1
    print(f"==> {_tests(len(names))} failed that talk to other programs: once more, alone", flush=True)
    second = run_alone(names, first["seed"], arguments)
    again = [name for name in names if name in second["failed"] or name not in second["passed"]]
    if again or second["code"]:
        print(f"==> failed again, or did not run: {', '.join(again) or 'something else'}", flush=True)
        return second["code"] or 1
    print("", "=" * 100, sep="\n")
    print(f"UNSTEADY: {_tests(len(names))} failed among the others and passed alone. The run passes; mend them:")
    print(*(f"  {name}" for name in names), sep="\n")
    print(f"the whole run: {first['closing']}; the second try: {second['closing']}", "=" * 100, sep="\n", flush=True)
    return 0


def run_alone(names: Sequence[str], seed: int, arguments: Sequence[str]) -> dict[str, Any]:
    """The account of a run of these tests in one process, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        account = Path(folder) / "account.json"
        words = [sys.executable, "-m", "pytest", "-n", "0", f"--randomly-seed={seed}", *arguments, *names]
        code = subprocess.call(words, env=os.environ | {ACCOUNT: str(account)})
        return {**read_account(account), "code": code}


def read_account(file: Path) -> dict[str, Any]:
    """What pytest told; it tells nothing where it could not even begin."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    told: dict[str, Any] = json.loads(text or '{"failed": [], "passed": [], "closing": "nothing ran", "seed": 0}')
    return told


def _tests(number: int) -> str:
    return "1 test" if number == 1 else f"{number} tests"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
