"""The words that people of the field use for what the pages say plainly; each step shows those that belong to it."""

from __future__ import annotations

from pellucid.speaking import say

_QUASI = (
    say("Quasi-identifier (QI)"),
    say("A column that others may know about a person, such as age or zip code. A few of them single people out."),
)
_SENSITIVE = (say("Sensitive attribute"), say("A column that is protected: what nobody shall learn about one person."))
_GROUP = (
    say("Group, equivalence class"),
    say("Rows that look alike after publication. A person hides among the rows of their group."),
)
TERMS = {
    "roles": (
        (say("Microdata"), say("A table with one row per person, as opposed to a table of counts.")),
        (say("Identifier"), say("A column that names the person: a name, an e-mail address, a record number.")),
        _QUASI,
        _SENSITIVE,
        (
            say("Generalisation, taxonomy"),
            say("Making a value coarser: 27 becomes 20 to 29, a town becomes its region."),
        ),
        (say("Schema"), say("What the columns are, as a file.")),
    ),
    "method": (
        (say("l-diversity"), say("In every group at most one row in l has the same protected value.")),
        (
            say("Posterior"),
            say("How surely an attacker believes something about a person after seeing what was published."),
        ),
        (say("Transparent anonymization"), say("The promise holds although the attacker knows how the method works.")),
        (
            say("Minimality attack"),
            say(
                "Reasoning backwards: nothing was made coarser than needed, so if it was, there was a reason, and the "
                "reason tells something about people."
            ),
        ),
        _GROUP,
        (
            say("Recoding"),
            say("What the values of a group become: ranges, broader names, stars, or two tables (anatomy)."),
        ),
        (say("Suppression"), say("Leaving a value or a row out.")),
        (say("Coins"), say("The random numbers of a method. They are drawn anew each time and thrown away.")),
    ),
    "result": (
        _GROUP,
        _QUASI,
        (say("Utility, information loss"), say("How much the published table still tells, and how much of it went.")),
    ),
}
