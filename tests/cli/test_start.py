"""What a start of the program does without: nothing here is timed, what must not happen is named."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

import pellucid as pc
from pellucid.cli.options_of_call import with_options_of
from pellucid.cli.program import VERBS

NEVER = {
    "noticed",
    "rich",
    "narwhals",
    "pandas",
    "pyarrow",
    "sklearn",
    "scipy",
    "altair",
    "pyspark",
    "jinja2",
    "starlette",
}
ELSEWHERE = {  # folders and files of ours that have their own verbs
    "pellucid.web",
    "pellucid.comparison",
    "pellucid.job",
    "pellucid.reports",
    "research",
}
PUBLISHING = ELSEWHERE | {
    "html",
    "pellucid.cli.publish_on_spark",
    "pellucid.cli.spark_options",
    "pellucid.risk",
    "pellucid.audit",
    "pellucid.datasets",
    "pellucid.models.alpha_k_anonymity",
    "pellucid.models.recursive_diversity",
    "pellucid.spark.engine",
}
OF_PYDANTIC = {"BeforeValidator", "PlainSerializer"}
ROLES = ["--quasi", "age,gender", "--sensitive", "occupation"]
RUN = """
import sys, pellucid.cli.program
code = pellucid.cli.program.main()
import os
from dataclasses import is_dataclass
from pathlib import Path
Path("imported").write_text(" ".join(sys.modules), encoding="utf-8")
ours = [module for name, module in sys.modules.items() if name.startswith("pellucid.")]
kinds = [kind for module in ours for kind in vars(module).values() if isinstance(kind, type) and is_dataclass(kind)]
made = {kind.__name__ for kind in kinds if kind.__dataclass_params__.frozen}
Path("generated").write_text(" ".join(made), encoding="utf-8")
Path("timeout").write_text(os.environ.get("OPENBLAS_THREAD_TIMEOUT", ""), encoding="utf-8")
sys.exit(code)
"""


def program(folder: Path, *words: str, **surroundings: str) -> set[str]:
    """Run the program as a process of its own; the modules that it has imported when it is done."""
    unset = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    made = subprocess.run(
        [sys.executable, "-c", RUN, *words], cwd=folder, env=unset | surroundings, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    return set((folder / "imported").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A folder with a table and its release, and what publishing imported."""
    folder = tmp_path_factory.mktemp("start")
    pc.datasets.census(500, seed=1).select("age", "gender", "occupation").write_csv(folder / "people.csv")
    (folder / "noticed.py").touch()  # what pydantic would take for a plugin of its own, if it looked for any
    (folder / "noticed-1.dist-info").mkdir()
    (folder / "noticed-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: noticed\nVersion: 1\n")
    (folder / "noticed-1.dist-info" / "entry_points.txt").write_text("[pydantic]\nnoticed = noticed\n")
    return folder, program(
        folder, "publish", "people.csv", *ROLES, "--l", "2", "--out", "out", "--keep-groups", "g.csv"
    )


def test_publishing_imports_what_it_needs(released: tuple[Path, set[str]]) -> None:
    assert not released[1] & (NEVER | PUBLISHING)


def test_a_release_alone_takes_no_masked_arrays_and_few_generated_classes(released: tuple[Path, set[str]]) -> None:
    """A frozen value is a record, but for those that users make by name, that hide what they hold, or have heirs."""
    folder, _ = released
    imported = program(folder, "publish", "people.csv", *ROLES, "--l", "2", "--out", "alone")
    generated = set((folder / "generated").read_text(encoding="utf-8").split())
    assert "numpy.ma" not in imported
    assert generated - set(pc.__all__) - OF_PYDANTIC <= {"Coins", "Private", "WorstGroup"}


@pytest.mark.parametrize(
    "words",
    [
        "levels out",
        "verify out --require l-diversity=2",
        "attack out --truth people.csv --groups g.csv --adversary algorithm",
    ],
)
def test_an_audit_imports_what_it_needs(released: tuple[Path, set[str]], words: str) -> None:
    assert not program(released[0], *words.split()) & (NEVER | ELSEWHERE)


def test_threads_of_openblas_sleep_unless_somebody_says_otherwise(released: tuple[Path, set[str]]) -> None:
    folder, _ = released
    program(folder, "levels", "out")
    assert (folder / "timeout").read_text(encoding="utf-8") == "4"
    program(folder, "levels", "out", OPENBLAS_THREAD_TIMEOUT="20")
    assert (folder / "timeout").read_text(encoding="utf-8") == "20"


def arguments_given(verb: Callable[..., Any], words: list[str], *, of_the_call: bool) -> tuple[dict[str, Any], int]:
    """What the verb would be called with, and how many parameters typer has built for it."""
    given: dict[str, Any] = {}

    def record(**arguments: Any) -> None:
        given.update(arguments)

    own = inspect.signature(verb, eval_str=True)
    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.parameters.values()]
    record.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    record.__annotations__ = {one.name: one.annotation for one in parameters}
    told = with_options_of(record, words) if of_the_call else record
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command("verb")(told)
    app(words, standalone_mode=False, prog_name="verb")
    return given, len(inspect.signature(told).parameters)


CALLS = {
    "demo": "",
    "init": "x.csv --out s.toml",
    "publish": "x.csv --quasi age --quasi=zip --sensitive s -o out --json",
    "run": "job.toml",
    "verify": "out --require l-diversity=2 --no-header",
    "attack": "out --truth x.csv --groups g.csv",
    "levels": "out",
    "measure": "out --original x.csv",
    "compare": "x.csv --methods hybrid",
    "report": "out --out page.html",
    "serve": "",
    "reproduce": "",
    "methods": "",
}


@pytest.mark.parametrize("verb", VERBS)
def test_options_that_are_not_named_are_what_they_would_have_been(verb: str) -> None:
    words = CALLS[verb].split()
    command = import_module(f"pellucid.cli.verbs.{verb}").command()
    every, all_parameters = arguments_given(command, words, of_the_call=False)
    fewer, parameters = arguments_given(command, words, of_the_call=True)
    assert fewer == every
    assert parameters < all_parameters or verb in ("reproduce", "methods", "demo", "serve", "run")


@pytest.mark.parametrize("words", ["x.csv --quasy age --out out", "--help", "x.csv --l -3 --out out", "-oout"])
def test_nothing_is_left_out_where_a_word_is_no_option(words: str) -> None:
    command = import_module("pellucid.cli.verbs.publish").command()
    assert with_options_of(command, words.split()) is command
