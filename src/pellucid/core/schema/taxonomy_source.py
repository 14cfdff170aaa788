"""Where a column's taxonomy comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import field_validator

from pellucid.core.schema.explaining import Explained, a_list, broken, in_brief, passing
from pellucid.core.schema.roles import Kind
from pellucid.core.taxonomy import Taxonomy
from pellucid.core.taxonomy.rules import check_lengths, check_parts, check_widths
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.messages import Message
from pellucid.messages.terms import key

_FORMS = Message(
    "{{{ladder}}}, {{{dates}}}, {{{prefix}}}, {{tree = {{...}}}}",
    ladder=key("ladder", "[5, 10]"),
    dates=key("dates", '["month", "year"]'),
    prefix=key("prefix", "[4, 3]"),
)


KIND_OF_RULE = {"ladder": Kind.NUMBER, "dates": Kind.DATE, "prefix": Kind.CATEGORY}


class TaxonomySource(Explained):
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
            told = '{data} is not a taxonomy; write a file name such as "zip.csv", or {forms}'
            raise broken(told, data=in_brief(data), forms=_FORMS)
        if len(data) != 1:
            raise broken("a taxonomy has one source, not {data}; keep one of {forms}", data=len(data), forms=_FORMS)
        return data

    @field_validator("ladder", mode="before")
    @classmethod
    def _widths(cls, widths: object) -> object:
        return passing(check_widths, a_list(widths, key("ladder", "[5, 10, 20]")))

    @field_validator("dates", mode="before")
    @classmethod
    def _parts(cls, parts: object) -> object:
        return passing(check_parts, a_list(parts, key("dates", '["month", "year"]')))

    @field_validator("prefix", mode="before")
    @classmethod
    def _lengths(cls, lengths: object) -> object:
        return passing(check_lengths, a_list(lengths, key("prefix", "[4, 3, 2]")))

    @field_validator("tree", mode="before")
    @classmethod
    def _hierarchy(cls, tree: Any) -> Any:
        return passing(Taxonomy.from_tree, tree)

    @property
    def made_of_values(self) -> bool:
        """Whether a rule makes its names of the column's values, so that nobody can list them without."""
        return any(getattr(self, rule) is not None for rule in KIND_OF_RULE)

    @classmethod
    def keys_beside(cls, path: Sequence[object]) -> list[str]:  # noqa: ARG003
        """The sources that a person may write."""
        return [*KIND_OF_RULE, "tree", "file"]

    def to_toml(self) -> str:
        """The value after ``taxonomy =``."""
        if self.file is not None:
            return toml_value(self.file)
        if self.ready is not None:
            return toml_value({"tree": self.ready.to_tree()})
        return toml_value(self.model_dump(exclude_none=True))
