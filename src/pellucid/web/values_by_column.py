"""The values to protect, where several columns are protected: each belongs to a column, which is written before it.

A setting is texts, as a form and an address have them: ``disability=yes,income=0``. It is the same text that the
command line takes, so a release made here has a name that can be typed there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pellucid.anonymize.methods import Method
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.cli.named_values import by_column
from pellucid.cli.parameters import build_method
from pellucid.core.schema import Role, Schema
from pellucid.errors import MethodError


def method_of(name: str, parameters: Mapping[str, str | bool], sensitive: Sequence[str]) -> Method:
    """The method that a setting says, for a table with these columns to protect.

    >>> method_of("ace", {"l": "2", "values": "sick=yes,sick=no"}, ["sick", "income"]).values
    {'sick': ('yes', 'no')}
    >>> method_of("ace", {"l": "2", "values": "sick=yes"}, ["sick"]).values  # of one column an = may be part of a value
    ('sick=yes',)
    """
    made = build_method(name, parameters)
    if not isinstance(made, ProtectingMethod) or not isinstance(made.values, tuple) or len(sensitive) < 2:
        return made
    columns = by_column([str(value) for value in made.values], sensitive)
    return made.model_copy(update={"values": columns}) if columns else made


def sensitive_in(schema: Schema | None) -> list[str]:
    """The columns that a schema protects."""
    return [] if schema is None else schema.names(Role.SENSITIVE)


def written(values: Mapping[str, Iterable[object]]) -> str:
    """Values by column as the text of a setting.

    >>> written({"sick": ["yes"], "income": [0, 1]})
    'sick=yes,income=0,income=1'
    """
    return ",".join(f"{name}={value}" for name, several in values.items() for value in several)


def carried(text: str, before: Sequence[str], after: Sequence[str]) -> str:
    """The values of a setting once other columns are protected: those of columns that still are; empty means all.

    >>> carried("sick=yes,sick=no,income=0", ["sick", "income"], ["sick"]), carried("yes", ["sick"], ["sick", "income"])
    ('yes,no', 'sick=yes')
    >>> carried("sick=yes", ["sick", "income"], ["income"]), carried("0", ["sick", "income"], ["income"])
    ('', '0')
    """
    typed = [part.strip() for part in text.split(",") if part.strip()]
    try:
        named = by_column(typed, before) if len(before) > 1 else {name: tuple(typed) for name in before}
    except MethodError:
        return ""
    if not named:  # they are meant in every column
        return text
    kept = {name: named[name] for name in after if name in named}
    if len(after) == 1:
        return ",".join(kept.get(after[0], ()))
    return written(kept) if all(can_be_written(name, values) for name, values in kept.items()) else ""


def can_be_written(name: str, labels: Iterable[str]) -> bool:
    """Whether such a text can tell these values of a column apart."""
    plain = all(label and label == label.strip() and "," not in label for label in labels)
    return plain and bool(name) and name == name.strip() and not {",", "="} & set(name)
