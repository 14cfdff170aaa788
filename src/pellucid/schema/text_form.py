"""How a text file writes the table."""

from __future__ import annotations

from pydantic import field_validator

from pellucid.schema.explaining import Explained, broken, in_brief
from pellucid.taxonomy.toml_text import toml_value


class TextForm(Explained):
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
            raise broken(f"{in_brief(separator)} separates nothing; give one character that is no quotation mark")
        return separator

    def to_toml(self) -> str:
        """The section of the schema."""
        said = {key: value for key, value in self.model_dump().items() if value is not None}
        return "[file]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in said.items())
