"""Prose never steers logic: no code looks for words in what an error, a note or a reason says.

What a person can change is a term of the text (:mod:`pellucid.messages`), a note has a kind, an error a problem and a
way out, figures an exactness. Whoever needs to know more of a text gives it structure where it is made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pellucid

SOURCE = Path(pellucid.__file__).parent
SAID = {  # attributes and names that hold what people read
    *("advice", "args", "engine", "lacking", "meaning", "message", "not_shown", "note", "notes", "reason"),
    *("looks", "problem", "refused", "sentence", "warning", "way_out", "why", "wrong"),
}
LOOKS = {
    *("count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace", "rpartition"),
    *("rsplit", "split", "splitlines", "startswith"),
}
PATTERNS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}
THROUGH = {"casefold", "lower", "lstrip", "rstrip", "strip", "upper"}
ALLOWED = {  # and why
    "cli/program.py": "what typer says of a call",
    "cli/parameters.py": "what pydantic says of a value",
    "errors.py": "what another library or the system says",
    "models/parameters.py": "what pydantic says of a value",
    "spark/settings.py": "what pydantic says of a value",
    "web/tasks/guessing.py": "a path of ours becomes the name that the steward gave",
    "web/uploads.py": "what the reader of uploads says of a long name",
    "web/worker_state.py": "a path of ours becomes the name that the steward gave",
    "io/database.py": "what a driver says, without the password of the address",
    "spark/errors.py": "what Spark says of a failed task",
    "core/taxonomy/toml_text.py": "the place that tomllib names",
    "runtime/whole_file.py": "what the system says",
}


def is_said(node: ast.expr, caught: set[str]) -> bool:
    """Whether an expression is something that people read: of an error that was caught, or called so."""
    if isinstance(node, ast.Name):
        return node.id in SAID
    if isinstance(node, ast.Attribute):
        return node.attr in SAID
    if isinstance(node, ast.Subscript):
        return is_said(node.value, caught)
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name) and node.func.id in ("str", "repr") and node.args:
        first = node.args[0]
        return (isinstance(first, ast.Name) and first.id in caught) or is_said(first, caught)
    return (
        isinstance(node.func, ast.Attribute) and node.func.attr in LOOKS | THROUGH and is_said(node.func.value, caught)
    )


def is_words(node: ast.expr) -> bool:
    """Whether an expression is fixed words: a text, or a constant that may be one."""
    constant = isinstance(node, ast.Name) and node.id.isupper()
    return (
        constant or isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    )


def searches(code: str) -> Iterator[tuple[int, str]]:
    """The lines of code that look for words in what people read."""
    tree = ast.parse(code)
    caught = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    for node in ast.walk(tree):
        found = False
        if isinstance(node, ast.Compare) and any(isinstance(how, ast.In | ast.NotIn) for how in node.ops):
            found = is_words(node.left) and any(is_said(one, caught) for one in node.comparators)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            looked = node.func.attr in LOOKS and is_said(node.func.value, caught)
            found = looked or (node.func.attr in PATTERNS and any(is_said(one, caught) for one in node.args))
        if found:
            assert isinstance(node, ast.expr)
            yield node.lineno, ast.unparse(node)


@pytest.mark.parametrize(
    "code",
    [
        "'with confidence' in note",
        "APART in evidence.notes",
        "'bound' in beliefs.engine",
        "attempt.beliefs.engine.startswith('exact')",
        "missed.why.rpartition('; ')[2]",
        "re.sub('a', 'b', message)",
        "try:\n    pass\nexcept ValueError as wrong:\n    told = str(wrong).replace('budget', 'patience')",
        "try:\n    pass\nexcept ValueError as wrong:\n    told = 'no column' in str(wrong).lower()",
        "'x' in wrong.args[0]",
        "';' in wrong",
        "'decimal comma' in looks",
    ],
)
def test_a_search_is_noticed(code: str) -> None:
    assert list(searches(code))


@pytest.mark.parametrize("code", ["note in report.notes", "path.parts[0].replace('a', 'b')", "'a' in names"])
def test_what_is_no_search_is_left_alone(code: str) -> None:
    assert not list(searches(code))


def test_no_code_looks_for_words_in_what_people_read() -> None:
    found = {
        f"{name}:{line}: {what}"
        for path in sorted(SOURCE.rglob("*.py"))
        for name in [path.relative_to(SOURCE).as_posix()]
        if name not in ALLOWED
        for line, what in searches(path.read_text())
    }
    assert not found, "give the text structure where it is made (see pellucid.messages):\n" + "\n".join(sorted(found))


def test_what_is_allowed_is_still_needed() -> None:
    idle = [name for name in ALLOWED if not list(searches((SOURCE / name).read_text()))]
    assert idle == []
