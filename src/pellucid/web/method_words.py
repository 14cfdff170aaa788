"""Methods in plain words: what each does, and against whom its promise holds."""

from __future__ import annotations

PLAINLY = {  # what the steward chooses between first; the others are told in the words of the field
    "strata": "groups inside strata of people who look alike; also against attackers who know statistics of strata",
    "soft-cut": "small groups of people who look alike; tries finer cuts without telling why one is refused",
    "hybrid": "as soft-cut without trying: people look less alike where a protected value is common",
    "tailor": "larger groups; also for other privacy models",
    "ace": "groups drawn by lot, then sorted by likeness",
    "anatomy": "two tables: exact values in one, protected values in the other",
    "audited": "cuts wherever a refused cut would not tell too much",
    "symmetric-grouping": "sorts people and halves the groups",
}
ABOUT = {
    "algorithm": (
        "Holds even against an attacker who knows how the method works and everything about everybody, except the "
        "protected values and which of them are typical for whom."
    ),
    "minimality": ("Holds against an attacker who knows only that nothing was made coarser than needed (minimality)."),
    "frequency": "Holds against an attacker who does not know how the method works.",
    "none": "Promises nothing about the protected values.",
}
HIDDEN = (
    "Holds also against somebody who knows how the method works and everybody's values: the groups depend on "
    "nothing but the columns that others may know."
)
HALVING = (
    "Starts with everybody in one group and halves groups where their people differ most, as long as both halves have "
    "at least k rows. Nothing but k and the columns that others may know decides."
)
