"""One attack compared with the oracle: whether what it says of each person is so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import pellucid as pc
from oracle import clustered
from oracle.attacker import Attacker, Published, World, content, in_population, partition, replaced, risk
from oracle.configurations import NARROW, PROTECTED, WHO, Publishing, quasi_of
from oracle.verbs import VERBS, Answer, bound_near, commanded, verified
from pellucid.anonymize.method import Method
from pellucid.errors import PellucidError
from pellucid.risk import Beliefs
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.own_bounds import own_bounds
from pellucid.risk.verdict import verdict_of

NEAR = 1e-9
LIMITS = (1 / 4, 1 / 3, 1 / 2, 2 / 3)  # at which verdicts are asked for, and around what is so and what is said
A_LITTLE = 1e-6
ALONE = 0.15  # how often a release is attacked alone: its rows stand for people
FALSE_REFUSALS = ("of none of the", "contradict", "would have closed", "does not fit the release", "no world is left")

Posteriors = Mapping[str, Mapping[Any, Fraction]]  # by name of the person


@dataclass(frozen=True)
class Target:
    """A release, the table that it was made of, and what an attacker believes of the people."""

    publishing: Publishing
    world: World
    release: pc.Release

    @property
    def frame(self) -> pl.DataFrame:
        """The table."""
        return self.publishing.setting.frame(self.world)

    def alone(self, facts: Sequence[pc.Fact] = ()) -> Posteriors:
        """By the release and the population."""
        return self._named(self.publishing.among, facts, told=False)

    def _within(self, sampled: bool) -> Attacker:
        publishing = self.publishing
        if publishing.population.height != len(self.world.members):
            assert self.world.members == publishing.members
        return publishing.values_known if sampled and self.suppressed else publishing.table_known

    @property
    def suppressed(self) -> bool:
        """Whether somebody of the table is not published."""
        return bool(self.release.recipe["suppressed"])

    def table_alone(self, facts: Sequence[pc.Fact] = (), *, sampled: bool = False) -> Posteriors:
        """By the release and exactly the people of the table; of a sample, as a walk from the true table meets them."""
        return self._named(self._within(sampled), facts, told=False)

    def told(self, facts: Sequence[pc.Fact] = (), *, sampled: bool = False) -> Posteriors:
        """By the release, and who is in which group."""
        return self._named(self._within(sampled), facts, told=True)

    def of_units(self) -> list[Posteriors]:
        """What rows that belong together are believed to have, in whichever of them, told the groups and not."""
        units = self.publishing.units
        if not units:
            return []
        attacker = self.publishing.table_known
        keys = {told: self.key(attacker, told=told) for told in (False, True)}
        found = [clustered.believed_of_units(attacker, units, key, told=told) for told, key in keys.items()]
        return [{f"unit {number}": one for number, one in enumerate(believed)} for believed in found]

    def key(self, attacker: Attacker, *, told: bool) -> Any:
        names = attacker.setting.population[WHO].to_list()
        key: Any = content(self.release)
        if told:
            labels = self.release.private.labels.tolist()
            mine = World(tuple(names.index(n) for n in self.frame[WHO].to_list()), self.world.values)
            groups = [[r for r, g in enumerate(labels) if g == label] for label in range(max(labels) + 1)]
            codes = self.release.private.grouping.sensitive
            shown = replaced(mine, groups, attacker.setting.table(mine), None if codes is None else codes.tolist())
            key = Published(key, in_population(partition(groups), mine), shown).told(mine)
        return key

    def _named(self, attacker: Attacker, facts: Sequence[pc.Fact], *, told: bool) -> Posteriors:
        names = attacker.setting.population[WHO].to_list()
        key = self.key(attacker, told=told)
        if facts:
            found = attacker.given(lambda world: holds(facts, world, names), told=told)
        else:
            found = attacker.told if told else attacker.alone
        return dict(zip(names, found[key], strict=True))


def holds(facts: Sequence[pc.Fact], world: World, names: Sequence[str]) -> bool:
    """Whether facts hold in a world; somebody who is not in the table has no value."""
    value = {names[person]: one for person, one in zip(world.members, world.values, strict=True)}

    def true(fact: pc.Fact) -> bool:
        if isinstance(fact, pc.Implies):
            return true(fact.consequence) if true(fact.condition) else True
        has = fact.person in value and value[fact.person] == fact.value  # null is a value, and to be absent is none
        return has == isinstance(fact, pc.Has)

    return all(map(true, facts))


@dataclass(frozen=True)
class Entry:
    """What an attacker is given: where the release is read from, and who the people are."""

    source: str  # memory, folder, file
    people: str  # truth, groups, population, nobody
    schema: bool
    facts: tuple[pc.Fact, ...] = ()
    shuffled: int = 0
    verb: str = "attack"

    def __str__(self) -> str:
        given = [self.source, self.people, *(["schema"] if self.schema else []), *(["facts"] if self.facts else [])]
        return ", ".join([self.verb, *given])


def draw_entry(random: Random, target: Target) -> Entry:
    """One of the ways to attack a release."""
    source = random.choice(["memory", "memory", "folder", "folder", "folder", "file"])
    people = random.choice(["truth", "truth", "population", "population", "groups"])
    if source == "memory" and people == "groups":
        people = "truth"
    facts = draw_facts(random, target) if random.random() < 0.15 else ()
    schema, shuffled, verb = random.random() < 0.5, random.randrange(1000), "attack"
    if not target.publishing.seed.startswith(NARROW) and random.random() < 0.25:
        facts, verb = (), random.choice(VERBS)
        source = "folder" if source == "memory" and verb != "verify" else source
    if not facts and Random(f"nobody {shuffled}").random() < ALONE:
        people = "nobody"
    return Entry(source, people, schema, facts, shuffled, verb)


def draw_facts(random: Random, target: Target) -> tuple[pc.Fact, ...]:
    """Something that is so of somebody."""
    names, values = target.frame[WHO].to_list(), target.world.values
    row = random.randrange(len(names))
    other = random.choice(sorted(set(values), key=str))
    return (pc.Has(names[row], values[row]) if other == values[row] else pc.Not(names[row], other),)


def given_to(target: Target, entry: Entry, folder: Path) -> tuple[Any, dict[str, Any]]:
    """The release as it is read, and what is given besides."""
    publishing, release = target.publishing, target.release
    given: dict[str, Any] = {}
    source: Any = release
    if entry.source != "memory":
        source = folder / "release"
        release.write(source)
    if entry.source == "file":
        frames = release.public.frames
        source = source / "data.csv" if "data" in frames else dict(frames)
        given["made_by"] = publishing.drawn.method
    random = Random(entry.shuffled)
    frame = target.frame if entry.people != "population" else publishing.population
    if entry.people == "population":
        frame = frame[random.sample(range(frame.height), frame.height)]
        given["population"] = frame
    elif entry.people != "nobody":
        given["truth"] = frame
    if entry.people == "groups":
        given["groups"] = release.private.labels.tolist()
    schema = publishing.schema
    if entry.schema:
        given["schema"] = schema
    elif entry.source == "file":
        given |= {"quasi": quasi_of(schema), "sensitive": PROTECTED}
    if entry.people == "population" or (publishing.named and not entry.schema and entry.people != "nobody"):
        given["identifier"] = WHO
    return source, given


def run(target: Target, entry: Entry, folder: Path) -> Beliefs:
    """The attack."""
    source, given = given_to(target, entry, folder)
    return pc.attack(source, pc.Adversary(knows="algorithm", facts=entry.facts), exact=True, **given)


@dataclass(frozen=True)
class Said:
    """How an attack ended: ``refused``, or what it claims; and what is wrong about that, if anything."""

    how: str
    wrong: str = ""


def compare(target: Target, entry: Entry, folder: Path) -> Said:
    """Attack, and compare what is said of everybody."""
    try:
        if entry.verb != "attack":
            return answer(target, entry, folder)
        beliefs = run(target, entry, folder)
    except PellucidError as refused:
        return refusal(str(refused), target, entry)
    said = judge(beliefs, target, entry)
    return said if said.wrong or entry.people != "nobody" else count(said, target, entry, folder)


def count(said: Said, target: Target, entry: Entry, folder: Path) -> Said:
    """What somebody believes who only counts: told the groups, the share in one of them, which no *holds* may deny."""
    source, given = given_to(target, entry, folder / "counted")
    beliefs = pc.attack(source, pc.Adversary(knows="nothing"), **given)
    held: dict[int, list[Any]] = {}
    for label, value in zip(target.release.private.labels.tolist(), target.world.values, strict=True):
        held.setdefault(label, []).append(value)
    shares = ({v: Fraction(group.count(v), len(group)) for v in group} for label, group in held.items() if label >= 0)
    most = 0.0 if target.publishing.disguises else max(float(counting(one, target)) for one in shares)
    for limit in limits_of(beliefs, most):
        if verdict_of(beliefs, limit).holds and most > limit + NEAR:
            return Said(said.how, f"FALSE VERDICT: {limit:.7g} holds for who counts, and {most:.7g} is counted")
    return said


def refusal(said: str, target: Target, entry: Entry) -> Said:
    """A refusal, which is wrong where it says that what was made cannot have been made.

    Of a file alone nobody knows which values mean that one is missing, or where a column ends: people do not fit then.
    """
    false = any(words in said for words in FALSE_REFUSALS)
    recoder = target.publishing.recoder
    if recoder is not None and recoder != type(recoder)() and "recoded in a way of its own" in said:
        return Said("refused without a recipe")
    if entry.source == "file" and entry.people == "nobody" and "recoded in a way of its own" in said:
        return Said("refused without a recipe")
    columns = target.publishing.schema.columns.values()
    some = any(one.missing or one.cap or one.round or one.taxonomy is not None for one in columns)
    unread = entry.source == "file" and not entry.schema and some
    if unread and ("does not fit the release" in said or "of none of the" in said):
        return Said("refused without a schema")
    return Said("refused", f"refuses falsely: {said}" if false else "")


def answer(target: Target, entry: Entry, folder: Path) -> Said:
    """What a verb says about a bound near the truth."""
    most = max(counting(one, target) for view in every_view(target, entry) for one in view.values())
    bound = bound_near(most, entry.verb, Random(f"{entry.shuffled} {entry.verb}"))
    source, given = given_to(target, entry, folder)
    if entry.verb == "verify":
        found: Answer | None = verified(source, given, bound)
    else:
        found = commanded(entry.verb, source, given, bound, folder)
    if found is None:
        return Said("not said in words")
    if found.refused:
        return refusal(found.refused, target, entry)
    how = {True: "holds", False: "fails", None: "not shown"}[found.holds]
    false = found.holds is not None and found.holds == (most > bound)
    return Said(how, f"FALSE VERDICT: {how} at {bound}, and {most} is so" if false else "")


def judge(beliefs: Beliefs, target: Target, entry: Entry) -> Said:
    """What is said of everybody against what is so."""
    by_sample = beliefs.exactness is Exactness.SAMPLED
    views = views_of(target, entry, sampled=by_sample)
    at_most = beliefs.at_most if beliefs.otherwise is None else float(beliefs.otherwise.max(initial=0.0))
    shown = views[:1]
    if entry.people != "population":  # both, unless one is bounded alone: where groups were not found, that of the told
        shown = views if at_most is None else views[1:] if beliefs.evidence.membership is not None else views[:1]
    if target.publishing.disguises:  # the figures are of whoever is told the groups
        shown = views[:1]
    wrong = []
    people = [] if entry.people == "nobody" else beliefs.evidence.names or target.frame[WHO].to_list()
    for row, name in enumerate(people):  # rows of a release alone are nobody's
        true = max(float(counting(view[name], target)) for view in views)
        most = max(float(counting(view[name], target)) for view in shown)
        bound = at_most if beliefs.otherwise is None else float(beliefs.otherwise[row])
        if bound is not None and true > max(bound, most) + NEAR:
            wrong.append(f"{name}: {true:.4f} in the other view, and at most {bound:.4f} is said")
        low = beliefs.risk[row] if beliefs.lower is None else beliefs.lower[row]
        high = beliefs.risk[row] if beliefs.upper is None else beliefs.upper[row]
        if beliefs.exactness is Exactness.UNKNOWN:
            continue
        if beliefs.exactness is Exactness.EXACT:
            if abs(most - beliefs.risk[row]) > NEAR:
                wrong.append(f"{name}: {most:.4f}, and {beliefs.risk[row]:.4f} is said")
            else:
                wrong += _values(beliefs, row, name, shown, target)
        elif not low - NEAR <= most <= high + NEAR:
            wrong.append(f"{name}: {most:.4f} is not between {low:.4f} and {high:.4f}")
    how = beliefs.exactness.value + (" in one view" if at_most is not None else "")
    if by_sample:  # whose intervals may miss, at their rate
        how, wrong = f"{how}, and missed" if wrong else how, []
    most = max(float(counting(one, target)) for view in every_view(target, entry) for one in view.values())
    for limit in limits_of(beliefs, most):
        holds = verdict_of(beliefs, limit).holds
        if by_sample and holds:
            wrong.append(f"FALSE VERDICT: a sample is said to show that {limit:.7g} holds")
        elif holds is not None and holds == (most > limit + NEAR):
            wrong.append(f"FALSE VERDICT: {'holds' if holds else 'fails'} at {limit:.7g}, and {most:.7g} is so")
    wrong += of_own_bounds(beliefs, every_view(target, entry), target)
    return Said(how, f"[{beliefs.exactness.value}: {beliefs.engine}] " + "; ".join(wrong[:3]) if wrong else "")


def of_own_bounds(beliefs: Beliefs, views: Sequence[Posteriors], target: Target) -> list[str]:
    """A verdict on what is promised of each person that is not so: by any view, somebody is above it or nobody is."""
    method = target.publishing.drawn.method
    bounds = own_bounds(beliefs.evidence)
    if bounds is None or not isinstance(method, pc.Strata) or beliefs.adversary.facts:
        return []
    allowed = promised_of_each(target)
    above = [name for name in allowed if any(counting(view[name], target) > allowed[name] for view in views)]
    verdict = verdict_of(beliefs, bounds.allows).holds
    if verdict is True and above:
        return [f"FALSE VERDICT: what is promised holds, and {above} are above it"]
    return ["FALSE VERDICT: what is promised fails, and nobody is above it"] if verdict is False and not above else []


def promised_of_each(target: Target) -> dict[str, Fraction]:
    """By name what a release of strata promises: 1/l, or the share in a stratum that is published whole."""
    method, world, release = target.publishing.drawn.method, target.world, target.release
    assert isinstance(method, pc.Strata)
    held: dict[int, list[Any]] = {}
    for label, value in zip(release.private.labels.tolist(), world.values, strict=True):
        held.setdefault(label, []).append(value)
    shares = {
        label: counting({v: Fraction(group.count(v), len(group)) for v in group}, target)
        for label, group in held.items()
    }
    names = target.frame[WHO].to_list()
    return {
        name: max(Fraction(1, method.l), shares[label] if len(held[label]) >= method.size else Fraction(0))
        for name, label in zip(names, release.private.labels.tolist(), strict=True)
    }


def limits_of(beliefs: Beliefs, most: float) -> list[float]:
    """The bounds that a verdict is asked for: the usual ones, what is so, what is said, and just below each."""
    said = [beliefs.max_risk, *(float(one.max()) for one in (beliefs.lower, beliefs.upper) if one is not None)]
    near = {one for one in (most, *said, beliefs.at_most) if one is not None and 0 < one <= 1}
    return sorted({*LIMITS, *near, *(one - A_LITTLE for one in near if one > A_LITTLE)})


def views_of(target: Target, entry: Entry, *, sampled: bool = False) -> list[Posteriors]:
    """What is believed in each view that the attacker may have."""
    if entry.people == "population":
        alone = target.alone(entry.facts)
        if len(alone) == len(target.world.members):
            return [alone]
        sure = target.table_alone(entry.facts)  # somebody who is sure who is in the table
        return [alone, {name: sure.get(name, {}) for name in alone}]
    return [target.told(entry.facts, sampled=sampled), target.table_alone(entry.facts, sampled=sampled)]


def every_view(target: Target, entry: Entry) -> list[Posteriors]:
    """What verdicts are about: also what is believed of suppressed people by who knows which values the table has.

    A walk starts at the true table, so that values which occur in it are the ones that it meets.
    """
    views = [*views_of(target, entry), *target.of_units()]
    return (
        views + views_of(target, entry, sampled=True) if target.suppressed and entry.people != "population" else views
    )


def counting(posterior: Mapping[Any, Fraction], target: Target) -> Fraction:
    """The largest belief in a value that was asked to be protected, or in having one of those that count as one."""
    method = target.publishing.drawn.method
    parts = getattr(getattr(method, "model", None), "models", ())
    several = [set(part.sensitive) for part in parts if getattr(part, "sensitive", None) is not None]
    if len(several) > 1:  # sets that count as one each, and may overlap
        return max(sum((p for v, p in posterior.items() if v in some), Fraction(0)) for some in several)
    about, as_one = asked_to_protect(method)
    some = {value: share for value, share in posterior.items() if about is None or value in about}
    return sum(some.values(), Fraction(0)) if as_one else risk(some)


def asked_to_protect(method: Method) -> tuple[tuple[Any, ...] | None, bool]:
    """The values that parameters name, and whether they count as one: read off them, and not what the method says."""
    told = {name: getattr(method, name) for name in ("values", "sensitive", "binary") if hasattr(method, name)}
    as_one = method.name in ("mask", "greedy-grouping", "randomized-greedy-grouping", "symmetric-grouping") or bool(
        getattr(method, "together", False)
    )
    model = getattr(method, "model", None)
    if model is not None and getattr(model, "sensitive", None) is not None:
        told["model"], as_one = model.sensitive, model.together
    (about,) = [some for some in told.values() if some is not None] or [None]
    return about, as_one and about is not None


def _values(beliefs: Beliefs, row: int, name: str, views: Sequence[Posteriors], target: Target) -> list[str]:
    """Every value of a person: as one of the views has it, the one with the larger risk."""
    told = {str(value): Fraction(share) for value, share in beliefs.posterior_of(row).items() if share}
    likely = [view[name] for view in views]
    risks = [counting(view, target) for view in likely]
    there = [
        {str(v): p for v, p in view.items() if p}
        for view, one in zip(likely, risks, strict=True)
        if abs(one - max(risks)) <= NEAR
    ]
    near = any(set(told) == set(view) and all(abs(told[v] - view[v]) <= NEAR for v in view) for view in there)
    return [] if near else [f"{name}: {_spelled(told)} is said, and {_spelled(there[0])} is so"]


def _spelled(shares: Mapping[str, Fraction]) -> str:
    return "{" + ", ".join(f"{value} {float(share):.4g}" for value, share in sorted(shares.items())) + "}"


def targets(publishing: Publishing, most: int, random: Random) -> list[Target]:
    """The release of the true table, and of other worlds with the same members."""
    found = [Target(publishing, publishing.truth, publishing.release)]
    if publishing.drawn.law is not None or not publishing.named:
        return found
    if len(publishing.release.private.labels) != int((publishing.release.private.labels >= 0).sum()):
        return found
    others = [w for w, _, _ in publishing.among.everything if w.members == publishing.members]
    for world in random.sample(others, min(most, len(others))):
        release = pc.publish(
            publishing.setting.frame(world),
            publishing.put or publishing.drawn.method,
            schema=publishing.schema,
            recode=publishing.recoder,
            threads=1,
        )
        if not release.recipe["suppressed"]:
            found.append(Target(publishing, world, release))
    return found
