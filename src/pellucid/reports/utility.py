"""What the release is still good for: every figure for the file, and the few that may stand beside the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.core.release import Release
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.errors import MeasureError
from pellucid.messages import Message, Names
from pellucid.metrics import Score
from pellucid.metrics.kept import Kept, information_kept, kept_words
from pellucid.metrics.pre_rounding import rounded_how
from pellucid.published.ends import published_as
from pellucid.reports.charts import by_column, percent, shares
from pellucid.reports.contrast_pictures import contrast_pictures
from pellucid.reports.opened import Given
from pellucid.reports.pictures import Picture
from pellucid.reports.release_only import shown_alone
from pellucid.text.figures import figure
from pellucid.text.values import joined_by_and


@dataclass(frozen=True)
class Figure:
    """One metric, as the page shows it."""

    metric: str
    value: str
    unit: str
    better: str
    meaning: str


@dataclass(frozen=True)
class Utility:
    """The table of figures and its charts; ``unanswered`` says which metrics have none, and why."""

    figures: tuple[Figure, ...] = ()
    unanswered: tuple[tuple[str, str], ...] = ()
    pictures: tuple[Picture, ...] = ()
    note: str = ""


def _kept_picture(kept: Score, carried: Mapping[str, float | None]) -> Picture:
    """How much is kept of each column, those that are carried along beside the quasi-identifiers."""
    measured = {name: share for name, share in carried.items() if share is not None}
    return by_column({**kept.details["columns"], **measured}, name="kept")


def _marginals_picture(marginals: Score) -> Picture:
    """How far each column alone is from the original."""
    return shares(
        marginals.details["columns"],
        title="How far the counts of each single column are off",
        caption=(
            "The bar is the share of the rows that would have to move for a table of this column alone to come "
            "out as in the original, when each published cell is spread evenly over what it leaves open."
        ),
        axis="share of the rows counted in the wrong place",
        name="marginals",
    )


def _pictures(measured: Mapping[str, Score], carried: Mapping[str, float | None]) -> Iterator[Picture]:
    """A picture of each metric that has one and was measured."""
    if "kept" in measured:
        yield _kept_picture(measured["kept"], carried)
    if "contrasts" in measured:
        yield from contrast_pictures(measured["contrasts"])
    if "marginals" in measured:
        yield _marginals_picture(measured["marginals"])


def utility_of(
    scored: Sequence[Score], carried: Mapping[str, float | None] | None = None, notes: Sequence[str] = ()
) -> Utility:
    """Every metric that was measured against the original. For the publisher's eyes.

    Metrics are of the quasi-identifiers. ``carried`` has how much is kept of each column that is carried along, None
    where that is not known; it stands beside the others. ``notes`` say what the figures leave out.
    """
    by_name = {score.metric: score for score in scored if score.applies}
    beside = {} if carried is None else dict(carried)
    return Utility(
        figures=tuple(figure_of(score) for score in scored if score.applies),
        unanswered=tuple((score.metric, score.meaning) for score in scored if not score.applies),
        pictures=tuple(_pictures(by_name, beside)),
        note=" ".join([carried_words(beside)] * ("kept" in by_name) + [f"{note}." for note in notes]).strip(),
    )


def carried_of(release: Any, given: Given, table: Table) -> dict[str, float | None]:
    """How much is kept of each column that is carried along; of files, which leave rows open, it is not known."""
    if isinstance(release, Release):
        kept = information_kept(table, release.private.grouping, release.public.recipe.recoder)
        return {table.attributes[i].name: kept[table.attributes[i].name] for i in table.having(Role.CARRY)}
    return dict.fromkeys(given.facts.names(Role.CARRY))


def carried_words(carried: Mapping[str, float | None]) -> Message:
    """What metrics leave out, in a sentence; empty where nothing is carried along.

    >>> carried_words({"sex": 0.36, "pay": None}).replace("\N{NO-BREAK SPACE}", " ")
    'Metrics are of the quasi-identifiers. Of what is carried along, sex keeps 36 %; pay was not measured.'
    """
    if not carried:
        return Message("")
    kept = [f"{name} keeps {percent(share)}" for name, share in carried.items() if share is not None]
    open_ = [name for name, share in carried.items() if share is None]
    parts = [", ".join(kept)] if kept else []
    parts += [f"{joined_by_and(open_)} {'was' if len(open_) == 1 else 'were'} not measured"] if open_ else []
    return Message("Metrics are of the quasi-identifiers. Of what is carried along, {parts}.", parts="; ".join(parts))


def public_utility(given: Given, schema: Schema | None) -> Utility:
    """How much of each column is kept, in whole percent.

    Computed from the published cells and from what the ``schema`` declares, and from nothing else: no row of the
    original, no value of it, not even its range, which may be that of somebody who is not in the release. Errors of
    counts, distances of distributions and accuracies compare with the truth, and are for the file only.
    """
    left_out = (
        "Shares are of what the release itself mentions, or of the domain, order or tree that was declared for the "
        "column; the original is not looked at. Figures that compare the release with the true values, such as the "
        "error of counts or what is left of differences between people, are left out of this report: they would tell "
        "something that the release does not. A release that keeps much of every column may have lost such differences."
    )
    left_out = " ".join([*_not_in_it(given.facts.names(Role.CARRY)), *rounded_before(given), left_out])
    view, unknown = shown_alone(given, schema)
    if view is None:
        return Utility(note=f"Of {joined_by_and(unknown)} it cannot be told from the release alone. {left_out}")
    try:
        score = Kept().score(view)
    except MeasureError as reason:  # means say no share
        return Utility(note=f"{reason.message.problem}. {left_out}")
    columns = {name: whole_percent(value) for name, value in score.details["columns"].items()}
    value = whole_percent(float(score.value or 0.0))
    least = min(columns, key=lambda name: columns[name])
    meaning = some_kept_words(value, columns, unknown) if unknown else kept_words(value, least, columns[least])
    # an average over other columns than the report for the file has, so it has another name
    metric = f"kept without {joined_by_and(unknown)}" if unknown else score.metric
    rounded = Figure(metric, percent(value), score.unit, score.direction, meaning)
    return Utility(figures=(rounded,), pictures=(by_column(columns, left_out=unknown, name="kept"),), note=left_out)


def _not_in_it(carried: Sequence[str]) -> list[str]:
    """A sentence that names the columns which are published and of which no figure of the public report is.

    >>> _not_in_it(["bmi"]), _not_in_it([])
    (['bmi goes along (carry) and is in no figure of this report.'], [])
    """
    verb, end = ("goes", "is") if len(carried) == 1 else ("go", "are")
    return [f"{joined_by_and(carried)} {verb} along (carry) and {end} in no figure of this report."] if carried else []


def rounded_before(given: Given) -> list[str]:
    """A sentence for each quasi-identifier that was rounded where its cells do not show it, as those of classes do."""
    columns = given.facts.schema.columns if given.facts.schema is not None else {}
    rounded = {name: columns[name] for name in given.names[1] if name in columns}
    return [
        f"{name} was {rounded_how(column.round)} before; what that lost is not in the figures."
        for name, column in rounded.items()
        if column.round is not None and not _shows_classes(given, name, column)
    ]


def _shows_classes(given: Given, name: str, column: Column) -> bool:
    """Whether cells say from where to where a class goes: multiples, typed columns and leaves of taxonomies do not."""
    if isinstance(column.round, int | float) or column.taxonomy is not None or given.source.in_two:
        return False
    return published_as(name, given.source.columns()) == [name]


def some_kept_words(value: float, columns: Mapping[str, float], unknown: Sequence[str]) -> Message:
    """What the figure means where it is about some columns only: which ones, and which it leaves out.

    >>> some_kept_words(0.9, {"a": 0.85, "b": 0.95}, ["zip"]).replace("\N{NO-BREAK SPACE}", " ")
    'a and b keep 90 % on average, a the least of these with 85 %; of zip it cannot be told from the release alone'
    """
    least = min(columns, key=lambda name: columns[name])
    if len(columns) == 1:
        known = f"{least} keeps {percent(columns[least])}"
    else:
        of_these = f"{least} the least of these with {percent(columns[least])}"
        known = f"{joined_by_and(list(columns))} keep {percent(value)} on average, {of_these}"
    return Message(
        "{known}; of {unknown} it cannot be told from the release alone", known=known, unknown=Names(unknown)
    )


def whole_percent(share: float) -> float:
    """A share in whole percent; what is less than half a percent from nothing or all is told apart from these.

    >>> whole_percent(0.12345), whole_percent(0.0001), whole_percent(0.9999), whole_percent(1.0)
    (0.12, 0.004, 0.996, 1.0)
    """
    rounded = round(share, 2)
    if rounded == 0 < share:
        return 0.004
    return 0.996 if share < 1 == rounded else rounded


def figure_of(score: Score) -> Figure:
    """A score in words."""
    return Figure(score.metric, figure(score.value), score.unit, score.direction, score.meaning)
