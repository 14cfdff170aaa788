"""What to check by hand before publishing, in the words of the page, and without what was settled meanwhile."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from pellucid.app.drafting.schema_file import NO_QUASI, NO_SENSITIVE
from pellucid.messages import Term
from pellucid.messages.terms import CLUSTER_ROWS, RECODE
from pellucid.schema import Column, Kind, Role
from pellucid.text.values import few

MISSING = "Texts that stand for an empty value"  # the field at Details of a column
_TOO_MANY = "nearly every value is different"
_AS_NUMBERS = "read as numbers"
_MARKS = re.compile(r"(?:, and )?the draft has (missing = \[.*\]), take it out if not so")  # as for a schema file
_DATES = re.compile(r'the draft has (kind = "date" and date_order = "\w+"), take both out if not so')
_PROTECTED_TOO = 'with role = "sensitive" here too'
_COMMAS = 'say decimal = "," under [file], or --decimal ",", else each is a category of its own'
_TWO_WAYS = re.compile(r'say kind = "date" and date_order = "\w+"(?: or "\w+")?')
_ODD = re.compile(
    r'correct (it|them), or list \1 in missing = \[("(?:[^"\\]|\\.)*").*\] and say kind = "number", unless texts are '
    "meant"
)
CORRECT = (
    f"correct {{0}} in the file, or list {{0}} in “{MISSING}” at Details of the column; choose the kind “category” "
    "there if texts are meant"
)
_FIELDS = {  # what the page has for keys of a schema file
    "key missing": f"“{MISSING}”",
    "no value": "empty",
    "drafted by init": "",
    "in python": "this page does not offer it",
    "learning goes on": "The promise stops neither learning from the release nor combining several releases.",
    "any model": "a privacy model of your choice",
    "nulls rejected": "“Empty values” says that they are an error",
    "allow nulls": "choose “are a value of their own”",
    **{f"key {name}": f"“{name}”" for name in ("domain", "ladder", "dates", "prefix", "order")},
    # what is a parameter in Python and an option on the command line
    "more time": "“Seconds for one attacker”",
    "patience": "“Seconds for one attacker”",
    "budget": "“Counting budget”",
    "more_budget": "allow more steps under “Counting budget”",
    "sample_or_more_budget": "allow more steps under “Counting budget”",
    "more_budget_of_attack": "allow more steps under “Counting budget”",
    "quasi": "the role “Others may know it”",
    "sensitive": "the role “To be protected”",
    "identifier": "the role “Names the person”",
    "schema": "the roles",
    "truth": "the table",
    "give_table": "give the table",
    "population": "the people of the table",
    "groups": "the file of groups",
    "tell_groups": "tell who is in which group with the file of groups",
    "give_table_and_groups": "give the table and the file of groups",
    "made_by": "the method",
    "model": "the privacy model",
    "values": "the values to protect",
    "seed": "a fixed seed",
    "say_overwrite": "choose",
    "accept_known": "the tick below the columns",
    "by_values": "",
    "by_schema": "",
    "one role": "one",
    "another role": "another",
    "name what matters": "only the values that matter can be protected",
    "say date order": "choose the kind “date” at Details of the column",
    "attack_anonymizer": "an attack on the method as a black box",
}
_WITH_VALUE = {
    CLUSTER_ROWS.name: "{} at “Rows of a cluster”",
    "key kind": "the kind “{}”",
    "method": "the method {}",
    "k": "k = {}",
    "correct odd cells": CORRECT,
    "protect rarer": "l can be up to {0[1]} if only {0[0]} is protected",
}


def field_of(term: Term) -> str:
    """How the page calls a term: keys of a schema file have fields, parameters have words.

    >>> from pellucid.messages import Message, Speaker
    >>> from pellucid.messages.terms import key, quoted_key
    >>> told = Message("list it in {a}, or set {b}", a=key("missing", "[...]"), b=quoted_key("kind", "category"))
    >>> told.told(Speaker(field_of))
    'list it in “Texts that stand for an empty value”, or set the kind “category”'
    """
    if term.value is not None and term.name in _WITH_VALUE:
        return _WITH_VALUE[term.name].format(term.value)
    if term.name == RECODE.name:
        return f"{'ranges' if term.value == 'intervals' else 'another choice'} under “What a group becomes”"
    return _FIELDS.get(term.name, term.python)


def checks_of_column(facts: Mapping[str, Any], column: Column) -> list[str]:
    r"""What is left to check in one column.

    >>> told = "'?' stands for a missing value in 2 rows; the draft has missing = [\"?\"], take it out if not so"
    >>> checks_of_column({"check": [told]}, Column(role="quasi", missing=["?"]))[0].partition("; ")[2]
    "if not, take '?' out of “Texts that stand for an empty value” at Details of the column"
    >>> checks_of_column({"check": [told]}, Column(role="quasi"))
    []
    >>> told = 'looks like dates; the draft has kind = "date" and date_order = "dmy", take both out if not so'
    >>> checks_of_column({"check": [told]}, Column(role="quasi", kind="date"))
    ['looks like dates; if not so, choose another kind at Details of the column']
    >>> told = 'all texts; correct it, or list it in missing = ["3x"] and say kind = "number", unless texts are meant'
    >>> checks_of_column({"check": [told]}, Column(role="quasi"))[0][:50]
    'all texts; correct it in the file, or list it in “'
    >>> checks_of_column({"check": [told]}, Column(role="quasi", kind="category"))
    []
    """
    bands = "as_read" in facts and facts["distinct"] < facts["as_read"]["distinct"]  # it was rounded, as was advised
    found = [_left(check, column) for check in facts["check"] if not (bands and check.startswith(_TOO_MANY))]
    return [check for check in found if check]


def _left(check: str, column: Column) -> str:
    if check.startswith(_AS_NUMBERS) and column.kind in (Kind.CATEGORY, Kind.ORDERED):
        return ""
    odd = _ODD.search(check)
    if odd is not None and (column.kind is not None or json.loads(odd[2]) in column.missing):
        return ""  # somebody said what is meant
    check = _ODD.sub(lambda found: CORRECT.format(found[1]), check)
    if _DATES.search(check) and column.kind is not Kind.DATE:
        return ""
    check = _DATES.sub("if not so, choose another kind at Details of the column", check)
    check = _TWO_WAYS.sub("choose the kind “date” and how dates are written at Details of the column", check)
    if _COMMAS in check and column.kind is Kind.NUMBER:
        return ""  # they are read as numbers all the same
    check = check.replace(_COMMAS, "choose the comma at “Decimal sign” at step 1, else each is a category of its own")
    check = check.replace(_PROTECTED_TOO, "with the role “To be protected” here too")
    advice = _MARKS.search(check)
    if advice is None:
        return check
    marks = tomllib.loads(advice[1])["missing"]
    if not set(marks) & set(column.missing):
        return ""  # somebody took it out; what else it looks like can be told only when it is read again
    before = check[: advice.start()]
    comma = "" if before.endswith("; ") else ", and "
    taken = ", ".join(map(repr, marks))  # in quotes: they are values of the table, and no words of ours
    return f"{before}{comma}if not, take {taken} out of “{MISSING}” at Details of the column"


def things_left(data: Mapping[str, Any], columns: Mapping[str, Column]) -> list[str]:
    """The same for all columns, those that share something in one line, then what is about the table."""
    sharing: dict[str, list[str]] = {}
    for facts in data["columns"]:
        for check in checks_of_column(facts, columns[facts["name"]]):
            sharing.setdefault(check, []).append(facts["name"])
    known = [f": {check}" for facts in data["columns"] for check in facts["check"]]
    roles = {column.role for column in columns.values()}
    settled = [text for role, text in ((Role.SENSITIVE, NO_SENSITIVE), (Role.QUASI, NO_QUASI)) if role in roles]
    rest = [check for check in data["check"] if not check.endswith(tuple(known)) and check not in settled]
    return [*(f"{few(names)}: {check}" for check, names in sharing.items()), *rest]
