"""The draft of the schema that the pages of step 2 change: the words for roles, and what a change takes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pellucid.core.schema import Column, Role
from pellucid.core.schema.condition import Condition
from pellucid.errors import PellucidError, SchemaError
from pellucid.messages import Term
from pellucid.web.checks import field_of
from pellucid.web.jobs import BackgroundJob, TaskCall
from pellucid.web.recounted import key_of, recounted
from pellucid.web.session import Session
from pellucid.web.settings import MEGABYTE
from pellucid.web.step_support import settled, start
from pellucid.web.uploads import Upload, beside_upload
from pellucid.web.values_by_column import carried
from pellucid.web.wording import Page

MAX_SCHEMA = 8 * MEGABYTE
PATIENCE = 10.0  # seconds that an answer waits for a tree or a schema
# In plain words, with the term of the field in brackets.
# what a column that becomes a weight no longer says: it is a number of which each group shows the mean
BESIDE_WEIGHT = ("kind", "taxonomy", "domain", "order", "round", "cap", "date_order", "protect")
NUMBERS_PEOPLE = (Role.DROP, Role.IDENTIFIER, Role.CLUSTER)  # roles of a column of which people are asked
DISCARD = "discard"  # the tick of a form: the finished release may go


def changed(name: str, column: Column, what: Mapping[str, Any]) -> Column:
    """A column with something else said about it; a mistake names the column."""
    said = {key: getattr(column, key) for key in Column.model_fields} | dict(what)
    if said["role"] != Role.WEIGHT:
        said["digits"] = None
    if said["role"] != Role.SENSITIVE:
        said |= {"applies": None, "ruled_out": None}
    if said["role"] not in NUMBERS_PEOPLE:
        said["people"] = None
    try:
        return Column(**said)
    except SchemaError as wrong:
        raise SchemaError("{name}: {wrong}", name=name, wrong=wrong) from None


def with_role(name: str, column: Column, role: str) -> Column:
    """A column with another role; as a weight it no longer says what a weight cannot."""
    taken = BESIDE_WEIGHT if role == Role.WEIGHT and column.role is not Role.WEIGHT else ()
    return changed(name, column, {"role": role, **dict.fromkeys(taken)})


def change(session: Session, columns: dict[str, Column], *, discard: bool) -> None:
    """Take a new draft; what followed from the old one is out of date. A finished release goes only if that is meant.

    Loading a schema, a tree, or the details of a column are changes like any other.
    """
    if columns != session.columns:
        session.jobs.require_idle()
        take(session, columns, discard=discard)
        session.jobs.forget()


def take(session: Session, columns: dict[str, Column], *, discard: bool) -> None:
    """The same for a job that has found out what the draft is."""
    if columns != session.columns:
        require_discard(session, discard=discard)
        before = session.names(Role.SENSITIVE)
        session.columns = columns
        carry_values(session, before)
        recount(session)
        session.forget_check()


def carry_values(session: Session, before: Sequence[str]) -> None:
    """What was ticked of a protected column stays ticked when another one is protected too, or no longer."""
    after, text = session.names(Role.SENSITIVE), session.parameters.get("values", "")
    if text and after != list(before):
        others = {key: value for key, value in session.parameters.items() if key != "values"}
        values = carried(text, before, after)
        session.parameters = {**others, "values": values} if values else others


def recount(session: Session) -> None:
    """Whatever the pages say of a column is about its values as they are read now."""
    if session.data is not None:
        session.data = recounted(session.data, session.columns, session.rounded)


async def count_rounded(session: Session) -> None:
    """Count the values of the columns that a file rounds, which nobody looked at one by one."""
    rounded = {name: column for name, column in session.columns.items() if key_of(name, column)}
    if not {key_of(name, column) for name, column in rounded.items()} - session.rounded.keys():
        return

    def keep(found: dict[str, Any]) -> None:
        session.rounded |= {key_of(name, session.columns[name]): counts for name, counts in found["columns"].items()}
        recount(session)

    task = TaskCall("counts", {"source": session.source, "schema": schema_of_some(rounded)}, keep)
    await declared(session, "Counting rounded values", task)


def schema_of_some(columns: Mapping[str, Column]) -> str:
    """A schema about some columns: the other roles do not matter here, and need not make a schema yet."""
    made = {name: changed(name, column, {"role": Role.QUASI}) for name, column in columns.items()}
    made["+".join(columns) + "+"] = Column(role=Role.SENSITIVE)
    return "\n".join(one.to_toml(name) for name, one in made.items())


def choose_where(session: Session, typed: str, *, discard: bool) -> None:
    """Take the condition under which a row is published; a change like any other."""
    where = Condition.of(typed.strip()).text if typed.strip() else ""
    if where != session.where:
        session.jobs.require_idle()
    take_where(session, where, discard=discard)


def take_where(session: Session, where: str, *, discard: bool) -> None:
    """The same for a job that has read it in a file."""
    if where == session.where:
        return
    require_discard(session, discard=discard)
    session.where = where
    session.forget_check()


def choose_hiding(session: Session, hide: bool, *, discard: bool) -> None:
    """Take whether people are only hidden among others where no column is protected; a change like any other."""
    if hide == session.hide:
        return
    if not session.names(Role.SENSITIVE) and session.checked is not None:
        session.jobs.require_idle()
        require_discard(session, discard=discard)
        session.forget_check()
    session.hide = hide


def require_discard(session: Session, *, discard: bool) -> None:
    """Raise when there is a finished release that a change would discard, and nobody said that it may go."""
    if session.release is not None and not discard:
        raise SchemaError(
            "this change discards the finished release ({name}), and nothing was changed yet; tick “Discard the "
            "finished release” and save once more, or go on without the change",
            name=session.release_name,
        )


async def declared(session: Session, title: str, task: TaskCall, upload: Upload | None = None) -> BackgroundJob:
    """Have a worker look at what somebody says about columns; the task keeps it. Raise when it cannot be used.

    What takes longer than a moment goes on behind the page, which shows how far it is. A file that came for it goes
    when the work ends.
    """
    files = () if upload is None or upload.path is None else (upload.path, beside_upload(upload.path))
    job = start(session, title, ("roles",), [task], files=files)
    if upload is not None:
        upload.hand_over()
    await settled(job, PATIENCE)
    if job.state == "failed":
        session.jobs.forget()
        raise SchemaError(job.message)
    return job


def in_words(wrong: PellucidError) -> str:
    """A mistake in the words of the page."""
    return wrong.message.told(Page(_called))


def _called(term: Term) -> str:
    """How the page calls a term; where in a schema it is wrong, it shows otherwise."""
    if term.name == "place" and term.value[0] == "columns":
        return ""
    return field_of(term)
