"""When a column names people, whatever it is called: nearly every value belongs to one person.

One rule for the pages of ``pellucid serve``, which ask before such a column is published, and for reports, which say
that it was.
"""

from __future__ import annotations

from pellucid.core.hints import NUMBERING, hinted_role
from pellucid.core.schema import Kind, Role

LONG_TEXT = 40  # characters on average, and
MANY_TEXTS = 100  # different ones: somebody wrote them, and may have named people
NEARLY_UNIQUE = 0.95  # so many different values for one filled-in row
HALF = 0.5  # enough where the column's own name says that it names people


def belonging(name: str, distinct: int, rows: int) -> str:
    """That values belong to single people, with the counts, in words; empty where they do not.

    >>> belonging("card", 40, 40)
    'Every value belongs to one person (40 different values in 40 rows)'
    >>> belonging("surname", 24, 40), belonging("town", 24, 40)
    ('Most values seem to belong to one person (24 different values in 40 rows)', '')
    """
    hint, word = hinted_role(name) or (None, "")
    enough = HALF if hint is Role.IDENTIFIER and word not in NUMBERING else NEARLY_UNIQUE
    if distinct < 2 or distinct < enough * rows:
        return ""
    share = "Every value belongs" if distinct == rows else "Nearly every value belongs"
    if distinct < NEARLY_UNIQUE * rows:
        share = "Most values seem to belong"
    return f"{share} to one person ({distinct:,} different values in {rows:,} rows)"


def is_measured(name: str, role: Role, kind: Kind, *, whole: bool) -> bool:
    """Whether such a column is a number or a date that others may know, published as ranges, and no record number.

    Numbers look like record numbers if the name says so, or says nothing and they are whole.

    >>> [is_measured(name, Role.QUASI, Kind.NUMBER, whole=True) for name in ("income", "patient number", "x")]
    [True, False, False]
    """
    hint, _ = hinted_role(name) or (None, "")
    numbers_people = hint is Role.IDENTIFIER or (hint is None and whole)
    return role is Role.QUASI and kind in (Kind.NUMBER, Kind.DATE) and not numbers_people
