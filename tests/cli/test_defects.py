"""A mistake of ours is one line and exit 3; --debug shows the trace. No memory is one line and exit 2."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cli.program import PROGRAM, Program
from pellucid.cli.verbs import levels


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fall_over(*_: object, **__: object) -> None:
        raise IndexError("Ann has flu")

    monkeypatch.setattr(levels, "look_at" if hasattr(levels, "look_at") else "levels", fall_over, raising=False)
    monkeypatch.setattr("pellucid.cli.auditing.opened", fall_over, raising=False)
    monkeypatch.setattr("pellucid.audit.source._opened", fall_over)


@pytest.mark.usefixtures("folder", "broken")
def test_a_defect_is_one_line_with_a_code_of_its_own(call: Program) -> None:
    done = call("levels", "patients.csv", "--quasi", "age", "--sensitive", "disease", "--json")
    assert done.code == 3
    (line,) = done.err.splitlines()
    assert re.match(r"error: this is a defect of pellucid \S+ \(IndexError in \S+\.py, line \d+\)", line)
    assert "--debug" in line
    assert "Ann" not in line  # it quotes nothing of the table
    assert done.document == {"error": line.removeprefix("error: ")}


@pytest.mark.usefixtures("folder", "broken")
@pytest.mark.parametrize("first", [True, False])
def test_debug_shows_the_trace(call: Program, first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["levels", "patients.csv", "--quasi", "age", "--sensitive", "disease"]
    done = call(*(["--debug", *words] if first else [*words, "--debug"]))
    assert done.code == 3
    assert "Traceback" in done.err
    assert "IndexError: Ann has flu" in done.err
    monkeypatch.setenv("PELLUCID_DEBUG", "1")
    assert "Traceback" in call(*words).err


@pytest.mark.usefixtures("folder")
def test_the_help_of_a_verb_names_the_code(call: Program) -> None:
    told = " ".join(call("levels", "--help").out.split())
    assert "3 is a defect of ours: --debug, on any verb, shows its trace." in told


def test_a_module_that_cannot_be_compiled_is_a_lack_of_memory_only_under_a_limit() -> None:
    """Seen at 300 MiB: Python gives up on a module of ours with a SyntaxError."""
    code = (
        "import resource; from pellucid.cli.memory import is_lack_of_memory; "
        "before = is_lack_of_memory(SyntaxError('odd')); "
        "resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30,) * 2); "
        "print(before, is_lack_of_memory(SyntaxError('odd')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


LIMITS = [100, 300, 450, 800]  # MiB: below what is loaded, where Python may never end loading it, where polars may not


@pytest.mark.parametrize("limit", LIMITS)
def test_too_little_memory_is_one_line(limit: int, folder: Path) -> None:
    words = [
        *PROGRAM,
        "publish",
        "patients.csv",
        "--quasi",
        "age",
        "--sensitive",
        "disease",
        "--l",
        "2",
        "--out",
        "out",
    ]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit * 2**20,) * 2),
    )
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "memory" in line
    assert not (folder / "out").exists()


@pytest.mark.parametrize("debug", [False, True])
def test_work_that_dies_for_lack_of_memory_is_one_line_however_much_it_wrote(debug: bool) -> None:
    code = (
        "import os, resource, sys; from pellucid.cli.ending import within_limits\n"
        "def work():\n"
        "    os.write(2, b'memory allocation failed\\n' * 200_000)\n"
        "    os._exit(9)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30,) * 2)\n"
        f"sys.exit(within_limits(work, debug={debug}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    *written, line = done.stderr.splitlines()
    assert line.startswith(
        "error: the work ended without a word, most likely for lack of memory: it may have 4,096 MiB"
    )
    assert len(done.stderr) < 2**17
    assert bool(written) == debug


def test_a_chart_that_cannot_be_drawn_is_left_out_and_said(
    folder: Path, call: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2", reason="the extra 'report' is not installed")
    from pellucid.charts.drawing import NotDrawn

    def fails(*_: object, **__: object) -> bytes:
        raise NotDrawn("a chart could not be drawn: no memory; it is left out")

    monkeypatch.setattr("pellucid.reports.pictures.draw", fails)
    assert call("publish", "patients", "--l", "2", "--out", "out").code == 0
    done = call("report", "out", "--audience", "public", "--out", "page.html", "--json")
    assert done.code == 0
    assert "How large the groups are: a chart could not be drawn" in " ".join(done.document["warnings"])
    page = (folder / "page.html").read_text()
    assert "This chart is missing: " in page
    assert "<svg" not in page


CHANGES = {
    'recipe.pop("parameters")': "method is there and parameters is not",
    'recipe["suppressed"] = "x"': "suppressed must be a number of rows",
    'recipe["changes"] = 1.5': "changes must be a list of texts",
    'recipe["method"] = {}': "method must be the name of a method",
    'recipe["recode_parameters"] = "x"': "recode_parameters must be parameters by name",
    'recipe["columns"] = {}': "is not a recipe",
    'recipe["columns"][0]["role"] = []': "role must be one of",
    'recipe["columns"].append(recipe["columns"][0])': "names, each its own",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("verb", ["levels", "attack"])
def test_a_recipe_with_a_wrong_field_is_refused(change: str, verb: str, folder: Path, call: Program) -> None:
    assert call("publish", "patients", "--l", "2", "--out", "out").code == 0
    recipe = json.loads((folder / "out/recipe.json").read_text())
    exec(change, {"recipe": recipe})
    (folder / "out/recipe.json").write_text(json.dumps(recipe))
    error = call(verb, "out").error
    assert "recipe.json" in error
    assert CHANGES[change] in error


@pytest.mark.parametrize("kind", ["recipe", "job", "schema"])
def test_nesting_without_end_is_refused(kind: str, folder: Path, call: Program) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    assert call("publish", "patients", "--l", "2", "--out", "out").code == 0
    (folder / "out/recipe.json").write_text(deep)
    (folder / "deep.toml").write_text(f"source = {deep}\n")
    words = {"recipe": ["levels", "out"], "job": ["run", "deep.toml"]}
    words["schema"] = ["publish", "patients.csv", "--schema", "deep.toml", "--l", "2", "--out", "again"]
    assert "nested too deeply" in call(*words[kind]).error


@pytest.mark.usefixtures("folder")
def test_a_recipe_of_another_version_is_read(folder: Path, call: Program) -> None:
    assert call("publish", "patients", "--l", "2", "--out", "out").code == 0
    recipe = json.loads((folder / "out/recipe.json").read_text())
    (folder / "out/recipe.json").write_text(json.dumps(recipe | {"version": 9, "steering": {"x": []}}))
    assert call("levels", "out").code == 0
    (folder / "out/recipe.json").write_text(json.dumps({"columns": recipe["columns"]}))
    assert call("levels", "out").code == 0


@pytest.mark.usefixtures("folder")
def test_a_group_that_the_method_never_makes_is_said(folder: Path, call: Program) -> None:
    (folder / "release.csv").write_text('age,disease\n1,flu\n"[2, 3]",flu\n"[2, 3]",gout\n')
    (folder / "people.csv").write_text("age\n1\n2\n3\n")
    words = ["attack", "release.csv", "--quasi", "age", "--sensitive", "disease", "--made-by", "greedy-grouping"]
    done = call(*words, "--l", "2", "--population", "people.csv", "--max-risk", "1")
    assert done.code == 1
    assert "a group of 1 rows is no number of buckets of 2" in " ".join(done.out.split())
