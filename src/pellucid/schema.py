"""Schema: for each column its role, kind, taxonomy and null policy; what is not named is never published.

A schema is TOML in a file, or Python. Every mistake is one :class:`~pellucid.errors.SchemaError` line that names the
file, the line, the key, the value, the rule and the way out.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from math import isfinite
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from pellucid.arguments import brief, several
from pellucid.errors import SchemaError, TaxonomyError
from pellucid.taxonomy import Taxonomy
from pellucid.taxonomy.files import TAXONOMY_ENDINGS
from pellucid.taxonomy.rules import check_lengths, check_parts, check_widths
from pellucid.taxonomy.toml_text import dotted, line_of_key, toml_key, toml_problem, toml_value
from pellucid.taxonomy.wording import absent_file, label_of, listed, meant

Bound = int | float | datetime | date
Names = str | int | Iterable[str | int]
Checked = TypeVar("Checked")


class Role(StrEnum):
    """What a column is to the person who publishes it and to the one who attacks."""

    IDENTIFIER = "identifier"
    """Names a person; orders the rows, never published."""
    QUASI = "quasi"
    """Known to an attacker; steers the grouping, published in general form."""
    SENSITIVE = "sensitive"
    """What must not be learnt about a person."""
    CARRY = "carry"
    """Recoded per group like a quasi-identifier, without steering the grouping."""
    DROP = "drop"
    """Left out, as if the schema did not name it."""


class Kind(StrEnum):
    """How the values of a column relate to each other."""

    NUMBER = "number"
    ORDERED = "ordered"
    CATEGORY = "category"
    DATE = "date"


MOST_DRAFTED = 10  # quasi-identifiers of a draft
THREE_STEPS = (
    'give the column to protect role = "sensitive"; leave role = "quasi" to at most ten columns that others know, and '
    'give the rest role = "drop"; publish again'
)


# Set while an outer model or Schema.load validates: only the outermost explains, for it alone knows the whole key.
_nested: ContextVar[bool] = ContextVar("_nested", default=False)


class _Explained(BaseModel):
    """Frozen, without unknown keys; what is wrong is a SchemaError with the way out."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    @model_validator(mode="wrap")
    @classmethod
    def _explain(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if _nested.get():
            return cls._agreeing(handler(cls._prepared(data)))
        outermost = _nested.set(True)
        try:
            return cls._agreeing(handler(cls._prepared(data)))
        except ValidationError as error:
            path, sentence = _explained(error, cls)
        except PydanticCustomError as error:
            path, sentence = _broken_rule(error)
        finally:
            _nested.reset(outermost)
        raise SchemaError(f"{dotted(path)}: {sentence}" if path else sentence)

    # These two are no validators of their own: pydantic would run them outside the one above, which explains.
    @classmethod
    def _prepared(cls, data: Any) -> Any:
        """The data in the form the fields expect."""
        return data

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        """What was made, unless its fields contradict each other."""
        return made


class TaxonomySource(_Explained):
    """Where a column's taxonomy comes from: exactly one of a file, a rule, a tree, or a ready :class:`Taxonomy`."""

    file: str | None = None
    ladder: tuple[int | float, ...] | None = None
    dates: tuple[str, ...] | None = None
    prefix: tuple[int, ...] | None = None
    tree: dict[str, Any] | list[Any] | None = None
    ready: Taxonomy | None = None

    @classmethod
    def _prepared(cls, data: Any) -> Any:
        if isinstance(data, cls):
            return data
        if isinstance(data, str | Path):
            return {"file": str(data)}
        if isinstance(data, Taxonomy):
            return {"ready": data}
        if not isinstance(data, Mapping):
            raise _broken(f'{_brief(data)} is not a taxonomy; write a file name such as "zip.csv", or {_FORMS}')
        if len(data) != 1:
            raise _broken(f"a taxonomy has one source, not {len(data)}; keep one of {_FORMS}")
        return data

    @field_validator("ladder", mode="before")
    @classmethod
    def _widths(cls, widths: object) -> object:
        return _passing(check_widths, _a_list(widths, "ladder = [5, 10, 20]"))

    @field_validator("dates", mode="before")
    @classmethod
    def _parts(cls, parts: object) -> object:
        return _passing(check_parts, _a_list(parts, 'dates = ["month", "year"]'))

    @field_validator("prefix", mode="before")
    @classmethod
    def _lengths(cls, lengths: object) -> object:
        return _passing(check_lengths, _a_list(lengths, "prefix = [4, 3, 2]"))

    @field_validator("tree", mode="before")
    @classmethod
    def _hierarchy(cls, tree: Any) -> Any:
        return _passing(Taxonomy.from_tree, tree)

    def to_toml(self) -> str:
        """The value after ``taxonomy =``."""
        if self.file is not None:
            return toml_value(self.file)
        if self.ready is not None:
            return toml_value({"tree": self.ready.to_tree()})
        return toml_value(self.model_dump(exclude_none=True))


class Cap(_Explained):
    """Where a column ends: what lies beyond an end is published as "that or less" or "that or more".

    Either in values, ``{low = 40, high = 150}`` (one of them may be left out), or in percent of the rows,
    ``{percent = [1, 99]}``: the ends are then the values that 1 % and 99 % of the rows lie below, where 0 and 100 leave
    an end open. See :mod:`pellucid.io.caps`. ``measured`` is written by us beside ends in values that came from shares
    of the rows: of other people, they would be others.

    >>> Cap(high=150).high, Cap(percent=[1, 99]).percent
    (150, (1, 99))
    >>> Cap(percent=[99, 1])
    Traceback (most recent call last):
    pellucid.errors.SchemaError: percent: [99, 1] does not go up between 0 and 100; write it as percent = [1, 99]
    """

    low: Bound | None = None
    high: Bound | None = None
    percent: tuple[int | float, int | float] | None = None
    measured: tuple[int | float, int | float] | None = None

    @classmethod
    def _prepared(cls, data: Any) -> Any:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise _broken(f"{_brief(data)} may be percent or values; write {_CAPS}")
        return {key: _bound(value) if key in ("low", "high") else value for key, value in data.items()}

    @field_validator("percent", "measured", mode="before")
    @classmethod
    def _shares(cls, percent: object) -> object:
        if percent is None:
            return None
        ends = _a_list(percent, "percent = [1, 99]")
        numbers = len(ends) == 2 and all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
        if not numbers or not 0 <= ends[0] < ends[1] <= 100:
            raise _broken(f"{_brief(percent)} does not go up between 0 and 100; write it as percent = [1, 99]")
        return ends

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        by_value = made.low is not None or made.high is not None
        if by_value == (made.percent is not None) or (made.measured is not None and not by_value):
            raise _broken(f"a cap is in percent or in values; write {_CAPS}")
        if made.low is not None and made.high is not None:
            if isinstance(made.low, date) != isinstance(made.high, date):
                raise _broken("one end is a number and the other a date; write both alike")
            if not made.low < made.high:  # type: ignore[operator]  # both are numbers, or both are dates
                raise _broken(f"low = {made.low} is not below high = {made.high}; write the lower end first")
        return made

    def public(self) -> dict[str, Any]:
        """The ends in values, and the shares of the rows that they came from if they did, for a recipe."""
        ends = {"low": self.low, "high": self.high}
        told: dict[str, Any] = {
            k: str(end) if isinstance(end, date) else end for k, end in ends.items() if end is not None
        }
        return told if self.measured is None else told | {"measured": list(self.measured)}

    @property
    def by_share(self) -> bool:
        """Whether the ends depend on who is in the table."""
        return self.percent is not None or self.measured is not None

    def to_toml(self) -> str:
        """The value after ``cap =``."""
        return toml_value({key: value for key, value in self.model_dump().items() if value is not None})


_CAPS = "cap = {percent = [1, 99]} or cap = {low = 40, high = 150}"
DATE_ORDERS = ("dmy", "mdy", "ymd")


class TextForm(_Explained):
    r"""How a text file writes the table, where that cannot be seen: the separator, and whether line 1 is a header.

    >>> TextForm(separator="^", header=False).to_toml()
    '[file]\nseparator = "^"\nheader = false\n'
    """

    separator: str | None = None
    header: bool | None = None

    @field_validator("separator", mode="before")
    @classmethod
    def _one_character(cls, separator: object) -> object:
        if separator is None:
            return None
        separator = "\t" if isinstance(separator, str) and separator in ("\\t", "tab") else separator
        if not isinstance(separator, str) or len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
            raise _broken(f"{_brief(separator)} separates nothing; give one character that is no quotation mark")
        return separator

    def to_toml(self) -> str:
        """The section of the schema."""
        said = {key: value for key, value in self.model_dump().items() if value is not None}
        return "[file]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in said.items())


_FORMS = '{ladder = [5, 10]}, {dates = ["month", "year"]}, {prefix = [4, 3]}, {tree = {...}}'
_KIND_OF_RULE = {"ladder": Kind.NUMBER, "dates": Kind.DATE, "prefix": Kind.CATEGORY}


class Column(_Explained):
    """One column: its role, and where it matters its kind, taxonomy, domain, order and null policy.

    ``missing`` lists texts that stand for a missing value, such as ``missing = ["?", "NA"]``: they are read as null.
    In a text file that happens before the column's type is inferred, so that 30, 41, ? are numbers and a null. Where
    values are numbers or dates already, the texts are compared by value: "-9" is also -9.0. The text of a frame or a
    database stays text; ``kind = "number"`` makes numbers of it, as everywhere.

    ``protect`` lists the values of a sensitive column that are to be protected, such as ``protect = ["Yes"]``; without
    it all of them are.
    ``date_order`` says how dates are written that are not ISO: dmy for 31.12.2024 or 31/12/2024, mdy for 12/31/2024,
    ymd for 2024/12/31; without it the values decide, and those that may be read in two ways are refused. ``cap`` is
    where a number or date that others may know ends (:class:`Cap`).

    >>> Column(role="quasi", kind="number", domain=[0, 120]).domain
    (0, 120)
    >>> Column(role="quasi", nulls="rejected")
    Traceback (most recent call last):
    pellucid.errors.SchemaError: nulls: 'rejected' is not one of value, reject; did you mean 'reject'?
    """

    role: Role
    kind: Kind | None = None
    taxonomy: TaxonomySource | None = None
    domain: tuple[Bound, Bound] | None = None
    order: tuple[str, ...] | None = None
    nulls: Literal["value", "reject"] = "value"
    missing: tuple[str, ...] = ()
    protect: tuple[str | int | float | bool, ...] | None = None

    @field_validator("protect", mode="before")
    @classmethod
    def _protected(cls, protect: object) -> object:
        if protect is None:
            return None
        given = _a_list(protect, 'protect = ["Yes"]')
        for value in given:
            if not isinstance(value, str | int | float):
                raise _broken(f'{_brief(value)} is no value of a column; write texts or numbers, as in ["Yes"]')
        values = list(dict.fromkeys(given))
        if not values:
            raise _broken("[] protects nothing; name at least one value, or leave protect out to protect all")
        return values

    date_order: Literal["dmy", "mdy", "ymd"] | None = None
    cap: Cap | None = None

    @field_validator("role", "kind", "nulls", "date_order", mode="before")
    @classmethod
    def _a_word(cls, given: object) -> object:
        # what no file can hold may be anything, also what cannot be compared with a word
        return given if given is None or isinstance(given, str | int | float | list | dict) else brief(given)

    @field_validator("missing", mode="before")
    @classmethod
    def _marks(cls, missing: object) -> object:
        return list(dict.fromkeys(label_of(mark) for mark in _a_list(missing, 'missing = ["?", "NA"]')))

    @field_validator("domain", mode="before")
    @classmethod
    def _two_bounds(cls, domain: object) -> object:
        if domain is None:
            return None
        bounds: list[Any] = [_plain(bound) for bound in _a_list(domain, "domain = [0, 120]")]
        numbers = all(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in bounds)
        dates = all(isinstance(bound, date) for bound in bounds)
        if len(bounds) != 2 or not (numbers or dates):
            raise _broken(
                f"{_brief(domain)} is not a domain; write the lowest and the highest number or date, unquoted"
            )
        try:
            ascending = bounds[0] < bounds[1] and not (numbers and not all(map(isfinite, bounds)))
        except TypeError:
            raise _broken(f"{_brief(domain)} mixes days, times or time zones; write both bounds alike") from None
        if not ascending:
            raise _broken(f"{_brief(domain)} does not go up between finite bounds; write the lower one first")
        return bounds

    @field_validator("order", mode="before")
    @classmethod
    def _distinct(cls, order: object) -> object:
        if order is None:
            return None
        labels = [label_of(value) for value in _a_list(order, 'order = ["low", "mid", "high"]')]
        repeated = [label for label, times in Counter(labels).items() if times > 1]
        if repeated or not labels:
            raise _broken(
                f"{listed(repeated)} occurs twice; name every value once"
                if labels
                else "it names no value; list all, upward"
            )
        return labels

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        if made.order is not None and made.kind is not Kind.ORDERED:
            raise _broken('an order needs kind = "ordered"; set it or take the order out', "order")
        if made.order is None and made.kind is Kind.ORDERED:
            raise _broken('an ordered column needs its values upward, as in order = ["low", "mid", "high"]', "kind")
        if made.domain is not None:
            needed = Kind.DATE if isinstance(made.domain[0], date) else Kind.NUMBER
            if made.kind not in (None, needed):
                raise _broken(
                    f"{_brief(made.domain)} is the domain of a {needed}, and the kind is {made.kind}; "
                    f'take the domain out or set kind = "{needed}"',
                    "domain",
                )
        if made.protect is not None and made.role is not Role.SENSITIVE:
            raise _broken(
                f'protect is for role = "sensitive", and the role is {made.role}; change one of the two', "protect"
            )
        if made.date_order is not None and made.kind not in (None, Kind.DATE):
            raise _broken(f"it is for dates, and the kind is {made.kind}; take one of the two out", "date_order")
        cls._refuse_cap(made)
        for rule, needed in _KIND_OF_RULE.items():
            if getattr(made.taxonomy, rule, None) is not None and made.kind not in (None, needed):
                raise _broken(
                    f'{rule} is for kind = "{needed}", and the kind is {made.kind}; change one of the two',
                    "taxonomy",
                    rule,
                )
        return made

    @classmethod
    def _refuse_cap(cls, made: Self) -> None:
        """Caps are for numbers and dates that others may know: what is protected is published as it is."""
        if made.cap is None:
            return
        if made.role in (Role.SENSITIVE, Role.IDENTIFIER):
            raise _broken(
                f"a cap is for columns that others may know, and the role is {made.role}; take the cap out, or cap the "
                "values in the table itself",
                "cap",
            )
        needed = Kind.DATE if any(isinstance(end, date) for end in (made.cap.low, made.cap.high)) else Kind.NUMBER
        fitting = (None, needed) if made.cap.percent is None else (None, Kind.NUMBER, Kind.DATE)
        if made.kind not in fitting:
            raise _broken(
                f"it caps {needed}s, and the kind is {made.kind}; take it out, or set kind = {str(needed)!r}", "cap"
            )
        if made.taxonomy is not None:
            raise _broken("a taxonomy says itself what a value becomes; keep the cap or the taxonomy", "cap")

    def public(self) -> dict[str, Any]:
        """What a reader of the release must know to read the original as it was read, ready for JSON.

        Of a table that was read, a cap in percent has become one in values (``table.schema``).

        >>> Column(role="quasi", missing=["?"], cap={"high": 150}).public()
        {'missing': ['?'], 'cap': {'high': 150}}
        """
        facts = {
            "missing": list(self.missing),
            "date_order": self.date_order,
            "cap": None if self.cap is None else self.cap.public(),
        }
        return {name: fact for name, fact in facts.items() if fact}

    @classmethod
    def told(cls, entry: Mapping[str, Any]) -> Column:
        """The column that an entry of a recipe tells of, as far as it does.

        An order that is not told leaves an ordered column a category, which it then is to whoever reads the release.

        >>> Column.told({"name": "age", "role": "quasi", "kind": "number", "missing": ["?"]}).missing
        ('?',)
        """
        known = {key: entry[key] for key in ("missing", "date_order", "cap", "order") if entry.get(key)}
        kind = entry.get("kind")
        if kind == Kind.ORDERED and "order" not in known:
            kind = None
        return cls.model_validate({"role": entry["role"], "kind": kind, **known})

    def to_toml(self, name: str) -> str:
        """The column's section, its name quoted where it must be."""
        lines = [f"[columns.{toml_key(name)}]", f'role = "{self.role}"']
        if self.kind is not None:
            lines.append(f'kind = "{self.kind}"')
        if self.domain is not None:
            lines.append(f"domain = {toml_value(self.domain)}")
        if self.taxonomy is not None:
            lines.append(f"taxonomy = {self.taxonomy.to_toml()}")
        if self.order is not None:
            lines.append(f"order = {toml_value(self.order)}")
        if self.nulls != "value":
            lines.append(f'nulls = "{self.nulls}"')
        if self.missing:
            lines.append(f"missing = {toml_value(self.missing)}")
        if self.protect is not None:
            lines.append(f"protect = {toml_value(self.protect)}")
        if self.date_order is not None:
            lines.append(f'date_order = "{self.date_order}"')
        if self.cap is not None:
            lines.append(f"cap = {self.cap.to_toml()}")
        return "\n".join(lines) + "\n"


class Schema(_Explained):
    r"""What each column is. At most one identifier, at least one quasi-identifier and one sensitive column.

    >>> schema = Schema.of(quasi=["age", "zip"], sensitive="disease", kinds={"age": "number"})
    >>> schema.names(Role.QUASI)
    ['age', 'zip']
    >>> print(schema.to_toml().partition("\n\n")[0])
    [columns.age]
    role = "quasi"
    kind = "number"
    """

    columns: dict[str, Column]
    file: TextForm | None = None
    draft: bool = False  # written by ``pellucid init``, and kept until somebody takes it out
    _path: Path | None = PrivateAttr(default=None)
    _text: str = PrivateAttr(default="")

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        if made.draft:
            made._refuse_open_draft()
        identifiers = made.names(Role.IDENTIFIER)
        if len(identifiers) > 1:
            raise _broken(
                f"{listed(identifiers[1:])} is an identifier besides {identifiers[0]!r}, and there is at most one; "
                'give the others role = "drop"',
                "columns",
                identifiers[1],
                "role",
            )
        for role, way_out in (
            (Role.QUASI, "the columns an attacker may know, such as age or zip code"),
            (Role.SENSITIVE, "what must not be learnt about a person"),
        ):
            if not made.names(role):
                raise _broken(f'no column has role = "{role}"; give it to {way_out}', "columns")
        return made

    def _refuse_open_draft(self) -> None:
        """Raise when a draft leaves the choice to its reader: what to protect, or which columns others know."""
        quasi = len(self.names(Role.QUASI))
        lacking = (
            "no sensitive column" if not self.names(Role.SENSITIVE) else "no quasi-identifier" if not quasi else ""
        )
        if not lacking and quasi <= MOST_DRAFTED:
            return
        meant_so = "" if lacking else " (or take draft = true out if all of them are meant)"
        has = lacking or f"{quasi} quasi-identifiers"
        raise _broken(f"the draft has {has}, so nothing is published; three steps: {THREE_STEPS}{meant_so}", "draft")

    def __eq__(self, other: object) -> bool:
        """The same columns in the same order, wherever they were read from."""
        mine, theirs = ((s.file, list(s.columns.items())) if isinstance(s, Schema) else None for s in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        """Equal schemas have equal names."""
        return hash(tuple(self.columns))

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a TOML file. Taxonomy files in it are relative to its folder."""
        path = Path(path)
        text = _text_of(path)
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise SchemaError(toml_problem(text, str(path), problem)) from None
        except RecursionError:
            raise SchemaError(f"{path}: it is nested too deeply to be read; keep what describes a column") from None
        outermost = _nested.set(True)
        try:
            schema = cls.model_validate(data)
        except ValidationError as error:
            key, sentence = _explained(error, cls)
            raise SchemaError(f"{_place(path, text, key)}: {sentence}") from None
        finally:
            _nested.reset(outermost)
        schema._path, schema._text = path, text
        schema._refuse_absent_files()
        return schema

    @classmethod
    def given(cls, schema: object) -> Schema:
        """The schema that a caller gave: itself, or the file that has it."""
        if isinstance(schema, cls):
            return schema
        if isinstance(schema, str | PathLike):
            return cls.load(Path(schema))
        raise SchemaError(
            f"schema = {brief(schema)}: give the path of a schema file, or pellucid.Schema(columns={{...}})"
        )

    def _refuse_absent_files(self) -> None:
        for name, column in self.columns.items():
            file = None if column.taxonomy is None else column.taxonomy.file
            if file is not None and column.role is not Role.DROP and not (self.folder / file).is_file():
                rule = "a taxonomy's path is relative to the schema's folder"
                why = absent_file(self.folder / file, rule, TAXONOMY_ENDINGS)
                raise SchemaError(f"{self.where(name, 'taxonomy')}: there is no file {file!r}; {why}")

    @classmethod
    def of(
        cls,
        *,
        quasi: Names,
        sensitive: Names,
        identifier: str | int | None = None,
        carry: Names = (),
        kinds: Mapping[str, Kind | str] | None = None,
    ) -> Schema:
        """A schema in one call: which columns have which role. A column has one role.

        Columns of a pandas frame may have numbers as names; here and in the release these are texts.

        >>> Schema.of(quasi=[0, 1], sensitive=2).names(Role.QUASI)
        ['0', '1']
        """
        if kinds is not None and not isinstance(kinds, Mapping):
            raise SchemaError(f"kinds = {kinds!r}: must map columns to kinds, as in kinds={{'age': 'number'}}")
        kinds = {str(name): kind for name, kind in (kinds or {}).items()}
        columns: dict[str, dict[str, object]] = {}
        named = () if identifier is None or (isinstance(identifier, str) and not identifier) else identifier
        roles = {Role.IDENTIFIER: named, Role.QUASI: quasi, Role.SENSITIVE: sensitive, Role.CARRY: carry}
        for role, names in roles.items():
            for name in column_names(names):
                if name in columns:
                    raise SchemaError(_two_roles(name, str(columns[name]["role"]), role))
                columns[name] = {"role": role, "kind": kinds.pop(name, None)}
        if kinds:
            name = next(iter(kinds))
            raise SchemaError(
                f"kinds names {name!r}, which has no role; give it one, such as quasi{meant(name, columns)}"
            )
        return cls.model_validate({"columns": columns})

    @property
    def path(self) -> Path | None:
        """The file that the schema was loaded from, if any."""
        return self._path

    @property
    def folder(self) -> Path:
        """Where taxonomy files are looked for: beside the schema's file, or the current directory."""
        return Path() if self._path is None else self._path.parent

    def names(self, role: Role | str) -> list[str]:
        """The columns with this role, in schema order."""
        return [name for name, column in self.columns.items() if column.role == role]

    def where(self, name: str, key: str | None = None) -> str:
        """The place of a column, or of one of its keys, for a message: file, line and key as far as there are any."""
        path = ("columns", name) if key is None else ("columns", name, key)
        return dotted(path) if self._path is None else _place(self._path, self._text, path)

    def to_toml(self) -> str:
        """The text that :meth:`load` reads back to an equal schema."""
        sections = [] if self.file is None else [self.file.to_toml()]
        return "\n".join([*sections, *(column.to_toml(name) for name, column in self.columns.items())])


def column_names(given: Names) -> list[str]:
    """The names of one column or of several, as texts: pandas names columns by numbers where nobody else does.

    >>> column_names("age"), column_names(0), column_names(["zip", 1])
    (['age'], ['0'], ['zip', '1'])
    >>> column_names([2.5])
    Traceback (most recent call last):
    pellucid.errors.SchemaError: 2.5 is not the name of a column; give a text or, of a pandas frame, a whole number
    """
    one = isinstance(given, str | int) or not isinstance(given, Iterable)
    names = [given] if one else several(given, "columns", "names", SchemaError)
    for name in names:
        if not isinstance(name, str) and (not isinstance(name, Integral) or isinstance(name, bool)):
            raise SchemaError(
                f"{_brief(name)} is not the name of a column; give a text or, of a pandas frame, a whole number"
            )
    return [str(name) for name in names]


def resolve(column: Column, labels: Sequence[str], values: Sequence[object], base: Path) -> Taxonomy | None:
    """The column's taxonomy over the values that occur, all of them covered; None when the column has none.

    ``labels`` are the texts of ``values``, nulls left out of both; ``base`` is the schema's :attr:`~Schema.folder`.
    A rule needs values to build on: without any (a column of nulls only) there is no taxonomy either.

    >>> resolve(Column(role="quasi", taxonomy={"prefix": [2]}), ["131", "148"], ["131", "148"], Path()).path("131")
    ['131', '13*', '*']
    """
    source = column.taxonomy
    if source is None:
        return None
    if source.ready is not None:
        taxonomy = source.ready
    elif source.file is not None:
        taxonomy = Taxonomy.load(base / source.file)
    elif source.tree is not None:
        taxonomy = Taxonomy.from_tree(source.tree)
    elif not labels:
        return None
    elif source.ladder is not None:
        taxonomy = Taxonomy.ladder(values, source.ladder, labels=labels)
    elif source.dates is not None:
        taxonomy = Taxonomy.dates(values, source.dates, labels=labels)
    else:
        taxonomy = Taxonomy.prefixes(values, source.prefix or (), labels=labels)
    taxonomy.require(labels)
    return taxonomy


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        why = absent_file(path, "draft one with pellucid init", (".toml",))
        raise SchemaError(f"{path}: there is no such schema file; {why}") from None
    except UnicodeDecodeError as problem:
        raise SchemaError(f"{path}: byte {problem.start} is not UTF-8; save the schema as UTF-8") from None
    except OSError as problem:
        raise SchemaError(f"{path}: the schema cannot be read ({problem.strerror})") from None
    except ValueError:  # a null character
        raise SchemaError(f"{str(path)!r}: no name of a file has such a character; give the schema's file") from None


def _place(path: Path, text: str, key: Sequence[object]) -> str:
    line = line_of_key(text, key)
    return ", ".join([str(path), *([] if line is None else [f"line {line}"]), *([dotted(key)] if key else [])])


def _two_roles(name: str, first: str, second: str) -> str:
    if first == second:
        return f"{name!r} is named twice as {first}; name it once"
    way_out = (
        "keep it sensitive only, since a column that is published to steer groups cannot be protected"
        if Role.SENSITIVE in (first, second) and Role.QUASI in (first, second)
        else "keep one of the two"
    )
    return f"{name!r} is {first} and {second}, and a column has one role; {way_out}"


def _broken(rule: str, *key: str) -> PydanticCustomError:
    """A broken rule, told as it is; ``key`` leads from the value under validation to the culprit."""
    return PydanticCustomError("broken_rule", "{rule}", {"rule": rule, "key": key})


def _passing(check: Callable[[Any], object], value: Checked) -> Checked:
    """The value, if the taxonomy's own check has nothing against it."""
    try:
        check(value)
    except TaxonomyError as problem:
        raise _broken(str(problem)) from None
    return value


def _a_list(value: object, example: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise _broken(f"{_brief(value)} is not a list; write it as {example}")
    return list(value)


def _plain(bound: object) -> object:
    """Decimals as the numbers TOML has."""
    if not isinstance(bound, Decimal):
        return bound
    return int(bound) if bound.is_finite() and bound == int(bound) else float(bound)


def _bound(end: object) -> object:
    """An end of a cap as TOML or a recipe has it: a number, or a date, which JSON has in quotes."""
    if isinstance(end, str):
        try:
            return datetime.fromisoformat(end) if len(end) > len("2024-12-31") else date.fromisoformat(end)
        except ValueError:
            raise _broken(f"{_brief(end)} is no end of a cap; write a number or a date, unquoted") from None
    end = _plain(end)
    if (
        isinstance(end, bool)
        or not isinstance(end, int | float | date)
        or (isinstance(end, float) and not isfinite(end))
    ):
        raise _broken(f"{_brief(end)} is no end of a cap; write a number or a date, unquoted")
    return end


def _brief(value: object) -> str:
    if isinstance(value, list | tuple):
        text = f"[{', '.join(repr(item) if isinstance(item, str) else str(item) for item in value)}]"
    else:
        text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _broken_rule(error: PydanticCustomError) -> tuple[tuple[object, ...], str]:
    context = error.context or {}
    return tuple(context["key"]), str(context["rule"])


def _explained(error: ValidationError, model: type[BaseModel]) -> tuple[tuple[object, ...], str]:
    """The key of the first problem, and one sentence: the value, the rule, the way out, how many more there are."""
    problems = error.errors(include_url=False)
    misspelt = {problem["loc"][:-1] for problem in problems if problem["type"] == "extra_forbidden"}
    # A misspelt key is also a missing one: telling the first is enough.
    problems = [one for one in problems if one["type"] != "missing" or one["loc"][:-1] not in misspelt]
    path, sentence = _told(problems[0], model)
    return path, sentence if len(problems) == 1 else f"{sentence} (and {len(problems) - 1} more)"


def _told(problem: ErrorDetails, model: type[BaseModel]) -> tuple[tuple[object, ...], str]:
    path: tuple[object, ...] = problem["loc"]
    value = problem["input"]
    context = problem.get("ctx", {})
    match problem["type"]:
        case "broken_rule":
            return (*path, *context["key"]), context["rule"]
        case "enum" | "literal_error":
            choices: dict[str, Sequence[str]] = {"role": tuple(Role), "kind": tuple(Kind), "date_order": DATE_ORDERS}
            options = choices.get(str(path[-1]), ("value", "reject"))
            return path, f"{_brief(value)} is not one of {', '.join(options)}{meant(str(value), options)}"
        case "extra_forbidden":
            keys = _keys_beside(path, model)
            return path, f"there is no key {str(path[-1])!r} here, only {', '.join(keys)}{meant(str(path[-1]), keys)}"
        case "missing" if path == ("columns",):
            return (), "there are no columns; describe each in a section [columns.<name>] with its role"
        case "missing":
            return path[:-1], f"the {path[-1]} is missing; add {path[-1]} = one of {', '.join(Role)}"
        case "model_type" | "dict_type":
            return path, f"{_brief(value)} is not a table of keys; write it as [columns.<name>] and its role"
        case _:
            return path, f"{_brief(value)} does not fit: {problem['msg']}"


def _keys_beside(path: Sequence[object], model: type[BaseModel]) -> list[str]:
    """The keys that may stand where an unknown one does; the length of its path says how deep that is."""
    above = 0 if issubclass(model, Schema) else 2 if issubclass(model, Column) else 3
    if issubclass(model, TextForm) or (path[0] == "file" and len(path) == 2):
        return list(TextForm.model_fields)
    if issubclass(model, Cap) or "cap" in path[-2:-1]:
        return list(Cap.model_fields)
    match above + len(path):
        case 1:
            return list(Schema.model_fields)
        case 3:
            return list(Column.model_fields)
        case _:
            return [*_KIND_OF_RULE, "tree", "file"]
