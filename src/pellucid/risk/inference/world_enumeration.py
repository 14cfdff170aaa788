"""A method without a law by group: worlds that fit the release are tried one by one (E5), or sampled by a walk (E6).

A world says who is in the table and who has which value. One that fits counts once, in however many ways it does
(``worlds_that_fit.py``). What the method publishes of a world is compared with the release (``method_at_work.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import RECODERS, Recoder
from pellucid.anonymize.recode.sets import LARGEST_SET
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.errors import AttackError
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import Exactness
from pellucid.risk.facts import Fact
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.black_box import attack_anonymizer
from pellucid.risk.inference.by_disguise import by_disguise
from pellucid.risk.inference.by_membership_chance import NoLaw, unclear
from pellucid.risk.inference.method_at_work import MethodAtWork
from pellucid.risk.inference.worlds_that_fit import Codes, holds_in, worlds_that_fit
from pellucid.risk.views import Evidence
from pellucid.risk.views.fingerprint import Fingerprint
from pellucid.risk.views.missing_inputs import SHARES
from pellucid.risk.views.row_orders import order_is_idle
from pellucid.runtime.progress import SILENT, Progress

MOST_WORLDS = 5_000  # runs of the method for one exact answer
MOST_ROWS = 1_000  # rows of a table that is walked through worlds
STEPS = 2_000
REMEMBERED = 5_000_000  # rows of all worlds together whose groups are kept while one recoding after the other is tried


class Contradicted(AttackError):
    """The method never publishes this release, so somebody who believes that it did is mistaken."""


def by_worlds(
    evidence: Evidence,
    adversary: Adversary,
    *,
    truth: NDArray[np.int32] | None = None,
    exact: bool = False,
    progress: Progress = SILENT,
    most: int = MOST_WORLDS,
) -> Beliefs:
    """What somebody who knows the method believes, by running it on other worlds; raise where that is out of reach.

    With ``membership``, and where groups were read off a release, a world counts if the method publishes the same of
    it, whoever is in which group; where the groups are told, if it makes the same groups.
    """
    method = _method_that_runs(evidence, adversary)
    made = MethodAtWork(evidence)
    if evidence.distorted:
        return by_disguise(evidence, adversary, exact=exact)
    fitting = worlds_that_fit(evidence, most) if _can_be_tried(made, method) else None
    if fitting is None:
        return _sampled(evidence, adversary, made, _start_of_walk(made, method, adversary, truth, most), progress)
    if evidence.origin is not None and evidence.origin.assumed:
        return _however_recoded(made, adversary, fitting, exact, progress)
    return _exactly(evidence, adversary, made, fitting, exact, progress)


def _can_be_tried(made: MethodAtWork, method: Method) -> bool:
    """Whether the worlds can be read off the groups, and what the method makes of one of them is certain."""
    untold = method.may_suppress and made.somebody_suppressed()  # whoever was suppressed may have any value
    return not untold and not method.draws_coins


def _start_of_walk(
    made: MethodAtWork, method: Method, adversary: Adversary, truth: NDArray[np.int32] | None, most: int
) -> NDArray[np.int32]:
    """The true table, where it is given and a walk through worlds may start there; raise where not."""
    if adversary.facts or truth is None or (truth < 0).any() or made.evidence.membership is not None:
        raise _not_sampled(made, method, most)
    if len(truth) > MOST_ROWS:
        raise AttackError(
            "{method} has no law by group, and the table has {truth:,} rows",
            "worlds are sampled of tables "
            "of up to {most_rows:,}; attack a part of it, or use {BLACK_BOX} with more patience",
            method=method.name,
            truth=len(truth),
            most_rows=MOST_ROWS,
        )
    return truth


def _method_that_runs(evidence: Evidence, adversary: Adversary) -> Method:
    """The method, where it can be run on other worlds for this adversary; raise where it cannot."""
    method = evidence.method
    if method is None or adversary.knows != "algorithm" or adversary.prior != "uniform":
        raise AttackError(
            "worlds are tried for somebody who knows the algorithm, with a uniform prior", "drop the others"
        )
    if evidence.beside:
        raise NoLaw(
            f"{method.name} looked at {' and '.join(evidence.beside)} as well, so what it would have published cannot "
            f"be told from other worlds of {evidence.attribute.name} alone"
        )
    if evidence.anonymous:
        raise AttackError(
            "{method} has no law by group, so it must be run on the people of other worlds",
            "give everybody's quasi-identifiers with {POPULATION}",
            method=method.name,
        )
    if evidence.membership is not None and (evidence.origin is None or evidence.origin.fingerprint is None):
        raise NoLaw(
            "{unclear}, and what {method} would have published of others cannot be compared with a "
            "release that is not ours",
            "give exactly the people of the table as {POPULATION}",
            unclear=unclear(evidence),
            method=method.name,
        )
    if _other_ends(evidence):
        raise NoLaw("{unclear}, and {shares}", unclear=unclear(evidence), shares=SHARES)
    return method


def _not_sampled(made: MethodAtWork, method: Method, most: int) -> NoLaw:
    """Why worlds are not counted, and what to give so that they are sampled."""
    if method.draws_coins:
        return NoLaw(made.draws)  # that some coins agree is no proof that all do
    return NoLaw(
        "{method} has no law by group, and more worlds than can be counted fit the release (up to {most:,} are tried)",
        "give the table that it was made of as {TRUTH}, with which worlds are sampled",
        method=method.name,
        most=most,
    )


def _other_ends(evidence: Evidence) -> bool:
    """Whether columns that end by shares of the rows would end elsewhere in some of the worlds."""
    if evidence.origin is None or not evidence.origin.by_share or evidence.membership is None:
        return False
    return int(evidence.membership.covered.sum()) > int(evidence.published.sizes.sum())


def _however_recoded(
    made: MethodAtWork, adversary: Adversary, worlds: list[Codes], exact: bool, progress: Progress
) -> Beliefs:
    """Where nobody says how groups were recoded: as any recoding that publishes this of a world; all must agree."""
    evidence = made.evidence
    assert evidence.origin is not None
    if len(worlds) * len(evidence.people) <= REMEMBERED:
        made.groupings = {}
    by_recoder: list[Beliefs] = []
    tried: list[Recoder] = []
    refused: Contradicted | None = None
    for recoder in (evidence.origin.recoder, *_recoders(evidence)):
        if recoder is None or recoder in tried:
            continue
        recoded = made.recoded_by(recoder)
        try:
            by_recoder.append(_exactly(recoded.evidence, adversary, recoded, worlds, exact, progress))
            tried.append(recoder)
        except Contradicted as wrong:
            refused = wrong
    if not by_recoder:
        raise Contradicted(
            f"{refused}", "or it was recoded in a way of its own, which nobody says: give the folder with its recipe"
        )
    if any(not np.allclose(beliefs.risk, by_recoder[0].risk) for beliefs in by_recoder):
        raise NoLaw("nobody says how its groups were recoded, and that matters", "give the folder with its recipe")
    return by_recoder[0]


def _recoders(evidence: Evidence) -> Iterator[Recoder]:
    """Every recoding that there is, with every size of the largest set that makes a difference to these people."""
    known = (Role.QUASI, Role.CARRY)
    most = max((len(attribute) for attribute in evidence.people.attributes if attribute.role in known), default=1)
    for kind in RECODERS.values():
        yield kind()
        if "largest_set" in kind.model_fields:
            yield from (kind.model_validate({"largest_set": size}) for size in range(1, min(most, LARGEST_SET)))


def _exactly(
    evidence: Evidence, adversary: Adversary, made: MethodAtWork, worlds: list[Codes], exact: bool, progress: Progress
) -> Beliefs:
    number = len(worlds)
    counted = _Counted.of(evidence, adversary.facts)
    progress.stage("trying worlds", number)
    for tried, world in enumerate(worlds):
        counted.add(world, made.weight(world))
        if tried % 64 == 0:
            progress.advance(tried)
    progress.advance(number)
    fitting = counted.fitting
    _refuse_contradictions(made, adversary, fitting=fitting, worlds=number, total=counted.total)
    shares = counted.shares()

    def posterior_of(row: int) -> dict[Any, Any]:
        return {evidence.values[code]: p if exact else float(p) for code, p in shares[row].items()}

    def reason_of(row: int) -> str:  # noqa: ARG001
        refused = number - fitting
        given = f"; given that {', and '.join(map(str, adversary.facts))}" if adversary.facts else ""
        return (
            f"{number:,} worlds fit the published groups, and of {refused:,} of them {made.name} would have published "
            f"something else; {fitting:,} are left{given}"
        )

    return Beliefs(
        adversary,
        evidence,
        risk=np.array([float(max(of_person.values(), default=Fraction(0))) for of_person in shares]),
        engine=f"exact (all {number:,} worlds that fit)",
        posterior_of=posterior_of,
        reason_of=reason_of,
        notes=evidence.notes,
        exactness=Exactness.EXACT,
    )


@dataclass(eq=False)
class _Counted:
    """The worlds of which the method publishes this, and who has which value in those in which the facts hold."""

    evidence: Evidence
    facts: Sequence[Fact]
    having: list[dict[int, Fraction]]  # of each person the weight of the worlds with each code
    total: Fraction = Fraction(0)
    fitting: int = 0

    @classmethod
    def of(cls, evidence: Evidence, facts: Sequence[Fact]) -> _Counted:
        return cls(evidence, facts, [{} for _ in range(len(evidence.people))])

    def add(self, world: Codes, weight: Fraction) -> None:
        """Count a world, which is published so with this weight."""
        self.fitting += weight > 0
        if not weight or not holds_in(self.facts, world, self.evidence):
            return
        self.total += weight
        for person, code in enumerate(world):
            if code >= 0:
                self.having[person][code] = self.having[person].get(code, Fraction(0)) + weight

    def shares(self) -> list[dict[int, Fraction]]:
        """How likely each person has each code."""
        return [{code: mass / self.total for code, mass in sorted(masses.items())} for masses in self.having]


def _refuse_contradictions(
    made: MethodAtWork, adversary: Adversary, *, fitting: int, worlds: int, total: Fraction
) -> None:
    """Raise where the release is published of no world, or of none in which the facts hold."""
    if not fitting:
        raise Contradicted(
            f"{made.name} publishes this of none of the {worlds:,} worlds that fit: it was made by another "
            "method, with other parameters, or of other people"
        )
    if not total:
        known = "; ".join(map(str, adversary.facts))
        raise AttackError("the facts contradict the release: no world is left in which {known}", known=known)


def _sampled(
    evidence: Evidence, adversary: Adversary, made: MethodAtWork, truth: NDArray[np.int32], progress: Progress
) -> Beliefs:
    """The method as a black box; the true table is where the walk starts."""
    people, attribute = evidence.people, evidence.attribute
    everyone = tuple(range(len(people)))
    rows = pl.DataFrame({"row": np.arange(len(people)), "value": truth})

    def publish(coins: Callable[[], Coins]) -> Callable[[pl.DataFrame], Fingerprint]:
        def anonymizer(frame: pl.DataFrame) -> Fingerprint:
            codes = frame["value"].to_numpy().astype(np.int32)
            return Fingerprint(str(made.published(made.world(everyone, codes), coins())).encode())

        return anonymizer

    runs = count()  # the attacker's own coins are no secret: the same attack says the same again
    fixed = publish(lambda: Coins.from_seed("one"))
    method = evidence.method
    assert method is not None
    # that two draws agree on the true table is no proof that they do in every world
    same = not method.draws_coins and (people.order is not None or order_is_idle(method, people))
    beliefs = attack_anonymizer(
        fixed if same else publish(lambda: Coins.from_seed(f"run {next(runs)}")),
        rows,
        adversary,
        quasi=["row"],
        sensitive="value",
        randomised=not same,
        groups=evidence.grouping.labels.tolist(),
        steps=STEPS if same else STEPS // 10,
        progress=progress,
    )

    def posterior_of(row: int) -> dict[Any, Any]:
        return {attribute.values[int(code)]: p for code, p in beliefs.posterior_of(row).items()}

    return replace(beliefs, evidence=evidence, posterior_of=posterior_of, notes=(*evidence.notes, *beliefs.notes))
