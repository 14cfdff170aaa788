"""A whole schema: columns that agree with each other, from a file or in one call."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from os import PathLike
from pathlib import Path
from typing import Any, Self

from pydantic import PrivateAttr, ValidationError

from pellucid.core.schema.column import Column
from pellucid.core.schema.condition import Condition
from pellucid.core.schema.explaining import Explained, broken, explained, nested
from pellucid.core.schema.people import ONE, Several
from pellucid.core.schema.roles import Kind, Role
from pellucid.core.schema.roles_of_call import Names, Roles, column_names
from pellucid.core.schema.text_form import TextForm
from pellucid.core.taxonomy.files import TAXONOMY_ENDINGS
from pellucid.core.taxonomy.toml_text import dotted, line_of_key, toml_problem, toml_value
from pellucid.errors import SchemaError
from pellucid.messages import Message, Term
from pellucid.messages.terms import bare_term, place, quoted_key
from pellucid.runtime.arguments import brief
from pellucid.text.suggestions import absent_file, is_there, meant
from pellucid.text.values import listed

MOST_DRAFTED = 10  # quasi-identifiers of a draft
THREE_STEPS = Message(
    "give the column to protect {role}; leave {quoted_key} to at most ten "
    "columns that others know, and give the rest {role_2}; publish again",
    role=quoted_key("role", "sensitive"),
    quoted_key=quoted_key("role", "quasi"),
    role_2=quoted_key("role", "drop"),
)


MOST_PARTS = 1000  # of the largest importance, when decimals become whole numbers


def whole_importance(importance: Mapping[str, float]) -> dict[str, int]:
    """How many times columns count, in the smallest whole numbers of the same proportions where one is a decimal.

    Only proportions count, so that the groups are exactly those of the decimals.

    >>> whole_importance({"age": 2.5, "zip": 1}), whole_importance({"age": 4, "zip": 2})
    ({'age': 5, 'zip': 2}, {'age': 4, 'zip': 2})
    """
    exact = {name: Fraction(str(times)) for name, times in importance.items()}
    common = lcm(*(times.denominator for times in exact.values()))
    parts = {name: int(times * common) for name, times in exact.items()}
    shared = 1 if common == 1 else gcd(*parts.values())
    largest = max(parts, key=lambda name: parts[name], default="")
    if parts and parts[largest] // shared > MOST_PARTS:
        raise SchemaError(
            "importance {told}: the largest has {parts:,} parts of the common measure, and at most {most:,} are "
            "allowed",
            "use numbers with fewer decimals, such as 2.5 and 0.5",
            told=", ".join(f"{name} = {times}" for name, times in importance.items()),
            parts=parts[largest] // shared,
            most=MOST_PARTS,
        )
    return {name: part // shared for name, part in parts.items()}


class Schema(Explained):
    r"""What each column is: at most one identifier, cluster and weight, at least one quasi-identifier, one sensitive.

    With ``nothing_sensitive`` there is no sensitive column: a release is then k-anonymous and protects no value.

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
    nothing_sensitive: bool = False  # said on purpose: there is no value to protect, people are only hidden among k
    where: str | None = None  # a condition: rows for which it does not hold are left out
    unique: str | None = None  # the column that numbers people, of each of whom one row is drawn by lot
    people: str | None = None  # the same with any answer, as a call says it: ``"patient=first by admitted"``
    _path: Path | None = PrivateAttr(default=None)
    _text: str = PrivateAttr(default="")

    def whole_importance(self, name: str) -> int:
        """How many times a column counts beside the others, in whole numbers."""
        return whole_importance({one: self.columns[one].importance for one in (*self.names(Role.QUASI), name)})[name]

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        if made.draft:
            made._refuse_open_draft()
        made.refuse_two_of_a_role()
        made._refuse_where()
        if made.people is not None:
            Several.of(made.people)  # which raises where it is no answer
        made._refuse_conditions()
        protected = made.names(Role.SENSITIVE)
        if made.nothing_sensitive and protected:
            raise broken(
                "nothing is sensitive, and {protected} has {role}; take one of the two out",
                "nothing_sensitive",
                protected=listed(protected),
                role=quoted_key("role", "sensitive"),
            )
        for role, way_out in (
            (Role.QUASI, "the columns an attacker may know, such as age or zip code"),
            (Role.SENSITIVE, "what must not be learnt about a person, or write nothing_sensitive = true above"),
        ):
            if not made.names(role) and not (made.nothing_sensitive and role is Role.SENSITIVE):
                raise broken(
                    "no column has {role}; give it to {way_out}",
                    "columns",
                    role=quoted_key("role", role),
                    way_out=way_out,
                )
        return made

    def refuse_two_of_a_role(self) -> None:
        """Raise where two columns name the person, two say which rows belong together, or two weigh the rows."""
        for role, called in (
            (Role.IDENTIFIER, "an identifier"),
            (Role.CLUSTER, "a cluster"),
            (Role.WEIGHT, "a weight"),
        ):
            named = self.names(role)
            if len(named) > 1:
                raise broken(
                    "{named} is {called} besides {named_2!r}, and there is at most one; give the others {role}",
                    "columns",
                    named[1],
                    "role",
                    named=listed(named[1:]),
                    called=called,
                    named_2=named[0],
                    role=quoted_key("role", "drop"),
                )

    @property
    def several(self) -> list[Several]:
        """What it says about people with several rows, under a column or above them all."""
        said = [Several(name, column.people) for name, column in self.columns.items() if column.people is not None]
        said += [] if self.unique is None else [Several(self.unique, ONE)]
        return said + ([] if self.people is None else [Several.of(self.people)])

    def _refuse_where(self) -> None:
        """Raise where rows would be left out by a column that is not known: who is missing then has a value of it."""
        if self.where is not None:
            refuse_hidden(Condition.of(self.where), self, "where")

    def _refuse_conditions(self) -> None:
        """Raise where a column says of others than quasi-identifiers who may have which of its values."""
        known = self.names(Role.QUASI)
        for name, column in self.columns.items():
            for text in column.conditions:
                wrong = next((one for one in Condition.of(text).columns if one not in known), None)
                if wrong is not None:
                    raise broken(
                        "{text!r} looks at {wrong!r}, which is no quasi-identifier; name these: {known}",
                        "columns",
                        name,
                        "applies" if text == column.applies else "ruled_out",
                        text=text,
                        wrong=wrong,
                        known=listed(known),
                    )

    def _refuse_open_draft(self) -> None:
        """Raise when a draft leaves the choice to its reader: what to protect, or which columns others know."""
        quasi = len(self.names(Role.QUASI))
        lacking = (
            "no sensitive column"
            if not self.names(Role.SENSITIVE) and not self.nothing_sensitive
            else "no quasi-identifier"
            if not quasi
            else ""
        )
        if not lacking and quasi <= MOST_DRAFTED:
            return
        meant_so = "" if lacking else " (or take draft = true out if all of them are meant)"
        has = lacking or f"{quasi} quasi-identifiers"
        raise broken(
            "the draft has {has}, so nothing is published; three steps: {three_steps}{meant_so}",
            "draft",
            has=has,
            three_steps=THREE_STEPS,
            meant_so=meant_so,
        )

    @classmethod
    def keys_beside(cls, path: Sequence[object]) -> list[str]:
        """Its own keys, those of a column, or those of the section about the file."""
        if len(path) == 1:
            return list(cls.model_fields)
        return TextForm.keys_beside(path[1:]) if path[0] == "file" else Column.keys_beside(path[2:])

    def __eq__(self, other: object) -> bool:
        """The same columns in the same order, wherever they were read from."""
        mine, theirs = (
            (s.file, s.nothing_sensitive, s.where, s.unique, s.people, list(s.columns.items()))
            if isinstance(s, Schema)
            else None
            for s in (self, other)
        )
        return mine == theirs

    def __hash__(self) -> int:
        """Equal schemas have equal names."""
        return hash(tuple(self.columns))

    @classmethod
    def load(cls, path: str | Path, *, protecting: bool = True) -> Schema:
        """Read a TOML file. Taxonomy files in it are relative to its folder.

        Where nothing is published, a schema need protect nothing: it may then be without a sensitive column.
        """
        path = Path(path)
        text = _text_of(path)
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise SchemaError(toml_problem(text, str(path), problem)) from None
        except RecursionError:
            raise SchemaError(f"{path}: it is nested too deeply to be read; keep what describes a column") from None
        if not protecting and not _names_sensitive(data):
            data["nothing_sensitive"] = True
        outermost = nested.set(True)
        try:
            schema = cls.model_validate(data)
        except ValidationError as error:
            key, sentence = explained(error, cls)
            raise SchemaError(
                "{place}{sentence}", place=place(key, _place(path, text, key)), sentence=sentence
            ) from None
        finally:
            nested.reset(outermost)
        schema._path, schema._text = path, text
        schema._refuse_absent_files()
        return schema

    @classmethod
    def given(cls, schema: object, *, protecting: bool = True) -> Schema:
        """The schema that a caller gave: itself, or the file that has it."""
        if isinstance(schema, cls):
            return schema
        if isinstance(schema, str | PathLike):
            return cls.load(Path(schema), protecting=protecting)
        raise SchemaError(
            "schema = {brief}: give the path of a schema file, or pellucid.Schema(columns={{...}})", brief=brief(schema)
        )

    def _refuse_absent_files(self) -> None:
        for name, column in self.columns.items():
            file = None if column.taxonomy is None else column.taxonomy.file
            if file is not None and column.role is not Role.DROP and not is_there(self.folder / file):
                rule = "a taxonomy's path is relative to the schema's folder"
                why = absent_file(self.folder / file, rule, TAXONOMY_ENDINGS)
                raise SchemaError(
                    "{place_of}there is no file {file!r}; {why}",
                    place_of=place_of(self, name, "taxonomy"),
                    file=file,
                    why=why,
                )

    @classmethod
    def of(
        cls,
        *,
        quasi: Names,
        sensitive: Names,
        identifier: str | int | None = None,
        carry: Names = (),
        cluster: str | int | None = None,
        weight: str | int | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
    ) -> Schema:
        """A schema in one call: which columns have which role. A column has one role.

        Columns of a pandas frame may have numbers as names; here and in the release these are texts. With
        ``sensitive=()`` nothing is sensitive.

        >>> Schema.of(quasi=[0, 1], sensitive=2).names(Role.QUASI)
        ['0', '1']
        """
        open_kinds = _kinds_by_name(kinds)
        columns: dict[str, dict[str, object]] = {}
        roles = {
            Role.IDENTIFIER: _one_or_none(identifier),
            Role.CLUSTER: _one_or_none(cluster),
            Role.QUASI: quasi,
            Role.SENSITIVE: sensitive,
            Role.CARRY: carry,
            Role.WEIGHT: _one_or_none(weight),
        }
        for role, names in roles.items():
            for name in column_names(names):
                if name in columns:
                    raise SchemaError(_two_roles(name, str(columns[name]["role"]), role))
                columns[name] = {"role": role, "kind": open_kinds.pop(name, None)}
        if open_kinds:
            name = next(iter(open_kinds))
            raise SchemaError(
                "{kinds} names {name!r}, which has no role",
                "give it one, such as quasi{meant}",
                kinds=bare_term("kinds"),
                name=name,
                meant=meant(name, columns),
            )
        return cls.model_validate({"columns": columns, "nothing_sensitive": not column_names(sensitive)})

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

    def line_of(self, name: str, key: str | None = None) -> str:
        """The place of a column, or of one of its keys, for a message: file, line and key as far as there are any."""
        path = ("columns", name) if key is None else ("columns", name, key)
        return dotted(path) if self._path is None else _place(self._path, self._text, path)

    def to_toml(self) -> str:
        """The text that :meth:`load` reads back to an equal schema."""
        sections = ["nothing_sensitive = true\n"] if self.nothing_sensitive else []
        sections += [] if self.where is None else [f"where = {toml_value(self.where)}\n"]
        sections += [] if self.unique is None else [f"unique = {toml_value(self.unique)}\n"]
        sections += [] if self.people is None else [f"people = {toml_value(self.people)}\n"]
        sections += [] if self.file is None else [self.file.to_toml()]
        return "\n".join([*sections, *(column.to_toml(name) for name, column in self.columns.items())])


def refuse_hidden(condition: Condition, schema: Schema, called: str) -> None:
    """Raise where a condition looks at a column that nobody is assumed to know: it would tell about its values."""
    for name in condition.columns:
        known = schema.columns.get(name)
        if known is not None and known.role in (Role.QUASI, Role.CARRY):
            continue
        there = [one for one, column in schema.columns.items() if column.role in (Role.QUASI, Role.CARRY)]
        raise SchemaError(
            "{called} = {text!r} looks at {name!r}, {why}",
            "name quasi-identifiers or carried columns: {there}",
            called=called,
            text=condition.text,
            name=name,
            why=_why_hidden(known),
            there=listed(there),
        )


def _why_hidden(column: Column | None) -> Message:
    if column is not None and column.role is Role.SENSITIVE:
        return Message("which is sensitive: who is treated otherwise would then be known to have a value of it")
    return Message("which is published of nobody")


def _kinds_by_name(kinds: Mapping[str, Kind | str] | None) -> dict[str, Kind | str]:
    """The kinds that a caller gave, by names that are texts."""
    if kinds is not None and not isinstance(kinds, Mapping):
        raise SchemaError("kinds = {kinds!r}: must map columns to kinds, as in kinds={{'age': 'number'}}", kinds=kinds)
    return {str(name): kind for name, kind in (kinds or {}).items()}


def schema_of_names(roles: Roles) -> Schema:
    """The schema that a caller's names make; it has quasi-identifiers and sensitive columns.

    >>> schema_of_names(Roles(quasi="age"))
    Traceback (most recent call last):
    pellucid.errors.SchemaError: quasi is given but sensitive is not; a schema needs quasi and sensitive columns
    """
    if roles.quasi is None or roles.sensitive is None:
        given, missing = next(iter([*roles.named, "kinds"])), "quasi" if roles.quasi is None else "sensitive"
        raise SchemaError(f"{given} is given but {missing} is not; a schema needs quasi and sensitive columns")
    carry = () if roles.carry is None else roles.carry
    return Schema.of(
        quasi=roles.quasi,
        sensitive=roles.sensitive,
        identifier=roles.identifier,
        carry=carry,
        cluster=roles.cluster,
        weight=roles.weight,
        kinds=roles.kinds,
    )


def _one_or_none(name: str | int | None) -> Names:
    """The column that a caller names for a role that one column has, if any."""
    return () if name is None or (isinstance(name, str) and not name) else name


def place_of(schema: Schema, name: str, key: str | None = None) -> Term:
    """The place of a column, or of one of its keys, before what is wrong there."""
    path = ("columns", name) if key is None else ("columns", name, key)
    return place(path, schema.line_of(name, key))


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        why = absent_file(path, "draft one with pellucid init", (".toml",))
        raise SchemaError("{path}: there is no such schema file; {why}", path=path, why=why) from None
    except UnicodeDecodeError as problem:
        raise SchemaError(
            "{path}: byte {start} is not UTF-8; save the schema as UTF-8", path=path, start=problem.start
        ) from None
    except OSError as problem:
        raise SchemaError(
            "{path}: the schema cannot be read ({strerror})", path=path, strerror=problem.strerror
        ) from None
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


def _names_sensitive(data: Mapping[str, Any]) -> bool:
    """Whether a schema's text gives some column the role; what is no section is refused later."""
    columns = data.get("columns")
    sections = columns.values() if isinstance(columns, Mapping) else ()
    return any(isinstance(one, Mapping) and one.get("role") == Role.SENSITIVE for one in sections)
