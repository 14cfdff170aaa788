"""What must work wherever the package was installed: run on every wheel, against the installed package alone.

Nothing here imports from the checkout's tests or needs more than pytest; what needs an extra is skipped without it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin

import pytest

import pellucid as pc

PATIENTS = {
    "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal"],
    "age": [21, 24, 30, 33, 47, 51, 58, 62],
    "disease": ["flu", "cold", "gout", "flu", "cold", "gout", "mumps", "flu"],
}
WEB = all(find_spec(name) for name in ("uvicorn", "starlette", "jinja2", "python_multipart", "vl_convert"))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    lines = [",".join(PATIENTS), *(",".join(map(str, row)) for row in zip(*PATIENTS.values(), strict=True))]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def run(*words: str, folder: Path, expected: int = 0) -> str:
    program = [sys.executable, "-m", "pellucid", *words]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout


def test_the_installed_package_is_tested_and_not_the_checkout() -> None:
    if os.environ.get("PELLUCID_SMOKE") != "installed":
        pytest.skip("only script/wheel and the build server ask this")
    assert "site-packages" in str(pc.__file__)


def test_the_papers_experiments_are_in_the_source_alone(tmp_path: Path) -> None:
    if os.environ.get("PELLUCID_SMOKE") != "installed":
        pytest.skip("a checkout has them")
    done = subprocess.run(
        [sys.executable, "-m", "pellucid", "reproduce", "--list"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "get the source" in done.stderr


def test_every_kernel_is_compiled() -> None:
    kernels = Path(str(pc.__file__)).parent / "kernels"
    names = sorted(path.stem for path in kernels.glob("*.py") if path.stem != "__init__")
    assert names
    for name in names:
        assert str(import_module(f"pellucid.kernels.{name}").__file__).endswith(tuple(EXTENSION_SUFFIXES)), name


def test_every_public_name_can_be_imported() -> None:
    for name in pc.__all__:
        assert getattr(pc, name) is not None


def test_every_method_is_listed(tmp_path: Path) -> None:
    assert "soft-cut" in run("methods", folder=tmp_path)


def test_a_table_is_published_verified_attacked_and_measured(table: Path) -> None:
    folder = table.parent
    columns = ("--quasi", "age", "--sensitive", "disease", "--identifier", "name")
    run("publish", "patients.csv", *columns, "--l", "2", "--out", "out", folder=folder)
    assert json.loads((folder / "out" / "recipe.json").read_text())["guarantee"] == "algorithm"
    run("verify", "out", "--require", "l-diversity=2", folder=folder)
    run("verify", "out", "--require", "l-diversity=9", folder=folder, expected=1)
    assert json.loads(run("levels", "out", "--json", folder=folder))
    believed = json.loads(run("attack", "out", "--truth", "patients.csv", "--json", folder=folder))
    assert believed
    assert json.loads(run("measure", "out", "--original", "patients.csv", "--json", folder=folder))


def test_two_threads_publish_what_one_does() -> None:
    census = pc.datasets.census(20_000, seed=3)
    with pytest.warns(pc.SecretSeedWarning):
        one, two = (
            pc.publish(census, pc.SoftCut(l=4), quasi=["age", "education"], sensitive="occupation", threads=n, seed=5)
            for n in (1, 2)
        )
    assert one.frame.equals(two.frame)


def test_the_demo_runs(tmp_path: Path) -> None:
    assert "SoftCut" in run("demo", "--out", "release", folder=tmp_path)
    assert (tmp_path / "release" / "recipe.json").is_file()


@pytest.mark.skipif(not WEB, reason="the extra 'web' is not installed")
def test_the_report_and_the_page_answer(table: Path) -> None:
    folder = table.parent
    run("publish", "patients.csv", "--quasi", "age", "--sensitive", "disease", "--identifier", "name", "--l", "2",
        "--out", "out", folder=folder)  # fmt: skip
    run("report", "out", "--audience", "public", "--out", "report.html", folder=folder)
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")
    serving = subprocess.Popen(
        [sys.executable, "-m", "pellucid", "serve", "patients.csv", "--no-browser"],
        cwd=folder, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert serving.stdout is not None
        address = next(found for line in serving.stdout if (found := re.search(r"http://127\.\S+", line)))
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address.group(), timeout=900) as answer:
            assert "pellucid" in answer.read().decode()  # the welcome, which sets the cookie
        with opener.open(urljoin(address.group(), "/data"), timeout=900) as first_step:
            assert "patients.csv" in first_step.read().decode()
    finally:
        serving.terminate()
        serving.communicate(timeout=900)
