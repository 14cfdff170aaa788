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

from pellucid.errors import SchemaError, TaxonomyError
from pellucid.taxonomy import Taxonomy
from pellucid.taxonomy.files import TAXONOMY_ENDINGS
from pellucid.taxonomy.rules import check_lengths, check_parts, check_widths
from pellucid.taxonomy.toml_text import dotted, line_of_key, toml_key, toml_problem, toml_value
from pellucid.taxonomy.wording import absent_file, label_of, listed, meant

Bound = int | float | datetime | date
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


_FORMS = '{ladder = [5, 10]}, {dates = ["month", "year"]}, {prefix = [4, 3]}, {tree = {...}}'
_KIND_OF_RULE = {"ladder": Kind.NUMBER, "dates": Kind.DATE, "prefix": Kind.CATEGORY}


class Column(_Explained):
    """One column: its role, and where it matters its kind, taxonomy, domain, order and null policy.

    ``missing`` lists texts that stand for a missing value, such as ``missing = ["?", "NA"]``: they are read as null.
    In a text file that happens before the column's type is inferred, so that 30, 41, ? are numbers and a null. Where
    values are numbers or dates already, the texts are compared by value: "-9" is also -9.0. The text of a frame or a
    database stays text; ``kind = "number"`` makes numbers of it, as everywhere.

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
        for rule, needed in _KIND_OF_RULE.items():
            if getattr(made.taxonomy, rule, None) is not None and made.kind not in (None, needed):
                raise _broken(
                    f'{rule} is for kind = "{needed}", and the kind is {made.kind}; change one of the two',
                    "taxonomy",
                    rule,
                )
        return made

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
        return isinstance(other, Schema) and list(self.columns.items()) == list(other.columns.items())

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
        quasi: str | Iterable[str],
        sensitive: str | Iterable[str],
        identifier: str | None = None,
        carry: str | Iterable[str] = (),
        kinds: Mapping[str, Kind | str] | None = None,
    ) -> Schema:
        """A schema in one call: which columns have which role. A column has one role."""
        kinds = dict(kinds or {})
        columns: dict[str, dict[str, object]] = {}
        roles = {Role.IDENTIFIER: identifier or (), Role.QUASI: quasi, Role.SENSITIVE: sensitive, Role.CARRY: carry}
        for role, names in roles.items():
            for name in [names] if isinstance(names, str) else names:
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
        return "\n".join(column.to_toml(name) for name, column in self.columns.items())


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
            options: Sequence[str] = {"role": tuple(Role), "kind": tuple(Kind)}.get(str(path[-1]), ("value", "reject"))
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
    match above + len(path):
        case 1:
            return list(Schema.model_fields)
        case 3:
            return list(Column.model_fields)
        case _:
            return [*_KIND_OF_RULE, "tree", "file"]
