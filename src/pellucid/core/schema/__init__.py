"""Schema: for each column its role, kind, taxonomy and null policy; what is not named is never published.

A schema is TOML in a file, or Python. Every mistake is one :class:`~pellucid.errors.SchemaError` line that names the
file, the line, the key, the value, the rule and the way out.
"""

from pellucid.core.schema.cap import Bound, Cap
from pellucid.core.schema.column import Column, resolve
from pellucid.core.schema.roles import KNOWN, OF_GROUP, Kind, Role
from pellucid.core.schema.roles_of_call import UNSAID, Names, Roles, as_roles, column_names
from pellucid.core.schema.taxonomy_source import TaxonomySource
from pellucid.core.schema.text_form import TextForm
from pellucid.core.schema.whole import MOST_DRAFTED, THREE_STEPS, Schema, place_of, schema_of_names, whole_importance

__all__ = [
    "KNOWN",
    "MOST_DRAFTED",
    "OF_GROUP",
    "THREE_STEPS",
    "UNSAID",
    "Bound",
    "Cap",
    "Column",
    "Kind",
    "Names",
    "Role",
    "Roles",
    "Schema",
    "TaxonomySource",
    "TextForm",
    "as_roles",
    "column_names",
    "place_of",
    "resolve",
    "schema_of_names",
    "whole_importance",
]
