"""Schema: for each column its role, kind, taxonomy and null policy; what is not named is never published.

A schema is TOML in a file, or Python. Every mistake is one :class:`~pellucid.errors.SchemaError` line that names the
file, the line, the key, the value, the rule and the way out.
"""

from pellucid.schema.cap import Bound, Cap
from pellucid.schema.column import Column, resolve
from pellucid.schema.roles import KNOWN, OF_GROUP, Kind, Role
from pellucid.schema.roles_of_call import UNSAID, Names, Roles, as_roles, column_names
from pellucid.schema.taxonomy_source import TaxonomySource
from pellucid.schema.text_form import TextForm
from pellucid.schema.whole import MOST_DRAFTED, THREE_STEPS, Schema, place_of, schema_of_names, whole_importance

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
