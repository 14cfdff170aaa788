"""What a column is: its role, and how its values relate to each other."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a column is to the person who publishes it and to the one who attacks."""

    IDENTIFIER = "identifier"
    """Names a person; orders the rows, never published."""
    QUASI = "quasi"
    """Known to an attacker; steers the grouping, published in general form."""
    SENSITIVE = "sensitive"
    """What must not be learnt about a person."""
    CARRY = "carry"
    """Recoded per group like a quasi-identifier, without steering the grouping."""
    CLUSTER = "cluster"
    """Says which rows belong together (a household, a patient with several stays): one unit, never published."""
    WEIGHT = "weight"
    """For how many people of the population a row stands; published as one number for each group."""
    DROP = "drop"
    """Left out, as if the schema did not name it."""


KNOWN = (Role.QUASI, Role.CARRY)
"""What others may know of a person, and a group's values of which are published."""
OF_GROUP = (Role.QUASI, Role.CARRY, Role.WEIGHT)
"""What is published once for all rows of a group: these tell groups apart."""


class Kind(StrEnum):
    """How the values of a column relate to each other."""

    NUMBER = "number"
    ORDERED = "ordered"
    CATEGORY = "category"
    DATE = "date"
