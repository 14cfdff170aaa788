"""Sentences are templates with values, and nothing of the command line is spelled outside it.

A template is a literal, so that catalogs can be extracted; it names its values, and no others. A term stands in a
template and never in a formatted string, which forgets it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from string import Formatter

import pytest

import pellucid
from pellucid.messages.terms import TERMS

SOURCE = Path(pellucid.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
SPELLED = {  # files outside the programs that spell options, and why
    "risk/report/chart.py": "a chart is asked for on the command line only",
    "messages/terms.py": "a comparison keeps how to give more time, whoever reads it then",
    "reports/adversaries.py": "a report says both words, for whoever made it",
    "reports/several_columns.py": "a report says both words, for whoever made it",
    "core/request.py": "the table of options says how each is spelled",
}
OWN_PROGRAMS = ("cli/", "web/", "drafting/")
NOT_SAID = {"column", "value"}  # what UnfitValue knows besides
FORMATTED = 359  # errors whose text is still a formatted string: may fall


def parsed() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text())


def texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts of code, without docstrings and other texts that stand alone."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node


def options_in(tree: ast.Module) -> list[str]:
    return [f"{node.lineno}: {found}" for node in texts(tree) for found in OPTION.findall(node.value)]


@cache
def makers() -> frozenset[str]:
    """What makes messages: errors of ours, by the names of their classes in whichever module."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for _, tree in parsed()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {"PellucidError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return frozenset(found | {"Message", "broken"})


def errors_of(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls that make messages or errors of ours."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in makers():
            yield node


def wrong_templates(tree: ast.Module) -> list[str]:
    """Calls with values whose template is no literal, or names others than the values that it is given."""
    literals = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for target in node.targets:
                literals[getattr(target, "id", "")].append(node.value.value)
    found = []
    for call in errors_of(tree):
        if any(isinstance(one, ast.JoinedStr) for one in call.args) and isinstance(call.func, ast.Name):
            if call.func.id == "Message" or call.keywords:
                found.append(f"{call.lineno}: a formatted string")
            continue
        given = {one.arg for one in call.keywords if one.arg is not None}
        if not given or any(one.arg is None for one in call.keywords):
            continue
        known = [
            [one.value] if isinstance(one, ast.Constant) else literals[getattr(one, "id", "")] for one in call.args
        ]
        if not all(known):
            continue  # a constant of another module, or a message
        places = [{place for one in some for place in places_of(one)} for some in product(*known)]
        if not any(given - NOT_SAID <= one <= given for one in places):
            found.append(f"{call.lineno}: places {places} and values {sorted(given)}")
    return found


def places_of(template: object) -> set[str]:
    """The places of a template that values fill; terms fill theirs themselves."""
    names = [name for _, name, _, _ in Formatter().parse(template)] if isinstance(template, str) else []
    return {name for name in names if name and name.isidentifier()} - set(TERMS)


def formatted_terms(tree: ast.Module) -> list[str]:
    """Terms in formatted strings."""
    makers = {"key", "quoted_key", "bare_term", "parameter", "switch", "place", "file_key"}
    named = {
        one.asname or one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "pellucid.messages.terms"
        for one in node.names
    }
    found = []
    for node in ast.walk(tree):
        for part in node.values if isinstance(node, ast.JoinedStr) else []:
            if isinstance(part, ast.FormattedValue):
                value = part.value
                name = value.func if isinstance(value, ast.Call) else value
                if isinstance(name, ast.Name) and name.id in named and (name.id.isupper() or name.id in makers):
                    found.append(f"{node.lineno}: {name.id}")
    return found


@pytest.mark.parametrize(
    ("looks", "code"),
    [
        (options_in, "def f():\n    return 'add --overwrite'"),
        (options_in, "f'accept it with --accept-known {name}'"),
        (wrong_templates, "Message(f'{path} has no rows')"),
        (wrong_templates, "InputError(f'{path} has no rows', path=path)"),
        (wrong_templates, "InputError('{path} has no rows', file=path)"),
        (wrong_templates, "told = '{path} has {rows} rows'\nMessage(told, path=path)"),
        (formatted_terms, "from pellucid.messages.terms import TRUTH\nf'give {TRUTH}'"),
        (formatted_terms, "from pellucid.messages.terms import key\nx = f'set {key(1, 2)}'"),
    ],
)
def test_what_is_put_back_is_noticed(looks: object, code: str) -> None:
    assert callable(looks)
    tree = ast.parse(code if code.startswith(("def", "from", "told")) else f"x = {code}")
    assert looks(tree)


def test_no_option_is_spelled_outside_the_command_line() -> None:
    found = {
        f"{name}:{one}"
        for name, tree in parsed()
        if not name.startswith(OWN_PROGRAMS) and name not in SPELLED
        for one in options_in(tree)
    }
    assert not found, "name a term of pellucid.messages.terms, which the command line spells:\n" + "\n".join(found)


def test_what_may_spell_options_does() -> None:
    trees = dict(parsed())
    assert [name for name in SPELLED if not options_in(trees[name])] == []


def test_templates_are_literals_that_name_their_values() -> None:
    found = {f"{name}:{one}" for name, tree in parsed() for one in wrong_templates(tree)}
    assert not found, "\n".join(sorted(found))


def test_no_term_stands_in_a_formatted_string() -> None:
    found = {f"{name}:{one}" for name, tree in parsed() for one in formatted_terms(tree)}
    assert not found, "put it into the template of a Message:\n" + "\n".join(sorted(found))


def test_no_more_errors_are_formatted_strings_than_before() -> None:
    formatted = [
        f"{name}:{call.lineno}"
        for name, tree in parsed()
        for call in errors_of(tree)
        if any(isinstance(one, ast.JoinedStr) for one in call.args)
    ]
    assert len(formatted) <= FORMATTED, "give it a template and values: InputError('{file} ...', file=file)"
