"""Hierarchies over the values of a column: which value stands below which more general name.

:class:`Taxonomy` is read from a file, written as a nested dict, or built by rule from the values that occur. One file
per idea: ``declaration`` (names under names, and what makes them a hierarchy), ``files`` (CSV, TOML, JSON and nested
values), ``rules`` (ladders, dates, prefixes), ``hierarchy`` (the value everyone else uses); ``toml_text`` and
``wording`` serve messages that name a line and a way out, here and in the schema.
"""

from pellucid.core.taxonomy.hierarchy import Taxonomy

__all__ = ["Taxonomy"]
