"""Questions to a release that was looked at, wherever its rows are: levels of every model, verdicts on some."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from pellucid.audit.answers import (
    Answers,
    AuditedLevel,
    AuditedVerdict,
    Seen,
    View,
    Views,
    about_level,
    about_verdict,
)
from pellucid.audit.findings import AuditFinding
from pellucid.audit.protected import Promised, Values, by_column, protecting
from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.messages import Message
from pellucid.models import Groups, PrivacyModel, models, place_of
from pellucid.models.all_of import together as all_of
from pellucid.models.groups import Counts
from pellucid.models.maximum_risk import MaximumRisk
from pellucid.models.model import Level
from pellucid.models.sensitive import DiversityModel, code_of
from pellucid.models.table_risk import TableRisk
from pellucid.runtime.arguments import one_of, yes_or_no
from pellucid.text.figures import counted
from pellucid.text.values import ANY


class WayToLook(NamedTuple):
    """One way to look at a release: which models look at it so, with which sensitive column, in which view."""

    looks_at: Literal["sizes", "population", "values"]
    sensitive: str | None
    view: View


Asked = Callable[[WayToLook], list[PrivacyModel]]
"""The models that are asked in a look."""


class Asking(ABC):
    """A release that can be asked about; it is in memory (:class:`~pellucid.audit.Audit`) or with Spark."""

    name: str
    findings: tuple[AuditFinding, ...]
    suppressed: int
    exempt_suppressed: bool
    promised: Promised = None  # the values that its recipe promises something about, if not all
    promised_as_one: bool = False
    promised_sets: tuple[tuple[Any, ...], ...] | None = None  # where several sets of values count as one each

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}: {counted(self.rows, 'row')} in {counted(self.groups, 'group')})"

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of rows."""

    @property
    @abstractmethod
    def quasi(self) -> tuple[str, ...]:
        """The columns whose published values form the groups; of two tables, the group number."""

    @property
    @abstractmethod
    def columns(self) -> tuple[Attribute, ...]:
        """The sensitive columns, with their values."""

    @property
    @abstractmethod
    def groups(self) -> int:
        """The number of groups, exempt ones left out."""

    @property
    @abstractmethod
    def nulls(self) -> dict[str, int]:
        """How many rows are null in each column that was looked at."""

    @property
    @abstractmethod
    def in_two(self) -> bool:
        """Whether the release is in two tables."""

    @property
    @abstractmethod
    def has_population(self) -> bool:
        """Whether there is a population to compare with."""

    @abstractmethod
    def sizes_of_groups(self) -> tuple[Counts, Counts]:
        """The different sizes that groups have, ascending, and how many groups have each."""

    @abstractmethod
    def rows_below(self, k: int) -> int:
        """How many rows are in groups of fewer than k rows; suppressed rows that are exempt are in none."""

    @abstractmethod
    def counted_values(self, sensitive: str) -> tuple[Attribute, Counts]:
        """A sensitive column with its values, and in how many rows of the whole table each occurs."""

    @abstractmethod
    def _seen(self, looks: Iterable[WayToLook], asked: Asked) -> Iterator[tuple[WayToLook, Seen]]:
        """What is seen in each look: all groups, or those that the answers of the models asked rest on."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(column.name for column in self.columns)

    def levels(
        self, *, values: Values | None = None, together: bool = False, views: Views = "both"
    ) -> Answers[AuditedLevel]:
        """The best parameters of every model that says something about this release, both views side by side.

        With ``values``, models of diversity protect these values only, each or ``together`` as one. With several
        sensitive columns they are meant in the columns that have them, or a mapping names them column by column; the
        other columns protect all their values. Without ``values``, those that the release's recipe says are protected.
        """
        together = self._as_one(values, together)
        chosen = self._chosen(self._or_promised(values), together=together)
        known = dict.fromkeys(models().values())
        promised = self._sets_unless(values)

        def possible(look: WayToLook) -> list[PrivacyModel]:
            kinds = [kind for kind in known if kind.looks_at == look.looks_at]
            return [_about(model, look, chosen, together=together) for kind in kinds for model in kind.surveyable()]

        levels: list[AuditedLevel] = []
        unanswered: dict[str, str] = {}
        for look, seen in self._seen(self._looks(views), possible):
            groups = seen.groups
            asked = [
                asked_model for kind in known if kind.looks_at == look.looks_at for asked_model in kind.surveyed(groups)
            ]
            silent = self._unanswered(asked, groups)
            whose = self._whose(look)
            unanswered |= {f"{label}{whose}": why for label, why in silent.items()}
            asked = [
                _about(asked_model, look, chosen, together=together)
                for asked_model in asked
                if asked_model.label not in silent
            ]
            answered = (_worst_level(model, promised, groups) for model in asked)
            levels += [about_level(level, seen, look.sensitive, look.view) for level in answered]
        columns = [None, *self.sensitive]
        in_order = sorted(levels, key=lambda level: (columns.index(level.sensitive), place_of(level.model)))
        return Answers(in_order, self, unanswered)

    def verify(
        self,
        required: Iterable[PrivacyModel],
        *,
        values: Values | None = None,
        together: bool = False,
        views: Views = "separate",
    ) -> Answers[AuditedVerdict]:
        """A verdict on every required model, for every sensitive column, in the views asked for.

        ``values`` are meant as in :meth:`levels`, for models of diversity that do not name their own.
        """
        asked = self._answerable(required)
        together = self._as_one(values, together)
        common = self._chosen(self._or_promised(values), together=together)
        own = [self._chosen(model.protects, together=model.as_one and model.protects is not None) for model in asked]

        def viewed(model: PrivacyModel, chosen: Mapping[str, list[Any]], look: WayToLook) -> PrivacyModel:
            as_one = model.as_one if chosen else together
            if not chosen and values is None and isinstance(model, DiversityModel) and self.promised_sets is not None:
                return all_of(protecting(model, some, together=True) for some in self.promised_sets)
            return _about(model, look, chosen or common, together=as_one)

        def of_look(look: WayToLook) -> list[PrivacyModel]:
            mine = [
                (model, chosen) for model, chosen in zip(asked, own, strict=True) if model.looks_at == look.looks_at
            ]
            return [viewed(model, chosen, look) for model, chosen in mine]

        verdicts_of: list[list[AuditedVerdict]] = [[] for _ in asked]
        for look, seen in self._as_judged()._seen(self._looks(views), of_look):
            for model, chosen, verdicts in zip(asked, own, verdicts_of, strict=True):
                if model.looks_at == look.looks_at:
                    verdict = viewed(model, chosen, look).check(seen.groups)
                    verdicts.append(about_verdict(verdict, seen, look.sensitive, look.view))
        return Answers([verdict for verdicts in verdicts_of for verdict in verdicts], self)

    def _sets_unless(self, values: Values | None) -> tuple[tuple[Any, ...], ...] | None:
        """The sets that are promised, where no values are asked about."""
        return self.promised_sets if values is None else None

    def _as_judged(self) -> Asking:
        """The groups that a verdict is about: everything that tells them apart counts."""
        return self

    def _as_one(self, values: Values | None, together: bool) -> bool:
        """Whether values are meant as one: where it is asked, or what is promised is about one set."""
        asked = yes_or_no(together, "together", ModelError)
        return asked or (values is None and self.promised_as_one and bool(self._or_promised(None)))

    def _chosen(self, values: Values | None, *, together: bool = False) -> dict[str, list[Any]]:
        """The values to protect in each sensitive column that has some."""
        if yes_or_no(together, "together", ModelError) and values is None:
            raise ModelError(
                "{TOGETHER} is said of values, and none are given; name the values to protect with {VALUES}"
            )
        return by_column(values, self.columns, together=together)

    def _or_promised(self, values: Values | None) -> Values | None:
        """The values that were asked about; if none were, those that the recipe promises something about."""
        if values is not None or self.promised is None:
            return values
        if not isinstance(self.promised, dict):
            return _occurring(self.promised, self.columns) or None
        return self._occurring_by_column(self.promised) or None

    def _occurring_by_column(self, promised: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The promised values of each column that has some of them."""
        by_name = {column.name: column for column in self.columns}
        occurring = {name: _occurring(some, [by_name[name]]) for name, some in promised.items() if name in by_name}
        return {name: some for name, some in occurring.items() if some}

    def _unanswered(self, asked: Sequence[PrivacyModel], groups: Groups) -> dict[str, str]:
        """Why each of the models that say nothing about these groups does not."""
        return {model.label: why for model in asked if (why := self._silent(model) or model.unfit(groups)) is not None}

    def _whose(self, look: WayToLook) -> Message:
        """The column that is looked at, where there are several."""
        return (
            Message(" of {sensitive}", sensitive=look.sensitive)
            if len(self.sensitive) > 1 and look.sensitive
            else Message("")
        )

    def _silent(self, model: PrivacyModel) -> Message | None:
        """Why a risk of finding people is not answered: two tables publish quasi-identifiers as they are."""
        if not self.in_two or not isinstance(model, TableRisk | MaximumRisk):
            return None
        return Message(
            "its quasi-identifiers are published as they are, so people are found by them whatever the groups; "
            "look at the quasi-identifier table on its own"
        )

    def _answerable(self, required: Iterable[PrivacyModel]) -> list[PrivacyModel]:
        """The required models, if this release can answer for each."""
        given = [required] if isinstance(required, PrivacyModel) else list(required)
        asked = [part for one in given for part in (one.parts if isinstance(one, PrivacyModel) else [one])]
        if not asked:
            raise ModelError("no model is required; name at least one, for example pellucid.KAnonymity(k=5)")
        for model in asked:
            if not isinstance(model, PrivacyModel):
                raise ModelError(f"{model!r} is not a privacy model; write for example pellucid.KAnonymity(k=5)")
            if model.looks_at == "values" and not self.sensitive:
                raise ModelError(
                    "{label} needs a sensitive column and none is named; name it with {SENSITIVE}", label=model.label
                )
            if (why := self._silent(model)) is not None:
                raise ModelError("{label} says nothing about this release: {why}", label=model.label, why=why)
            if model.looks_at == "population" and not self.has_population:
                raise ModelError(
                    "{label} compares with a population and none is given; give it with {POPULATION}", label=model.label
                )
        return asked

    def _looks(self, views: Views) -> Iterator[WayToLook]:
        """Every way to look, one after the other."""
        one_of(views, get_args(Views), "views", ModelError)
        yield WayToLook("sizes", None, "separate")
        if self.has_population:
            yield WayToLook("population", None, "separate")
        several = len(self.sensitive) > 1
        for name in self.sensitive:
            if views != "harmonised" or not several:
                yield WayToLook("values", name, "separate")
            if views != "separate" and several:
                yield WayToLook("values", name, "harmonised")


def _occurring(values: Iterable[Any], columns: Sequence[Attribute]) -> list[Any]:
    """Those of the values that one of the columns has."""
    return [value for value in values if value == ANY or any(code_of(value, column) is not None for column in columns)]


def _worst_level(model: PrivacyModel, sets: Sequence[Sequence[Any]] | None, groups: Groups) -> Level:
    """The level of a model; where several sets of values are promised, that of the set of which least is so."""
    if sets is None or not isinstance(model, DiversityModel):
        return model.level(groups)
    levels = [protecting(model, some, together=True).level(groups) for some in sets]
    largest = next(iter(model.directions.values())) == "largest"
    return (min if largest else max)(levels, key=lambda one: (one.level is not None, one.level or 0))


def _about(model: PrivacyModel, look: WayToLook, chosen: Mapping[str, list[Any]], *, together: bool) -> PrivacyModel:
    """The model about the values that are to be protected in the column looked at."""
    values = None if look.sensitive is None else chosen.get(look.sensitive)
    return protecting(model, values, together=together) if chosen else model
