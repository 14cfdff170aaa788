"""Where the table is in a sheet: its header below a title, in one line or two, and its last row above sums and notes.

A text that a spreadsheet made may have titles and sums as well (:mod:`pellucid.io.layout`).

- The header is the first row with at least half as many filled cells as the rows of the sheet usually have.
- Two lines name the columns where the second has texts above numbers: a name that spans columns counts for each of
  them. So does a line above the header with more than a title in it.
- The last rows are none of people where they begin with a word such as Total, or hold one text alone in a wide table.
  Without a label the last row is one of sums, or means, where all its numbers are, and stand out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from typing import Literal

import polars as pl

from pellucid.io.inference import MISSING_MARKS
from pellucid.messages import Message
from pellucid.runtime.records import record
from pellucid.text.figures import counted
from pellucid.text.values import listed, shortened

SEEN_ROWS = 100
BELOW = 12  # rows at the end that may be sums and notes
NOTE_WIDTH = 3  # columns that a table has at least in which a text alone in its row is a note
SUM = re.compile(
    r"(grand |sub)?totals?|sums?|summen?|gesamt(summe)?|insgesamt|zusammen|total général|sous-total|somme|ensemble|"
    r"totale|suma|totaal|razem|averages?|means?|mittelwert|durchschnitt|moyenne|media|promedio",
    re.IGNORECASE,
)
NOTE = re.compile(r"\w\W*[ :]\W*\w")  # several words: a single one may be a person's only value
DATUM = re.compile(r"[^a-zA-Z]*\d[^a-zA-Z]*|\d{4}-\d\d-\d\d[T ].*")  # numbers and dates, however they are written
NUMBER = re.compile(r"-?\d+([.,]\d+)?")
FEWEST = 5  # rows of which a row without a label may be the sums
TIMES = 3  # the largest number above: a sum is more
YEAR = re.compile(r"(19|20)\d\d")
Row = Sequence[str]
Total = Literal["sums", "means", "alone", ""]
TOTALS: tuple[Literal["sums", "means"], ...] = ("sums", "means")


class TableFound(UserWarning):
    """A file has more than a table: what was taken for its header, and which rows were left out."""


@record()
class SheetTable:
    """Lines of a sheet, counted from 0: the ones that name the columns, and what stands above them."""

    first: int
    last: int
    above: tuple[str, ...] = ()


def find_header(rows: Sequence[Row], said: int | None = None) -> SheetTable:
    """Where the header is among the first rows of a sheet; ``said`` is its (last) line, counted from 1.

    >>> survey = [["Survey 2024", "", ""], ["", "", ""], ["age", "town", "cost"], ["30", "Rome", "1.5"]]
    >>> find_header(survey).first, find_header(survey).above
    (2, ('Survey 2024',))
    >>> merged = [["", "income", ""], ["age", "2019", "net"], ["30", "5", "6"], ["31", "5", "6"]]
    >>> find_header(merged).first, find_header(merged).last
    (0, 1)
    """
    filled = [sum(bool(cell) for cell in row) for row in rows]
    usual = sorted(count for count in filled if count)
    least = max(1.0, usual[len(usual) // 2] / 2) if usual else 1.0
    first = next((at for at, count in enumerate(filled) if count >= least), 0)
    if said is not None:
        first = min(said - 1, len(rows) - 1)
    last = first
    if said is None and first + 1 < len(rows) and _goes_on(rows[first], rows[first + 1], rows[first + 2 :]):
        last = first + 1
    elif first and _names_groups(rows[first - 1], rows[first]):
        first -= 1
    above = tuple(" ".join(filter(None, row)) for row in rows[:first])
    return SheetTable(first, last, tuple(filter(None, above)))


def _goes_on(header: Row, line: Row, below: Sequence[Row]) -> bool:
    """Whether a second line names columns as well: texts only, above numbers, where the first leaves cells empty."""
    if not any(header[at] == "" and cell for at, cell in enumerate(line)) or not _may_be_names(line):
        return False
    for at, cell in enumerate(line):
        values = [row[at] for row in below if row[at] and row[at].casefold() not in MISSING_MARKS]
        if cell and values and cell.casefold() not in MISSING_MARKS and all(map(_is_datum, values)):
            return True
    return False


def _names_groups(line: Row, header: Row) -> bool:
    """Whether the line above names groups of columns: more than a title, and nothing that is not above a name."""
    spans = sum(map(bool, line)) < sum(map(bool, header))
    return spans and any(line[1:]) and _may_be_names(line) and all(header[at] for at, cell in enumerate(line) if cell)


def _is_datum(cell: str) -> bool:
    return DATUM.fullmatch(cell) is not None


def _may_be_names(line: Row) -> bool:
    return not any(_is_datum(cell) and not YEAR.fullmatch(cell) for cell in line)


def names_of(rows: Sequence[Row], table: SheetTable) -> list[str]:
    """What the lines of the header call the columns.

    >>> names_of([["", "income", "", "town"], ["age", "2019", "2020", ""]], SheetTable(0, 1))
    ['age', 'income 2019', 'income 2020', 'town']
    """
    if table.first == table.last:
        return list(rows[table.first])
    names, group = [], ""
    for over, under in zip(rows[table.first], rows[table.last], strict=True):
        group = over or (group if under else "")
        names.append(f"{group} {under}".strip())
    return names


def without_sums(rows: Sequence[Row], above: Callable[[int], pl.DataFrame]) -> tuple[int, tuple[str, ...]]:
    """How many of the last rows of a table belong to it, of those that are given; and what the others begin with.

    ``above``: the whole table above one of these rows.

    >>> rows = [["30", "Rome", "1"], ["31", "Oslo", "2"], ["Total", "", "3"], ["Source: ours", "", ""]]
    >>> without_sums(rows, lambda end: pl.DataFrame(rows[:end], orient="row"))
    (2, ('Total', 'Source: ours'))
    """
    end = len(rows)
    left_out: list[str] = []
    for at in range(len(rows) - 1, 0, -1):
        cells = [cell for cell in rows[at] if cell]
        if not cells:
            continue
        alone = len(cells) == 1 and len(rows[at]) >= NOTE_WIDTH and bool(NOTE.search(rows[at][0]))
        if not (SUM.fullmatch(cells[0].rstrip(" :.")) or alone):
            break
        end = at
        left_out.insert(0, cells[0])
    last = next((at for at in range(end - 1, 0, -1) if any(rows[at])), 0)
    near = pl.DataFrame(rows[:last], orient="row")
    if last and totals(rows[last], near, exact=False) and (what := totals(rows[last], above(last))):
        first = next(filter(None, rows[last]))
        return last, (f"{first} ({what})", *left_out)
    return end, tuple(left_out)


def totals(last: Row, above: pl.DataFrame, *, exact: bool = True) -> Total:
    """Whether a row has sums or means of the rows above it, or a number alone that nobody there has; else empty.

    Two of its numbers must be sums, and no number one that a person might have: some sums leave codes such as 99 out.
    Unless ``exact`` this alone counts.

    >>> people = pl.DataFrame({"age": ["30", "31", "40", "38", "29"], "pay": ["1,5", "2,0", "3,0", "2,5", "4,25"]})
    >>> totals(["168", "13,25"], people), totals(["33,6", "2,650"], people), totals(["168", "4,25"], people)
    ('sums', 'means', '')
    """
    texts = [(cell, above[:, at].cast(pl.String)) for at, cell in enumerate(last) if NUMBER.fullmatch(cell)]
    for what in TOTALS:
        found = [_is_total(cell, column.str.strip_chars().str.replace(",", "."), what) for cell, column in texts]
        if _are_totals(found, exact=exact):
            return what
        if what == "sums" and len(found) == 1 and found[0][0] and _is_alone(last, above, exact=exact):
            return "alone"
    return ""


def _are_totals(found: Sequence[tuple[bool, bool]], *, exact: bool) -> bool:
    clear = [right or not exact for odd, right in found if odd]
    return sum(clear) > 1 and (not exact or all(odd or right for odd, right in found))


def _is_alone(last: Row, above: pl.DataFrame, *, exact: bool) -> bool:
    """Whether a row of a wide table has one cell; unless ``exact`` also whether the others have more."""
    alone = len(last) >= NOTE_WIDTH and sum(map(bool, last)) == 1
    return alone and (exact or all(sum(map(bool, row)) > 1 for row in above.rows()))


def _is_total(cell: str, texts: pl.Series, what: str) -> tuple[bool, bool]:
    """Whether a number stands out from those of a column, and whether it is their sum, or their mean."""
    values = texts.cast(pl.Float64, strict=False).drop_nulls().to_numpy()
    if len(values) < FEWEST:
        return False, False
    number, places = float(cell.replace(",", ".")), len(cell.replace(",", ".").partition(".")[2])
    aim = values.sum() if what == "sums" else values.mean()
    finer = places > texts.str.extract(r"\.(\d+)$").str.len_chars().fill_null(0).to_numpy().max()
    odd = number > TIMES * abs(values).max() if what == "sums" else finer
    return bool(odd), bool(abs(number - aim) <= max(0.501 * 10.0**-places, 1e-9 * abs(aim)))


def tell_what_was_found(table: SheetTable | None, left_out: Sequence[str], where: Message | str, *, said: bool) -> None:
    """Say what was taken for the header where that was not the first row, and which rows are none of people."""
    told: list[Message] = []
    if table is not None and not said and (table.above or table.first != table.last):
        told.append(_header_taken(table))
    if left_out:
        told.append(
            Message(
                "{rows} at the end, which {begin} with {texts}, {are} no people and left out",
                rows=counted(len(left_out), "row"),
                begin="begin" if len(left_out) > 1 else "begins",
                texts=listed([shortened(text, 40) for text in left_out]),
                are="are" if len(left_out) > 1 else "is",
            )
        )
    for message in told:
        warnings.warn(TableFound(Message("{where}: {message}", where=where, message=message)), stacklevel=4)


def _header_taken(table: SheetTable) -> Message:
    """Which rows were taken for the header, and below which title."""
    what = Message(
        "row {row} was" if table.first == table.last else "rows {first} and {row} were",
        first=table.first + 1,
        row=table.last + 1,
    )
    above = Message(" below {title!r}", title=shortened(table.above[0], 40)) if table.above else ""
    return Message("{what} taken for the header{above}; for another, say {HEADER_ROW}", what=what, above=above)
