"""One cell of a comparison: a table published with one setting of one method, measured and attacked."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from pellucid.anonymize.cluster_method import applied
from pellucid.anonymize.disclosure.one_tells_another import told_by, worst_rest
from pellucid.anonymize.method import DEFAULT, STRATUM
from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import RECODERS
from pellucid.core.release import Release
from pellucid.core.schema import Role, Roles
from pellucid.core.table import Table
from pellucid.errors import AttackError, Infeasible, MeasureError, MethodError, ModelError, PellucidError
from pellucid.messages import Belief, Message, NoteKind, kind_of_note
from pellucid.metrics import Metric, Score
from pellucid.metrics.boxes import shown_by
from pellucid.publishing import release_of
from pellucid.risk import Adversary, attack
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.own_bounds import own_bounds
from pellucid.risk.report.attack_report import Attempt
from pellucid.risk.report.guarantee_coverage import coverage_of
from pellucid.risk.report.results import AttackerResult, attacker_of
from pellucid.risk.report.rightly import Rightly
from pellucid.risk.report.statistics_words import strongest
from pellucid.risk.report.with_statistics import statistics_of
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.runtime.patience import TooLong, at_most

Told = Literal["", "at least", "at most", "more than", "not known"]
MISTAKEN = "assumes a method that minimises loss; this one does not, so it does not decide"


@dataclass(frozen=True)
class Inquiry:
    """What is asked about every setting: which figures, which attackers, for how long, with which coins.

    ``recode`` names what a group becomes, the same for all; empty: what each method usually makes of it.
    """

    metrics: Sequence[Metric]
    adversaries: Sequence[Adversary]
    patience: float
    seed: int | str
    recode: str = ""


@dataclass(frozen=True)
class Risk:
    """What one adversary reaches. An attack that did not run has no figures and says why; it is not a safe release.

    ``above`` counts people whose risk exceeds the promise; None where the method promises no bound. Where beliefs were
    sampled, ``largest`` is the largest upper bound, ``above`` counts who is certain to be above, and ``unsure`` who may
    be above as well, for the reason ``why``. Nothing is shown about people of whom all from 0 to 1 is possible:
    ``largest`` is then None. ``least`` is what is certainly believed of somebody, whatever is left open of others.
    ``knows`` is what the adversary knows of the method, ``more`` whether it has facts or a prior of its own besides.
    """

    adversary: str
    ran: bool
    largest: float | None = None
    above: int | None = None
    unsure: int = 0
    how: str = ""
    why: str = "their risk was sampled"
    knows: str = ""
    more: bool = False
    least: float | None = None


@dataclass(frozen=True)
class Guesses:
    """How often the best guesses of an attacker with statistics are right: without the release, and with it.

    ``who`` is the strongest one, about the column of which most is guessed right, ``frequent`` the baseline: the share
    of the most frequent value. Where it is not known, there are no figures, and ``why`` says it. ``above`` has of how
    many of ``people`` more than 1/bound is believed and of how many rightly, without the release and then with it.
    ``some``: values that may be rare are protected, so that these come before accuracy over everybody.
    """

    who: str = ""
    frequent: float | None = None
    alone: float | None = None
    right: float | None = None
    why: str = ""
    above: list[int] | None = None
    people: int = 0
    base: float | None = None
    some: bool = False

    @classmethod
    def of(cls, who: Message, right: Rightly, *, some: bool) -> Guesses:
        """What an attacker gets right."""
        above = [part for one in right.above if one is not None for part in (one.people, one.correct)]
        figures = (right.right_column, right.right_alone, right.right)
        return cls(who, *figures, above=above or None, people=right.people, base=right.base, some=some)

    @property
    def figures(self) -> dict[str, Any]:
        """All figures with what they count, for a table."""
        told = ("above 1/l without the release", "of these right", "above 1/l with it", "of these right with it")
        return {
            "guesses right": self.right,
            "right without the release": self.alone,
            "right by the most frequent value": self.frequent,
            **dict(zip(told, self.above or (None,) * 4, strict=True)),
            "share of such values": self.base,
        }

    @property
    def drawn(self) -> float | None:
        """What a chart shows: best guesses right, or of some values the people rightly believed to have one."""
        return self.above[3] / self.people if self.some and self.above else self.right


@dataclass(frozen=True)
class Cell:
    """What was found for one setting; ``refused`` says why there is no release at all.

    ``promised``: whether the method promises the bound to whoever knows it; one that does not may still have nobody
    above it on one table. ``exact``: whether quasi-identifiers are published as they are, in a table of their own.
    ``own``: where the promise bounds each person by themselves, of how many it allows more than 1/bound, and the most.
    ``right``: how often the strongest attacker with statistics guesses right; None in a cell of an earlier version.
    ``rest``: of how many people who knows the rest of a row is certain, of the column of which of most; None with one.
    """

    method: str
    parameters: dict[str, Any]
    bound: int | Fraction | None  # the promise is a risk of at most 1/bound
    refused: str = ""
    rows: int = 0
    groups: int = 0
    alone: int = 0  # rows that are each a group of their own
    suppressed: int = 0
    scores: list[dict[str, Any]] = field(default_factory=list)
    risks: list[Risk] = field(default_factory=list)
    seconds: float = 0.0
    promised: bool = True
    exact: bool = False
    own: tuple[int, float] | None = None
    right: Guesses | None = None
    rest: dict[str, Any] | None = None
    failed: bool = False  # twice, in a way that nobody expected; never kept

    @property
    def promise(self) -> str:
        """The largest risk that is promised: ``1/6``, or ``2/5``."""
        return "no bound" if self.bound is None else str(1 / Fraction(self.bound))

    @property
    def strata(self) -> bool:
        """Whether it is cut into strata, whose size nobody may choose by figures about values."""
        return self.method == "strata"

    @property
    def setting(self) -> str:
        """The parameter that the promise comes from: ``l=6``, or ``alpha=2/5``."""
        l = self.parameters.get("l", self.bound)
        size = f", size={self.parameters['size']}" if "size" in self.parameters else ""
        return f"l={l}{size}" if isinstance(l, int) else f"alpha={self.promise}"

    @property
    def says_nothing(self) -> bool:
        """Whether the quasi-identifiers are left open altogether: everybody is in one group, or every cell says ``*``.

        Counts over the sensitive column alone come out right from such a release, so that it may look accurate.
        """
        loss = self.value("loss")
        return not self.refused and not self.exact and (self.groups <= 1 or (loss is not None and loss >= 1 - 1e-9))

    @property
    def counted(self) -> list[Risk]:
        """The risks that decide: all but that of somebody who assumes minimality where this is a mistake.

        To assume that nothing was generalised without need is to guess at the method. Of a method that promises its
        bound to whoever knows it the guess is wrong, and so are the beliefs that follow. Facts and priors of people
        are no guess at the method, and the promise is not about them: with these the risk counts.

        The reason is the proof of the promise, not a measurement: on Adult (five seeds) people of whom such a guess
        believes 0.55 had the value in 27 of 100 cases (Hybrid, l = 3, 116 people), but where it is certain in 62 and 67
        (Ace and Anatomy, l = 2, 216 and 36 people), which is above 1/2 and has not been looked into.
        """
        counted = [risk for risk in self.risks if not self._mistaken(risk)]
        if not any(map(_informed, counted)):
            return counted
        # whoever knows the method knows that it is minimal
        return [risk for risk in counted if risk.knows != "minimality" or not risk.unsure]

    def _mistaken(self, risk: Risk) -> bool:
        claim = "algorithm" if self.promised else "none"
        return coverage_of(claim, risk.knows, more=risk.more) == "mistaken"

    @property
    def asides(self) -> list[str]:
        """What is shown beside the risks that decide."""
        mistaken = [risk for risk in self.risks if self._mistaken(risk) and risk.largest is not None]
        told = "somebody who {adversary} {believes}: {mistaken}"
        return [
            Message(told, adversary=one.adversary, believes=Belief(_short(one.largest), "up to"), mistaken=MISTAKEN)
            for one in mistaken
        ]

    @property
    def largest(self) -> float | None:
        """The largest risk that any adversary may reach, of those that count and ran; None where one is not shown."""
        risks = [risk.largest for risk in self.counted if risk.ran]
        known = [figure for figure in risks if figure is not None]
        return max(known) if known and len(known) == len(risks) else None

    @property
    def above(self) -> int | None:
        """The most people above the bound for any adversary, of those that count and ran."""
        counts = [risk.above for risk in self.counted if risk.above is not None]
        return max(counts, default=None)

    @property
    def known(self) -> bool:
        """Whether there is a release, every attack that counts ran, and none leaves open who is above the bound."""
        return not self.refused and bool(self.counted) and all(risk.ran and not risk.unsure for risk in self.counted)

    @property
    def undecided(self) -> bool:
        """Whether there is a bound, and it is not known if anybody is above it; where somebody is, that is known."""
        return not self.refused and self.bound is not None and not self.known and not self.above

    @property
    def told_risk(self) -> tuple[Told, float | None]:
        """The largest risk as every table and chart tells it: a figure, and whether the risk is that, more, or less.

        Where an attack did not run, the others say what the risk is at least. Where all ran and some people's risk was
        sampled, the figure is the largest upper bound. Where it is not shown of somebody and somebody else is certainly
        above 1/l, it is at least what is believed of that one, or more than 1/l; else nothing is known.

        >>> Cell("hybrid", {"l": 2}, 2, risks=[Risk("a", True, 0.93, 4), Risk("b", False)]).told_risk
        ('at least', 0.93)
        >>> Cell("hybrid", {"l": 2}, 2, risks=[Risk("a", True, None, 28, 300, least=0.8)]).told_risk
        ('at least', 0.8)
        """
        figure = self.largest
        if figure is None:
            return self._told_leak
        if self.known:
            return "", figure
        if all(risk.ran for risk in self.counted):
            return "at most", figure
        sure = [*self._sure, *self._leaks]
        return ("at least", max(sure)) if sure else ("not known", None)

    @property
    def _told_leak(self) -> tuple[Told, float | None]:
        """What is told where the largest risk is not shown: how much is believed of who is above 1/l, if anybody is."""
        if not self.above or self.bound is None:
            return "not known", None
        if self._leaks:
            return "at least", max(self._leaks)
        return "more than", float(1 / Fraction(self.bound))  # a cell that an earlier version kept

    @property
    def _leaks(self) -> list[float]:
        """What is certainly believed of somebody who is above 1/l, by each adversary who believes that."""
        return [risk.least for risk in self.counted if risk.above and risk.least is not None]

    @property
    def _sure(self) -> list[float]:
        """The largest belief of each adversary whose figures leave nobody open."""
        return [risk.largest for risk in self.counted if risk.largest is not None and not risk.unsure]

    @property
    def safe(self) -> bool:
        """Whether every attack that counts ran and none takes anybody above the bound."""
        return self.known and self.above == 0

    def value(self, metric: str) -> float | None:
        """The figure of a metric."""
        return next((score["value"] for score in self.scores if score["metric"] == metric), None)

    def as_json(self) -> dict[str, Any]:
        """The cell as it is kept on disk."""
        bound = str(self.bound) if isinstance(self.bound, Fraction) else self.bound
        content: dict[str, Any] = _documents({**asdict(self), "bound": bound})
        return content

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Cell:
        """The cell that was kept."""
        content = _messages(content)
        bound = content["bound"]
        bound = Fraction(bound) if isinstance(bound, str) else bound
        own = None if content.get("own") is None else tuple(content["own"])
        right = None if content.get("right") is None else Guesses(**content["right"])
        return cls(
            **{
                **content,
                "bound": bound,
                "own": own,
                "right": right,
                "risks": [Risk(**risk) for risk in content["risks"]],
            }
        )


def size_of(cell: Cell) -> str:
    """How many people a stratum has at least, where a setting makes some; the usual number is in no parameter.

    >>> some = [Cell("strata", {"l": 4}, 4), Cell("strata", {"l": 4, "size": 20}, 4), Cell("ace", {"l": 4}, 4)]
    >>> tuple(map(size_of, some))
    ('50', '20', '')
    """
    return str(cell.parameters.get("size", STRATUM)) if cell.method == DEFAULT else ""


def _short(figure: float | None) -> float:
    return float(f"{figure or 0.0:.3g}")


def _documents(content: Any) -> Any:
    """What is kept, with messages as template and values."""
    if isinstance(content, dict):
        return {name: _documents(value) for name, value in content.items()}
    if isinstance(content, list):
        return list(map(_documents, content))
    return content.document() if isinstance(content, Message) else content


def _messages(content: Any) -> Any:
    """The same again."""
    if isinstance(content, list):
        return list(map(_messages, content))
    if not isinstance(content, dict):
        return content
    if content.get("type") == "Message":
        return Message.from_document(content)
    return {name: _messages(value) for name, value in content.items()}


def bound_of(method: Method) -> int | Fraction | None:
    """The l of the promise "a risk of at most 1/l", which need not be whole; None where a method has none.

    >>> import pellucid as pc
    >>> bound_of(pc.Hybrid(l=8)), bound_of(pc.ART(r=4)), bound_of(pc.Mondrian(k=5))
    (8, 4, None)
    >>> bound_of(pc.SymmetricGrouping(l=2)), bound_of(pc.Tailor(model="distinct l-diversity=2"))
    (Fraction(3, 2), None)
    >>> bound_of(pc.AlphaK(alpha="2/5", k=2))
    Fraction(5, 2)
    """
    most = method.promised_with_statistics or method.usual_bound()
    if most is None:
        return None
    bound = 1 / most
    return int(bound) if bound.denominator == 1 else bound


def unfilled(method: Method) -> Cell:
    """A setting of which nothing is known yet."""
    parameters = method.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return Cell(method.name, parameters, bound_of(method), promised=method.claim == "algorithm")


def fill(table: Table, method: Method, question: Inquiry, *, threads: int = 1) -> Cell:
    """Publish, measure, attack."""
    began = time.perf_counter()
    cell = unfilled(method)
    bound = cell.bound
    try:
        recoder = RECODERS[question.recode]() if question.recode else None
        release = release_of(table, method, recode=recoder, seed=question.seed, threads=threads)
    except (Infeasible, MethodError, ModelError) as refusal:
        return replace(cell, refused=refusal.message)
    return replace(
        cell,
        rows=len(table),
        groups=len(release.private.grouping),
        alone=int((release.private.grouping.sizes == 1).sum()),
        suppressed=int(release.private.grouping.suppressed),
        scores=[_plain(score) for score in _measured(table, release, question.metrics)],
        risks=[_risk(table, release, method, adversary, question.patience) for adversary in question.adversaries],
        seconds=round(time.perf_counter() - began, 3),
        exact=release.public.recipe.recode == "anatomy",
        own=_own(table, release, method, bound),
        right=_guesses(table, release, bound, question.patience),
        rest=_rest(table, release),
    )


def _rest(table: Table, release: Release) -> dict[str, Any] | None:
    """What the rest of a row tells of the column of which it tells most; None with one sensitive column."""
    grouping, recipe = release.private.grouping, release.public.recipe
    columns = table.having(Role.SENSITIVE)
    if len(columns) < 2:
        return None
    worst = worst_rest(filter(None, (told_by(table, grouping, recipe.made_by, one) for one in columns)))
    return None if worst is None else worst.document()


def _guesses(table: Table, release: Release, bound: int | Fraction | None, patience: float) -> Guesses:
    """What the strongest attacker with statistics gets right, of the column of which most is."""
    found = Guesses(why=Message("no column is protected"))
    for i in table.having(Role.SENSITIVE):
        try:
            with at_most(patience):
                roles = Roles(sensitive=table.attributes[i].name)
                gathered = gather(release, roles, KnownPeople(truth=table))
                of_column = statistics_of(gathered, None if bound is None else float(1 / Fraction(bound)))
        except TooLong:
            return Guesses(why=_too_long(patience))
        except PellucidError as reason:
            return Guesses(why=reason.message)
        some = bound is not None and gathered.evidence.protected is not None
        best = strongest(of_column, some=some)
        if best is None:
            return Guesses(why=next((one.why for one in of_column if one.why), ""))
        told = Guesses.of(*best, some=some)
        if found.right is None or (told.drawn or 0) > (found.drawn or 0):
            found = told
    return found


def _own(table: Table, release: Release, method: Method, bound: int | Fraction | None) -> tuple[int, float] | None:
    """Of how many people the promise allows more than its usual bound, of some column, and the most of anybody."""
    method = applied(method, table)  # which values are protected
    bounds = method.bounds(table, release.private.grouping)
    if bounds is None or bound is None:
        return None
    usual = {column: float(method.usual_bound(column) or 1) * (1 + 1e-12) for column in bounds}
    more = np.any([of_column > usual[column] for column, of_column in bounds.items()], axis=0)
    most = max(float(of_column.max(initial=0.0)) for of_column in bounds.values())
    return int(release.private.grouping.sizes[more].sum()), most


def _measured(table: Table, release: Release, metrics: Sequence[Metric]) -> list[Score]:
    view = shown_by(release, table)
    scored = []
    for metric in metrics:
        try:
            scored.append(metric.score(view))
        except MeasureError as reason:
            scored.append(Score(metric.name, None, metric.unit, metric.direction, str(reason)))
    return scored


def _plain(score: Score) -> dict[str, Any]:
    """A score without its details, with numbers that JSON knows."""
    value = score.value
    plain = None if value is None else (int(value) if isinstance(value, int) else float(value))
    return {
        "metric": score.metric,
        "value": plain,
        "unit": score.unit,
        "direction": score.direction,
        "meaning": score.meaning,
    }


def _risk(table: Table, release: Release, method: Method, adversary: Adversary, patience: float) -> Risk:
    """What an adversary reaches; each sensitive column is attacked by itself, and the largest risk counts."""
    bound = bound_of(method)
    columns = [table.attributes[i].name for i in table.having(Role.SENSITIVE)] or [""]  # without one, attacks say so
    by_column = {column: _attacked(table, release, adversary, bound, patience, column) for column in columns}
    more = bool(adversary.facts) or adversary.prior != "uniform"
    return replace(worst_of(by_column), knows=adversary.knows, more=more)


def worst_of(by_column: Mapping[str, Risk]) -> Risk:
    """The risks of several sensitive columns as one: the largest, and known only where that of every column is.

    ``above`` counts the people of the column with the most of them.

    >>> worst_of({"ill": Risk("a", True, 0.5, 0), "pay": Risk("a", True, 0.7, 3)})
    Risk(adversary='a', ran=True, largest=0.7, above=3, unsure=0, how='', why='their risk was sampled', knows='', \
more=False, least=None)
    >>> found = worst_of({"ill": Risk("a", True, 0.7, 3), "pay": Risk("a", False, how="too much to count")})
    >>> found.ran, found.largest, found.above, found.how
    (False, None, 3, 'pay: too much to count')
    """
    risks = list(by_column.values())
    if len(risks) == 1:
        return risks[0]
    above = max((risk.above for risk in risks if risk.above is not None), default=None)
    failed = {column: risk for column, risk in by_column.items() if not risk.ran}
    if failed:
        how = Message.joined([_of_column(column, risk.how) for column, risk in failed.items()])
        return Risk(risks[0].adversary, ran=False, above=above or None, how=how, least=_least_of(risks))
    return replace(_largest_of(by_column), above=above, least=_least_of(risks))


def _of_column(column: str, text: str) -> Message:
    return Message("{column}: {text}", column=column, text=text)


def _least_of(risks: Sequence[Risk]) -> float | None:
    return max((risk.least for risk in risks if risk.least is not None), default=None)


def _largest_of(by_column: Mapping[str, Risk]) -> Risk:
    """The same where every column could be attacked."""
    risks = list(by_column.values())
    figures = [risk.largest for risk in risks if risk.largest is not None]
    largest = max(figures) if len(figures) == len(risks) else None
    unsure = Message.joined([_of_column(column, risk.why) for column, risk in by_column.items() if risk.unsure])
    how = ", ".join(dict.fromkeys(risk.how for risk in risks))
    most_unsure = max(risk.unsure for risk in risks)
    return Risk(risks[0].adversary, ran=True, largest=largest, unsure=most_unsure, how=how, why=unsure or risks[0].why)


def _attacked(
    table: Table,
    release: Release,
    adversary: Adversary,
    bound: int | Fraction | None,
    patience: float,
    column: str,
) -> Risk:
    try:
        with at_most(patience):
            beliefs = attack(release, adversary, truth=table, sensitive=column or None)
    except TooLong:
        return Risk(adversary.name, ran=False, how=_too_long(patience))
    except (AttackError, ModelError, PellucidError) as reason:
        return Risk(adversary.name, ran=False, how=reason.message)
    return _risk_by(beliefs, bound)


def _informed(risk: Risk) -> bool:
    """Whether it is the risk by somebody who knows the method, and known of everybody."""
    return risk.knows == "algorithm" and risk.ran and not risk.unsure


def _too_long(patience: float) -> Message:
    return Message.of(f"not done after {patience:g} seconds", "give it more time with {MORE_TIME}")


def _risk_by(beliefs: Beliefs, bound: int | Fraction | None) -> Risk:
    """What an adversary with these beliefs reaches, beside the bound where there is one."""
    own = None if bound is None else own_bounds(beliefs.evidence)
    allowed = None if own is None else own.allows
    one = attacker_of(Attempt(beliefs, None if bound is None else float(1 / Fraction(bound)), own=allowed))
    unsure, known = one.above - one.surely, not one.unknown
    if not one.above and one.standing is not None and one.standing.holds is None:
        # the figures are within the bound, and do not show by themselves that nobody is above it
        unsure, known = len(beliefs.counted), known and one.exactness is Exactness.SAMPLED
    largest = one.max_risk if known else None
    above = None if bound is None else one.surely
    return Risk(one.name, True, largest, above, unsure, one.engine, _why_unsure(one, unsure), least=one.certain)


def _why_unsure(one: AttackerResult, unsure: int) -> Message:
    """Why it is not known of some people whether they are above the bound; empty where it is known of all."""
    if not unsure or one.standing is None:
        return Message("")
    note = next((note for note in one.notes if kind_of_note(note) is NoteKind.NOT_KNOWN), "")
    return Message(note or ("their risk was sampled" if one.exactness is Exactness.SAMPLED else one.standing.why))
