"""Cuts found from counts and boxes are the canonical cuts: the groups are those of the kernels on many tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from engines.local_engine import LocalEngine
from pellucid.anonymize.layout.by_cuts import InParts, TriedInParts
from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods.hybrid import Hybrid
from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.anonymize.methods.tailor import Tailor
from pellucid.anonymize.self_check import Countable
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import Infeasible
from pellucid.spark.engine import top_tree as tops
from pellucid.spark.engine.group_lines import Parting
from pellucid.spark.engine.publish import borders_of
from pellucid.spark.engine.top_tree import Node, Top, Try, grow_top
from pellucid.spark.engine.two_tables import Pairs
from plain.random_tables import FAMILIES, random_table, soft_table, table_without_certain_cut
from plain.tables import line, secret, table_of, tree
from property.test_strata_equals_definition import draw_case

CHUNKS = 20
TABLES = 40


def groups(method: Method, table: Table, coins: Coins) -> set[frozenset[int]]:
    """The groups that the method itself makes, as sets of row orders."""
    order = table.order if table.order is not None else coins.order(len(table))
    grouping = method.group(table, coins, threads=1)
    cuts = zip(grouping.starts[:-1], grouping.starts[1:], strict=True)
    return {frozenset(order[grouping.members[a:b]].tolist()) for a, b in cuts}


def groups_in_parts(
    method: Method, table: Table, coins: Coins, rows_per_worker: int, bins: int, blocks: int
) -> tuple[set[frozenset[int]], Top]:
    """The groups that the engine makes of parts, and the top of the tree."""
    assert isinstance(method, InParts)
    engine = LocalEngine(table, coins, blocks)
    outline = engine.outline
    empty = outline.without_rows()
    counts = [outline.counts[i] for i in outline.having(Role.SENSITIVE)]
    method.check_counts(empty, counts)
    trying = method.trying(empty, coins) if isinstance(method, TriedInParts) else None
    how = {"bins": bins, "trying": trying, "borders": borders_of(method, empty)}
    top = grow_top(engine, method.rows_needed(empty, counts), rows_per_worker, **how)  # type: ignore[arg-type]
    promised = Countable.of(method, [outline.attributes[i].name for i in outline.having(Role.SENSITIVE)])
    parting = Parting(Pairs.of(outline), method, counts, None, top.places, promised)
    found = set()
    parts = engine.finish(top.cuts, lambda rows: rows.table(outline))
    for number, part in zip(top.cuts.ends, parts, strict=True):
        grouping = parting.group(number, part, coins)
        assert part.order is not None
        for a, b in zip(grouping.starts[:-1], grouping.starts[1:], strict=True):
            found.add(frozenset(part.order[grouping.members[a:b]].tolist()))
    sizes = [top.sizes[node] for node in top.cuts.ends]
    assert sum(sizes) == len(table)
    assert all(size <= rows_per_worker or node in top.large for node, size in zip(top.cuts.ends, sizes, strict=True))
    return found, top


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_groups_in_parts_are_the_groups(chunk: int) -> None:
    divided = 0
    for number in range(TABLES):
        random = Random(f"parts {chunk} {number}")
        family = FAMILIES[number % len(FAMILIES)]
        table, l = random_table(random, family=family, secrets=1 + (number % 5 == 4), identifier=random.random() < 0.7)
        coins = Coins.from_seed(f"{chunk} {number}")
        method: Method = Tailor(l=l) if len(table.having(Role.SENSITIVE)) > 1 or number % 2 else Hybrid(l=l)
        most = random.choice([1, 3, 10])
        found, top = groups_in_parts(method, table, coins, most, random.choice([2, 4, 1024]), random.choice([1, 3]))
        assert found == groups(method, table, coins)
        divided += len(top.cuts.ends) > 1
    assert divided > TABLES // 4  # the cuts were really tried


def test_groups_in_parts_with_some_protected_values_and_at_least_k_rows() -> None:
    divided = 0
    for number in range(40):
        random = Random(f"values in parts {number}")
        table, l = random_table(random, identifier=random.random() < 0.7, largest=120)
        (column,) = table.having(Role.SENSITIVE)
        book = table.attributes[column].values.to_list()
        values = tuple(random.sample(book, random.randint(1, len(book)))) if number % 4 else None
        method = Hybrid(l=l, values=values, k=min(random.choice([1, 2, 5]), len(table)))
        coins = Coins.from_seed(number)
        found, top = groups_in_parts(method, table, coins, random.choice([1, 10]), 8, random.choice([1, 3]))
        assert found == groups(method, table, coins)
        divided += len(top.cuts.ends) > 1
    assert divided > 10


@pytest.mark.parametrize("chunk", range(4))
def test_soft_cuts_in_parts_are_the_groups(chunk: int, thorough: bool) -> None:
    """The top has certain cuts, and tried ones, accepted and refused; parts are grown on from where they are."""
    seen: Counter[str] = Counter()
    for number in range(500 if thorough else 25):
        random = Random(f"soft parts {chunk} {number}")
        table, l = soft_table(random, identifier=random.random() < 0.7)
        coins = Coins.from_seed(f"soft {chunk} {number}")
        method, most = SoftCut(l=l), random.choice([1, 10, 40, len(table) // 4])
        found, top = groups_in_parts(method, table, coins, most, random.choice([2, 4, 1024]), random.choice([1, 3]))
        assert found == groups(method, table, coins), number
        seen += Counter(accepted=top.accepted, refused=len(top.refused), cuts=len(top.cuts.ends) - 1)
        seen["below"] += sum(len(place.path) > 0 and node not in top.large for node, place in top.places.items())
    assert seen["accepted"] >= 5, seen
    assert seen["refused"] >= 1, seen
    assert seen["cuts"] - seen["accepted"] > 25, seen
    assert seen["below"] > 25, seen


def test_soft_cuts_in_parts_with_some_protected_values_and_at_least_k_rows(thorough: bool) -> None:
    seen: Counter[str] = Counter()
    for number in range(400 if thorough else 60):
        random = Random(f"soft values in parts {number}")
        table, l = soft_table(random, identifier=random.random() < 0.7)
        (column,) = table.having(Role.SENSITIVE)
        book = table.attributes[column].values.to_list()
        values = tuple({book[0], *random.sample(book, len(book) // 2)}) if number % 3 else None
        method = SoftCut(l=l, values=values, k=random.choice([1, 2, 5, 20]))
        coins = Coins.from_seed(number)
        found, top = groups_in_parts(method, table, coins, random.choice([1, 10, 60]), 8, random.choice([1, 3]))
        assert found == groups(method, table, coins), number
        seen += Counter(accepted=top.accepted, refused=len(top.refused))
    assert min(seen["accepted"], seen["refused"]) > 5, seen


@pytest.mark.parametrize("chunk", range(4))
def test_strata_in_parts_are_the_groups(chunk: int, thorough: bool) -> None:
    """Protected values, several columns, columns that no stratum mixes; what is too few is said in the same words."""
    seen: Counter[str] = Counter()
    for number in range(500 if thorough else 40):
        random = Random(f"strata in parts {chunk} {number}")
        table, method, _ = draw_case(random)
        if len(table) < 2:
            continue
        coins, most = Coins.from_seed(number), random.choice([1, 10, len(table) // 3])
        how = most, random.choice([2, 4, 1024]), random.choice([1, 3])
        said = complaint(lambda: groups(method, table, coins))  # noqa: B023
        assert said == complaint(lambda: groups_in_parts(method, table, coins, *how)), number  # noqa: B023
        if said is not None:
            seen["refused"] += 1
            continue
        found, top = groups_in_parts(method, table, coins, *how)
        assert found == groups(method, table, coins), number
        seen += Counter(cuts=len(top.cuts.ends) > 1, large=len(top.large) > 0)
        seen["apart"] += bool(method.same) and len(top.cuts.ends) > 1
        seen["two columns"] += len(table.having(Role.SENSITIVE)) > 1 and len(top.cuts.ends) > 1
        seen["values"] += method.values is not None and len(top.cuts.ends) > 1
    rare = ("apart", "two columns", "values", "refused") if thorough else ()  # 40 tables may miss one of these
    assert min(seen[kind] for kind in ("cuts", "large", *rare)) > 0, seen


@pytest.mark.parametrize("rows_per_worker", [59, 60])
def test_the_die_falls_alike_on_the_driver_and_in_a_part(rows_per_worker: int) -> None:
    """60 rows of which 20 have a common value, 15 of them on one side: the die refuses that cut half of the time."""
    tried = [(0, 0)] * 15 + [(0, 1 + i // 2) for i in range(15)] + [(1, 0)] * 5 + [(1, 40 + i // 2) for i in range(25)]
    alike = [(9, 0, 100 + i // 2) for i in range(60)]
    regions, sides, values = zip(*[(0, *row) for row in tried], *alike, strict=True)
    table = table_of([line("region", regions), line("side", sides), secret("s", values)], list(range(120)))
    method, seen = SoftCut(l=2), Counter[bool]()
    for seed in range(40):
        coins = Coins.from_seed(seed)
        expected = groups(method, table, coins)
        found, top = groups_in_parts(method, table, coins, rows_per_worker, 1024, 2)
        assert found == expected, seed
        assert (top.accepted + len(top.refused) == 1) == (rows_per_worker == 59)
        seen[any(min(group) < 30 <= max(group) for group in expected)] += 1
    assert min(seen[True], seen[False]) > 8


def test_a_tried_cut_of_a_category_is_between_two_of_its_values() -> None:
    """With a flat taxonomy nearly all cuts cost the same: the first between two codes wins, not the first of all."""
    accepted = 0
    for number in range(12):
        random = Random(f"flat {number}")
        values = [0 if random.random() < 0.22 else random.randrange(1, 40) for _ in range(400)]
        picks = [random.randrange(24) for _ in values]
        quasi = tree("job", [(leaf,) for leaf in range(24)], picks)
        table = table_of([quasi, secret("s", values)], random.sample(range(400), 400))
        coins = Coins.from_seed(number)
        found, top = groups_in_parts(SoftCut(l=2), table, coins, 30, 2, 2)
        assert found == groups(SoftCut(l=2), table, coins), number
        accepted += top.accepted
    assert accepted > 5


def test_a_table_without_certain_cut_is_one_part() -> None:
    """Its first cut is decided where all rows are."""
    for number in range(12):
        random = Random(f"opening in one part {number}")
        table, l = table_without_certain_cut(random, identifier=random.random() < 0.7)
        coins = Coins.from_seed(number)
        found, top = groups_in_parts(SoftCut(l=l), table, coins, 10, 8, 2)
        assert found == groups(SoftCut(l=l), table, coins)
        assert (top.cuts.ends, top.large) == ([0], [0])
        assert "cannot be divided among workers" in top.remarks[0]


@pytest.mark.parametrize("most", [2, 3, 4])
def test_what_is_not_decided_after_very_many_passes_is_tried_by_a_worker(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tops, "MOST_PASSES", most)
    taken_back: list[Try] = []
    real = tops._without_tries

    def watched(active: list[Node], top: Top) -> list[Node]:
        taken_back.extend(top.tries)
        return real(active, top)

    monkeypatch.setattr(tops, "_without_tries", watched)
    for number in range(20):
        random = Random(f"few passes {number}")
        table, l = soft_table(random)
        coins = Coins.from_seed(number)
        found, _ = groups_in_parts(SoftCut(l=l), table, coins, 1, 1024, 1)
        assert found == groups(SoftCut(l=l), table, coins)
    assert taken_back


@pytest.mark.parametrize(
    "model",
    [
        "k-anonymity=3",
        "entropy l-diversity=2",
        "t-closeness=0.6",
        "recursive (c,l)-diversity=2,2",
        "(alpha,k)-anonymity=0.5,3",
    ],
)
def test_groups_in_parts_by_a_model(model: str) -> None:
    method, divided = Tailor(model=model), 0
    for number in range(40):
        random = Random(f"{model} {number}")
        table, _ = random_table(random, secrets=1 + number % 2, largest=80)
        coins = Coins.from_seed(number)
        said = complaint(lambda: groups(method, table, coins))  # noqa: B023
        assert said == complaint(lambda: groups_in_parts(method, table, coins, 5, 8, 2))  # noqa: B023
        if said is None:
            found, top = groups_in_parts(method, table, coins, 5, 8, 2)
            assert found == groups(method, table, coins)
            divided += len(top.cuts.ends) > 1
    assert divided > 3


def complaint(work: Callable[[], object]) -> str | None:
    """What is not feasible about it; None when it is."""
    try:
        work()
    except Infeasible as problem:
        return str(problem)
    return None
