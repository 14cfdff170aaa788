"""Taxonomies built by rule from the values that occur: ladders over numbers, parts of dates, prefixes of texts.

Each is one line in a schema. The values are sorted first, so that their order in a file leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation, localcontext
from itertools import chain, groupby, pairwise, zip_longest
from numbers import Integral
from operator import itemgetter

import numpy as np

from pellucid.core.taxonomy.declaration import TOP, Declaration
from pellucid.errors import TaxonomyError
from pellucid.text.suggestions import meant
from pellucid.text.values import label_of

Exact = int | Decimal
DATE_PARTS = ("day", "month", "quarter", "year", "decade")
ENOUGH_DIGITS = 800  # the largest float over the smallest sensible width, exactly


def labelled(values: Iterable[object], labels: Sequence[str] | None) -> dict[str, object]:
    """The value of each label, nulls left out."""
    known = [value for value in values if value is not None] if labels is None else list(values)
    texts = map(label_of, known) if labels is None else labels
    return dict(zip(texts, known, strict=True))


def _is_a_number(width: object) -> bool:
    return isinstance(width, int | float | Decimal) and not isinstance(width, bool)


def _as_int(width: Decimal) -> Exact:
    """The same as an integer, if it is one."""
    return int(width) if width == int(width) else width


def check_widths(widths: Sequence[object]) -> list[Exact]:
    """The widths of a ladder, exactly, or the error that says how they should be."""
    wrong = [width for width in widths if not _is_a_number(width)]
    if wrong:
        raise TaxonomyError(f"{wrong[0]!r} is not a width; a ladder is a list of numbers such as [5, 10, 20]")
    decimals = [Decimal(label_of(width)) for width in widths]
    if not decimals or not all(width.is_finite() and width > 0 for width in decimals):
        raise TaxonomyError(
            "{widths} is not a ladder; give widths above 0, such as [5, 10, 20]",
            widths=f"[{', '.join(map(str, widths))}]",
        )
    exact = [_as_int(width) for width in decimals]
    _refuse_uneven_steps(exact, widths)
    return exact


def _refuse_uneven_steps(exact: Sequence[Exact], widths: Sequence[object]) -> None:
    """Raise unless every width is a multiple of the one before it."""
    shown = f"[{', '.join(map(str, widths))}]"
    with localcontext(prec=ENOUGH_DIGITS):
        for finer, coarser in pairwise(exact):
            if coarser <= finer:
                raise TaxonomyError(f"{shown} is not ascending at {_number(coarser)}; write the widths upward")
            if coarser % finer:
                nearest = finer * max(2, round(Decimal(coarser) / finer))
                raise TaxonomyError(
                    f"{_number(coarser)} in {shown} is not a multiple of {_number(finer)}, so its steps would "
                    f"cut through the finer ones; take {_number(nearest)}"
                )


def ladder(values: Iterable[object], widths: Sequence[object], labels: Sequence[str] | None = None) -> Declaration:
    """Intervals of each width, at multiples of it: ``[20, 24]`` over integers, ``[20, 25)`` over other numbers."""
    exact = check_widths(widths)
    with localcontext(prec=ENOUGH_DIGITS):
        numbers = sorted((_exactly(value, label), label) for label, value in labelled(values, labels).items())
        whole = all(isinstance(number, int) for number, _ in numbers)
        declaration = Declaration("the ladder")
        declaration.name(TOP)
        by_step = groupby(((_floor(number, exact[0]), label) for number, label in numbers), key=itemgetter(0))
        for step, members in by_step:
            declaration.climb((label for _, label in members), _steps(step, exact, whole))
    return declaration


def _steps(step: int, widths: list[Exact], whole: bool) -> Iterator[str]:
    """The intervals above one step of the finest width, finest first, and the top."""
    for width, coarser in zip_longest(widths, widths[1:]):
        low = width * step
        if whole and isinstance(width, int):
            high = low + width - 1
            yield _number(low) if low == high else f"[{_number(low)}, {_number(high)}]"
        else:
            yield f"[{_number(low)}, {_number(low + width)})"
        if coarser is not None:
            step //= int(coarser // width)
    yield TOP


def _exactly(value: object, label: str) -> Exact:
    """The number a person reads, so that 0.7 in single precision does not fall below 0.7."""
    if type(value) is int:
        return value
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_):
        return int(value)
    if isinstance(value, float | Decimal | np.floating):
        try:
            number = Decimal(label)
        except InvalidOperation:
            number = Decimal(label_of(value))
        if number.is_finite():
            return int(number) if "." not in label and isinstance(value, Decimal) else number
    raise TaxonomyError(
        "{label!r} is not a number, and a ladder needs numbers; make it {NULL} or give the column another taxonomy",
        label=label,
    )


def _floor(number: Exact, width: Exact) -> int:
    if isinstance(number, int) and isinstance(width, int):
        return number // width
    quotient, rest = divmod(Decimal(number), Decimal(width))
    return int(quotient) - (rest < 0)  # Decimal rounds towards 0


def _number(value: Exact) -> str:
    return str(int(value)) if value == int(value) else format(Decimal(value).normalize(), "f")


def check_parts(parts: Sequence[object]) -> list[str]:
    """The parts of a date, finest first, or the error that says how they should be."""
    for part in parts:
        if part not in DATE_PARTS:
            raise TaxonomyError(f"{part!r} is not one of {', '.join(DATE_PARTS)}{meant(str(part), DATE_PARTS)}")
    known = [str(part) for part in parts]
    upward = sorted(set(known), key=DATE_PARTS.index)
    if not known or known != upward:
        way_out = f"write {upward}" if upward else 'write them upward, such as ["month", "year"]'
        raise TaxonomyError(
            "{known} does not go from finer to coarser parts of a date; {way_out}", known=known, way_out=way_out
        )
    return known


def dates(values: Iterable[object], parts: Sequence[object], labels: Sequence[str] | None = None) -> Declaration:
    """Day, month, quarter, year, decade: ``2024-03-05``, ``2024-03``, ``2024-Q1``, ``2024``, ``2020s``."""
    known = check_parts(parts)
    days = sorted((_day(value, label), label) for label, value in labelled(values, labels).items())
    declaration = Declaration("the date parts")
    declaration.name(TOP)
    for _, members in groupby(days, key=lambda member: _part(member[0], known[0])):
        same = list(members)
        day = same[0][0]
        declaration.climb((label for _, label in same), chain((_part(day, part) for part in known), [TOP]))
    return declaration


def _day(value: object, label: str) -> date:
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    raise TaxonomyError(f"{label!r} is not a date; write dates as 2024-03-05, or give the column another taxonomy")


def _part(day: date, part: str) -> str:
    match part:
        case "day":
            return day.isoformat()
        case "month":
            return f"{day.year:04d}-{day.month:02d}"
        case "quarter":
            return f"{day.year:04d}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year:04d}"
        case _:
            return f"{day.year // 10:03d}0s"


def check_lengths(lengths: Sequence[object]) -> list[int]:
    """How many leading characters to keep, most first, or the error that says how they should be."""
    wrong = [length for length in lengths if isinstance(length, bool) or not isinstance(length, int) or length < 1]
    if wrong:
        raise TaxonomyError("{wrong!r} is not a number of characters to keep; give integers above 0", wrong=wrong[0])
    known = [int(str(length)) for length in lengths]
    downward = sorted(set(known), reverse=True)
    if not known or known != downward:
        raise TaxonomyError(f"{known} does not keep ever fewer characters; write {downward or '[4, 3, 2]'}")
    return known


def prefixes(values: Iterable[object], lengths: Sequence[object], labels: Sequence[str] | None = None) -> Declaration:
    """The first characters of the text, the others starred out: ``13053``, ``1305*``, ``130**``, ``*``.

    Texts are sorted by what is above them: two of different lengths stand in the same order whichever others occur.
    """
    known = check_lengths(lengths)
    declaration = Declaration("the prefixes")
    declaration.name(TOP)
    texts = sorted(
        labelled(values, labels), key=lambda label: [*(label[:n].ljust(len(label), TOP) for n in known[::-1]), label]
    )
    for _, members in groupby(texts, key=lambda label: label[: known[0]].ljust(len(label), TOP)):
        same = list(members)
        declaration.climb(same, chain((same[0][:keep].ljust(len(same[0]), TOP) for keep in known), [TOP]))
    return declaration
