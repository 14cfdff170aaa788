"""How a file writes the table."""

from __future__ import annotations

import codecs
from typing import Literal

from pydantic import Field, field_validator

from pellucid.core.schema.explaining import Explained, broken, in_brief
from pellucid.core.taxonomy.toml_text import toml_value


class TextForm(Explained):
    r"""How a file writes the table, where that cannot be seen: what separates fields, and whether line 1 is a header.

    ``encoding`` is that of a text file (utf-8, latin-1, cp1250, ...); with ``decimal = ","`` numbers are written as
    3,5 and 1.234,5, also in text cells of a spreadsheet and text columns of other files. ``sheet`` is the name of a
    spreadsheet's sheet, ``header_row`` the row that names its columns (the last one, where two do).
    ``max_unpacked`` is how many megabytes a packed file may unpack to; without it, a share of the free memory.

    >>> TextForm(separator="^", header=False).to_toml()
    '[file]\nseparator = "^"\nheader = false\n'
    """

    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    sheet: str | None = None
    header_row: int | None = Field(default=None, ge=1, le=100)
    max_unpacked: int | None = Field(default=None, ge=1, le=10_000_000)

    @field_validator("encoding", mode="before")
    @classmethod
    def _known(cls, encoding: object) -> object:
        if encoding is None:
            return None
        try:
            if isinstance(encoding, str) and "\0" not in encoding and codecs.lookup(encoding)._is_text_encoding:
                return codecs.lookup(encoding).name
        except LookupError:
            pass
        raise broken(f"{in_brief(encoding)} is no encoding of text; write utf-8, cp1252, latin-1, utf-16, ...")

    @field_validator("separator", mode="before")
    @classmethod
    def _one_character(cls, separator: object) -> object:
        if separator is None:
            return None
        separator = "\t" if isinstance(separator, str) and separator in ("\\t", "tab") else separator
        if not isinstance(separator, str) or len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
            raise broken(f"{in_brief(separator)} separates nothing; give one character that is no quotation mark")
        return separator

    def to_toml(self) -> str:
        """The section of the schema."""
        given = {key: value for key, value in self.model_dump().items() if value is not None}
        return "[file]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in given.items())
