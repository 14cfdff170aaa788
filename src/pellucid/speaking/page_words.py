"""What the library says, in the words of the page: chances in percent, "empty" for null.

The library has one word for each thing, and so have its documents and the command line, which a steward of the page
never sees. The page says 50 % where the library says 0.5, keeps 1/l for what is promised, and calls a value that is not
there empty, as a spreadsheet does.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from pellucid.messages.speaker import now_speaking, people
from pellucid.speaking.counted_rows import called, sentences_in_rows
from pellucid.text.figures import percent

CORRECT = (
    r"correct \1 in the file, or list \1 in “Texts that stand for an empty value” at Details of the column; choose the "
    r"kind “category” there if texts are meant"
)
DATES = "choose the kind “date” at Details of the column"
LEARNING = "The promise stops neither learning from the release nor combining several releases"
MATTER = ", so only the values that matter can be protected"
LEAST = "0.001"  # percent; less is not told apart
_CHANCE = r"(?P<over>over )?(?P<chance>\d(?:\.\d+)?e-\d+|0\.\d+|\d+/\d+|[01](?!\d|[,/.]\d))"
_SURE = re.compile(
    rf"\b(?P<verb>does not believe|may believe|believes?)(?P<bound> at most| up to| more than)? {_CHANCE} of (?=\S)"
)
_ALONE = re.compile(
    rf"\b(?P<verb>does not believe|may believe|believes?)(?P<bound> at most| up to| more than) {_CHANCE}(?=[:,.;)]|$)"
)
_VERBS = {"believes": "is", "believe": "are", "may believe": "may be", "does not believe": "is not"}
_GIVEN = [
    re.compile(rf"(?P<before>counting alone gives(?: at most)? ){_CHANCE}"),
    re.compile(rf"(?P<before>[Tt]he largest belief, ){_CHANCE}(?=, is)"),
    re.compile(rf"(?P<before> sure of somebody[^:.]{{0,80}}: ){_CHANCE}(?=\.|$)"),
    re.compile(rf"(?P<before>the most, ){_CHANCE}(?=, is believed)"),
    re.compile(rf"(?P<before>The most that is believed of anybody[^.;]{{0,200}}? is ){_CHANCE}(?=, by)"),
    re.compile(rf"(?P<before>is up to ){_CHANCE}(?= sure of)"),
    re.compile(rf"(?P<before>sampled worlds give ){_CHANCE}"),
    re.compile(rf"(?P<before>which may be up to ){_CHANCE}"),
    re.compile(rf"(?P<before> sure of [^\n]{{1,200}}? \(at most ){_CHANCE}(?=\)| with confidence)"),
    # the classic attacks
    re.compile(rf"(?P<before>with probability |a share of |a gain of |gains more than |average risk is ){_CHANCE}"),
    re.compile(rf"(?P<before>knowing nobody, the most is ){_CHANCE}"),
    re.compile(rf"(?P<before>\bhas ){_CHANCE}(?= of a group)"),
    re.compile(rf"(?P<before> rows? and ){_CHANCE}(?= of the table)"),
]
_ERRORS = re.compile(r"(?<=\(query-error )(\d+(?:\.\d+)?) against (\d+(?:\.\d+)?)(?=[,)])")
_ERROR = re.compile(r"(?<=\(query-error )\d+(?:\.\d+)?(?=\))")
_QUOTED = re.compile(r"((?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|“[^”\n]*”)")  # a value of the table stays as it is
_LOOSE = re.compile(r"(?<=\d) %(?!\w)")
_SAID = [
    (re.compile(r"(?<=\d)%(?!\w)"), " %"),  # as the page writes its own shares
    (re.compile(r"(?<![\w'\"“\[])[Aa] null(?![\w'\"”])"), "an empty value"),
    (re.compile(r"(?<![\w'\"“\[])nulls(?![\w'\"”=]| =)"), "empty values"),
    (re.compile(r"(?<![\w'\"“\[])null(?![\w'\"”=]| =)"), "empty"),
]

# What is an option of the command line, or a key of a schema file, is a field of the page.
_FIELDS = [
    (re.compile(r"--recode intervals"), "ranges under “What a group becomes”"),
    (re.compile(r"--recode \w+"), "another choice under “What a group becomes”"),
    (re.compile(r"--method ([\w-]+)"), r"the method \1"),
    (re.compile(r" \(patience= in Python\)"), ""),
    (re.compile(r"with --patience(?: [\w.]+)?"), "with “Seconds for one attacker”"),
    (re.compile(r"--patience(?: [\w.]+)?"), "“Seconds for one attacker”"),
    (re.compile(r"--budget(?: [\w.]+)?"), "“Counting budget”"),
    (re.compile(r" \(--values\)| \(protect in the schema\)"), ""),
    (re.compile(r"--values(?: [A-Z=]+)?"), "the values to protect"),
    (re.compile(r"with --accept-known (?:'[^']*'|\S+)"), "with the tick below the columns"),
    (re.compile(r"--k (\d+)"), r"k = \1"),
    (re.compile(r'say kind = "date" and date_order = ["a-z ]*?in a schema \(pellucid init drafts one\)'), DATES),
    (re.compile(r'say kind = "date" and date_order = "\w+"(?: or "\w+")?'), DATES),
    (
        re.compile(
            r"correct (it|them), list \1 in missing = \[.*\] in a schema \(pellucid init drafts one\), or say "
            'kind = "category" there if texts are meant'
        ),
        CORRECT,
    ),
    (re.compile(r", so protect = \[\.\.\.\] has to name the values that matter"), MATTER),
    (re.compile(r"; with protect = \[(.*?)\] l can be up to (\d+)"), r"; l can be up to \2 if only \1 is protected"),
    (re.compile(r'"quasi" if others know it, "sensitive" if it is'), "one if others know it, another if it is"),
    (re.compile(r" \(pellucid init drafts one\)"), ""),
    (re.compile(r"give (?:them|both) to \w+\([^)]*\)(?:, or mine them in a table)?"), "this page does not offer it"),
    (re.compile(r"give the k that the release satisfies as k="), "this page does not offer it"),
    (re.compile(r"Transparency does not stop learning or composition"), LEARNING),
    (re.compile(r", with model=,"), ", with a privacy model of your choice,"),
]
_DRAWN = re.compile(r"(<(?:text|title)\b[^>]*>)([^<]*)(</(?:text|title)>)")  # words and what is said beside a pointer
_LABEL = re.compile(r'(aria-label=")([^"]*)(")')
_ABOUT_CHANCES = re.compile("belie|counting|sure of|sampled|probability|share of|gain|risk is")
_TECHNICAL = re.compile(r'^Transparency|--|=|\(|pellucid init|"quasi"')


def in_page_words(text: str) -> str:
    """A sentence of the library as the page says it.

    >>> in_page_words("Somebody who knows minimality believes 0.5 of 'flu', as counting alone")
    "Somebody who knows minimality is 50 % sure of 'flu', as counting alone"
    >>> in_page_words("None of them believes more than 1/3 of anybody; the most, 0.3333, is believed by 2 of them")
    'None of them is more than 1/3 sure of anybody; the most, 33.33 %, is believed by 2 of them'
    >>> in_page_words("2 believe up to 1 of somebody; 3 of 8 rows are null, and 'null' is a text")
    "2 are up to 100 % sure of somebody; 3 of 8 rows are empty, and 'null' is a text"
    >>> in_page_words("The largest belief, 1, is the same in 5 of 7 groups")
    'The largest belief, 100 %, is the same in 5 of 7 groups'
    >>> in_page_words("4 has 0.25 of a group of 4 rows and 0.07967 of the table, a gain of 0.1703.")
    '4 has 25 % of a group of 4 rows and 7.967 % of the table, a gain of 17.03 %.'
    >>> in_page_words("4 has 0.25 of a group of 4 rows and 5e-05 of the table, a gain of 0.25.")
    '4 has 25 % of a group of 4 rows and 0.005 % of the table, a gain of 25 %.'
    >>> in_page_words("4 has 0.25 of a group of 4 rows and 2.5e-07 of the table, a gain of 0.25.")
    '4 has 25 % of a group of 4 rows and under 0.001 % of the table, a gain of 25 %.'
    >>> in_page_words("names any one person's disease with probability at most 1/4")
    "names any one person's disease with probability at most 1/4"
    >>> in_page_words("not done after 120 seconds; allow more with --patience")
    'not done after 120 seconds; allow more with “Seconds for one attacker”'
    >>> in_page_words("not done after 45 seconds; give it more time with --patience (patience= in Python)")
    'not done after 45 seconds; give it more time with “Seconds for one attacker”'
    >>> in_page_words("half of the counts by at most 15.9% (± 1.0% with others), and '5%' is a text")
    "half of the counts by at most 15.9 % (± 1.0 % with others), and '5%' is a text"
    >>> in_page_words("Anatomy is more accurate (query-error 0.09765 against 0.1593) and as safe")
    'Anatomy is more accurate (query-error 9.8 % against 15.9 %) and as safe'
    >>> in_page_words("SoftCut at l=4 has no row above 1/4 (query-error 0.04986).")
    'SoftCut at l=4 has no row above 1/4 (query-error 5.0 %).'
    >>> in_page_words("use --recode intervals, or a smaller l")
    'use ranges under “What a group becomes”, or a smaller l'
    """
    text = in_plain_words(text)
    if _TECHNICAL.search(text):
        for pattern, word in _FIELDS:
            text = pattern.sub(word, text)
    return text


def in_plain_words(text: str) -> str:
    """The same without the fields of the page: chances in percent, "empty" for null.

    >>> in_plain_words("2 believe up to 1 of somebody; allow more with --patience")
    '2 are up to 100 % sure of somebody; allow more with --patience'
    """
    if _ABOUT_CHANCES.search(text):
        text = _SURE.sub(lambda found: f"{_sure(found)} of ", text)
        text = _ALONE.sub(_sure, text)
        for pattern in _GIVEN:
            text = pattern.sub(lambda found: found["before"] + _percent(found), text)
    if "query-error" in text:
        text = _ERRORS.sub(lambda found: f"{100 * float(found[1]):.1f} % against {100 * float(found[2]):.1f} %", text)
        text = _ERROR.sub(lambda found: f"{100 * float(found[0]):.1f} %", text)
    if "null" in text or "%" in text:
        pieces = _QUOTED.split(text)
        for pattern, word in _SAID:
            pieces[::2] = [pattern.sub(word, piece) for piece in pieces[::2]]
        text = "".join(pieces)
    return text


def told(text: str) -> str:
    """A text of the library as it stands on a page, where rows may be counted instead of people."""
    if isinstance(text, Markup) or not text:
        return text
    return sentences_in_rows(on_the_page(now_speaking().tell(text)), called.get())


def drawn(svg: str) -> Markup:
    """A chart with its words; where rows are counted, they are."""
    if now_speaking().rows:
        for part in (_DRAWN, _LABEL):
            svg = part.sub(lambda found: f"{found[1]}{_in_chart(found[2])}{found[3]}", svg)
    return Markup(svg)


def _in_chart(escaped: str) -> str:
    text = Markup(escaped).unescape()
    return str(escape(people(text) if text == "people" else told(text)))


def on_the_page(text: str) -> str:
    """The same as it stands on the page, where lines break."""
    return unbroken(in_page_words(text))


def unbroken(text: str) -> str:
    r"""The text with each percent sign on the line of its number; a value in quotes stays as it is.

    >>> unbroken("5 % of 'a 5 % sugar'").split(" ")
    ['5\xa0%', 'of', "'a", '5', '%', "sugar'"]
    """
    if " %" not in text:
        return text
    pieces = _QUOTED.split(text)
    pieces[::2] = [_LOOSE.sub("\N{NO-BREAK SPACE}%", piece) for piece in pieces[::2]]
    return "".join(pieces)


def _sure(found: re.Match[str]) -> str:
    limit = found["bound"] in (" at most", " more than") and "/" in found["chance"]
    told = found["chance"] if limit else _percent(found)
    return f"{_VERBS[found['verb']]}{found['bound'] or ''} {told} sure"


def _percent(found: re.Match[str]) -> str:
    """As many digits as the library tells, for these tell more from equal."""
    one, _, parts = found["chance"].partition("/")
    told = percent(int(one) / int(parts)) if parts else _few_digits(100 * float(one))
    return f"{found['over'] or ''}{told}"


def _few_digits(percents: float) -> str:
    """Nobody reads 1e-07 %."""
    return f"under {LEAST} %" if 0 < percents < float(LEAST) else f"{percents:.4g} %"
