"""What a caller says that columns are: their names, and all of it as one value, by keywords or both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from pellucid.core.schema.explaining import in_brief
from pellucid.core.schema.roles import Kind
from pellucid.errors import SchemaError
from pellucid.runtime.arguments import brief, several

if TYPE_CHECKING:
    from pellucid.core.schema.whole import Schema

Names = str | int | Iterable[str | int]
SEVERAL = ("quasi", "sensitive", "carry")  # roles that several columns may have


def column_names(given: Names) -> list[str]:
    """The names of one column or of several, as texts: pandas names columns by numbers where nobody else does.

    >>> column_names("age"), column_names(0), column_names(["zip", 1])
    (['age'], ['0'], ['zip', '1'])
    >>> column_names([2.5])
    Traceback (most recent call last):
    pellucid.errors.SchemaError: 2.5 is not the name of a column; give a text or, of a pandas frame, a whole number
    """
    is_single = isinstance(given, str | int) or not isinstance(given, Iterable)
    names = [given] if is_single else several(given, "columns", "names", SchemaError)
    for name in names:
        if not isinstance(name, str) and (not isinstance(name, Integral) or isinstance(name, bool)):
            raise SchemaError(
                f"{in_brief(name)} is not the name of a column; give a text or, of a pandas frame, a whole number"
            )
    return [str(name) for name in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What the columns of a table are, as one value that every verb takes as ``roles``.

    Either ``schema``, a :class:`Schema` or its file; or names: ``quasi`` (what others may know), ``sensitive`` (what is
    protected), ``identifier`` (names people, is never published), ``carry`` (published per group, without steering it),
    ``cluster`` (says which rows belong together, such as a household), ``weight`` (for how many people a row stands,
    published as the mean of each group), with ``kinds`` (``{"icd": "category"}``) for what a named column holds.
    ``people`` says what is done about people with several rows (:class:`pellucid.core.schema.people.Several`):
    ``"patient=one"``. ``where`` leaves rows out (:mod:`pellucid.core.schema.condition`): ``"age >= 15"``. ``applies``
    says to whom a sensitive column applies: ``"income=age >= 15"``. ``group`` is the
    column that numbers the groups of a release in two tables. A verb looks at what concerns it, and takes the same as
    keywords of its own.

    >>> import pellucid as pc
    >>> roles = pc.Roles(quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), roles=roles)
    >>> pc.attack(release, truth=pc.datasets.patients(), roles=roles).max_risk
    0.5
    """

    schema: Schema | str | PathLike[str] | None = None
    quasi: Names | None = None
    sensitive: Names | None = None
    identifier: str | None = None
    carry: Names | None = None
    kinds: Mapping[str, Kind | str] | None = None
    group: str | None = None
    cluster: str | None = None
    weight: str | None = None
    people: str | None = None
    where: str | None = None
    applies: str | None = None

    def __post_init__(self) -> None:
        for name in SEVERAL:
            if isinstance(getattr(self, name), Iterator):  # which the first verb would use up
                object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def named(self) -> dict[str, Any]:
        """The roles whose columns are named, with these."""
        by_role = {
            "quasi": self.quasi,
            "sensitive": self.sensitive,
            "identifier": self.identifier,
            "carry": self.carry,
            "cluster": self.cluster,
            "weight": self.weight,
        }
        return {role: names for role, names in by_role.items() if names is not None}


def as_roles(roles: Roles | None, **keywords: Any) -> Roles:
    """What a caller says: in one value, by keywords, or by both where they do not contradict each other.

    >>> as_roles(Roles(quasi="age"), quasi=["age"], sensitive="disease").named
    {'quasi': ['age'], 'sensitive': 'disease'}
    >>> as_roles(Roles(quasi="age"), quasi="zip")
    Traceback (most recent call last):
    pellucid.errors.SchemaError: quasi = 'zip' and roles say 'age'; give one of the two
    """
    by_keyword = Roles(**keywords)
    if roles is None:
        return by_keyword
    if not isinstance(roles, Roles):
        raise SchemaError(
            "roles = {brief}: give pellucid.Roles(quasi=[...], sensitive=...), or these as keywords", brief=brief(roles)
        )
    by_name = {name: getattr(by_keyword, name) for name in keywords if getattr(by_keyword, name) is not None}
    for name, value in by_name.items():
        in_roles = getattr(roles, name)
        if in_roles is not None and not _same(name, in_roles, value):
            raise SchemaError(f"{name} = {brief(value)} and roles say {brief(in_roles)}", "give one of the two")
    return replace(roles, **by_name)


def _same(field: str, one: Any, other: Any) -> bool:
    """Whether two ways of saying something about columns say the same."""
    if field in SEVERAL:
        return column_names(one) == column_names(other)
    if field == "schema" and isinstance(one, str | PathLike) and isinstance(other, str | PathLike):
        return fspath(one) == fspath(other)
    return bool(one == other)


UNSAID = Roles()
