"""What to check by hand before publishing, in the words of the page, and without what was settled meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.core.schema import Column, Kind, Role
from pellucid.drafting.schema_file import NO_IDENTIFIER, not_drafted
from pellucid.messages import Message, Term
from pellucid.messages.terms import CLUSTER_ROWS, PEOPLE, RECODE
from pellucid.text.values import few

MISSING = "Texts that stand for an empty value"  # the field at Details of a column
ROLES = {
    "identifier": "Names the person (identifier): never published",
    "quasi": "Others may know it (quasi-identifier): usually published less exactly, so that people look alike",
    "sensitive": "To be protected (sensitive): published, but not tied to one person",
    "carry": "Goes along (carry): published less exactly, does not decide who is grouped with whom",
    "cluster": "Says which rows belong together (cluster): such as a household; never published",
    "weight": "For how many people a row stands (weight): of a survey; each group shows the mean of its rows",
    "drop": "Left out (drop): never published",
}
PEOPLE_ANSWERS = {
    "one": "one row each, drawn by lot",
    "person": "protect the whole person",
    "row": "protect each row by itself",
}
CORRECT = (
    f"correct {{0[0]}} in the file, or list {{0[0]}} in “{MISSING}” at Details of the column; choose the kind "
    "“category” there if texts are meant"
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
    "header_row": "“Row of the names”",
    "max_unpacked": "--max-unpacked on the command line",
    "more time": "“Seconds for one attacker”",
    "patience": "“Seconds for one attacker”",
    "budget": "“Counting budget”",
    "more_budget": "allow more steps under “Counting budget”",
    "sample_or_more_budget": "allow more steps under “Counting budget”",
    "more_budget_of_attack": "allow more steps under “Counting budget”",
    "same": "“same” at step 3",
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
    "draft protects": "choose at step 3 which values are protected",
    "name what matters": "only the values that matter can be protected",
    "say date order": "choose the kind “date” and how dates are written at Details of the column",
    "draft dates": "choose another kind at Details of the column",
    "decimal comma": "choose the comma at “Decimal sign” at step 1",
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

    >>> from pellucid.messages import Speaker
    >>> from pellucid.messages.terms import key, quoted_key
    >>> told = Message("list it in {a}, or set {b}", a=key("missing", "[...]"), b=quoted_key("kind", "category"))
    >>> told.told(Speaker(field_of))
    'list it in “Texts that stand for an empty value”, or set the kind “category”'
    """
    if term.value is not None and term.name in _WITH_VALUE:
        return _WITH_VALUE[term.name].format(term.value)
    if term.name == PEOPLE.name and term.value is not None:
        column, _, answer = term.value.rpartition("=")
        return f"“{PEOPLE_ANSWERS[answer]}” at Details of {column}"
    if term.name == "key role":
        return f"the role “{ROLES[term.value].partition(':')[0]}”"
    if term.name == "draft missing":  # in quotes: they are values of the table, and no words of ours
        return f"take {', '.join(map(repr, term.value))} out of “{MISSING}” at Details of the column"
    if term.name == RECODE.name:
        return f"{'ranges' if term.value == 'intervals' else 'another choice'} under “What a group becomes”"
    return _FIELDS.get(term.name, term.python)


def checks_of_column(facts: Mapping[str, Any], column: Column) -> list[Message]:
    """What is left to check in one column.

    >>> from pellucid.messages import Speaker
    >>> told = Message("'?' is empty; {so} if not so", so=Term("draft missing", 'missing = ["?"]', ("?",)))
    >>> checks_of_column({"check": [told.document()]}, Column(role="quasi", missing=["?"]))[0].told(Speaker(field_of))
    "'?' is empty; take '?' out of “Texts that stand for an empty value” at Details of the column if not so"
    >>> checks_of_column({"check": [told.document()]}, Column(role="quasi"))
    []
    """
    rounded = "as_read" in facts and facts["distinct"] < facts["as_read"]["distinct"]
    found = [Message.from_document(check) for check in facts["check"]]
    return [check for check in found if not any(_is_settled(term, column, rounded=rounded) for term in check.terms)]


def _is_settled(term: Term, column: Column, *, rounded: bool) -> bool:
    """Whether somebody said meanwhile what is meant, or did what was advised."""
    match term.name:
        case "round to bands":
            return rounded
        case "as numbers":
            return column.kind in (Kind.CATEGORY, Kind.ORDERED)
        case "correct odd cells":
            return column.kind is not None or term.value[1] in column.missing
        case "draft dates":
            return column.kind is not Kind.DATE
        case "decimal comma":
            return column.kind is Kind.NUMBER  # they are read as numbers all the same
        case "draft missing":
            return not set(term.value) & set(column.missing)  # what else it looks like is told when it is read again
    return False


def things_left(data: Mapping[str, Any], columns: Mapping[str, Column]) -> list[Message]:
    """The same for all columns, those that share something in one line, then what is about the table."""
    sharing: dict[Message, list[str]] = {}
    for facts in data["columns"]:
        for check in checks_of_column(facts, columns[facts["name"]]):
            sharing.setdefault(check, []).append(facts["name"])
    chosen = {column.role for column in columns.values()}
    of_table = not_drafted({*data["drafted"], *chosen}) + [NO_IDENTIFIER] * (Role.IDENTIFIER not in data["drafted"])
    shared = [Message("{names}: {check}", names=few(names), check=check) for check, names in sharing.items()]
    return [*shared, *map(Message, of_table)]
