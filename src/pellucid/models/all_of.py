"""Several models at once: a group satisfies all of them or it satisfies nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models.adversary import AdversaryModel
from pellucid.models.exact import Direction
from pellucid.models.figures import Figures
from pellucid.models.groups import Counts, Groups
from pellucid.models.model import PrivacyModel, Sizes, Verdict
from pellucid.models.sensitive import DiversityModel
from pellucid.models.threshold import Threshold


class AllOf(PrivacyModel):
    """Every group satisfies each of these models.

    Its worst-case size is the largest of theirs: from so many rows on every choice satisfies each of them. Each is a
    function of a group's own counts, so it is one too.

    >>> from pellucid.models import parse
    >>> both = AllOf(models=(parse("k-anonymity=3"), parse("l-diversity=2")))
    >>> both.check_counts(np.array([[1, 1], [2, 1], [2, 2]]), np.array([5, 4])).tolist()
    [False, False, True]
    >>> both.worst_case_size(np.array([1, 1, 4]), np.array([1, 1, 4])), both.worst_case_size(np.array([1, 1, 1, 1]), ())
    (None, 3)
    """

    name: ClassVar[str] = "several models"
    summary: ClassVar[str] = "every group satisfies each of these models"
    reference: ClassVar[str] = "the definitions of the models"
    directions: ClassVar[Mapping[str, Direction]] = {}
    examples: ClassVar[Mapping[str, str]] = {}
    listed: ClassVar[bool] = False

    models: tuple[PrivacyModel, ...]

    @model_validator(mode="after")
    def _fit_together(self) -> AllOf:
        if any(isinstance(model, AdversaryModel | AllOf) for model in self.models):
            raise ValueError("only models of groups and tables can be asked for together")
        named = {(model.sensitive, model.together) for model in self._naming}
        if len(named) > 1 and any(model.sensitive is None for model in self._naming):
            raise ValueError("the models are about different values of the sensitive column; name some in each")
        if len(named) > 1 and len({model.largest_share for model in self.models}) > 1:
            raise ValueError(
                "the models are about different values of the sensitive column, and allow different shares of them; "
                "ask the same of each set, such as the same l"
            )
        return self

    @property
    def _naming(self) -> list[DiversityModel]:
        """The models that may be about some values only."""
        return [model for model in self.models if isinstance(model, DiversityModel)]

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """The models."""
        return [("models", list(self.models))]

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """Each of them."""
        return self.models

    @property
    def label(self) -> str:
        """Their names."""
        return " and ".join(model.label for model in self.models)

    @property
    def looks_at(self) -> Literal["sizes", "population", "values"]:  # type: ignore[override]  # as they do
        """What any of them looks at."""
        asked = {model.looks_at for model in self.models}
        return "population" if "population" in asked else "values" if "values" in asked else "sizes"

    @property
    def by_group(self) -> bool:  # type: ignore[override]
        """Whether all of them are."""
        return all(model.by_group for model in self.models)

    @property
    def largest_share(self) -> Fraction | None:
        """The least that any of them allows."""
        return min((share for model in self.models if (share := model.largest_share) is not None), default=None)

    @property
    def asks_nothing(self) -> bool:
        """Where none of them asks anything."""
        return all(model.asks_nothing for model in self.models)

    @property
    def protects(self) -> tuple[Any, ...] | None:
        """The values that those name which can; of several sets all of them."""
        named = [model.sensitive for model in self._naming if model.sensitive is not None]
        return tuple(dict.fromkeys(value for some in named for value in some)) if named else None

    @property
    def as_one(self) -> bool:
        """Whether these values count as one."""
        return self.sets is None and any(model.as_one for model in self.models)

    @property
    def sets(self) -> tuple[tuple[Any, ...], ...] | None:
        """The sets of values that count as one each, where there are several; they may overlap."""
        named = {(model.sensitive, model.together) for model in self._naming}
        if len(named) < 2:
            return None
        told = [(some,) if joint else tuple((value,) for value in some or ()) for some, joint in named]
        return tuple(sorted({tuple(some or ()) for sets in told for some in sets}, key=str))

    def figures(self, groups: Groups) -> dict[str, Figures]:
        """None: it has no parameter of its own."""
        raise NotImplementedError

    def meaning(self, values: Mapping[str, int | float], groups: Groups) -> Message:
        """None: see :meth:`figures`."""
        raise NotImplementedError

    def unfit(self, groups: Groups) -> str | None:
        """Why the first of them says nothing that does not."""
        return next((why for model in self.models if (why := model.unfit(groups)) is not None), None)

    def check(self, groups: Groups) -> Verdict:
        """The verdict of the first that fails; where all hold, that of the last."""
        for model in self.models:
            verdict = model.check(groups)
            if not verdict.holds:
                break
        return replace(verdict, model=model.label)

    def met(self, groups: Groups) -> NDArray[np.bool_]:
        """Which groups satisfy each of them."""
        met = np.ones(len(groups), dtype=bool)
        for model in self.models:
            met &= model.met(groups)
        return met

    @property
    def has_worst_case_size(self) -> bool:
        """Whether all of them have one."""
        return all(model.has_worst_case_size for model in self.models)

    def worst_case_size(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> int | None:
        """The largest of theirs."""
        sizes = [model.worst_case_size(counts, table_counts, attribute=attribute) for model in self.models]
        return None if None in sizes else max(size for size in sizes if size is not None)

    def threshold(self, attribute: Attribute) -> Threshold | None:
        """That of the one that looks at values, with at least the rows of those that do not."""
        told = [model.threshold(attribute) for model in self.models]
        some = [one for one in told if one is not None]
        counting = [one for one in some if one.above]
        if len(some) < len(told) or len(counting) > 1:
            return None
        return replace(counting[0] if counting else some[0], rows=max(one.rows for one in some))

    def worst_case_sizes(self, table_counts: Counts, attribute: Attribute) -> Sizes:
        """The largest of theirs."""
        sizes = [model.worst_case_sizes(table_counts, attribute) for model in self.models]
        return lambda codes, counts, most: max(size(codes, counts, most) for size in sizes)


def together(models: Iterable[PrivacyModel]) -> PrivacyModel:
    """One model for all of these; each once.

    >>> from pellucid.models import parse
    >>> together([parse("k-anonymity=5")]), together([parse("k-anonymity=5"), parse("t-closeness=0.2")]).label
    (KAnonymity(k=5), 'k-anonymity and t-closeness')
    """
    each = list(dict.fromkeys(part for model in models for part in model.parts))
    return each[0] if len(each) == 1 else AllOf(models=tuple(each))
