"""What an attack says is what the oracle says, whatever was published and whatever the attacker is given.

Whole configurations are drawn (:mod:`oracle.configurations`): method, parameters, recoding, columns, people, and how
the release and the people are given. Every belief that is called exact must equal that of
:mod:`oracle.attacker`, every bound must be above it, and no verdict may be wrong; a release that was made must not be
called impossible. Run ``pytest -s tests/oracle/test_attack_configurations.py --thorough`` for 20,000 and the counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from oracle import with_statistics
from oracle.configurations import AVERAGED, SEVERAL, Publishing
from oracle.differing import compare, draw_entry, targets
from pellucid.risk.inference import world_enumeration

QUICK, THOROUGH = 500, 20_000
PARTS = 10
RELEASES, ATTACKS = 1, 3  # more releases of each publishing, attacks on each release

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.anonymize.disclosure.shared_values.SharedInClustersWarning"),
]


@pytest.fixture(autouse=True)
def shorter_walks(thorough: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Walks are five times as short, and their intervals wider: nothing false may be said of these either."""
    if not thorough:
        monkeypatch.setattr(world_enumeration, "STEPS", 400)


def attacks_on(
    seed: str,
    folder: Path,
    releases: int = RELEASES,
    attacks: int = ATTACKS,
    publishing: Publishing | None = None,
    people: str | None = None,
) -> list[tuple[str, str, str]]:
    """The attacks on the releases of one publishing: its kind, how it ended, and what is wrong."""
    publishing = publishing or Publishing.draw(seed)
    if publishing is None:
        return []
    random = Random(f"entries {seed}")
    found = []
    for number, target in enumerate(targets(publishing, releases, random)):
        for attack in range(attacks):
            entry = draw_entry(random, target)
            entry = entry if people is None else replace(entry, people=people, facts=())
            said = compare(target, entry, folder / f"{seed} {number} {attack}")
            wrong = f"{seed!r}, release {number}, {entry}: {said.wrong}" if said.wrong else ""
            more = publishing.population.height > len(publishing.members)
            given = "more people" if more and entry.people == "population" else entry.people
            kind = f"{publishing.drawn.method.name}; {entry.source}; {given}; {entry.verb}"
            found.append((kind, said.how, wrong))
    return found


@pytest.mark.parametrize("part", range(PARTS), ids="part {}".format)  # all of them, in every run
def test_an_attack_says_what_all_worlds_say(part: int, thorough: bool, tmp_path: Path) -> None:
    wanted = (THOROUGH if thorough else QUICK) // PARTS
    ended: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    wrong: list[str] = []
    number = skipped = 0
    while ended.total() < wanted:
        averaged = AVERAGED if number % 8 == 7 else ""
        found = attacks_on(f"{averaged}part {part}, publishing {number}", tmp_path)
        skipped += not found  # the table is refused (an end of a column, a model), or has too many worlds
        for kind, how, mistake in found:
            ended[how] += 1
            classes.update(kind.split("; "))
            wrong += [mistake] if mistake else []
        number += 1
    of = f"{number:,} publishings, {skipped:,} of them skipped"
    print(f"part {part}: {ended.total():,} configurations of {of}, {dict(ended)}, {dict(classes)}")
    assert not wrong, f"{len(wrong)} of {ended.total()} configurations:\n" + "\n".join(wrong[:10])
    missed = sum(number for how, number in ended.items() if how.endswith("and missed"))
    samples = sum(number for how, number in ended.items() if how.startswith("sampled"))
    assert missed <= 2 + 0.2 * samples  # intervals of 95 %
    said = ended["exact"] + ended["exact in one view"] + ended["holds"] + ended["fails"]
    assert said > wanted / 2  # nothing is shown by refusing


def test_an_attack_on_several_requirements_says_what_all_worlds_say(thorough: bool, tmp_path: Path) -> None:
    ended: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    wrong: list[str] = []
    number = 0
    while ended.total() < (2_000 if thorough else 60):
        for kind, how, mistake in attacks_on(f"{SEVERAL}{number}", tmp_path):
            ended[how] += 1
            classes.update(kind.split("; "))
            wrong += [mistake] if mistake else []
        number += 1
    print(f"{number} publishings, {dict(ended)}, {dict(classes)}")
    assert not wrong, f"{len(wrong)} of {ended.total()} configurations:\n" + "\n".join(wrong[:10])
    assert ended["exact"] + ended["exact in one view"] + ended["holds"] + ended["fails"] > ended.total() / 2


# configurations that once failed: what was said, and what is so
ONCE_WRONG = [
    "net 1034",  # greedy grouping, a file: look-alikes were told apart by the order of the file
    "net 1058",  # greedy grouping, more people: a world counted once for each way to put people into groups
    "net 1074",  # mondrian, a file, more people: chances of groups were called exact
    "net 1116",  # hybrid, facts: what is proved holds for nobody who knows somebody's value
    "net 1131",  # incognito: groups told and groups read were mixed
    "net 1165",  # greedy grouping, more people: certain, and 2/3 was said
    "net 1178",  # hybrid: somebody who is not told believes more
    "net 1220",  # symmetric grouping, more people
    "net 1230",  # mondrian, groups published alike
    "net 1235",  # audited, look-alikes
    "net 1244",  # anatomy, facts
    "net 1254",  # hybrid, more people: chances of groups were called exact
    "net 27",  # mondrian, groups told: somebody who is not told believes more
    "part 1, publishing 314",  # ART: FAILS of somebody suppressed, by an interval of a walk; it was right by chance
    "part 6, publishing 147",  # ART: the walk never reached worlds in which a suppressed person has another value
    "part 8, publishing 205",  # greedy grouping, a file: that nobody says what is suppressed was read as nobody is
    "part 3, publishing 189",  # mondrian: of some of the people a column ends so that nothing can be published
]


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_what_once_was_wrong_is_not(seed: str, tmp_path: Path) -> None:
    found = attacks_on(seed, tmp_path, releases=3, attacks=4)
    assert found
    assert not [wrong for _, _, wrong in found if wrong]


@pytest.mark.parametrize("method", ["mask", "spurious-records", "injector"])
def test_methods_that_disguise_are_drawn_and_nothing_false_is_said_of_them(
    method: str, thorough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Publishings of each: what is said of them is what all worlds of the domain say, or that it is not shown."""
    if not thorough:  # walks are twenty times as short, and their intervals wider
        monkeypatch.setattr(world_enumeration, "STEPS", 100)
    found: list[tuple[str, str, str]] = []
    for number in range(100):
        seed = f"disguise {number}"
        publishing = Publishing.of_disguised(seed, Random(seed))
        if publishing is None or publishing.drawn.method.name != method:
            continue
        found += attacks_on(seed, tmp_path, publishing=publishing)
        if len(found) >= 6:
            break
    assert len(found) >= 6
    said = {how for _, how, _ in found}
    proved = [how for how in said if how in ("bound", "holds") or how.startswith("exact")]
    assert bool(proved) is (method == "mask")  # of the others nothing is proved
    assert not [wrong for _, _, wrong in found if wrong]


def test_households_are_drawn_and_no_verdict_about_a_whole_one_is_false(thorough: bool, tmp_path: Path) -> None:
    """Bounds are bounds on what is believed of a household too, in whichever of its rows; see oracle.clustered."""
    found: list[tuple[str, str, str]] = []
    for number in range(1_000 if thorough else 60):
        seed = f"households {number}"
        publishing = Publishing.of_clusters(seed, Random(seed))
        if publishing is not None:
            assert publishing.units
            found += attacks_on(seed, tmp_path, publishing=publishing)
    assert len(found) > 30
    assert {how for _, how, _ in found} >= {"bound in one view", "holds"}
    assert not [wrong for _, _, wrong in found if wrong]


def test_people_in_strata_are_drawn_and_no_verdict_about_their_own_bounds_is_false(
    thorough: bool, tmp_path: Path
) -> None:
    """Whoever is told the groups and whoever is not, however the release reads and from wherever it is read."""
    found: list[tuple[str, str, str]] = []
    for number in range(4_000 if thorough else 100):
        seed = f"strata {number}"
        publishing = Publishing.of_strata(seed, Random(seed))
        if publishing is not None:
            found += attacks_on(seed, tmp_path, publishing=publishing)
    print(f"{len(found):,} configurations, {dict(Counter(how for _, how, _ in found))}")
    assert len(found) > 60
    assert {how for _, how, _ in found} >= {"exact in one view", "holds", "fails"}
    assert not [wrong for _, _, wrong in found if wrong]


def test_attackers_with_statistics_of_strata_are_covered_where_strata_fix_them(thorough: bool, tmp_path: Path) -> None:
    """By columns or by stratum, measured or told: exact in strata, bounded where they read alike, or not shown."""
    ended: Counter[str] = Counter()
    wrong = []
    for number in range(4_000 if thorough else 120):
        seed = f"statistics of strata {number}"
        publishing = Publishing.of_strata(seed, Random(seed))
        for place, target in enumerate([] if publishing is None else targets(publishing, RELEASES, Random(seed))):
            said = with_statistics.compare(target, Random(f"{seed} {place}"), tmp_path / f"{number} {place}")
            ended[said.how] += 1
            wrong += [f"{seed!r}, release {place}: {said.wrong}"] if said.wrong else []
    print(f"{ended.total():,} configurations, {dict(ended)}")
    assert not wrong, f"{len(wrong)} of {ended.total()}:\n" + "\n".join(wrong[:10])
    assert min(ended["exact, told"], ended["not covered"]) > 20


def test_an_attacker_who_cannot_tell_strata_apart_is_not_said_to_be_within_1_over_l(tmp_path: Path) -> None:
    """With k inside strata that read alike, 2/3 was so of three people, and at most 1/2 was shown."""
    seed = "statistics of strata 1338"
    publishing = Publishing.of_strata(seed, Random(seed))
    assert publishing is not None
    for place, target in enumerate(targets(publishing, RELEASES, Random(seed))):
        said = with_statistics.compare(target, Random(f"{seed} {place}"), tmp_path / str(place))
        assert not said.wrong


@pytest.mark.parametrize("looks_at", ["sizes", "counts"])
def test_rows_that_are_withheld_tell_what_all_worlds_say(
    looks_at: str, thorough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where sizes decide, that a row is missing tells nothing, and that is exact; else nobody is said to be safe."""
    if not thorough:
        monkeypatch.setattr(world_enumeration, "STEPS", 50)
    found: list[tuple[str, str, str]] = []
    for number in range(2_000):
        if len(found) >= (1_000 if thorough else 30):
            break
        seed = f"withheld {number}"
        publishing = Publishing.of_withheld(seed, Random(seed))
        if publishing is None or not publishing.release.recipe["suppressed"]:
            continue
        if (publishing.drawn.method.required.looks_at == "sizes") == (looks_at == "sizes"):
            found += attacks_on(seed, tmp_path, publishing=publishing)
    ended = {how for _, how, _ in found}
    assert not [wrong for _, _, wrong in found if wrong]
    assert len(found) >= 30
    if looks_at == "sizes":
        assert ended >= {"exact", "holds"}
    else:
        assert ended & {"sampled", "refused", "not shown"}
        assert not ended & {"exact", "exact in one view", "holds"}


def test_a_release_alone_whose_groups_read_alike_shows_nothing_false_below_its_promise(
    thorough: bool, tmp_path: Path
) -> None:
    """Nobody is given, and rows that read alike count as one: one of the groups behind them may tell more."""
    found: list[tuple[str, str, str]] = []
    for number in range(1_000 if thorough else 20):
        seed = f"alone {number}"
        publishing = Publishing.of_alike(seed, Random(seed))
        if publishing is not None:
            found += attacks_on(seed, tmp_path, publishing=publishing, people="nobody")
    assert {how for _, how, _ in found} >= {"exact in one view", "bound in one view"}
    assert not [wrong for _, _, wrong in found if wrong]


def test_some_values_alone_are_protected_and_no_verdict_is_about_others(
    thorough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by itself or as one, by every method that can be told so: neither holds nor fails is said falsely."""
    if not thorough:
        monkeypatch.setattr(world_enumeration, "STEPS", 100)
    found: list[tuple[str, str, str]] = []
    for number in range(4_500 if thorough else 100):
        seed = f"some values {number}"
        publishing = Publishing.of_some_values(seed, Random(seed))
        if publishing is not None:
            found += attacks_on(seed, tmp_path, publishing=publishing)
    print(f"{len(found):,} configurations, {dict(Counter(how for _, how, _ in found))}")
    wrong = [mistake for _, _, mistake in found if mistake]
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong[:10])
    assert len(found) >= (5_000 if thorough else 100)
    assert {how for _, how, _ in found} >= {"exact", "exact in one view", "holds", "fails"}


def test_rounded_columns_and_households_are_among_what_is_drawn() -> None:
    drawn = [Publishing.draw(f"part 0, publishing {number}") for number in range(150)]
    schemas = [one.schema for one in drawn if one is not None]
    assert any(column.round is not None for schema in schemas for column in schema.columns.values())
    assert any(one.units for one in drawn if one is not None)


def test_publishings_whose_people_look_the_same_are_among_what_is_drawn() -> None:
    drawn = (Publishing._special(f"part 0, publishing {number}") for number in range(150))
    assert any(getattr(one, "func", None) == Publishing.of_alike for one in drawn)
