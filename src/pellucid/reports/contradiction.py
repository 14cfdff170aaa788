"""What a release itself has against its promise: its groups are counted, and need no original and no attacker.

What a method's groups satisfy, those that a reader can tell apart satisfy too: each is a group of the method, or
several of them together. So where counting finds less, the promise is not kept, or the release is not what it is said
to be; models that set groups beside the whole table are asked only where no row of it was withheld. That counting finds
enough is no more than that: somebody who knows the method may still learn more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.audit import Audit
from pellucid.audit.protected import protecting
from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import DiversityModel, codes_meant, largest_protected
from pellucid.reports.opened import Given
from pellucid.text.figures import figure


@dataclass(frozen=True)
class Contradiction:
    """A sensitive column whose groups do not satisfy what the method's groups satisfy; none where rows are counted."""

    column: str | None
    model: str
    promised: int | float | str
    found: int | float | None
    said: bool = False  # by the recipe, which is no promise

    @property
    def sentence(self) -> Message:
        """What was counted.

        >>> Contradiction("disease", "l-diversity", 4, 2).sentence
        'The release contradicts this: counted in what is published, l-diversity of disease is 2, and 4 is promised.'
        """
        model = self.model if self.column is None else f"{self.model} of {self.column}"
        n_found = figure(self.found)
        n_promised = self.promised if isinstance(self.promised, str) else figure(self.promised)
        if self.said:
            return Message(
                "The release contradicts its recipe: it has {found} rows, and the recipe says {promised}.",
                found=n_found,
                promised=n_promised,
            )
        return Message(
            "The release contradicts this: counted in what is published, {model} is {found}, and {promised} is "
            "promised.",
            model=model,
            found=n_found,
            promised=n_promised,
        )

    @property
    def problem(self) -> Message:
        """Why nobody should sign this, in a few words."""
        if self.said:
            return Message("the release has other rows than its recipe says")
        about = "" if self.column is None else f" about {self.column}"
        return Message("the release contradicts what is promised{about}", about=about)


def contradictions(given: Given) -> tuple[Contradiction, ...]:
    """In what the release itself refutes its promise, or its recipe; nothing where nobody says how it was made."""
    if given.method is None or not given.audit.sensitive:
        return ()
    return (*_of_rows(given), *_of_sizes(given, given.method), *_of_values(given, given.method))


def _of_rows(given: Given) -> tuple[Contradiction, ...]:
    """As many rows as the recipe says."""
    told, found = given.facts.rows, given.audit.rows
    return () if told in (None, found) else (Contradiction(None, "the number of rows", told, found, said=True),)


def _of_sizes(given: Given, method: Method) -> tuple[Contradiction, ...]:
    """As many rows in each group as are promised beside what is promised about values."""
    if method.fewest == 1:
        return ()
    verdicts = given.audit.verify([KAnonymity(k=method.fewest)])
    return tuple(Contradiction(None, one.model, one.required, one.level) for one in verdicts if not one.holds)


def _of_values(given: Given, method: Method) -> tuple[Contradiction, ...]:
    """No more of a value in each group than its method allows."""
    if method.whole_from is not None:
        return _of_small_groups(given, method, method.whole_from)
    model = method.satisfied(given.audit.sensitive[0])
    if model is None or model.looks_at == "population" or not _tells(model, given):
        return ()
    values = protected_here(method, given.audit.columns)
    about = {column: some for column, some in values.items() if some}
    together = model.as_one and bool(about)
    if model.sets is not None:  # it names them itself
        about = {}
    try:
        verdicts = given.audit.verify([protecting(model, None)], values=about or None, together=together)
    except ModelError:  # it says nothing about such a column, so it refutes nothing
        return ()
    return tuple(
        Contradiction(verdict.sensitive, verdict.model, verdict.required, verdict.level)
        for verdict in verdicts
        if not verdict.holds and values.get(verdict.sensitive or "") != []
    )


def _of_small_groups(given: Given, method: Method, whole_from: int) -> tuple[Contradiction, ...]:
    """No more of a value than is allowed in groups of fewer rows than may hold anything."""
    found = []
    for column in given.audit.sensitive if isinstance(given.audit, Audit) else ():  # with Spark rows are not here
        groups, model = given.rows_here.groups_of(column).groups, method.satisfied_below(column)
        try:
            largest = largest_protected(*model.viewed(groups)) if isinstance(model, LDiversity) else None
        except ModelError:  # nobody has a protected value
            continue
        if largest is None or not isinstance(model, LDiversity):
            continue
        above = (groups.sizes < whole_from) & (largest * model.l > groups.sizes)
        if above.any():
            least = int((groups.sizes[above] // largest[above]).min())
            found.append(Contradiction(column, model.name, model.l, least))
    return tuple(found)


def _tells(model: PrivacyModel, given: Given) -> bool:
    """Whether the release alone tells how far a model holds.

    One that sets groups beside the whole table (t-closeness, beta-likeness) counted the rows that were withheld, too.
    """
    of_groups = all(isinstance(part, DiversityModel) or part.looks_at == "sizes" for part in model.parts)
    return of_groups or given.facts.suppressed == 0


def protected_here(method: Method, columns: tuple[Attribute, ...]) -> Mapping[str, list[Any]]:
    """The values of each column that the promise is about and some row has, of columns of which it is not about all."""
    about = method.protects
    if about is None:
        return {}
    by_name = about if isinstance(about, Mapping) else {column.name: about for column in columns}
    return {
        column.name: [*codes_meant(by_name[column.name], column).values()]
        for column in columns
        if column.name in by_name
    }
