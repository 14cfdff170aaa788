"""What a setting promises for the table at hand, and whether it is feasible, before anything is published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.anonymize.cluster_method import ClusterMethod, applied, ways_to_more
from pellucid.anonymize.method import Feasible, single_sensitive
from pellucid.anonymize.methods import Method
from pellucid.cli.parameters import build_method
from pellucid.core.schema import Role
from pellucid.core.sentence import promises_nothing, sentence_of
from pellucid.core.table import Table
from pellucid.errors import MethodError, PellucidError
from pellucid.messages import Message
from pellucid.web.broader import BROADER_NAMES, left_aside
from pellucid.web.checks import field_of
from pellucid.web.chosen_setting import protected_values
from pellucid.web.method_words import ABOUT, HIDDEN
from pellucid.web.naming_columns import telling_columns
from pellucid.web.option_fields import chosen_recoder
from pellucid.web.possible_l import feasible_with, require_l, values_instead
from pellucid.web.recodings import RECODINGS
from pellucid.web.session import Session
from pellucid.web.values_by_column import method_of, sensitive_in
from pellucid.web.ways_out import settings_instead
from pellucid.web.wording import Page

MOST_TRIED = 200_000  # rows with which ways to a larger l are tried while somebody types


def promise_or_ways_out(
    session: Session, name: str, parameters: Mapping[str, str | bool], options: Mapping[str, str]
) -> dict[str, Any]:
    """The promise, and where there is none the nearest settings that have one."""
    said = promise(session, name, parameters, options)
    instead = settings_instead(session, name, parameters, lambda other, given: promise(session, other, given, {}))
    return {**said, "instead": instead if said["wrong"] else []}


def promise(
    session: Session, name: str, parameters: Mapping[str, str | bool], options: Mapping[str, str]
) -> dict[str, Any]:
    """What a setting promises and whether it is feasible, from the outline of the table."""
    outline = session.outline
    assert outline is not None
    if session.hiding:
        return _hidden(session, outline, name, parameters, options)
    feasible = feasible_with(outline, name, parameters, every=True)
    said: dict[str, Any] = {"feasible": feasible.sentence, "column": feasible.column, "wrong": "", "sentence": ""}
    said |= {"unused": [], "written": "", "broader": RECODINGS[BROADER_NAMES], "more": "", "beyond": 0, "untried": 0}
    try:
        protected = protected_values(outline, name, parameters)
        if protected:
            feasible = feasible_with(outline, name, parameters)
            said |= {"feasible": feasible.sentence, "column": feasible.column}
        require_l(name, parameters, feasible, "" if protected else values_instead(outline, name, feasible))
        method = applied(method_of(name, parameters, sensitive_in(outline.schema)), outline)
        said |= _more(method, outline, feasible)
        recoder = chosen_recoder(options, method)
        if session.data is not None:
            said["unused"] = left_aside(session.data, session.columns, recoder.name)
            said["written"] = RECODINGS[recoder.name]
        said |= {"claim": method.claim, "warning": method.warning, "about": ABOUT[method.claim]}
        said |= {"empty": promises_nothing(method), "exact": _exactly(session) if recoder.name == "anatomy" else []}
        if hasattr(method, "check"):
            method.check(outline)
        if not method.several:
            single_sensitive(outline, method.name)
        said["sentence"] = sentence_of(outline, method, recoder, session.accepted).text
    except PellucidError as wrong:
        said["wrong"] = _in_fields(wrong.message)
    return said


def _in_fields(advice: Message) -> str:
    """The page has fields, the command line has options."""
    return advice.told(Page(lambda term: str(term.value) if term.name == "option" else field_of(term)))


def _more(method: Method, outline: Table, feasible: Feasible) -> dict[str, Any]:
    """What could be done for one l more where rows belong together, which nobody finds by looking at the values."""
    if outline.clusters is None or not isinstance(method, ClusterMethod):
        return {}
    if len(outline) > MOST_TRIED:
        return {"untried": MOST_TRIED, "beyond": feasible.largest + 1}
    return {"more": _in_fields(ways_to_more(outline, method, feasible.largest)), "beyond": feasible.largest + 1}


def _hidden(
    session: Session, outline: Table, name: str, parameters: Mapping[str, str | bool], options: Mapping[str, str]
) -> dict[str, Any]:
    """The same where no column is protected: among how many rows everybody is hidden."""
    said: dict[str, Any] = {"feasible": f"k up to {len(outline):,}, the number of rows", "column": ""}
    said |= {"wrong": "", "sentence": "", "unused": [], "written": "", "broader": RECODINGS[BROADER_NAMES], "exact": []}
    said |= {"more": "", "beyond": 0, "untried": 0}
    try:
        if not parameters.get("k"):
            raise MethodError(f"k is empty or not a number; type a whole number from 2 to {len(outline):,}")
        method = applied(build_method(name, parameters), outline)
        recoder = chosen_recoder(options, method)
        if session.data is not None:
            said["unused"] = left_aside(session.data, session.columns, recoder.name)
            said["written"] = RECODINGS[recoder.name]
        said |= {"claim": method.claim, "warning": method.warning, "about": HIDDEN, "empty": promises_nothing(method)}
        if hasattr(method, "check"):
            method.check(outline)
        if promises_nothing(method):
            raise MethodError("k = 1 hides nobody; type a whole number from 2 to {outline:,}", outline=len(outline))
        said["sentence"] = sentence_of(outline, method, recoder, session.accepted).text
    except PellucidError as wrong:
        said["wrong"] = _in_fields(wrong.message)
    return said


def _exactly(session: Session) -> list[str]:
    """The columns whose exact values two tables publish though nearly each belongs to one person."""
    if session.data is None:
        return []
    found = telling_columns(session.data, session.columns)
    return [one.name for one in found if one.role is not Role.SENSITIVE]
