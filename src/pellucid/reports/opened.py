"""What a report is made of: the release as it was handed out, how it was made, and what its columns are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from pellucid import datasets
from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.methods import Method
from pellucid.audit import Asking, Audit, look_at
from pellucid.audit.meaning import meant_by, original_told, read_together
from pellucid.audit.roles import ReleaseRoles, roles_of
from pellucid.audit.source import Cells, OpenedRelease, opened
from pellucid.core.recipe import Recipe
from pellucid.core.schema import UNSAID, Role, Roles, Schema, schema_of_names
from pellucid.core.sentence import promises_nothing
from pellucid.core.table import Table
from pellucid.errors import InputError, SchemaError
from pellucid.messages.terms import AUDIENCE
from pellucid.models import PrivacyModel
from pellucid.risk.views.how_made import required_by
from pellucid.runtime.progress import SILENT, Progress


@dataclass(frozen=True, eq=False)
class Given:
    """A release that was opened. ``source`` and ``audit`` hold its public half and nothing else.

    ``roles`` says what its columns are; ``schema`` is what the caller said about those of the original; ``method`` how
    the release was made, where anybody says so. ``counted`` has the cells that were counted already.
    """

    source: OpenedRelease
    audit: Asking
    roles: ReleaseRoles
    schema: Schema | None
    method: Method | None
    counted: dict[tuple[str, ...], Cells] = field(default_factory=dict)

    @property
    def rows_here(self) -> Audit:
        """The audit, of which a private report looks at single rows: they are in memory."""
        assert isinstance(self.audit, Audit)
        return self.audit

    def cells(self, parts: list[str], place: str) -> Cells:
        """The different cells of what one column became, and how many rows have each; counted once."""
        key = (place, *parts)
        if key not in self.counted:
            self.counted[key] = self.source.cells(parts, place)
        return self.counted[key]

    @property
    def recipe(self) -> Recipe | None:
        """The recipe, where there is one."""
        return self.source.recipe

    @property
    def facts(self) -> Recipe:
        """What the recipe says; where there is none, a recipe that says nothing."""
        return self.source.facts

    @property
    def claim(self) -> str:
        """Against whom the release is promised to hold: as its recipe says, else as the method that made it."""
        if self.recipe is not None:
            return self.recipe.guarantee if self.recipe.guarantee is not None else "none"
        return "none" if self.method is None else self.method.claim

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """The sensitive columns and the quasi-identifiers, as the recipe names them."""
        return self.facts.names(Role.SENSITIVE), self.facts.names(Role.QUASI)

    @property
    def model(self) -> PrivacyModel | None:
        """What the method's groups satisfy."""
        return required_by(self.method)

    @property
    def limit(self) -> Fraction | None:
        """What the promise allows anybody whom it covers to believe; None where it is not about beliefs."""
        return None if self.method is None else self.method.promised

    @property
    def clustered(self) -> bool:
        """Whether rows that belong together were taken as one, so that the promise is about these."""
        return isinstance(self.method, ClusterMethod) and self.method.cluster_rows is not None

    @property
    def of_rows(self) -> bool:
        """Whether each row is protected by itself, of people who have several."""
        return self.facts.protects_rows

    @property
    def counts_rows(self) -> bool:
        """Whether a report counts rows and not people, of whom some have several."""
        return self.clustered or self.of_rows

    @property
    def parted(self) -> bool:
        """Whether larger clusters were taken as several, or nobody says that none was."""
        return self.clustered and self.facts.clusters_parted is not False

    @property
    def nothing(self) -> bool:
        """Whether the parameters promise nothing, as l = 1 does."""
        return self.method is not None and promises_nothing(self.method)

    @property
    def protected(self) -> str:
        """The values that the promise is about where it is not about all of them, in words, of every column."""
        values = None if self.method is None else self.method.protects
        if not isinstance(values, Mapping):
            return protected_by(self.method, "")
        whole = [f"every value of {name}" for name in self.audit.sensitive if name not in values]
        return ", ".join([*whole, *(protected_by(self.method, name) for name in values)])


def protected_by(method: Method | None, column: str) -> str:
    """The values of a column that a method's promise is about where it is not about all of them, in words.

    >>> from pellucid.anonymize.methods import methods
    >>> method = methods()["soft-cut"](l=2, values={"hiv": ["yes"]})
    >>> protected_by(method, "hiv"), protected_by(method, "diagnosis"), protected_by(None, "hiv")
    ('yes of hiv', '', '')
    """
    if method is None:
        return ""
    values, joint = method.protects or (), " or " if method.as_one else " and "
    if isinstance(values, Mapping):
        return f"{joint.join(map(str, values[column]))} of {column}" if column in values else ""
    sets = None if method.required is None else method.required.sets
    if sets is not None:
        return "; ".join(" or ".join(map(str, some)) for some in sets)
    return (" or " if method.as_one else ", ").join(map(str, values))


def private_with_spark() -> InputError:
    """Why a private report is not made with Spark."""
    return InputError(
        "a private report names people and groups, and with Spark no row comes here to tell them from",
        "make the one for everybody with {audience}, or {WITHOUT_SPARK}",
        audience=AUDIENCE.such_as("public"),
    )


def given_of(
    release: Any,
    roles: Roles = UNSAID,
    *,
    made_by: Method | None = None,
    secret: bool = False,
    spark: Any = None,
    progress: Progress = SILENT,
) -> Given:
    """Open a release: ours, its folder, or anybody's with ``quasi`` and ``sensitive`` or ``schema``.

    A ``secret`` report is about rows, which must be in memory; with a session as ``spark``, Spark reads files.
    """
    source = opened(release, spark)
    if secret and source.distributed:
        raise private_with_spark()
    known = _schema_said(roles)
    # a recipe tells what is published better than the schema of the original does, which has no age_low and age_high
    released = Roles(schema=None if source.recipe is not None else known, group=roles.group)
    audit = look_at(source, released, progress=progress)
    on_purpose = source.recipe.nothing_sensitive if source.recipe is not None else known and known.nothing_sensitive
    if not audit.sensitive and not on_purpose:
        raise SchemaError("a report says what is protected, and no sensitive column is named; name it with {SENSITIVE}")
    made = made_by if made_by is not None else source.made_by
    return Given(source, audit, roles_of(source, released), known, made)


def _schema_said(roles: Roles) -> Schema | None:
    """What the caller says of the original's columns, by a schema or by name; None where that is not all of it."""
    if roles.schema is not None and (roles.quasi is not None or roles.sensitive is not None):
        raise SchemaError("schema and {QUASI} or {SENSITIVE} both say what the columns are; give one of the two")
    if roles.schema is not None:
        return roles.schema if isinstance(roles.schema, Schema) else Schema.load(Path(roles.schema))
    if roles.quasi is None or roles.sensitive is None:
        return None
    return schema_of_names(roles)


def schema_for(given: Given, original: Any, identifier: str | None = None) -> Schema:
    """What the original's columns are: as the caller says, as an embedded table says, or as the recipe says."""
    if given.schema is not None:
        return meant_by(given.recipe, given.schema, own=True)
    if isinstance(original, str) and not Path(original).is_file():
        embedded = datasets.schema_of(original)
        if embedded is not None:
            return embedded
    if given.recipe is None:
        raise SchemaError("nothing says what the columns are; give {QUASI} and {SENSITIVE}, or {SCHEMA}")
    return original_told(given.recipe, identifier)


def table_for(given: Given, original: Any, identifier: str | None, progress: Progress) -> Table:
    """The original as a table."""
    if isinstance(original, Table):
        return original
    return read_together(original, schema_for(given, original, identifier), given.recipe, progress)
