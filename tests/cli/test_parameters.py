"""Every field of a method is an option, whatever the method will be."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from subprocess import run
from typing import Any, ClassVar

import pytest
import typer
from pydantic import Field

from pellucid.anonymize.methods import Method, methods
from pellucid.cli import parameters
from pellucid.cli.parameters import build_method, with_method_options
from pellucid.errors import MethodError


class Future(Method):
    """A method with the kinds of parameters that later methods have."""

    name: ClassVar[str] = "future"
    summary: ClassVar[str] = "stands for a method of tomorrow"
    guarantee: ClassVar[str] = "none"
    explanation: ClassVar[str] = "It does nothing."
    reference: ClassVar[str] = "none"

    k: int = Field(ge=2, description="the smallest group")
    p: float = 0.5
    retry_cuts: bool = False
    order: list[str] = Field(default=["age"], description="columns")

    def group(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    def sentence(self, *_: Any) -> str:
        return ""


@pytest.fixture(autouse=True)
def _a_method_of_tomorrow(monkeypatch: pytest.MonkeyPatch) -> None:
    known = methods()
    monkeypatch.setattr(parameters, "methods", lambda: known | {"future": Future})


@pytest.fixture
def given_on_the_command_line() -> Callable[..., dict[str, Any]]:
    def parse(*words: str) -> dict[str, Any]:
        seen: dict[str, Any] = {}

        def verb(source: str, method: str = "future", *, parameters: dict[str, Any]) -> None:
            seen.update(parameters, source=source, method=method)

        app = typer.Typer()
        app.command()(with_method_options(verb))
        app(list(words), standalone_mode=False)
        return seen

    return parse


def test_options_of_any_method_are_understood(given_on_the_command_line: Callable[..., dict[str, Any]]) -> None:
    seen = given_on_the_command_line("--k", "5", "table.csv", "--p=0.3", "--retry-cuts", "--order", "age,zip")
    assert seen.pop("source") == "table.csv"
    method = build_method(seen.pop("method"), seen)
    assert method == Future(k=5, p=0.3, retry_cuts=True, order=["age", "zip"])


def test_what_is_not_given_keeps_its_default(given_on_the_command_line: Callable[..., dict[str, Any]]) -> None:
    assert given_on_the_command_line("table.csv", "--no-retry-cuts") == {
        "source": "table.csv",
        "method": "future",
        "retry_cuts": False,
    }


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        (
            "future",
            {"l": "8", "k": "3"},
            "future has no parameter --l; its parameters: --k, --p, --retry-cuts, --order",
        ),
        ("hybrid", {"l": "8", "p": "3"}, "hybrid has no parameter --p; its parameters: --l, --values, --k"),
        ("future", {"p": "0.2"}, "future needs --k (the smallest group)"),
        ("future", {"k": "1"}, "k = 1"),
        ("future", {"k": "many"}, "k = many: must be a whole number of at least 2 (k is the smallest group)"),
        ("future", {"k": "3", "p": "much"}, "p = much: must be a number"),
        ("hybrid", {"l": "1.5"}, "l = 1.5: must be a whole number of at least 1"),
        ("hybrid", {"l": "0"}, "l = 0: must be a whole number of at least 1"),
        ("futura", {"k": "3"}, "did you mean 'future'?"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_value(name: str, given: dict[str, str | bool], said: str) -> None:
    with pytest.raises(MethodError) as caught:
        build_method(name, given)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


IMPORTED = {  # by a call: what it imports, and what it leaves
    "publish x.csv --l 8 --out out": ("soft_cut", "art"),
    "publish x.csv --method tailor --l=8 -o out --quiet": ("tailor", "art"),
    "attack out --truth x.csv --groups g.csv --max-risk 1/8": ("method", "soft_cut"),
    "publish x.csv --alpha 0.5 --out out": ("art", ""),  # of a method that is not named: all are asked
    "publish --help": ("art", ""),
}
# Each call is in a process that has started the program and nothing else.
CALLED = """
import os, sys
from pellucid.cli.program import application
for words in sys.argv[1:]:
    if not os.fork():
        application(words.split(), called=True)
        print(*(name for name in sys.modules if name.startswith("pellucid.anonymize.")), flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_call_imports_the_method_that_it_names_and_no_other() -> None:
    """Importing all of them took longer than publishing a small table."""
    told = run([sys.executable, "-c", CALLED, *IMPORTED], capture_output=True, text=True, check=True).stdout
    for (words, (imported, left)), names in zip(IMPORTED.items(), told.splitlines(), strict=True):
        assert imported in {name.rpartition(".")[2] for name in names.split()}, words
        assert f"pellucid.anonymize.methods.{left}" not in names.split(), words


@pytest.mark.parametrize("verb", ["publish", "attack"])
def test_options_of_one_method_are_those_that_all_methods_have_together(verb: str) -> None:
    command = import_module(f"pellucid.cli.verbs.{verb}").command
    every = inspect.signature(command()).parameters
    for name, method in methods().items():
        typed = [f"--{field}" for field in method.model_fields if "_" not in field and field != "sensitive"]
        called = inspect.signature(command([verb, "--method", name, "--made-by", name, *typed])).parameters
        assert set(called) <= set(every)
        assert {option.removeprefix("--") for option in typed} <= set(called)
