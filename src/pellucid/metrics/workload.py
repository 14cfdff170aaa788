"""A workload of count queries: made from a table and a seed, saved and loaded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import MeasureError
from pellucid.messages import Message
from pellucid.messages.terms import SENSITIVE
from pellucid.published.choices import Integers, Ticks, runs_of
from pellucid.runtime.whole_file import write_whole

Form = Literal["intervals", "sets", "values"]
FORMAT = "pellucid workload 1"
MOST_QUERIES = 10_000_000  # each takes a few hundred bytes


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Queries of the form: how many rows have this column here and that column there.

    ``names[columns[q, p]]`` is the column of predicate p of query q, and the ticks that satisfy it are ``low[i]`` to
    ``high[i]`` for i in ``starts[q * predicates + p]`` onwards (see :mod:`pellucid.published.choices`). A null
    satisfies no predicate. ``ticks`` says how many ticks each column has: a workload fits tables with the same.

    A workload is valid once it exists; what counts the answers relies on that and checks nothing.
    """

    names: tuple[str, ...]
    ticks: tuple[int, ...]
    sensitive: bool
    columns: Codes
    starts: Integers
    low: Integers
    high: Integers

    def __post_init__(self) -> None:
        """Raise unless every query can be asked."""
        wrong = self._wrong()
        if wrong:
            raise MeasureError("these queries cannot be asked: {wrong}; make them with Workload.of", wrong=wrong)

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.columns)

    def _wrong(self) -> str | None:
        """The first rule that is broken, and where."""
        return self._wrong_columns() or self._wrong_runs()

    def _wrong_columns(self) -> Message | None:
        columns = self.columns
        if len(self.names) != len(self.ticks) or min(self.ticks, default=0) < 1:
            return Message("every column needs at least one value")
        if columns.ndim != 2 or columns.size == 0:
            return Message("there must be a query, and the same number of predicates in each")
        if columns.min() < 0 or columns.max() >= len(self.names):
            return Message("a column is none of the {names} that the queries are about", names=len(self.names))
        ordered = np.sort(columns, axis=1)
        if (ordered[:, 1:] == ordered[:, :-1]).any():
            return Message("a query has two predicates on one column")
        if self.sensitive and (columns[:, -1] != len(self.names) - 1).any():
            return Message(
                "the last predicate of each must be the one on the sensitive column, {names!r}", names=self.names[-1]
            )
        return None

    def _wrong_runs(self) -> str | None:
        columns, starts, low, high = self.columns, self.starts, self.low, self.high
        if len(starts) != columns.size + 1 or starts[0] != 0 or starts[-1] != len(low) or len(low) != len(high):
            return "the runs of values do not fit the predicates"
        lengths = np.diff(starts)
        if lengths.min() < 0:
            return "the runs of values do not fit the predicates"
        of_run = np.repeat(np.arange(columns.size), lengths)
        outside = (low < 0) | (low > high) | (high >= np.array(self.ticks, np.int64)[columns.ravel()[of_run]])
        if outside.any():
            return self._told(int(outside.argmax()), of_run, "must go upwards and stay within the column")
        backwards = (low[1:] <= high[:-1]) & (of_run[1:] == of_run[:-1])
        if backwards.any():
            return self._told(int(backwards.argmax()) + 1, of_run, "must lie above the run before it")
        return None

    def _told(self, run: int, of_run: Integers, rule: str) -> str:
        query, predicate = divmod(int(of_run[run]), self.columns.shape[1])
        name = self.names[self.columns[query, predicate]]
        return f"query {query + 1:,} asks for {int(self.low[run])} to {int(self.high[run])} of {name!r}, which {rule}"

    @classmethod
    def of(
        cls,
        table: Table | Sequence[Attribute],
        *,
        dimensions: int,
        selectivity: float,
        queries: int,
        seed: int,
        form: Form = "intervals",
        sensitive: bool = True,
    ) -> Workload:
        """Random queries on ``dimensions`` quasi-identifiers, and on the sensitive column as well if ``sensitive``.

        They depend on the table's columns and on nothing that is in its rows, so that its columns are enough. Of a
        table they are about its columns as they were before any was rounded or capped.

        With p predicates, each selects a share w = selectivity^(1/p) of its column:

        - ``intervals`` [X]: an interval of that share of the column's line, anywhere on it;
        - ``values`` [W], [R], after Anatomy: so many of its values, rounded up, any of them;
        - ``sets`` [C]: any of its values, how many is drawn from 1 to selectivity times all of them.

        [X] counts the sensitive column as a dimension: its qd is ``dimensions`` + 1.
        """
        attributes = _attributes_of(table)
        columns = checked_columns(attributes, dimensions, selectivity, queries, form, sensitive=sensitive)
        coins = np.random.default_rng(_checked_seed(seed))
        quasi = sum(attribute.role is Role.QUASI for attribute in attributes)
        chosen = np.argsort(coins.random((queries, quasi)), axis=1, kind="stable")[:, :dimensions].astype(np.int32)
        if sensitive:
            chosen = np.hstack((chosen, np.full((queries, 1), quasi, np.int32)))
        lines = [Ticks.of(attributes[i]) for i in columns]
        predicates = chosen.shape[1]
        share = selectivity ** (1 / predicates)
        if form == "intervals":
            starts, low, high = _intervals(coins, np.array([line.count for line in lines])[chosen.ravel()], share)
        else:
            starts, low, high = _value_sets(
                coins, lines, chosen.ravel(), selectivity if form == "sets" else share, form
            )
        names = tuple(attributes[i].name for i in columns)
        return cls(names, tuple(line.count for line in lines), sensitive, chosen, starts, low, high)

    def check(self, attributes: Sequence[Attribute]) -> None:
        """Raise unless the workload was made for columns like these."""
        for name, ticks, attribute in zip(self.names, self.ticks, attributes, strict=False):
            mine = Ticks.of(attribute).count
            if name != attribute.name or ticks != mine:
                raise MeasureError(
                    f"the workload was made for a column {name!r} of {ticks:,} values, and the original has "
                    f"{attribute.name!r} of {mine:,}; make the workload from this original"
                )
        if len(self.names) != len(attributes):
            raise MeasureError(
                f"the workload was made for {len(self.names)} columns and the original has {len(attributes)}; "
                "make the workload from this original"
            )

    def digest(self) -> str:
        """A digest of all queries: the same for the same queries, however they were made."""
        digest = hashlib.blake2b(repr((self.names, self.ticks, self.sensitive)).encode(), digest_size=16)
        for part in (self.columns, self.starts, self.low, self.high):
            digest.update(repr((part.shape, part.dtype.str)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    def save(self, path: str | Path) -> Path:
        """Write the workload as JSON, all of it or nothing."""
        content = {
            "format": FORMAT,
            "columns": dict(zip(self.names, self.ticks, strict=True)),
            "sensitive": self.sensitive,
            "queries": [
                {
                    self.names[column]: [
                        [int(self.low[i]), int(self.high[i])] for i in range(self.starts[at], self.starts[at + 1])
                    ]
                    for at, column in enumerate(query, q * len(query))
                }
                for q, query in enumerate(self.columns.tolist())
            ],
        }
        path = Path(path)
        write_whole(path, json.dumps(content).encode())
        return path

    @classmethod
    def load(cls, path: str | Path) -> Workload:
        """Read what :meth:`save` wrote; a file that somebody else wrote is not trusted."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise KeyError(content["format"])
            return cls._read(content)
        except FileNotFoundError:
            raise MeasureError(f"{path}: there is no such file; give a workload that Workload.save wrote") from None
        except MeasureError as wrong:
            raise MeasureError("{path}: {wrong} and Workload.save", path=path, wrong=wrong) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise MeasureError("{path} is not a workload; give a file that Workload.save wrote", path=path) from None

    @classmethod
    def _read(cls, content: Mapping[str, Any]) -> Workload:
        names, ticks = tuple(content["columns"]), tuple(content["columns"].values())
        queries = content["queries"]
        columns = np.array([[names.index(name) for name in query] for query in queries], np.int32)
        runs = [predicate for query in queries for predicate in query.values()]
        ends = [end for predicate in runs for low, high in predicate for end in (low, high)]
        _require_whole_numbers((*ticks, *ends))
        if type(content["sensitive"]) is not bool:
            raise TypeError
        starts = np.append(0, np.cumsum([len(predicate) for predicate in runs])).astype(np.int64)
        pairs = np.array(ends, np.int64).reshape(-1, 2)
        low, high = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
        return cls(names, ticks, content["sensitive"], columns, starts, low, high)


def _check_dimensions(dimensions: int, quasi: int, *, sensitive: bool) -> None:
    if dimensions < 0 or dimensions + int(sensitive) < 1:
        raise MeasureError(f"dimensions = {dimensions}: a query needs a predicate; ask for at least one dimension")
    if dimensions > quasi:
        raise MeasureError(
            f"dimensions = {dimensions}: the table has {quasi} quasi-identifiers; use {quasi} or less "
            "(the sensitive column is not counted)"
        )


def _not_one_sensitive(there: Sequence[str]) -> MeasureError:
    named = f" ({', '.join(there)})" if there else ""
    way_out = (
        Message(", or name one with {sensitive} and without {SCHEMA}", sensitive=SENSITIVE.such_as(there[0]))
        if there
        else ""
    )
    return MeasureError(
        "a query has one sensitive column, and the table has {there}{named}",
        "count without it, sensitive=False{way_out}",
        there=len(there),
        named=named,
        way_out=way_out,
    )


def _require_whole_numbers(numbers: Sequence[object]) -> None:
    if {type(number) for number in numbers} != {int}:
        raise TypeError  # numpy would cut 1.5 down to 1 and take true for 1


def _attributes_of(table: Any) -> Sequence[Attribute]:
    attributes = table.as_it_was().attributes if isinstance(table, Table) else table
    if not isinstance(attributes, Sequence) or not all(isinstance(attribute, Attribute) for attribute in attributes):
        raise MeasureError("a workload is of a table; give what pellucid.read gave, or its attributes")
    return attributes


def _checked_seed(seed: Any) -> int:
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise MeasureError("seed = {seed!r}: must be a whole number from 0 on", seed=seed)
    return int(seed)


def _intervals(coins: np.random.Generator, counts: Integers, share: float) -> tuple[Integers, Integers, Integers]:
    """One interval for each predicate, of this share of a line of so many ticks, anywhere on it."""
    lengths = np.clip(np.rint(share * counts), 1, counts).astype(np.int64)
    low = np.floor(coins.random(len(counts)) * (counts - lengths + 1)).astype(np.int64)
    return np.arange(len(counts) + 1), low, low + lengths - 1


def checked_columns(
    attributes: Sequence[Attribute], dimensions: int, selectivity: float, queries: int, form: str, *, sensitive: bool
) -> list[int]:
    """The columns that queries are about: quasi-identifiers, then the sensitive one; raise when they cannot be made."""
    _refuse_other_numbers(dimensions, selectivity, queries)
    quasi, secret = (
        [i for i, attribute in enumerate(attributes) if attribute.role is role] for role in (Role.QUASI, Role.SENSITIVE)
    )
    _check_dimensions(dimensions, len(quasi), sensitive=sensitive)
    if not 1 <= queries <= MOST_QUERIES:
        raise MeasureError(f"queries = {queries}: must be at least 1 and at most {MOST_QUERIES:,}")
    if form not in get_args(Form):
        raise MeasureError("form = {form!r}: must be one of {get_args}", form=form, get_args=", ".join(get_args(Form)))
    if sensitive and len(secret) != 1:
        raise _not_one_sensitive([attributes[i].name for i in secret])
    return quasi + (secret if sensitive else [])


def _refuse_other_numbers(dimensions: Any, selectivity: Any, queries: Any) -> None:
    """Raise for what is no number, or no share."""
    for name, number in {"dimensions": dimensions, "queries": queries}.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise MeasureError("{name} = {number!r}: must be a whole number", name=name, number=number)
    if not isinstance(selectivity, int | float):
        raise MeasureError("selectivity = {selectivity!r}: must be a number, such as 0.06", selectivity=selectivity)
    if not 0 < selectivity <= 1:
        raise MeasureError(
            f"selectivity = {selectivity}: must be above 0 and at most 1; 0.06 selects about 6 % of rows"
        )


def _value_sets(
    coins: np.random.Generator, lines: Sequence[Ticks], columns: Codes, share: float, form: Form
) -> tuple[Integers, Integers, Integers]:
    """For each predicate a random set of the values that occur in its column, as runs of ticks."""
    number, tick = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for column, line in enumerate(lines):
        mine = np.flatnonzero(columns == column)
        values = line.of_code[line.of_code >= 0]
        most = int(np.clip(np.ceil(share * len(values) - 1e-9), 1, len(values)))
        if form == "sets":
            most = max(1, int(share * len(values) + 1e-9))
        sizes = coins.integers(1, most + 1, len(mine)) if form == "sets" else np.full(len(mine), most)
        for at in range(0, len(mine), 1024):  # some at a time: a column may have many values
            part, size = mine[at : at + 1024], sizes[at : at + 1024]
            ranks = np.argsort(np.argsort(coins.random((len(part), len(values))), axis=1), axis=1)
            query, value = np.nonzero(ranks < size[:, None])
            number.append(part[query])
            tick.append(values[value])
    numbers, ticks = np.concatenate(number), np.concatenate(tick)
    order = np.lexsort((ticks, numbers))
    return runs_of(numbers[order], ticks[order], len(columns))
