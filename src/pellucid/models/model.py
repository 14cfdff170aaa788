"""What every privacy model is: frozen parameters, a predicate on groups, and the best parameters that hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from pellucid.core.table import Attribute
from pellucid.errors import ModelError, PellucidError
from pellucid.messages import Message
from pellucid.models.exact import Direction, Exact, plain
from pellucid.models.figures import Figures
from pellucid.models.groups import Counts, Groups, numbered
from pellucid.models.parameters import Parameters
from pellucid.models.threshold import Threshold

STRETCH = 2**16  # entries that are looked at together

Sizes = Callable[[NDArray[np.int64], Counts, int], int]
"""The worst-case size of a group from its codes, ascending, their counts, and the largest size that is of interest.

Where the size is larger than that, any larger number will do.
"""


@dataclass(frozen=True)
class WorstGroup:
    """The group that a verdict or a level rests on: its number, its rows, and its sensitive values, frequent first."""

    group: int
    size: int
    counts: Mapping[Any, int]
    population: int | None = None


@dataclass(frozen=True)
class Level:
    """The best parameters of a model that a table satisfies.

    ``level`` is the main parameter as an int or a float that is rounded to the safe side (infinite when no finite
    number or any number will do, as ``meaning`` says; None when no parameter exists). ``exact`` is the same as an int
    or a fraction, where it is rational. ``parameters`` has all parameters. When ``strict``, the parameter must be
    better than the level, not equal to it. When ``estimated``, nobody counted what the level rests on: the truth may be
    worse.
    """

    model: str
    level: int | float | None
    exact: Exact | None
    worst: WorstGroup | None
    meaning: str
    parameters: Mapping[str, Exact] = field(default_factory=dict)
    strict: bool = False
    estimated: bool = False


@dataclass(frozen=True)
class Verdict:
    """Whether a table satisfies a model; ``level`` is the level it reaches, ``required`` the main parameter asked for.

    ``worst`` is the group that fails, or when the model holds, the one that comes closest to failing. ``parameters``
    has all parameters asked for, ``reached`` the best ones that the table satisfies; when ``strict``, a parameter must
    be better than the one reached, not equal to it.
    """

    model: str
    holds: bool
    level: int | float | None
    required: int | float | str
    worst: WorstGroup | None
    meaning: str
    exact: Exact | None = None
    parameters: Mapping[str, int | float | str] = field(default_factory=dict)
    reached: Mapping[str, Exact] = field(default_factory=dict)
    strict: bool = False

    def __bool__(self) -> bool:
        """Whether the model holds."""
        return self.holds


class PrivacyModel(Parameters, ABC):
    """A privacy model with its parameters as fields.

    ``directions`` names the parameters that have a best value and which side is better; the first is the main one. A
    model computes for each of them one number per group, the best value that the group satisfies (:meth:`figures`);
    verdicts and levels follow. ``variants`` are further names of the same class with some parameters set; ``examples``
    has a usual value of every parameter, as text. ``looks_at`` says what it needs besides groups: nothing but their
    sizes, a population, or sensitive values. ``place`` is where a person reads about it: who is found (from 10), who is
    in the table (from 50), what is learnt (from 70). A model is ``by_group`` when a group's figures depend on that
    group and the table's counts only; it is then asked stretch by stretch, which keeps memory small.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)
    refusal: ClassVar[type[PellucidError]] = ModelError

    summary: ClassVar[str]
    reference: ClassVar[str]
    listed: ClassVar[bool] = True
    place: ClassVar[int] = 1000
    directions: ClassVar[Mapping[str, Direction]]
    looks_at: ClassVar[Literal["sizes", "population", "values"]] = "values"
    strict: ClassVar[bool] = False
    by_group: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    examples: ClassVar[Mapping[str, str]]

    if TYPE_CHECKING:  # which parameters there are depends on the class

        def __init__(self, *positional: object, **parameters: object) -> None: ...

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """Fractions as people write them."""
        given = ((name, getattr(self, name)) for name in type(self).model_fields if name in self.model_fields_set)
        return [(name, plain(value) if isinstance(value, Fraction) else value) for name, value in given]

    @property
    def label(self) -> str:
        """The model's name as users write it, the variant's where this is one."""
        for name, preset in self.variants.items():
            if all(getattr(self, field) == value for field, value in preset.items()):
                return name
        return self.name

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The models that it consists of: itself, unless several are asked for together."""
        return (self,)

    @property
    def as_one(self) -> bool:
        """Whether the values that it protects count as one."""
        return False

    @property
    def largest_share(self) -> Fraction | None:
        """The largest share of a group's rows that one protected value may have; None where the model bounds none.

        Whoever counts values in a group believes no more. A parameter named l says nothing of the kind by itself:
        with distinct l-diversity all rows but l - 1 of a group may have the same value.
        """
        return None

    @property
    def asks_nothing(self) -> bool:
        """Whether groups that satisfy it may keep nothing from anybody: all rows have one value, or a row is alone."""
        return False

    @property
    def protects(self) -> tuple[Any, ...] | None:
        """The sensitive values that it is about; None when it is about all of them."""
        return None

    @property
    def sets(self) -> tuple[tuple[Any, ...], ...] | None:
        """The sets of values that count as one each, where it is about several; they may overlap."""
        return None

    @abstractmethod
    def figures(self, groups: Groups) -> dict[str, Figures]:
        """For each parameter of ``directions`` the best value that each group satisfies."""

    @abstractmethod
    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """One plain sentence: what the table at these parameters tells an attacker."""

    def unfit(self, groups: Groups) -> str | None:
        """Why the model says nothing about these groups and what to do, or None when it does."""
        return None

    @classmethod
    def surveyed(cls, groups: Groups) -> list[Self]:
        """The instances whose levels ``pc.levels`` reports; parameters with a best value are placeholders."""
        return cls.surveyable()

    @classmethod
    def surveyable(cls) -> list[Self]:
        """The instances that :meth:`surveyed` may name, whatever the groups."""
        usual = {name: int(text) if text.isdigit() else text for name, text in cls.examples.items()}
        return [cls(**{**usual, **preset}) for preset in cls.variants.values() or [{}]]

    @classmethod
    def levels(cls, groups: Groups) -> list[Level]:
        """The levels of every variant that says something about these groups."""
        return [model.level(groups) for model in cls.surveyed(groups) if model.unfit(groups) is None]

    def level(self, groups: Groups) -> Level:
        """The best parameters that hold; parameters without a best value (the l of recursive diversity) stay."""
        figures = self._fitting(groups)
        return self._level(groups, figures, self._worst(figures))

    def check(self, groups: Groups) -> Verdict:
        """Whether every group satisfies the model, with the worst group as evidence."""
        main = next(iter(self.directions))
        figures = self._fitting(groups)
        worst = self._worst(figures)
        level = self._level(groups, figures, worst)
        failed = [
            name
            for name, way in self.directions.items()
            if not figures[name].meets(worst[name], Fraction(getattr(self, name)), way, strict=self.strict)
        ]
        asked = {name: plain(getattr(self, name)) for name in self._in_order()}
        return Verdict(
            model=self.label,
            holds=not failed,
            level=level.level,
            required=asked[main],
            worst=self.evidence(groups, failed[0], worst[failed[0]]) if failed else level.worst,
            meaning=level.meaning,
            exact=level.exact,
            parameters=asked,
            reached=level.parameters,
            strict=self.strict,
        )

    def worst_places(self, groups: Groups) -> dict[str, int]:
        """For each parameter the place of the group whose best value is worst; the first of equals."""
        return self._worst(self._fitting(groups))

    def _worst(self, figures: Mapping[str, Figures]) -> dict[str, int]:
        """For each parameter the group whose best value is worst."""
        return {name: figures[name].worst(direction) for name, direction in self.directions.items()}

    def _level(self, groups: Groups, figures: Mapping[str, Figures], worst: Mapping[str, int]) -> Level:
        main = next(iter(self.directions))
        numbers = {name: figures[name].number(worst[name], way) for name, way in self.directions.items()}
        exact = {name: figures[name].exact(group) for name, group in worst.items()}
        stated = self._fixed() | {name: numbers[name] if v is None else v for name, v in exact.items()}
        return Level(
            model=self.label,
            level=numbers[main],
            exact=exact[main],
            worst=self.evidence(groups, main, worst[main]),
            meaning=self.meaning(self._fixed() | numbers, groups),
            parameters={name: stated[name] for name in self._in_order()},
            strict=self.strict,
            estimated=groups.estimated and self.looks_at == "population",
        )

    def evidence(self, groups: Groups, parameter: str, group: int) -> WorstGroup | None:
        """The group that a parameter's level rests on."""
        people = None if groups.population is None else int(groups.population[group])
        return WorstGroup(groups.number(group), int(groups.sizes[group]), groups.of_group(group), people)

    def check_counts(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> NDArray[np.bool_]:
        """Which groups satisfy the model, given their sensitive counts: one row per group, one column per code.

        ``counts`` of one dimension is one group and gives one answer. Models that look at values
        (sensitive sets, taxonomies, numbers) need the ``attribute``.
        """
        groups = Groups.of_counts(counts, table_counts, attribute or numbered(len(table_counts)))
        return self.met(groups).reshape(np.shape(counts)[:-1])[()]

    def met(self, groups: Groups) -> NDArray[np.bool_]:
        """Which groups satisfy the model."""
        met = np.ones(len(groups), dtype=bool)
        for name, figures in self._fitting(groups).items():
            met &= figures.meet(Fraction(getattr(self, name)), self.directions[name], strict=self.strict)
        return met

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """The smallest s such that every sub-multiset of at least s of the group's rows satisfies the model.

        None when not even the group itself does. A method that refuses cuts below this size refuses by looking at the
        parent's sensitive values only.
        """
        raise ModelError(
            f"{self.label} has no worst-case size, so a method that must not leak by refusing cannot enforce it",
            "use l-diversity or t-closeness",
        )

    @property
    def has_worst_case_size(self) -> bool:
        """Whether :meth:`worst_case_size` has an answer with these parameters."""
        return type(self).worst_case_size is not PrivacyModel.worst_case_size

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """The worst-case size in the form that the kernels compute, where it has that form."""
        return None

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """:meth:`worst_case_size` for many groups of one table: what they share is prepared once."""

        def size_of(codes: NDArray[np.int64], counts: Counts, most: int) -> int:
            held = np.zeros(len(table_counts), np.int64)
            held[codes] = counts
            size = self.worst_case_size(held, table_counts, attribute=attribute)
            return most + 1 if size is None else size

        return size_of

    def _fitting(self, groups: Groups) -> dict[str, Figures]:
        groups.require_rows()
        reason = self.unfit(groups)
        if reason is not None:
            raise ModelError("{label}: {reason}", label=self.label, reason=reason)
        if not self.by_group or len(groups.codes) <= STRETCH:
            return self.figures(groups)
        parts = [self.figures(part) for part in groups.stretches(STRETCH)]
        return {name: type(parts[0][name]).joined([part[name] for part in parts]) for name in self.directions}

    def _in_order(self) -> list[str]:
        """The parameters of a level in the order in which people write them."""
        return [name for name in type(self).model_fields if name in self.directions or name in self._fixed()]

    def _fixed(self) -> dict[str, Any]:
        """Integer parameters without a best value, which a level is stated for."""
        return {}
