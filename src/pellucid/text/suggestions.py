"""What a person most likely meant: the nearest of some words, or of the files in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

TABLES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".gz", ".zst")
NEAR = 0.75  # below it two file names merely share some letters


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
