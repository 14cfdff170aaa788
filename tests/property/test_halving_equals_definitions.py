"""Mondrian's groups are those of the plain definition, whichever path the model takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from pellucid.coins import Coins
from pellucid.group.mondrian import Mondrian
from pellucid.model import PrivacyModel, of
from pellucid.schema import Role
from pellucid.table import Table
from plain import halving
from plain.halving import Satisfies
from plain.random_tables import FAMILIES, random_table
from plain.tables import line, secret, table_of
from plain.transparent import Inputs, as_grouping, inputs_of

CHUNKS = 6
TABLES_PER_CHUNK = 200


def groups_of(labels: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    found: dict[int, list[int]] = {}
    for row, label in enumerate(labels):
        found.setdefault(label, []).append(row)
    return tuple(tuple(found[label]) for label in range(len(found)))


def read(table: Table, coins: Coins) -> Inputs:
    return inputs_of(table, None if table.order is not None else coins.order(len(table)).tolist())


def diverse(l: int) -> Satisfies:
    return lambda values: l * max(Counter(values).values()) <= len(values)


def asked(model: PrivacyModel, table: Table) -> Satisfies:
    """A model as the package answers it for one group; the models have plain definitions of their own."""
    (column,) = table.having(Role.SENSITIVE)
    attribute = table.attributes[column]
    whole = np.bincount(table.codes[column], minlength=len(attribute))
    return lambda values: bool(
        model.check_counts(np.bincount(values, minlength=len(attribute)), whole, attribute=attribute)
    )


def compare(table: Table, mondrian: Mondrian, satisfies: Satisfies, coins: Coins, threads: int = 1) -> int:
    inputs = read(table, coins)
    expected = halving.mondrian(
        inputs.codes,
        inputs.order,
        inputs.sensitive,
        satisfies,
        inputs.geometry,
        strict=mondrian.strict,
        retry=mondrian.retry,
    )
    found = mondrian.group(table, coins, threads=threads)
    assert groups_of(found.labels.tolist()) == as_grouping(expected)
    return len(expected)


def random_setting(random: Random, table: Table, l: int) -> tuple[Mondrian, Satisfies]:
    """A way to ask for privacy that the table can bear."""
    how = {"strict": random.random() < 0.5, "retry": random.random() < 0.5}
    (column,) = table.having(Role.SENSITIVE)
    values = table.attributes[column].values.to_list()
    if random.random() < 0.4:
        return Mondrian(l=l, **how), diverse(l)
    if random.random() < 0.3:
        k = random.randint(1, len(table))
        return Mondrian(k=k, **how), lambda group: len(group) >= k
    some = random.sample(values, min(len(values), random.choice([1, 2, 3])))
    model = of(
        random.choice(
            [
                {"name": "l-diversity", "l": l, "sensitive": some},
                {"name": "(alpha,k)-anonymity", "alpha": f"{random.randint(1, l)}/{l}", "k": random.randint(1, l)},
                {"name": "distinct l-diversity", "l": min(l, len(values))},
                {"name": "t-closeness", "t": random.choice(["1/2", "0.2", "0.3"])},
                {"name": "beta-likeness", "beta": random.choice([1, 2])},
                {"name": "entropy l-diversity", "l": 1},
            ]
        )
    )
    assert isinstance(model, PrivacyModel)
    return Mondrian(model=model, **how), asked(model, table)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_mondrian_is_its_definition(chunk: int) -> None:
    groups = 0
    for number in range(TABLES_PER_CHUNK):
        random = Random(f"mondrian {chunk} {number}")
        table, l = random_table(random, largest=70, identifier=random.random() < 0.8)
        mondrian, satisfies = random_setting(random, table, l)
        groups += compare(table, mondrian, satisfies, Coins.from_seed(number), threads=1 if number % 4 else 2)
    assert groups > 2 * TABLES_PER_CHUNK


@pytest.mark.parametrize("family", FAMILIES)
def test_mondrian_of_some_thousand_rows_is_its_definition(family: str) -> None:
    random = Random(f"thousands {family}")
    table, l = random_table(random, family=family, rows=2500, attributes=4)
    for strict in (False, True):
        for retry in (False, True):
            how = {"strict": strict, "retry": retry}
            assert compare(table, Mondrian(l=l, **how), diverse(l), Coins.from_seed(1)) > 0
            compare(table, Mondrian(k=5, **how), lambda group: len(group) >= 5, Coins.from_seed(1), threads=2)
    model = of("t-closeness=0.4")
    assert isinstance(model, PrivacyModel)
    compare(table, Mondrian(model=model), asked(model, table), Coins.from_seed(1), threads=2)


def test_sixty_thousand_rows_on_two_threads_fall_into_the_groups_of_the_definition() -> None:
    """Enough rows for the threads to share the tree."""
    random = Random("sixty thousand")
    n, l = 60_000, 8
    quasi = [
        line("age", [random.randrange(79) for _ in range(n)]),
        line("income", [int(500 * random.paretovariate(2)) for _ in range(n)]),
        line("place", random.sample(range(10 * n), n)),
    ]
    hidden = secret("s", [min(random.randrange(50), random.randrange(80)) for _ in range(n)])
    table = table_of([*quasi, hidden], random.sample(range(n), n))
    assert compare(table, Mondrian(l=l), diverse(l), Coins.from_seed(1), threads=2) > 1000


def test_the_random_tables_tell_the_settings_apart() -> None:
    """If strict or retry changed nothing on these tables, the comparison would not see a kernel that ignores them."""
    different: Counter[str] = Counter()
    for number in range(100):
        random = Random(f"mondrian 0 {number}")
        table, l = random_table(random, largest=70, identifier=True)
        coins = Coins.from_seed(1)

        def labels(l: int = l, table: Table = table, coins: Coins = coins, **how: bool) -> list[int]:
            return Mondrian(l=l, **how).group(table, coins, threads=1).labels.tolist()

        different["strict"] += labels(strict=True) != labels(strict=False)
        different["retry"] += labels(retry=True) != labels(retry=False)
    assert min(different.values()) >= 10
