"""How the promise fares: what the attackers reach whom it covers, those who are mistaken, and the others, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pellucid.attacking.telling.guarantee_coverage import Coverage, coverage
from pellucid.attacking.telling.headline import aside_words, carries, enough, telling, told_most
from pellucid.attacking.telling.prior_exposure import before_sentence, before_words, most_gained
from pellucid.attacking.telling.report import AttackReport, Attempt
from pellucid.attacking.telling.undetermined import is_unknown, surely_exceeds, unknown_words
from pellucid.text.figures import probability

NAMED = 2  # attackers with the same figure who are named


@dataclass(frozen=True)
class PromiseStatus:
    """How the promise fares: what the attackers reach whom it covers, and what the others reach, in a sentence each.

    It is ``broken`` when one of those whom it covers believes more than it allows. Who is covered and who is mistaken:
    :mod:`pellucid.attacking.telling.guarantee_coverage`. ``outside`` rests on figures that may carry a headline,
    ``aside`` names the others: :mod:`pellucid.attacking.telling.headline`.
    """

    covered: str
    mistaken: str
    outside: str
    broken: bool
    aside: str = ""
    parted: str = ""  # who knows that values of parted clusters go together

    @property
    def sentences(self) -> list[str]:
        """Those that say something."""
        said = (self.covered, self.parted, self.mistaken, self.outside, self.aside)
        return [sentence for sentence in said if sentence]


def standing_of(report: AttackReport, claim: str, protected: str = "") -> PromiseStatus:
    """The attackers whom a promise covers apart from the others; ``protected`` names values if it is about some only.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing"], **roles)
    >>> standing_of(report, "algorithm").covered
    'Somebody who knows only the release, whom the promise covers, believes at most 1/2 of anybody.'
    """
    by: dict[Coverage, list[Attempt]] = {"covered": [], "mistaken": [], "outside": []}
    for attempt in report.attempts:
        by[coverage(claim, attempt.beliefs.adversary)].append(attempt)
    counted = [attempt for attempt in by["outside"] if carries(attempt, report)]
    return PromiseStatus(
        covered=told_of(by["covered"], report, "the promise covers"),
        mistaken=" ".join(told_of_mistaken(attempt, report) for attempt in by["mistaken"]),
        outside=told_of(counted, report, "no promise covers"),
        broken=bool((not protected or figures_count(report)) and any(map(surely_fails, by["covered"]))),
        aside=aside_words([attempt for attempt in by["outside"] if attempt not in counted], report),
        parted="" if report.parted is None else report.parted.sentence,
    )


def figures_count(report: AttackReport) -> bool:
    """Whether the figures are in the values alone that the promise is about, where it is about some only."""
    return report.evidence.protected is not None


def surely_fails(attempt: Attempt) -> bool:
    """Whether somebody certainly believes more than 1/l: neither a bound from above nor an approximation says so."""
    return attempt.standing is not None and attempt.standing.holds is False


def told_of_mistaken(attempt: Attempt, report: AttackReport) -> str:
    """What somebody believes who is wrong about the method."""
    who = "Somebody who wrongly assumes that nothing was generalised without need"
    if is_unknown(attempt):
        return unknown_words(attempt)
    if attempt.exceeds is False and surely_exceeds(attempt) is None:
        return _not_shown([attempt], report)
    if attempt.exceeds is False:
        return f"{who} does not believe more than {report.limit} of anybody{report.evidence.counting} either."
    return f"{who} believes up to {probability(attempt.max_risk)} of somebody, which is no probability of being right."


def told_of(attempts: Sequence[Attempt], report: AttackReport, whom: str) -> str:
    """What these attackers reach, in a sentence; empty when there are none."""
    if not attempts:
        return ""
    unknown, known = _apart(attempts, is_unknown)
    if unknown:
        return " ".join([told_of(known, report, whom), *map(unknown_words, unknown)]).lstrip()
    open_, known = _apart(attempts, lambda attempt: surely_exceeds(attempt) is None)
    if open_ and report.limit is not None and report.limit != 1:
        return f"{told_of(known, report, whom)} {_not_shown(open_, report)}".lstrip()
    return _of_known(attempts, report, whom)


def _apart(attempts: Sequence[Attempt], test: Callable[[Attempt], bool]) -> tuple[list[Attempt], list[Attempt]]:
    """Those who pass a test, and those who do not."""
    return [attempt for attempt in attempts if test(attempt)], [attempt for attempt in attempts if not test(attempt)]


def _of_known(attempts: Sequence[Attempt], report: AttackReport, whom: str) -> str:
    """The same of attackers whose figures show what they reach."""
    alone = len(attempts) == 1
    if report.limit is None or report.limit == 1:
        who = f"one attacker whom {whom}" if alone else f"the {len(attempts)} attackers whom {whom}"
        return f"Of {who}: {surest(attempts)}."
    return _of_one(attempts[0], report, whom) if alone else _of_several(attempts, report, whom)


def _of_one(attempt: Attempt, report: AttackReport, whom: str) -> str:
    """What one attacker believes, beside the limit; named, because others whom it covers may not have been tried."""
    who = f"Somebody who {attempt.name}, whom {whom},"
    before = before_sentence([attempt], report.limit)
    if before:
        return before
    counting = report.evidence.counting
    if not len(telling(attempt)):
        return f"{who} believes at most {report.limit} of anybody{counting}."
    most = probability(told_most(attempt))
    return f"{who} believes more than {report.limit} of somebody{counting}: {most}."


def _of_several(attempts: Sequence[Attempt], report: AttackReport, whom: str) -> str:
    """How many of several attackers believe more than the limit."""
    counting = report.evidence.counting
    above = [attempt for attempt in attempts if len(telling(attempt))]
    before, number = before_sentence(attempts, report.limit), len(attempts)
    if not above:
        of = f"anybody{counting} of whom they did not before" if before else f"anybody{counting}"
        return (
            f"None of the {number} attackers whom {whom} believes more than {report.limit} of {of}. {before}".rstrip()
        )
    believe = f"Of the {number} attackers whom {whom}, {len(above)} believe{'s' * (len(above) == 1)}"
    if len(above) == number:
        believe = f"All {number} attackers whom {whom} believe"
    already = any(before_words(attempt) for attempt in attempts)
    somebody = f"somebody{counting}" + " of whom they did not before" * already
    return f"{believe} more than {report.limit} of {somebody}; {surest(above)}. {before}".rstrip()


def _not_shown(attempts: Sequence[Attempt], report: AttackReport) -> str:
    """Those whose figures are within 1/l, of whom no more is known: figures show nothing by themselves."""
    why = "; ".join(dict.fromkeys(one.standing.why for one in attempts if one.standing is not None))
    names = " or ".join(attempt.name for attempt in attempts)
    return f"It is not shown that somebody who {names} stays within {report.limit}: {why}."


def surest(attempts: Sequence[Attempt]) -> str:
    """The most that is believed, and by whom: all who believe it, or how many of these they are."""
    gained = {attempt.name: told_most(attempt) for attempt in attempts}
    most = max(gained.values())
    few = any(most_gained(attempt) > most * (1 + 1e-9) for attempt in attempts)
    names = [name for name, figure in gained.items() if figure >= most * (1 - 1e-9)]
    by = f"{len(names)} of them" if len(names) < len(attempts) else "each of them"
    if len(names) <= NAMED:
        by = " and by ".join(f"somebody who {name}" for name in names)
    fewest = enough(attempts[0].beliefs.evidence)
    but = f" (values that fewer than {fewest} people have are not counted)" if few else ""
    return f"the most, {probability(most)}, is believed by {by}{but}"
