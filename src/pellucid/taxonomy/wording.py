"""How a value is written, and how a message names one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path

import numpy as np

SHOWN = 10  # a message lists so many values and counts the rest
TABLES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".gz", ".zst")
NEAR = 0.75  # below it two file names merely share some letters


def label_of(value: object) -> str:
    """The text of a value, as the CSV writer prints it.

    >>> [label_of(value) for value in (17, 17.0, 0.00001, 2e-7, True, date(2024, 3, 5), "x")]
    ['17', '17.0', '0.00001', '2e-7', 'true', '2024-03-05', 'x']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, np.floating):
        return _float(float(str(value)))  # the shortest text in the value's own precision
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        offset = value.strftime("%z")
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + offset
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def _float(value: float) -> str:
    """Python writes 1e-05 and 2e-07 where the CSV writer has 0.00001 and 2e-7; everything else agrees."""
    text = repr(value)
    mantissa, found, exponent = text.partition("e-")
    if not found:
        return text
    return format(Decimal(text), "f") if int(exponent) <= 5 else f"{mantissa}e-{int(exponent)}"


def listed(values: Iterable[str]) -> str:
    """The first ten values in quotes, and how many more there are.

    >>> listed(["a", "b"])
    "'a', 'b'"
    >>> listed(str(n) for n in range(12))
    "'0', '1', '2', '3', '4', '5', '6', '7', '8', '9' and 2 more"
    """
    quoted = [repr(value) for value in values]
    shown = ", ".join(quoted[:SHOWN])
    return shown if len(quoted) <= SHOWN else f"{shown} and {len(quoted) - SHOWN} more"


def closest(word: str, options: Iterable[str]) -> str | None:
    """The option a person most likely meant, if any is near.

    >>> closest("Quasi-identifier", ["identifier", "quasi"])
    'quasi'
    >>> closest("sensitve", ["quasi", "sensitive"])
    'sensitive'
    >>> closest("colour", ["quasi", "sensitive"]) is None
    True
    """
    by_small_letters = {option.casefold(): option for option in options}
    small = word.casefold()
    begins = [option for option in by_small_letters if option and small.startswith(option)]
    near = begins or get_close_matches(small, by_small_letters, n=1)
    return by_small_letters[near[0]] if near else None


def meant(word: str, options: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing.

    >>> meant("yaer", ["month", "year"])
    "; did you mean 'year'?"
    """
    near = closest(word, options)
    return "" if near is None else f"; did you mean {str(near)!r}?"


def similar_file(path: Path, endings: Iterable[str] = TABLES) -> str | None:
    """The file beside an absent one that was most likely meant: nearly that name, and the same or such an ending."""
    stem, ending = _stem_and_ending(path.name)
    allowed = {ending, *endings}
    names: dict[str, list[str]] = {}
    try:
        for entry in sorted(path.parent.iterdir()):
            its_stem, its_ending = _stem_and_ending(entry.name)
            if entry.name != path.name and its_ending in allowed and entry.is_file():
                names.setdefault(its_stem, []).append(entry.name)
    except OSError:
        return None
    near = get_close_matches(stem, names, n=1, cutoff=NEAR)
    if not near:
        return None
    return next((name for name in names[near[0]] if _stem_and_ending(name)[1] == ending), names[near[0]][0])


def is_there(path: Path) -> bool:
    """Whether there is such a file; False also for a name that no file can have.

    >>> is_there(Path("a" * 5000))
    False
    """
    try:
        return path.is_file()
    except OSError:
        return False


def absent_file(path: Path, way_out: str, endings: Iterable[str] = TABLES) -> str:
    """What to say about a file that is not there: a link that leads nowhere, a near name, or else the way out."""
    try:
        link = path.is_symlink()
    except OSError:
        return "no file can have this name; give another one"
    if link:
        return f"it is a link to {str(path.readlink())!r}, which does not exist; mend the link or name another file"
    near = similar_file(path, endings)
    return way_out if near is None else f"did you mean {near!r}?"


def _stem_and_ending(name: str) -> tuple[str, str]:
    """A file's name without its endings (two for a packed one) and the last ending, in small letters.

    >>> _stem_and_ending("Patients.csv.gz"), _stem_and_ending("2024.03.csv")
    (('patients', '.gz'), ('2024.03', '.csv'))
    """
    path = Path(name.casefold())
    stem = path.stem
    if path.suffix in (".gz", ".zst") and Path(stem).suffix in TABLES:
        stem = Path(stem).stem
    return stem, path.suffix
