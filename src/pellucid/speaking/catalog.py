"""A catalog of translations: a gettext .po file, read as it is.

Nothing has to be compiled: a translator edits the file, starts the page again and sees it. The format is that of GNU
gettext (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html); entries that are marked fuzzy or have no
translation yet are left out.
"""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CONTEXT = "\x04"  # between a context and its text, as in gettext
_KEYWORD = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr)(?:\[(\d+)\])? (".*")$')
_PLURAL = re.compile(r"plural\s*=\s*([^;\n]+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A text of the page, and what it is in the catalog's language: one form, or one for each kind of number."""

    text: str
    plural: str
    told: tuple[str, ...]
    context: str = ""

    @property
    def key(self) -> str:
        """What it is found by."""
        return f"{self.context}{CONTEXT}{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class Catalog:
    """Entries by their text, and which form a number takes."""

    entries: dict[str, Entry] = field(default_factory=dict)
    form_of: Callable[[int], int] = field(default=lambda number: int(number != 1))

    def text(self, text: str, context: str = "") -> str | None:
        """The translation of a text; None where there is none."""
        found = self.entries.get(f"{context}{CONTEXT}{text}" if context else text)
        return None if found is None else found.told[0]

    def plural(self, one: str, number: int) -> str | None:
        """The translation of a text about so many things, by its singular; None where there is none."""
        found = self.entries.get(one)
        if found is None:
            return None
        return found.told[min(self.form_of(number), len(found.told) - 1)]


def read_catalog(path: Path) -> Catalog:
    """The catalog of a .po file."""
    entries: dict[str, Entry] = {}
    form_of: Callable[[int], int] | None = None
    for entry in _entries(path.read_text(encoding="utf-8")):
        if not entry.text and not entry.context:
            rule = _PLURAL.search(entry.told[0])
            form_of = gettext.c2py(rule[1].strip()) if rule else None
        else:
            entries[entry.key] = entry
    return Catalog(entries) if form_of is None else Catalog(entries, form_of)


def _entries(text: str) -> Iterator[Entry]:
    """What is translated, block by block; blocks have an empty line between them."""
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.splitlines()
        if any(line.startswith("#,") and "fuzzy" in line for line in lines):
            continue
        parts = _parts(lines)
        told = tuple(value for (keyword, _), value in sorted(parts.items()) if keyword == "msgstr")
        if told and all(told):
            yield Entry(parts["msgid", 0], parts.get(("msgid_plural", 0), ""), told, parts.get(("msgctxt", 0), ""))


def _parts(lines: list[str]) -> dict[tuple[str, int], str]:
    parts: dict[tuple[str, int], str] = {}
    place = ("", 0)
    for line in lines:
        found = _KEYWORD.match(line)
        if found:
            place = (found[1], int(found[2] or 0))
            parts[place] = ast.literal_eval(found[3])
        elif line.startswith('"') and place[0]:
            parts[place] += ast.literal_eval(line)
    return parts
