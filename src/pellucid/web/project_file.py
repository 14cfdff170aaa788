"""The project file: the whole session without its data, as TOML that ``pellucid run`` reads as a job.

The keys of a job say what is published and how; ``[schema]`` what each column is; ``[project]``, which a run does not
need, has the fingerprint of the table, what was said about its file, and the releases that were made.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pellucid.anonymize.methods import methods
from pellucid.core.schema import Role, TextForm
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.errors import PellucidError
from pellucid.io.database import without_password
from pellucid.web.option_fields import typed_options
from pellucid.web.session import Results, Session
from pellucid.web.values_by_column import method_of

VERSION = 1
USUAL = {"l": 8}


def project_of(session: Session) -> str:
    """The file; no row is in it: names of columns, and what was said about them, which may name values."""
    assert session.source is not None
    assert session.data is not None
    head: Results = {"source": without_password(session.source["name"]), "out": "release"}
    if session.accepted:
        head["accept_known"] = list(session.accepted)
    head |= {"recode": session.recode, **_options_of(session)}
    about: Results = {
        "version": VERSION,
        "table": without_password(session.source["name"]),
        "rows": session.data["rows"],
        "sha256": (session.reading or {}).get("sha256", ""),
        "saved": datetime.now().isoformat(timespec="seconds"),
        "missing": session.source.get("missing"),
        "missing_at": session.source.get("missing_at") or None,
        "date_order": session.source.get("date_order"),
        "releases": history_of(session),
    }
    sections = [
        _lines(head),
        "[method]\n" + _lines({"name": session.method, **parameters_of(session)}),
        "[project]\n" + _lines(about),
    ]
    if session.of_table_toml:
        sections.append(f"[schema]\n{session.of_table_toml}")
    if session.form:
        sections.append(TextForm(**session.form).to_toml().replace("[file]", "[schema.file]", 1))
    for name, column in session.columns.items():
        sections.append(column.to_toml(name).replace("[columns.", "[schema.columns.", 1))
    return "\n".join(sections)


def _options_of(session: Session) -> Results:
    """What else is chosen, as a job has it; nothing where a field holds what cannot be."""
    try:
        return typed_options(session.options)
    except PellucidError:
        return {}


def _lines(said: Results) -> str:
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in said.items() if value not in (None, "", []))


def parameters_of(session: Session) -> Results:
    """The parameters of the setting as a job has them."""
    given: dict[str, Any] = dict(session.parameters)
    try:
        typed = {key: value == "True" if value in ("True", "False") else value for key, value in given.items()}
        method = method_of(session.method, typed, session.names(Role.SENSITIVE))
    except PellucidError:
        return dict(USUAL) if "l" in methods()[session.method].model_fields else {}
    made = method.model_dump(mode="json")
    return {key: made[key] for key in method.model_fields_set if made.get(key) not in (None, False, [], {})}


def history_of(session: Session) -> list[Results]:
    """The releases that were made, the newest first: setting, time and figures."""
    found = [
        {"name": one.name, "finished": one.when.isoformat(timespec="seconds"), **one.figures} for one in session.earlier
    ]
    if session.release is not None:
        figures = {"groups": session.release["read"]["groups"], "min": session.release["read"]["min"]}
        now = {"name": session.release_name, "finished": session.made_at.isoformat(timespec="seconds")}
        found.insert(0, {**now, **figures, "claim": session.release["claim"]})
    return [*found, *session.past]
