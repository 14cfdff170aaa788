"""Pages and reports in the language of whoever reads them: English stands in the code, other languages in catalogs.

    catalog.py     a gettext .po file, as translators write it
    forms.py       numbers and dates as people of a language write them
    page_words.py  what the library says, in the words of the page
    recognized.py  sentences that arrive as plain English, recognised by their template
    reader.py      who reads: their language, and how a text is told to them

Texts in a template are marked ``{% trans %}`` or ``_("...")``. Texts in Python stay plain English and are marked
``say("...")`` (f-strings too); they are translated where a template shows them, by the filter ``told``. So a message
may be kept for later, or come from another process, and is still told in the language of whoever reads it then.
"""

from __future__ import annotations


def say(text: str) -> str:
    """The text itself, marked: the catalogs have it, and a template shows it by the filter ``told``.

    >>> name = "table.csv"
    >>> say(f"Reading {name}")
    'Reading table.csv'
    """
    return text
