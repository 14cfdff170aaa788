"""Where a setting or the roles cannot be published: the nearest ones that can, each tried before it is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.method import STRICT
from pellucid.anonymize.methods import Method, methods
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.core.schema import MOST_DRAFTED, Column, Role
from pellucid.core.schema.people import ONE, PERSON, ROW
from pellucid.core.table import Table, frequencies
from pellucid.text.values import few
from pellucid.web.checks import PEOPLE_ANSWERS
from pellucid.web.possible_l import feasible_with
from pellucid.web.session import Session
from pellucid.web.values_by_column import can_be_written, written

MOST = 3  # settings that are offered
LEAST = 2  # the smallest l that promises something
USUAL_L = 8  # where nobody has chosen another
LISTED = 12  # values that fit an address
K_ANONYMITY = "k-anonymity=5"  # every table of five rows allows it; what is protected may still be learnt
T_CLOSENESS = "t-closeness=0.2"
Promise = Callable[[str, Mapping[str, str | bool]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class WayOut:
    """One click: an address with a setting, or a button of the roles."""

    title: str
    about: str
    address: str = ""
    value: str = ""


def settings_instead(session: Session, name: str, given: Mapping[str, str | bool], promise: Promise) -> list[WayOut]:
    """The nearest settings that can be published, at most three: a smaller l, some values only, another model."""
    if session.outline is None or session.hiding:
        return []
    found: list[WayOut] = []
    last = _whole(session.parameters.get("l")) or USUAL_L
    for title, about, other, parameters in _candidates(session.outline, name, given, last):
        said = promise(other, parameters)
        if not said["wrong"] and len(found) < MOST:
            found.append(WayOut(title, about, f"/method?{urlencode({'name': other, **parameters})}"))
    return [*found, *(way for way, _ in people_instead(session).values())]


def people_instead(session: Session) -> dict[str, tuple[WayOut, dict[str, Column]]]:
    """Where whole people are protected who have several rows: the two other answers, by the value of their button."""
    found: dict[str, tuple[WayOut, dict[str, Column]]] = {}
    for number, fact in enumerate(session.data["columns"] if session.data else ()):
        name, people = fact["name"], fact.get("people", 0)
        column = session.columns[name]
        if not people or not (column.people == PERSON or column.role is Role.CLUSTER):
            continue
        gone = "the other rows" if session.where else f"{session.rows - people:,} rows"
        for answer, about in ((ONE, f"{gone} are not published"), (ROW, "the promise says so")):
            said = {key: getattr(column, key) for key in Column.model_fields}
            other = Column(**{**said, "role": Role.DROP, "people": answer})
            way = WayOut(f"{name}: {PEOPLE_ANSWERS[answer]}", about, value=f"people-{number}-{answer}")
            found[way.value] = way, {**session.columns, name: other}
    return found


def _candidates(
    outline: Table, name: str, given: Mapping[str, str | bool], last: int
) -> Iterator[tuple[str, str, str, dict[str, str | bool]]]:
    kept: dict[str, str | bool] = {key: value for key, value in given.items() if value and key not in ("l", "values")}
    kind = methods().get(name, Method)
    able = name if issubclass(kind, ProtectingMethod) else STRICT
    own = kept if able == name else {}
    to = name if "l" in kind.model_fields else able
    same = kept if to == name else {}
    feasible = feasible_with(outline, to, same)
    if feasible.largest >= LEAST:
        least = str(min(feasible.largest, _whole(given.get("l")) or last))
        about = f"nobody's value is believed with more than 1/{least}"
        yield f"Use l = {least}", about, to, {**same, "l": least}
    rarer = _rarer_values(outline)
    if rarer is not None:
        labels, often, values, l = rarer
        about = f"{few(often, 2)} is then published without a promise"
        if len(labels) > 1:
            about = (
                f"{few(often, 2)} is then published without a promise; each of the others is protected by itself, and "
                "that somebody has one of them may be certain"
            )
        yield f"Protect {few(labels, 3)} only", about, able, {**own, "l": l, "values": values}
    about = "people look alike; nothing is promised about what is protected"
    yield "Groups of at least 5 people (k-anonymity)", about, "tailor", {"model": K_ANONYMITY}
    about = "in every group each value is about as frequent as in the whole table"
    yield "Groups like the whole table (t-closeness 0.2)", about, "tailor", {"model": T_CLOSENESS}


def _rarer_values(outline: Table) -> tuple[list[str], list[str], str, str] | None:
    """The values that can be protected beside those that are too frequent, these, how a setting says it, and an l.

    Where several columns are protected, of each that has such a value. None where none has, or a text cannot name them.
    """
    several = len(outline.having(Role.SENSITIVE)) > 1
    most, rarer, often = 0, dict[str, list[str]](), list[str]()
    for column in outline.having(Role.SENSITIVE):
        attribute, counts = (
            outline.attributes[column],
            frequencies(outline.codes[column], len(outline.attributes[column])),
        )
        frequent, rare = _by_frequency(counts, len(outline) // LEAST)
        if not frequent or not rare:
            most = max(most, int(counts.max(initial=0)))
            continue
        labels = [str(attribute.values[code]) for code in rare if attribute.values[code] is not None]
        if not _can_be_named(attribute.name if several else "only", labels):
            return None
        most = max(most, *(int(counts[code]) for code in rare))
        rarer[attribute.name] = labels
        often += [str(attribute.values[code]) for code in frequent]
    if not rarer or not most:
        return None
    named = [label for labels in rarer.values() for label in labels]
    asked = written(rarer) if several else ",".join(named)
    return named, often, asked, str(min(len(outline) // most, USUAL_L))


def _by_frequency(counts: NDArray[np.int64], most: int) -> tuple[list[int], list[int]]:
    """The codes that more rows have than so many, and those that some rows have and no more than so many."""
    return np.flatnonzero(counts > most).tolist(), np.flatnonzero((counts > 0) & (counts <= most)).tolist()


def _can_be_named(column: str, labels: list[str]) -> bool:
    return 0 < len(labels) <= LISTED and can_be_written(column, labels)


def _whole(text: object) -> int:
    return int(str(text)) if str(text or "").isdecimal() and len(str(text)) < 9 and int(str(text)) >= LEAST else 0


def roles_instead(session: Session, columns: Mapping[str, Column]) -> dict[str, tuple[WayOut, dict[str, Column]]]:
    """The nearest roles that can be published, by the value of their button: each a change of roles and no more."""
    if session.data is None:
        return {}
    facts = {one["name"]: one for one in session.data["columns"]}
    roles = {role: [name for name, column in columns.items() if column.role is role] for role in Role}
    found: dict[str, tuple[WayOut, dict[str, Column]]] = {}

    def offer(value: str, title: str, about: str, changes: Mapping[str, Role]) -> None:
        changed = {name: _with_role(column, changes.get(name)) for name, column in columns.items()}
        if len(found) < MOST:
            found[value] = (WayOut(title, about, value=value), changed)

    if session.determined:
        names = [name for name in session.determined if name in columns]
        about = "others then do not learn the protected value from it"
        offer("leave-out", f"Leave out {few(names)}", about, dict.fromkeys(names, Role.DROP))
    if len(roles[Role.QUASI]) > MOST_DRAFTED:
        telling = sorted(roles[Role.QUASI], key=lambda name: facts[name]["distinct"], reverse=True)
        out = telling[: len(telling) - MOST_DRAFTED]
        about = f"the {MOST_DRAFTED} others stay: {few(telling[len(out) :], 3)}"
        offer("fewer", f"Leave out the most telling: {few(out)}", about, dict.fromkeys(out, Role.DROP))
    if not roles[Role.SENSITIVE] or session.determined:
        able = _able(columns, facts, {*roles[Role.SENSITIVE], *session.determined})
        for name in able[:MOST]:
            before = dict.fromkeys(roles[Role.SENSITIVE], Role.DROP)
            about = f"l up to {facts[name]['largest_l']} is possible"
            offer(f"protect-{list(columns).index(name)}", f"Protect {name}", about, {**before, name: Role.SENSITIVE})
    return _with_hiding(found, columns, len(roles[Role.SENSITIVE]), len(roles[Role.QUASI]))


def _with_hiding(
    found: dict[str, tuple[WayOut, dict[str, Column]]], columns: Mapping[str, Column], sensitive: int, quasi: int
) -> dict[str, tuple[WayOut, dict[str, Column]]]:
    """The same with k-anonymity alone where no column is protected, as the last of the three."""
    if sensitive or not 0 < quasi <= MOST_DRAFTED:
        return found
    return {**dict(list(found.items())[: MOST - 1]), "hide": (_hide(), dict(columns))}


def _hide() -> WayOut:
    title = "Protect no column: hide people among others only (k-anonymity)"
    about = "every row looks like others; nothing is promised about what the values of a group tell"
    return WayOut(title, about, value="hide")


def _able(columns: Mapping[str, Column], facts: Mapping[str, Any], beside: set[str]) -> list[str]:
    """The other columns that can be protected, those first that others hardly know."""
    able = [name for name in columns if name not in beside and _can_be_protected(facts[name], columns[name])]
    return sorted(able, key=lambda name: (columns[name].role is Role.QUASI, -min(facts[name]["largest_l"], 8)))


def _can_be_protected(facts: Mapping[str, Any], column: Column) -> bool:
    return column.role is not Role.IDENTIFIER and 2 <= facts["distinct"] <= 100 and facts["largest_l"] >= LEAST


def _with_role(column: Column, role: Role | None) -> Column:
    if role is None or role is column.role:
        return column
    said = {key: getattr(column, key) for key in Column.model_fields} | {"role": role}
    return Column(**{**said, "cap": None, "protect": None})
