"""The words that people of the field use for what the pages say plainly; each step shows those that belong to it."""

from __future__ import annotations

_QUASI = (
    "Quasi-identifier (QI)",
    "A column that others may know about a person, such as age or zip code. A few of them single people out.",
)
_SENSITIVE = ("Sensitive attribute", "A column that is protected: what nobody shall learn about one person.")
_GROUP = (
    "Group, equivalence class",
    "Rows that look alike after publication. A person hides among the rows of their group.",
)
TERMS = {
    "roles": (
        ("Microdata", "A table with one row per person, as opposed to a table of counts."),
        ("Identifier", "A column that names the person: a name, an e-mail address, a record number."),
        _QUASI,
        _SENSITIVE,
        (
            "Generalisation, taxonomy",
            "Making a value coarser: 27 becomes 20 to 29, a town becomes its region.",
        ),
        ("Schema", "What the columns are, as a file."),
    ),
    "method": (
        ("l-diversity", "In every group at most one row in l has the same protected value."),
        (
            "Posterior",
            "How surely an attacker believes something about a person after seeing what was published.",
        ),
        ("Transparent anonymization", "The promise holds although the attacker knows how the method works."),
        (
            "Minimality attack",
            (
                "Reasoning backwards: nothing was made coarser than needed, so if it was, there was a reason, and the "
                "reason tells something about people."
            ),
        ),
        _GROUP,
        (
            "Recoding",
            "What the values of a group become: ranges, broader names, stars, or two tables (anatomy).",
        ),
        ("Suppression", "Leaving a value or a row out."),
        ("Coins", "The random numbers of a method. They are drawn anew each time and thrown away."),
    ),
    "result": (
        _GROUP,
        _QUASI,
        ("Utility, information loss", "How much the published table still tells, and how much of it went."),
    ),
}
