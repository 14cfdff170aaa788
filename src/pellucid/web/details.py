"""What the form at Details says about a column. Nothing that is typed there is dropped in silence.

A box belongs to a choice: widths to the ladder, an order to the kind “ordered”. Where a box was filled in and its
choice was not made, the choice is made if there is only one way to understand it, and the page says so; else the page
asks. A box that still has what is stored was not filled in. Every mistake is told, not only the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pellucid.core.schema import Column, Kind, Role, TaxonomySource
from pellucid.core.schema.column import MOST_DIGITS
from pellucid.core.schema.condition import Condition
from pellucid.core.taxonomy.rules import DATE_PARTS
from pellucid.errors import PellucidError, SchemaError
from pellucid.text.values import label_of
from pellucid.web.checks import MISSING
from pellucid.web.rounding_fields import CALLED as EXACTLY_READ
from pellucid.web.rounding_fields import take_rounding
from pellucid.web.typed_values import date_in, number_in, parts_in
from pellucid.web.wording import Page
from pellucid.web.written_tree import CALLED, NAME

RULES = {  # the boxes of “What a value may become”: what each choice is called, what its box holds, what it is for
    "ladder": ("An interval ladder", "widths", Kind.NUMBER),
    "dates": ("Parts of dates", "parts", Kind.DATE),
    "prefix": ("The first characters", "numbers of characters", Kind.CATEGORY),
}
NOTHING, FILE, KEEP = "none", "file", "keep"  # the other choices
OF_NOTHING = "Nothing fixed"
ENDS = "Lowest and highest possible"
ORDER = "Values upward"
IMPORTANCE = "How much it matters beside the others"
DATE_ORDER = "How dates are written"
DATE_ORDERS = {
    "": "as the values show",
    "dmy": "day, month, year: 31.12.1980",
    "mdy": "month, day, year: 12/31/1980",
    "ymd": "year, month, day: 1980-12-31",
}
DIGITS = "Digits of the mean weight"
MERGED = "Values that are read as one"
LABELLED = "Labels of values"
APPLIES = "To whom it applies"
RULED_OUT = "Values that somebody cannot have"
BECOME = "What a value may become"


@dataclass
class Details:
    """What is ``said`` as a schema says it, what was ``understood`` without being chosen, and what is ``wrong``."""

    said: dict[str, Any] = field(default_factory=dict)
    understood: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def details_of(form: Mapping[str, str], column: Column, detected: str, file: str = "") -> Details:
    """Read the form of a column; what it does not have stays as it is. ``file`` is the name of a tree beside it.

    >>> details_of({"taxonomy": "none", "ladder": "5, 10"}, Column(role="quasi"), "number").said
    {'taxonomy': {'ladder': [5, 10]}}
    >>> details_of({"taxonomy": "ladder", "ladder": "5, 10", "prefix": "3"}, Column(role="quasi"), "number").wrong
    ['What a value may become: “An interval ladder” is chosen and “The first characters” is filled in too; empty one']
    """
    found = Details()
    if "role" in form:
        found.said["role"] = form["role"]
    if "kind" in form:
        found.said["kind"] = form["kind"] or None
    if "nulls" in form:
        found.said["nulls"] = "reject" if form["nulls"] == "reject" else "value"
    if "missing" in form:
        _attempt(found, MISSING, lambda: found.said.update(missing=parts_in(form["missing"])))
    _digits(found, form)
    if "people" in form:
        found.said["people"] = form["people"] or None
    _who_may_have(found, form)
    if "merge" in form:
        _attempt(found, MERGED, lambda: found.said.update(merge=_merged(form["merge"])))
    if "labels" in form:
        _attempt(found, LABELLED, lambda: found.said.update(labels=_labelled(form["labels"])))
    if "importance" in form:
        _attempt(found, IMPORTANCE, lambda: found.said.update(importance=_importance(form["importance"])))
    if found.said.get("role", column.role) != Role.QUASI:
        found.said["importance"] = 1
    _date_order(found, form, column)
    _order(found, form, column)
    _ends(found, form, column, detected)
    _attempt(found, EXACTLY_READ, lambda: take_rounding(found.said, form, column))
    _become(found, form, column, file)
    if file:
        found.said.pop("taxonomy", None)  # the tree takes its place
    _agree(found, column)
    return found


def _attempt(found: Details, label: str, act: Callable[[], object]) -> None:
    """Do something; a mistake is told with the label of its field, without the key of a schema file."""
    try:
        act()
    except PellucidError as wrong:
        told = wrong.message.told(Page(lambda term: "" if term.name == "place" else term.python))
        found.wrong.append(f"{label}: {told}")


def _digits(found: Details, form: Mapping[str, str]) -> None:
    """To how many digits the mean weight of a group is published; an empty box leaves it at what is usual."""
    typed = form.get("digits", "").strip()
    if "digits" not in form:
        return
    if typed and (not typed.isascii() or not typed.isdigit() or not 1 <= int(typed) <= MOST_DIGITS):
        found.wrong.append(
            f"{DIGITS}: “{typed}” is no whole number from 1 to {MOST_DIGITS}; write one, or empty the box"
        )
        return
    found.said["digits"] = int(typed) if typed else None


def _who_may_have(found: Details, form: Mapping[str, str]) -> None:
    """To whom a sensitive column applies, and who cannot have some of its values."""
    if "applies" in form:
        _attempt(found, APPLIES, lambda: found.said.update(applies=_condition(form["applies"])))
    if "ruled_out" in form:
        _attempt(found, RULED_OUT, lambda: found.said.update(ruled_out=_ruled_out(form["ruled_out"])))


def _condition(text: str) -> str | None:
    """A condition as it is typed; None for an empty box."""
    return Condition.of(text.strip()).text if text.strip() else None


def merged_lines(column: Column) -> str:
    """The box of values that are read as one, as it was filled in."""
    return "\n".join(f"{one}: {', '.join(some)}" for one, some in (column.merge or {}).items())


def _merged(text: str) -> dict[str, list[str]] | None:
    return {one: parts_in(values) for one, values in _pairs(text, "often: Several, Most")} or None


def _labelled(text: str) -> dict[str, str] | None:
    return dict(_pairs(text, "1: yes")) or None


def _ruled_out(text: str) -> dict[str, str] | None:
    return {value: Condition.of(condition).text for value, condition in _pairs(text, 'pregnant: sex = "m"')} or None


def _pairs(text: str, example: str) -> list[tuple[str, str]]:
    """Lines such as ``often: Several, Most``, divided at the colon; none for an empty box."""
    lines = [line.partition(":") for line in text.splitlines() if line.strip()]
    pairs = [(name.strip(), said.strip()) for name, _, said in lines]
    if not all(map(all, pairs)):
        raise SchemaError(
            "a line lacks what stands before or behind its colon", "write it as in {example}", example=example
        )
    return pairs


def _importance(text: str) -> int | float:
    """How much a column matters, from a slider or from whoever types it into an address."""
    return Column(role=Role.QUASI, importance=text).importance


def _date_order(found: Details, form: Mapping[str, str], column: Column) -> None:
    """How dates are written: for the kind “date”, and for values that show by themselves to be dates."""
    order = form.get("date_order", column.date_order) or None
    kind = found.said.get("kind", column.kind)
    if kind in (None, Kind.DATE):
        if order != column.date_order:
            found.said["date_order"] = order
    elif order is not None and order != column.date_order:
        found.wrong.append(
            f"{DATE_ORDER}: this is for the kind “date”, and the kind chosen is “{kind}”; change one of the two"
        )
    elif column.date_order is not None:
        found.said["date_order"] = None


def _order(found: Details, form: Mapping[str, str], column: Column) -> None:
    """An order makes the kind “ordered” where no other was chosen."""
    before = list(column.order or ())
    order = before
    if "order" in form:
        try:
            order = parts_in(form["order"])
        except PellucidError as wrong:
            found.wrong.append(f"{ORDER}: {wrong}")
            return
    kind = found.said.get("kind", column.kind)
    if kind == Kind.ORDERED:
        found.said["order"] = order or None
        if not order:
            found.wrong.append(f"{ORDER}: the kind “ordered” is chosen, and the values are not written; write all")
        return
    if order and order != before:
        if kind is None:
            found.said |= {"kind": Kind.ORDERED, "order": order}
            found.understood.append("Because values upward are written, the kind is now “ordered”.")
        else:
            found.wrong.append(
                f"{ORDER}: values are written, and the kind chosen is “{kind}”; choose the kind “ordered”, or "
                "empty the box"
            )
        return
    if before:
        found.said["order"] = None
        if order:
            found.understood.append("The kind is no longer “ordered”, so the order of the values was removed.")


def _ends(found: Details, form: Mapping[str, str], column: Column, detected: str) -> None:
    if "low" not in form and "high" not in form:
        return
    low, high = (form.get(name, "").strip() for name in ("low", "high"))
    if not low and not high:
        found.said["domain"] = None
        return
    kind = found.said.get("kind", column.kind) or detected
    dates = any(re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in (low, high))
    label = f"{ENDS} {'date' if dates or kind == Kind.DATE else 'number'}"
    if not low or not high:
        found.wrong.append(f"{label}: only one of the two is written; write both, or none")
        return

    def take() -> None:
        ends = [date_in(one) if dates or kind == Kind.DATE else number_in(one) for one in (low, high)]
        found.said["domain"] = list(Column(role="drop", domain=ends).domain or ())

    _attempt(found, label, take)


def _become(found: Details, form: Mapping[str, str], column: Column, file: str) -> None:
    """The one choice of what a value may become, from the choice that was made and the boxes that were filled in."""
    stored = _stored(column)
    try:
        boxes = _boxes(form)
    except PellucidError as wrong:
        found.wrong.append(f"{BECOME}: {wrong}")
        return
    typed = [rule for rule, parts in boxes.items() if parts and parts != stored[rule]]
    given = [*typed, *([FILE] if file else [])]
    chosen = _chosen(found, form.get("taxonomy", FILE if file else KEEP), given, boxes, stored)
    if others := [_called(other, file) for other in given if other != chosen]:
        found.wrong.append(_too_much(chosen, others, file))
    elif chosen == FILE and not file:
        found.wrong.append(f"{BECOME}: “{_called(FILE)}” is chosen and no file; choose the file, or something else")
    elif chosen == NOTHING:
        _become_nothing(found, boxes)
    elif chosen in RULES:
        _rule(found, chosen, boxes[chosen])


def _boxes(form: Mapping[str, str]) -> dict[str, list[str]]:
    """What was filled in for each rule."""
    boxes = {rule: parts_in(form.get(rule, "")) for rule in RULES}
    return boxes | {"dates": [next((p for p in DATE_PARTS if p == part.casefold()), part) for part in boxes["dates"]]}


def _stored(column: Column) -> dict[str, list[str]]:
    """What the boxes of the rules had when the page was shown."""
    return {rule: list(map(label_of, getattr(column.taxonomy, rule, None) or ())) for rule in RULES}


def _become_nothing(found: Details, boxes: Mapping[str, list[str]]) -> None:
    """No rule is used any more; what a box still has is as it was stored, for nothing else was typed."""
    found.said["taxonomy"] = None
    left = next((rule for rule, parts in boxes.items() if parts), None)
    if left is not None:
        called, content, _ = RULES[left]
        found.understood.append(f"“{called}” is no longer used; its {content} were removed.")


def _chosen(
    found: Details,
    chosen: str,
    given: Sequence[str],
    boxes: Mapping[str, list[str]],
    stored: Mapping[str, list[str]],
) -> str:
    """What is meant: the choice, unless it says nothing and what is ``given`` (boxes that were typed, a file) does."""
    if chosen == NOTHING and len(given) == 1 and given != [FILE]:
        called, content, _ = RULES[given[0]]
        found.understood.append(f"Because its {content} are written, “{called}” is now chosen.")
        return given[0]
    # what was chosen before gives way to the tree
    before = chosen in (NOTHING, KEEP) or (chosen in RULES and boxes[chosen] == stored[chosen])
    return FILE if before and given == [FILE] else chosen


def _too_much(chosen: str, others: Sequence[str], file: str) -> str:
    """That more is filled in than what is chosen."""
    made = OF_NOTHING if chosen == NOTHING else _called(chosen, file if chosen == FILE else "")
    empty = "choose one and empty the others" if len(others) > 1 or chosen == NOTHING else "empty one"
    filled = f"{' and '.join(f'“{one}”' for one in others)} {'are' if len(others) > 1 else 'is'} filled in too"
    return f"{BECOME}: “{made}” is chosen and {filled}; {empty}"


def _rule(found: Details, rule: str, parts: list[str]) -> None:
    called, content, _ = RULES[rule]
    if not parts:
        found.wrong.append(f"{called}: it is chosen and its {content} are not written; write them, or choose another")
        return

    def take() -> None:
        made = {rule: parts if rule == "dates" else [number_in(part) for part in parts]}
        TaxonomySource.model_validate(made)
        found.said["taxonomy"] = made

    _attempt(found, called, take)


def _agree(found: Details, column: Column) -> None:
    """What is said about the kind, the ends and what values may become fits together."""
    kind = found.said.get("kind", column.kind)
    taxonomy = found.said.get("taxonomy", column.taxonomy)
    domain = found.said.get("domain", column.domain)
    if kind is None:
        return
    for rule, (called, _, needed) in RULES.items():
        used = taxonomy.get(rule) if isinstance(taxonomy, dict) else getattr(taxonomy, rule, None)
        if used is not None and kind != needed:
            found.wrong.append(
                f"{called}: this is for the kind “{needed}”, and the kind chosen is “{kind}”; change one of the two"
            )
    if domain is not None:
        needed = Kind.DATE if isinstance(domain[0], date) else Kind.NUMBER
        if kind != needed:
            label = f"{ENDS} {needed}"
            found.wrong.append(
                f"{label}: this is for the kind “{needed}”, and the kind chosen is “{kind}”; empty both "
                "boxes, or choose that kind"
            )


def _called(choice: str, file: str = "") -> str:
    if choice in RULES:
        return RULES[choice][0]
    if file == NAME:
        return CALLED
    return "A tree of broader names from a file" if choice == FILE else "The tree that is there"
