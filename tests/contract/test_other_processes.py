"""A process that we start runs our modules, and nothing that happens to lie in the working directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMPARE = """
import pellucid as pc
roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
found = pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2)], [pc.Perimeter()], [pc.Adversary()], **roles)
print(found.cells[0].method, found.cells[0].groups > 0)
"""
SERVE = """
import sys
from pathlib import Path
from pellucid.web.jobs import Worker
worker = Worker(Path(sys.argv[1]))
try:
    worker.call("nothing that we can do", {}, print)
except Exception as told:
    print(told)
worker.kill()
"""
OWN_METHOD = """
import pellucid as pc
import my_methods
roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
found = pc.compare(pc.datasets.patients(), [my_methods.Mine(k=2)], [pc.Perimeter()], [pc.Adversary()], **roles)
print(found.cells[0].method)
"""


def run_in(folder: Path, code: str, *flags: str) -> str:
    """What a program prints that runs in a folder."""
    places = os.pathsep.join(str(Path(path).resolve()) for path in sys.path if path)
    command = [sys.executable, *flags, "-c", code, str(folder)]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"PYTHONPATH": places}, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(("code", "told"), [(COMPARE, "hybrid True"), (SERVE, "KeyError")], ids=["compare", "serve"])
def test_files_beside_the_data_are_not_run(tmp_path: Path, code: str, told: str) -> None:
    for name in ("decimal", "json", "fractions"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'was run')!r}, 'w').close()\nraise SystemExit\n")
    assert told in run_in(tmp_path, code, "-P")  # as the installed program: without the working directory
    assert not (tmp_path / "was run").exists()


def test_a_method_in_the_working_directory_is_still_found(tmp_path: Path) -> None:
    (tmp_path / "my_methods.py").write_text(
        "import pellucid as pc\n\n\nclass Mine(pc.Mondrian):\n    name = 'mine'\n    summary = 'as Mondrian'\n"
    )
    assert run_in(tmp_path, OWN_METHOD).strip() == "mine"
