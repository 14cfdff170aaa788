"""QI-based distributions: how probable each sensitive value is for people with certain quasi-identifiers.

Measured on the table, for every set of quasi-identifiers up to a size: the share of each value among the rows that
agree on the set, where enough of them do. Or given in a file. For rows that no such figure speaks of, somebody who
thinks by that set falls back on the whole table.

**The file** is a CSV with a header: any of the quasi-identifiers, the sensitive column, and ``probability``. A line
says how probable the sensitive value is for people with these quasi-identifiers; an empty cell leaves the
quasi-identifier out of the set::

    nationality,sex,disease,probability
    Japanese,,Heart Disease,0.003
    Japanese,,Flu,0.21
    French,female,Heart Disease,1/40

What the lines of one kind of people leave of the probability is shared by the values that they do not name, in
proportion to the whole table.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import InputError, MethodError
from pellucid.models.exact import exact
from pellucid.text.values import in_quotes

MOST_CELLS = 2**27  # of probabilities, and of signatures
PROBABILITY = "probability"

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Distributions:
    """``weights[signature, class]``, and the signature of each row in each attribute set.

    Signature 0 is the whole table. ``shares`` are the exact probabilities: counts where they were measured, else
    fractions. ``people[signature]`` says who is meant, as attribute and code pairs.
    """

    sets: list[tuple[int, ...]]
    signatures: Codes
    weights: NDArray[np.float64]
    shares: list[list[Fraction]] | NDArray[np.int64]
    people: list[People]

    def probability(self, signature: int, of: int) -> Fraction:
        """The exact probability of a class for a signature."""
        if isinstance(self.shares, list):
            return self.shares[signature][of]
        return Fraction(int(self.shares[signature, of]), int(self.shares[signature].sum()))


def measured(table: Table, classes: Codes, width: int, attributes: int, support: int) -> Distributions:
    """The distributions by every set of at most so many quasi-identifiers, where so many rows agree on it."""
    quasi = [i for i in table.having(Role.QUASI) if len(table.attributes[i]) > 1]
    n = len(table)
    counts = [np.bincount(classes, minlength=width)[None, :]]
    people: list[People] = [()]
    sets: list[tuple[int, ...]] = []
    columns: list[Codes] = []
    cells = 0
    for chosen, labels, count in _agreeing_sets(table, quasi, attributes, support):
        cells += count * width + n
        if cells > MOST_CELLS:
            raise MethodError(
                f"the distributions by up to {attributes} quasi-identifiers do not fit into memory",
                "use fewer attributes, or a larger support",
            )
        speaks = labels >= 0
        counts.append(
            np.bincount(labels[speaks] * width + classes[speaks], minlength=count * width).reshape(count, width)
        )
        columns.append(np.where(speaks, labels + len(people), 0).astype(np.int32))
        examples = np.zeros(count, np.int64)
        examples[labels[speaks]] = np.flatnonzero(speaks)
        people += [tuple((i, int(table.codes[i][row])) for i in chosen) for row in examples]
        sets.append(chosen)
    shares = np.concatenate(counts)
    weights = shares / shares.sum(axis=1, keepdims=True)
    signatures = np.stack(columns, axis=1) if columns else np.zeros((n, 0), np.int32)
    return Distributions(sets, signatures, weights, shares, people)


def _agreeing_sets(
    table: Table, quasi: Sequence[int], attributes: int, support: int
) -> Iterator[tuple[tuple[int, ...], Labels, int]]:
    """The sets on which enough rows agree somewhere, with a label for those rows, and how many labels there are."""
    kept: dict[tuple[int, ...], Labels] = {(): np.zeros(len(table), np.int64)}
    for size in range(1, min(attributes, len(quasi)) + 1):
        level: dict[tuple[int, ...], Labels] = {}
        for chosen in combinations(quasi, size):
            # where too few agree on a smaller set, too few agree on this one
            if chosen[:-1] not in kept or any(chosen[:i] + chosen[i + 1 :] not in kept for i in range(size - 1)):
                continue
            last = chosen[-1]
            labels, count = _agreeing(kept[chosen[:-1]], table.codes[last], len(table.attributes[last]), support)
            if count:
                level[chosen] = labels
                yield chosen, labels, count
        if not level:
            return
        kept = level


def _agreeing(labels: Labels, codes: Codes, width: int, support: int) -> tuple[Labels, int]:
    """Number the values of (label, code) that enough rows have; -1 for the other rows."""
    keys = np.where(labels >= 0, labels * width + codes, -1)
    if len(keys) and int(keys.max()) < 4 * len(keys) + 1024:
        sizes = np.bincount(keys[keys >= 0], minlength=1)
        enough = sizes >= support
        numbers = np.where(enough, np.cumsum(enough) - 1, -1)
        return np.where(keys >= 0, numbers[keys], -1), int(enough.sum())
    distinct, inverse, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    enough = (sizes >= support) & (distinct >= 0)
    return np.where(enough, np.cumsum(enough) - 1, -1)[inverse], int(enough.sum())


def given(path: str, table: Table, column: int, classes: Codes, class_of: Codes, width: int) -> Distributions:
    """The distributions of a file."""
    attribute = table.attributes[column]
    overall = np.bincount(table.codes[column], minlength=len(attribute))
    listed = _listed(path, table, column)
    everybody = {value: Fraction(int(count), len(table)) for value, count in enumerate(overall)}
    people_of: list[People] = [(), *listed]
    shares = []
    for people, probabilities in zip(people_of, [everybody, *listed.values()], strict=True):
        full = _completed(probabilities, overall)
        if full is None:
            raise InputError(
                f"{path}: the probabilities for {named(table, people)} name every value and add up to "
                f"{float(sum(probabilities.values())):g}",
                "they must add up to 1",
            )
        of_classes = [Fraction(0)] * width
        for value, p in full.items():
            of_classes[class_of[value]] += p
        shares.append(of_classes)
    sets, signatures = _signatures(table, list(listed))
    weights = np.array(shares, np.float64)
    _contradicted(path, table, column, classes, signatures, weights, people_of)
    return Distributions(sets, signatures, weights, shares, people_of)


People = tuple[tuple[int, int], ...]  # those who have these codes of these columns


def _listed(path: str, table: Table, column: int) -> dict[People, dict[int, Fraction]]:
    """What a file says of each kind of people it names: the probabilities of some values."""
    listed: dict[People, dict[int, Fraction]] = {}
    for line, people, value, probability in _lines(path, table, column):
        probabilities = listed.setdefault(people, {})
        if value in probabilities:
            text = in_quotes(table.attributes[column].values[value])
            raise InputError(f"{path}, line {line}: says a second time how probable {text} is")
        probabilities[value] = probability
        if sum(probabilities.values()) > 1:
            raise InputError(
                f"{path}, line {line}: the probabilities for {named(table, people)} add up to "
                f"{float(sum(probabilities.values())):g}",
                "they must not exceed 1",
            )
    if not listed:
        raise InputError("{path} has no lines", "give at least one probability, or leave distributions out", path=path)
    return listed


def _signatures(table: Table, listed: Sequence[People]) -> tuple[list[tuple[int, ...]], Codes]:
    """The sets of columns by which people are named, and of each row by each of them whom it belongs to, from 1 on."""
    sets = sorted({tuple(i for i, _ in people) for people in listed}, key=lambda chosen: (len(chosen), chosen))
    signatures = np.zeros((len(table), len(sets)), np.int32)
    for signature, people in enumerate(listed, 1):
        matching = np.ones(len(table), bool)
        for i, code in people:
            matching &= table.codes[i] == code
        signatures[matching, sets.index(tuple(i for i, _ in people))] = signature
    return sets, signatures


def _completed(probabilities: dict[int, Fraction], overall: NDArray[np.int64]) -> dict[int, Fraction] | None:
    """The rest of the probability goes to the values that are not named, as in the whole table."""
    rest = 1 - sum(probabilities.values(), Fraction(0))
    unnamed = {value: int(count) for value, count in enumerate(overall) if value not in probabilities}
    total = sum(unnamed.values())
    if not total:
        return probabilities if not rest else None
    return probabilities | {value: rest * Fraction(count, total) for value, count in unnamed.items()}


def _contradicted(
    path: str,
    table: Table,
    column: int,
    classes: Codes,
    signatures: Codes,
    weights: NDArray[np.float64],
    people: list[People],
) -> None:
    """Raise when the file says that nobody has what somebody has."""
    impossible = weights[signatures, classes[:, None]] == 0
    if impossible.any():
        row, chosen = (int(i) for i in np.argwhere(impossible)[0])
        value = in_quotes(table.attributes[column].values[int(table.codes[column][row])])
        raise InputError(
            f"{path}: by these probabilities nobody with {named(table, people[signatures[row, chosen]])} has {value}, "
            "and a row has",
            "correct the file",
        )


def _coded_people(
    given: Mapping[str, int], books: Mapping[str, dict[str, int]], cells: Mapping[str, str], where: str
) -> People:
    return tuple(sorted((i, _code(books[name], cells[name], where, name)) for name, i in given.items()))


def _lines(path: str, table: Table, column: int) -> Iterator[tuple[int, People, int, Fraction]]:
    """Line number, people as attribute and code pairs, sensitive value and its probability."""
    quasi = {table.attributes[i].name: i for i in table.having(Role.QUASI)}
    hidden = table.attributes[column]
    reader = csv.DictReader(_text(path).splitlines(), strict=True)
    header = list(reader.fieldnames or [])
    _check_header(path, header, list(quasi), hidden.name)
    books = {name: _book(table.attributes[i]) for name, i in quasi.items()}
    values = _book(hidden)
    try:
        for cells in reader:
            line = reader.line_num
            where = f"{path}, line {line}"
            if None in cells or None in cells.values():
                raise InputError(
                    "{where}: has not as many cells as the header ({header})", where=where, header=len(header)
                )
            given = {name: i for name, i in quasi.items() if cells.get(name)}
            people = _coded_people(given, books, cells, where)
            value = _code(values, cells[hidden.name], where, hidden.name)
            yield line, people, value, _number(cells[PROBABILITY], where)
    except csv.Error as error:
        raise InputError("{path}, line {line_num}: {error}", path=path, line_num=reader.line_num, error=error) from None


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None


def _check_header(path: str, header: Sequence[str], quasi: Sequence[str], sensitive: str) -> None:
    """Raise unless a file has the sensitive column and probabilities, and nothing beside quasi-identifiers."""
    for name in header:
        if name not in (*quasi, sensitive, PROBABILITY):
            raise InputError(
                "{path}, line 1: {name!r} is neither a quasi-identifier ({quasi}) nor {sensitive!r} "
                "nor {probability!r}",
                "take the column out",
                path=path,
                name=name,
                quasi=", ".join(quasi),
                sensitive=sensitive,
                probability=PROBABILITY,
            )
    for name in (sensitive, PROBABILITY):
        if header.count(name) != 1:
            raise InputError("{path}, line 1: needs one column {name!r}", path=path, name=name)


def _number(text: str, where: str) -> Fraction:
    try:
        number = exact(text.strip())
    except ValueError:
        number = Fraction(-1)
    if not 0 <= number <= 1:
        raise InputError(
            "{where}: {probability} = {text!r}",
            "it must be a number from 0 to 1, such as 0.2 or 1/3",
            where=where,
            probability=PROBABILITY,
            text=text,
        )
    return number


def _book(attribute: Attribute) -> dict[str, int]:
    return {str(value): code for code, value in enumerate(attribute.values.to_list()) if value is not None}


def _code(book: dict[str, int], text: str, where: str, name: str) -> int:
    if text in book:
        return book[text]
    near = get_close_matches(text, book, n=1)
    way_out = f"did you mean {near[0]!r}?" if near else "take the line out"
    raise InputError(
        "{where}: no row has {text!r} in {name!r}", "{way_out}", where=where, text=text, name=name, way_out=way_out
    )


def named(table: Table, people: People) -> str:
    """Who is meant, in words."""
    parts = [f"{table.attributes[i].name} = {in_quotes(table.attributes[i].values[code])}" for i, code in people]
    return " and ".join(parts) if parts else "the whole table"
