"""What a release is made of, counted once more before it is made: nothing is published whose groups break the promise.

A method decides its groups by code that is fast; the definitions in the tests are plain, and the two are compared on
random tables. This is the last net below them: every group is counted by code that knows nothing of how it was made,
and where a value has more rows than the promise allows, or a group fewer, no release comes to be.

**What it shows, and what not.** That nobody who *counts* finds more than was promised. What somebody concludes who
knows the method besides is a matter of the proofs: no count of one release tells it.

**No leak.** It is a check of the code. Where the code is right it never refuses, so that a refusal tells nothing; where
one is seen it is a defect of ours, and trying again until a release passes would publish under a condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.clusters import unit_of_rows
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.k_anonymity_only import NOBODYS, counting
from pellucid.anonymize.method import Method
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import PromiseNotKept
from pellucid.kernels import counts as kernel
from pellucid.models import Groups, PrivacyModel
from pellucid.models.groups import Counts, mixed
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import codes_meant
from pellucid.runtime.parallel import in_stretches
from pellucid.runtime.records import record

Flags = NDArray[np.bool_]


@record()
class Countable:
    """What can be counted of a promise: ``models`` that groups satisfy, by sensitive column, and their ``fewest`` rows.

    ``unit_rows``: where rows belong together, the most that are one unit, whose values count as one; None elsewhere.
    ``whole_from``: a group of so many rows or more may hold anything, where it is a stratum that is published whole.

    >>> import pellucid as pc
    >>> Countable.of(pc.SoftCut(l=4, k=6), ["disease"])
    Countable(models={'disease': LDiversity(l=4)}, fewest=6, unit_rows=None, whole_from=None)
    """

    models: Mapping[str, PrivacyModel]
    fewest: int = 1
    unit_rows: int | None = None
    whole_from: int | None = None

    @classmethod
    def of(cls, method: Method, columns: Sequence[str]) -> Countable:
        """What a method promises of these sensitive columns, as far as groups can be counted."""
        kept = method.satisfied if method.whole_from is None else method.satisfied_below
        asked = {column: kept(column) for column in columns or [NOBODYS.name]}
        models = {name: model for name, model in asked.items() if model is not None and model.looks_at != "population"}
        unit_rows = method.cluster_rows if isinstance(method, ClusterMethod) else None
        return cls(models, method.fewest, unit_rows, method.whole_from)

    def require_kept(
        self, table: Table, grouping: Grouping, threads: int = 1, whole: Sequence[Counts] | None = None
    ) -> None:
        """Raise :class:`PromiseNotKept` where a group of what is to be published breaks it.

        ``whole``: where these are some rows of a table, how often all of it has each value of its sensitive columns.
        """
        _require_each_once(grouping, threads)
        table, grouping = grouping.as_published(table)
        if not len(grouping):
            return
        _require_rows(grouping, self.fewest)
        grouping = grouping if self.whole_from is None else grouping.divided(self.whole_from)
        if not len(grouping):
            return
        for name, model in ((name, part) for name, asked in self.models.items() for part in asked.parts):
            if type(model) is KAnonymity:
                _require_rows(grouping, model.k)
            elif type(model) is LDiversity:
                self._require_diverse(table, name, grouping, model, threads)
            else:
                _require_model(table, name, grouping, model, whole)

    def _require_diverse(self, table: Table, name: str, grouping: Grouping, model: LDiversity, threads: int) -> None:
        """No protected value has more than one row in l of a group, or one unit in l where rows are units."""
        attribute, codes = _column(table, name)
        marks = _marks(model.sensitive, attribute)
        if model.together and marks.any():  # the set is counted under the first of its codes
            codes = np.where(marks[codes], np.int32(marks.argmax()), codes)
        if self.unit_rows is None or table.clusters is None:
            flags = marks.view(np.uint8)
            look = partial(kernel.first_above, grouping.members, grouping.starts, codes=codes, counted=flags)
        else:
            units = unit_of_rows(table, self.unit_rows, threads)
            _require_whole(grouping, units)
            places, values = _values_of_units(units, codes, marks)
            units_of_rows = {"units": units, "places": places, "codes": values}
            look = partial(kernel.first_unit_above, grouping.members, grouping.starts, **units_of_rows)
        above: list[int] = []

        def stretch(first: int, last: int) -> None:
            group = look(first, last, l=model.l, tally=np.zeros(len(marks), np.int64))
            above.extend([group] if group >= 0 else [])

        in_stretches(stretch, len(grouping), threads)
        if above:
            size = int(grouping.sizes[min(above)])
            raise PromiseNotKept(f"in a group of {size} rows one value of {name} has more than 1/{model.l} of them")


def _column(table: Table, name: str) -> tuple[Attribute, Codes]:
    """A sensitive column."""
    place = next(i for i in table.having(Role.SENSITIVE) if table.attributes[i].name == name)
    return table.attributes[place], table.codes[place]


def _require_each_once(grouping: Grouping, threads: int) -> None:
    """No row is in two groups, and none is in a group and withheld: who is published twice takes another's place."""
    seen = np.zeros(grouping.rows, np.uint8)
    in_stretches(lambda first, last: kernel.mark(grouping.members[first:last], seen), len(grouping.members), threads)
    if int(np.count_nonzero(seen)) != len(grouping.members) or int(grouping.starts[-1]) != len(grouping.members):
        raise PromiseNotKept("a row is in two groups")


def _require_rows(grouping: Grouping, fewest: int) -> None:
    if int(grouping.sizes.min()) < fewest:
        raise PromiseNotKept(f"a group has {int(grouping.sizes.min())} rows, and at least {fewest} are promised")


def _marks(about: Sequence[Any] | None, attribute: Attribute) -> Flags:
    """Which codes are counted: all of them, or those of these values, as far as they occur."""
    marks = np.full(len(attribute), about is None)
    if about is not None:
        marks[[*codes_meant(about, attribute)]] = True
    return marks


def _values_of_units(units: Codes, codes: Codes, marks: Flags) -> tuple[NDArray[np.int64], Codes]:
    """The different counted codes of each unit: where those of each begin, and the codes."""
    some = marks[codes]
    pairs = np.unique(units[some].astype(np.int64) * len(marks) + codes[some])
    of = np.bincount(pairs // len(marks), minlength=int(units.max(initial=-1)) + 1)
    return np.append(0, np.cumsum(of)).astype(np.int64), (pairs % len(marks)).astype(np.int32)


def _require_whole(grouping: Grouping, units: Codes) -> None:
    """Units are divided as wholes: the groups in which a unit has rows hold rows of the same units.

    Elsewhere whoever knows who belongs together would compare these groups, and know who is in all of them.
    """
    of_member = units[grouping.members]
    numbers = mixed(of_member.astype(np.uint64) + np.uint64(1))
    who = np.repeat(np.add.reduceat(numbers, grouping.starts[:-1]), grouping.sizes)  # the same for the same units
    order = np.argsort(of_member, kind="stable")
    unit, who = of_member[order], who[order]
    if ((unit[1:] == unit[:-1]) & (who[1:] != who[:-1])).any():
        raise PromiseNotKept("rows that belong together are in groups with rows of different others")


def _require_model(
    table: Table, name: str, grouping: Grouping, model: PrivacyModel, whole: Sequence[Counts] | None
) -> None:
    """The groups satisfy a model of another form, which may set them beside the whole table."""
    place = [table.attributes[i].name for i in table.having(Role.SENSITIVE)].index(name) if whole is not None else 0
    attribute, codes = _column(counting(table, model), name)
    groups = Groups.of(grouping.labels, codes, attribute)
    if whole is not None:
        groups = replace(groups, table_counts=whole[place])
    if model.unfit(groups) is None and not (verdict := model.check(groups)).holds:
        raise PromiseNotKept(f"the groups reach {model.label} of {verdict.level}, and {verdict.required} is promised")
