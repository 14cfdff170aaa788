"""From what a person gives (a release, a population, how it was made) to the evidence of an attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from pellucid.anonymize.disclosure.one_tells_another import Told, told_by
from pellucid.anonymize.methods import Method
from pellucid.anonymize.named_nodes import values_below
from pellucid.audit.protected import protecting
from pellucid.core.release import Release
from pellucid.core.schema import UNSAID, Column, Role, Roles, Schema, column_names
from pellucid.core.table import Table
from pellucid.core.table import fingerprint as of_table
from pellucid.errors import AttackError
from pellucid.messages import Message, NoteKind, kind_of_note
from pellucid.models import PrivacyModel
from pellucid.risk.views import Evidence, Gathered
from pellucid.risk.views import membership_advice as settling
from pellucid.risk.views.fingerprint import fingerprint
from pellucid.risk.views.given_tables import NOBODY, KnownPeople, table_of
from pellucid.risk.views.how_made import Making, refuse_contradiction, required_by
from pellucid.risk.views.known_groups import SeveralColumns, evidence_of_release, sensitive_column
from pellucid.risk.views.membership_advice import way_out_of
from pellucid.risk.views.missing_inputs import UNORDERED, lacking_of, refuse_other_schema
from pellucid.risk.views.opened_release import ReleaseView
from pellucid.risk.views.population import THE_ORIGINAL, THE_POPULATION, Crowd
from pellucid.risk.views.reader_view import may_be_several
from pellucid.risk.views.regrouping import HowMade, refuse_other_groups
from pellucid.runtime.progress import SILENT, Progress
from pellucid.spark.frames import is_distributed


def _refuse_spark(release: Any) -> None:
    """An attack looks at everybody in memory: say how a release that is with Spark gets there."""
    tables = release.public.frames if isinstance(release, Release) else release
    frames = tables.values() if isinstance(tables, Mapping) else [tables]
    if any(map(is_distributed, frames)):
        raise AttackError(
            "the release is with Spark, and an attack reads it without",
            "write it (release.write(folder), or a DataFrame to Parquet) and attack the folder",
        )


def _as_it_was_read(release: Release, roles: Roles) -> Roles:
    """How to read the table that a release was made of: as the caller says, or as it was read when it was published."""
    known = release.private.schema
    if roles.schema is not None or known is None or not _agree(roles, known):
        return roles
    if roles.identifier is not None:
        columns = {name: column for name, column in known.columns.items() if column.role is not Role.IDENTIFIER}
        columns = {roles.identifier: Column(role=Role.IDENTIFIER)} | columns
        known = known.model_copy(update={"columns": columns})
    return Roles(schema=known)


def _agree(roles: Roles, known: Schema) -> bool:
    """Whether the roles that a caller names are those of a schema, which says more than they do."""
    for role in ("quasi", "sensitive"):
        named = roles.named.get(role)
        names = [named] if isinstance(named, str) else named
        one_of_them = role == "sensitive" and names is not None and len(names) == 1 and names[0] in known.names(role)
        if names is not None and list(names) != known.names(role) and not one_of_them:
            return False
    return True


def _as_it_was_seen(release: Release, table: Table) -> tuple[Table, tuple[str, ...]]:
    """The table of a release as the method saw it, and what of that is not known; another table is refused."""
    recipe = release.public.recipe
    if recipe.row_order == "coins":
        table = replace(table, order=None)  # an identifier names people here, and ordered nothing
    lacking: list[str] = [UNORDERED] if table.order is None and recipe.row_order == "identifier" else []
    if _is_the_very_table(release, table) or len(table) != release.private.grouping.rows:
        return table, tuple(lacking)
    if not _publishes(release, table):
        raise AttackError(
            "the release was not made of this table, or its rows are in another order, or its columns were read "
            "differently",
            "give the same table in its order, with the {SCHEMA} that it was published with",
        )
    refuse_other_schema(recipe, table.schema)
    if table.schema is None or not recipe.tells_what_steered:
        lacking.append(
            Message("the table may be read differently than it was published: give the {SCHEMA} that was used")
        )
    return table, tuple(lacking)


def _is_the_very_table(release: Release, table: Table) -> bool:
    """Whether a table is the one that a release was made of, in its order, as far as that was kept."""
    made_of = release.private.made_of
    return made_of is None or made_of == of_table(table, measured=True)


def _publishes(release: Release, table: Table) -> bool:
    """Whether the groups of a release give what it published when its rows are those of this table."""
    recipe = release.public.recipe
    made = HowMade(recipe.made_by, recipe.recoder, fingerprint(release))
    return made.publishes(table, release.private.grouping)


def knows_the_rows(release: Release, table: Table) -> bool:
    """Whether the groups of a release in memory are of the rows of this table: those that it was made of, in order."""
    if len(table) != release.private.grouping.rows:
        return False
    return _is_the_very_table(release, table) or _publishes(release, table)


def _as_usually_recoded(evidence: Evidence, look: ReleaseView) -> Evidence:
    """Without a recipe nobody says how groups were recoded: then as the method usually is, if all columns are known."""
    origin = evidence.origin
    if origin is None or origin.recoder is not None or look.source.recipe is not None:
        return evidence
    numbers = [look.audit.table.attributes[i].name for i in look.audit.forming] if look.in_two else []
    published = {name for table in look.source.tables for name in look.source.columns(table)}
    made = look.made(evidence.method)
    if made is None or published != {*look.quasi, look.sensitive, *numbers}:
        return evidence
    usual = replace(origin, recoder=made.recoder, fingerprint=made.prints, assumed=True)
    return replace(evidence, origin=usual)


def gather(
    source: Any,
    roles: Roles = UNSAID,
    people: KnownPeople = NOBODY,
    *,
    made_by: Method | None = None,
    model: PrivacyModel | None = None,
    about: tuple[Any, ...] | None = None,
    also_truth: bool = False,
    progress: Progress = SILENT,
) -> Gathered:
    """The evidence from whatever there is; see :func:`pellucid.attack` for what can be given.

    With ``also_truth``, a population that has the sensitive column and as many rows as the release is its table.
    ``about`` are the values that are asked about, of a table of which nobody says how it was made.
    """
    if isinstance(source, Evidence):
        return Gathered(source)
    _refuse_spark(source)
    _refuse_other_types(roles, made_by, model)
    if isinstance(source, Release) and people.truth is not None and people.population is None and roles.group is None:
        return _of_its_own_table(source, roles, people, made_by, model)
    look = ReleaseView.at(source, roles, progress)
    refuse_contradiction(look.source.recipe, made_by, model)
    method = made_by if made_by is not None else look.method
    _refuse_other_values(method, about)
    people, notes = _taken_as_the_table(look, people) if also_truth else (people, ())
    _refuse_groups_of_others(people)
    making = Making(method, model, notes, about)
    if people.groups is None:
        return _of_people(look, people, roles.identifier, making)
    # who is told where everybody is need not look whom published values cover
    look = look.with_ends(people.truth).without_rows()
    return look.told(making, people.truth, roles.identifier, people.groups)


def _refuse_other_values(method: Method | None, about: tuple[Any, ...] | None) -> None:
    """Raise where values are asked about beside a method, whose promise says itself which values it is about."""
    if method is not None and about is not None:
        raise AttackError(
            "{VALUES}: the recipe says how the release was made, and so which values {method} protects",
            "leave {VALUES} out, or ask verify about these values",
            method=method.name,
        )


def _refuse_groups_of_others(people: KnownPeople) -> None:
    if people.groups is not None and (people.truth is None or people.population is not None):
        raise AttackError("{GROUPS} tells the group of each row of the true table", "give that table as {TRUTH}, alone")


def _taken_as_the_table(look: ReleaseView, people: KnownPeople) -> tuple[KnownPeople, tuple[str, ...]]:
    """The people, with a population that may be the table itself as the truth; and that this was done."""
    if people.truth is not None or people.population is None or not look.is_table_of(people.population):
        return people, ()
    taken = "so it is taken as the table itself: guesses are scored with it"
    note = f"the population has {look.sensitive} too, {taken}"
    return replace(people, truth=people.population, population=None), (note,)


def _refuse_other_types(roles: Roles, made_by: Any, model: Any) -> None:
    """Raise for what is no method, no column and no model."""
    if not isinstance(made_by, Method | None):
        raise AttackError(
            f"made_by = {made_by!r}: give the method with its parameters, for example pellucid.Tailor(l=2)"
        )
    if not isinstance(roles.identifier, str | None):
        raise AttackError(f"identifier = {roles.identifier!r}: must be the name of the column that names people")
    if not isinstance(model, PrivacyModel | None):
        raise AttackError("model = {model!r}: must be a model, as in pellucid.LDiversity(l=2)", model=model)


def _of_its_own_table(
    release: Release, roles: Roles, people: KnownPeople, made_by: Method | None, model: PrivacyModel | None
) -> Gathered:
    """The evidence of a release in memory with the table that it was made of: its groups are known."""
    recipe = release.public.recipe
    refuse_contradiction(recipe, made_by, model)
    if people.groups is not None:
        refuse_other_groups(people.groups, release.private.labels)
    given = None if roles.schema is None else Schema.given(roles.schema)
    refuse_other_schema(recipe, given)
    sensitive = _one_sensitive(roles)
    # beside a schema, the column that is named is one of its own
    columns = replace(roles, schema=given) if given is None else replace(roles, schema=given, sensitive=None)
    table, names = table_of(people.truth, _as_it_was_read(release, columns))
    table, lacking = _as_it_was_seen(release, table)
    evidence = evidence_of_release(release, table, names=names, model=model, made_by=made_by, sensitive=sensitive)
    column, _ = sensitive_column(table, sensitive)
    lacking += lacking_of(recipe, table.schema, evidence.method)
    evidence = replace(evidence, lacking=lacking)
    rest = partial(_told_by_the_rest, evidence, table, column)
    return Gathered(evidence, table.codes[column], promise=recipe.guarantee, parted=recipe.clusters_parted, rest=rest)


def _told_by_the_rest(evidence: Evidence, table: Table, column: int) -> Told | None:
    return told_by(table, evidence.grouping, evidence.method, column)


def _one_sensitive(roles: Roles) -> str | None:
    """The sensitive column that is named; an attack is on one."""
    named = [] if roles.sensitive is None else column_names(roles.sensitive)
    if len(named) > 1:
        raise SeveralColumns(named)
    return next(iter(named), None)


def _of_people(look: ReleaseView, people: KnownPeople, identifier: str | None, making: Making) -> Gathered:
    """The evidence of a release that was opened, with whoever is known beside it."""
    truth, method = people.truth, making.method
    known = people.population if people.population is not None else truth
    if known is None:
        evidence = look.anonymous(method)
    else:
        look = look.with_ends(known)
        called = THE_ORIGINAL if people.population is None else THE_POPULATION
        evidence = look.among(Crowd.of(known, look, identifier, called), method)
    evidence = _as_usually_recoded(_as_said(evidence, look, making), look)
    if _tells_who_is_where(people, known, evidence):
        settled = look.settled(making, truth, identifier)
        if isinstance(settled, Gathered):
            return settled
        evidence = _left_unsettled(evidence, settled)
    elif evidence.membership is not None:
        spare = int(evidence.membership.covered.sum()) - int(evidence.published.sizes.sum())
        way_out = settling.of_a_population(look.made(method), look.source.recipe, spare=spare)
        evidence = replace(evidence, way_out=way_out)
    if evidence.membership is not None and look.source.facts.names(Role.WEIGHT):
        evidence = replace(evidence, notes=(*evidence.notes, WEIGHTS_UNUSED))
    scored = None if truth is None else look.scored(evidence, truth, identifier, same=known is truth)
    rows = None if evidence.membership is None else _as_rows(look, evidence)
    facts = look.source.facts
    rest = partial(look.told_by_the_rest, method)
    return Gathered(evidence, scored, look.source.name, rows, facts.guarantee, facts.clusters_parted, rest)


def _as_said(evidence: Evidence, look: ReleaseView, making: Making) -> Evidence:
    """The evidence with how the release is said to be made, and the other sensitive columns that it has.

    Where nobody says how, verdicts are about the values that the caller's schema protects.
    """
    said = None if look.schema is None or making.method is not None else look.schema.columns.get(look.sensitive)
    protect, as_one = making.about, False
    if said is not None and said.protect is not None:
        protect = values_below(said.protect, evidence.attribute)
        as_one = len(protect) > len(said.protect)
    model = making.model or required_by(making.method, look.sensitive)
    if model is not None and model.protects is None and protect is not None:
        model = protecting(model, protect, together=as_one)
    return replace(
        evidence,
        method=making.method,
        model=model,
        asked=protect,
        asked_as_one=as_one,
        notes=(*evidence.notes, *making.notes),
        beside=tuple(name for name in look.audit.sensitive if name != look.sensitive),
    )


def _tells_who_is_where(people: KnownPeople, known: Any, evidence: Evidence) -> bool:
    """Whether the people known are the true table, and published values leave open who of them is in which group."""
    return known is people.truth and people.truth is not None and _is_unsettled(evidence)


WEIGHTS_UNUSED = "the mean weights of groups, which may tell more about who is in which, are not looked at"


def _is_unsettled(evidence: Evidence) -> bool:
    """Whether who is in which group cannot be read off, or only among people who look alike."""
    return (
        evidence.membership is not None
        or any(kind_of_note(note) is NoteKind.LOOK_ALIKE for note in evidence.notes)
        or may_be_several(evidence)
    )


def _left_unsettled(evidence: Evidence, way_out: str) -> Evidence:
    """The same where even the true table does not tell who is in which group, with what would."""
    evidence = replace(evidence, unsettled=True)
    if evidence.membership is None:
        return evidence
    differ = "so figures differ from those of whoever is told it, as the page and its report are"
    note = Message(
        "who is in which group stays open where values fit several, {differ}; {way_out}", differ=differ, way_out=way_out
    )
    return replace(evidence, way_out=way_out, notes=(*evidence.notes, *([note] if way_out else [])))


def _as_rows(look: ReleaseView, evidence: Evidence) -> Evidence:
    """The rows of the release as people without names, beside a crowd of which nobody is sure."""
    rows = replace(look.anonymous(), published=evidence.published, method=evidence.method, model=evidence.model)
    return replace(rows, crowd=len(evidence.people), way_out=way_out_of(evidence))
