"""What AlphaK and Incognito publish, promise and refuse."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods.incognito import MONOTONE, is_monotone
from pellucid.core.coins import Coins
from pellucid.core.schema import Kind, Role
from pellucid.errors import Infeasible, MethodError, PellucidError
from pellucid.metrics.kept import information_kept
from pellucid.models import PrivacyModel, models
from pellucid.models.groups import numbered
from plain.random_tables import random_table
from plain.tables import line, secret, table_of
from plain.taxonomic import plain_of

TREE = {"*": {"north": ["a", "b"], "south": {"coast": ["c", "d"], "inland": ["e"]}}}
DATA = Path(os.environ.get("PELLUCID_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
QUASI = ["age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "salary-class"]


def people(random: Random, n: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": random.sample(range(n), n),
            "age": pl.Series([random.choice([None, *range(20, 70)]) for _ in range(n)], dtype=pl.Int64),
            "town": [random.choice(["a", "b", "c", "d", "e", None]) for _ in range(n)],
            "sex": [random.choice(["f", "m"]) for _ in range(n)],
            "disease": [f"d{random.randrange(6)}" for _ in range(n)],
        }
    )


def schema(**changed: Any) -> pc.Schema:
    columns: dict[str, dict[str, Any]] = {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "taxonomy": {"ladder": [10, 20]}},
        "town": {"role": "quasi", "taxonomy": {"tree": TREE}},
        "sex": {"role": "quasi"},
        "disease": {"role": "sensitive"},
    }
    return pc.Schema(
        columns={name: pc.Column(**{**column, **changed.get(name, {})}) for name, column in columns.items()}
    )


def published(frame: pl.DataFrame, method: Any, **options: Any) -> pc.Release:
    return pc.publish(frame, method, schema=options.pop("schema", schema()), **options)


# --- what is published


def test_incognito_publishes_every_value_on_the_level_of_its_column() -> None:
    towns = ["a"] * 120 + ["b"] * 100 + ["c", "d"] * 15 + ["e"] * 70 + [None] * 80
    frame = people(Random(1), 400).with_columns(pl.Series("town", towns))
    release = published(frame, pc.Incognito(k=10))
    assert release.private.grouping.levels is not None
    levels = dict(zip(["age", "town", "sex"], release.private.grouping.levels, strict=True))
    assert levels == {"age": 3, "town": 1, "sex": 0}
    town = {"a": "a", "b": "b", "c": "coast", "d": "coast", "e": "inland", None: None}  # levels are as high as the tree
    expected = frame.select(
        pl.lit("*").alias("age"), pl.col("town").replace_strict(town, return_dtype=pl.String), "sex", "disease"
    )
    columns = ["age", "town", "sex", "disease"]
    assert release.frame.select(columns).sort(columns).equals(expected.sort(columns))


def test_a_group_with_a_nearer_ancestor_is_still_published_on_the_level() -> None:
    """Everybody is a, c or d: "north" is published for the a's alone, so that values are generalised alike."""
    even = {"*": {"north": ["a", "b"], "coast": ["c", "d"]}}
    frame = pl.DataFrame({"id": range(8), "town": ["a"] * 4 + ["c", "d", "c", "d"], "disease": ["x", "y"] * 4})
    small = pc.Schema(
        columns={
            "id": pc.Column(role="identifier"),
            "town": pc.Column(role="quasi", taxonomy={"tree": even}),
            "disease": pc.Column(role="sensitive"),
        }
    )
    release = published(frame, pc.Incognito(k=3), schema=small)
    assert release.private.grouping.levels == (1,)
    assert release.frame["town"].unique(maintain_order=True).to_list() == ["north", "coast"]
    near = published(frame, pc.Incognito(k=3), schema=small, recode="intervals")
    assert near.frame["town"].unique(maintain_order=True).to_list() == ["a", "coast"]


def test_a_column_without_a_taxonomy_is_published_as_it_is_or_as_a_star() -> None:
    frame = people(Random(2), 60)
    release = published(frame, pc.Incognito(k=20), schema=schema(age={"taxonomy": None}))
    levels = release.private.grouping.levels
    assert levels == (1, 3, 0)
    assert set(release.frame["age"]) == {"*"}
    assert set(release.frame["sex"]) == {"f", "m"}


def test_a_carried_column_is_published_by_group() -> None:
    frame = people(Random(3), 60)
    release = published(frame, pc.Incognito(k=20), schema=schema(town={"role": "carry"}))
    assert len(release.private.grouping.levels or ()) == 2
    assert set(release.frame["town"]) <= {"*", "north", "south", "coast", None, *"abcde"}


@pytest.mark.parametrize("seed", range(6))
def test_information_kept_is_one_minus_the_loss_on_the_levels(seed: int) -> None:
    frame = people(Random(seed), 150)
    table = pc.read(frame, schema=schema())
    grouping = pc.Incognito(k=2 + 5 * seed).group(table, Coins.from_seed(1))
    t = plain_of(table, range(len(table)))
    assert grouping.levels is not None
    kept = information_kept(table, grouping, "taxonomy")
    for i, (name, level) in enumerate(zip(["age", "town", "sex"], grouping.levels, strict=True)):
        lost = [t.levels[i].loss(level, codes[i]) for codes in t.codes]
        assert kept[name] == pytest.approx(1 - float(sum(lost)) / len(lost))


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
@pytest.mark.parametrize("recode", ["taxonomy", "intervals", "suppression"])
@pytest.mark.parametrize(
    "method",
    [pc.Incognito(k=4), pc.Incognito(l=2), pc.Incognito(model="t-closeness=0.3"), pc.AlphaK(alpha=0.5, k=3)],
    ids=["k", "l", "t", "alpha-k"],
)
def test_what_is_published_verifies(method: Any, recode: Any) -> None:
    for seed in range(3):
        release = published(people(Random(f"verified {seed}"), 120), method, recode=recode)
        model = method.required
        if isinstance(model, pc.AlphaKAnonymity):
            model = pc.AlphaKAnonymity(alpha=model.alpha, k=model.k)
        (verdict,) = pc.verify(release.frame, [model], quasi=["age", "town", "sex"], sensitive="disease")
        assert verdict.holds


# --- what is promised


def test_incognito_claims_the_algorithm_for_sizes_only() -> None:
    table = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    for method in (pc.Incognito(k=2), pc.Incognito(model="maximum re-identification risk=0.5")):
        assert method.claim == "algorithm"
        assert method.warning is None
        assert "nothing is promised about disease" in method.sentence(table)
    assert "at least 2 rows" in pc.Incognito(k=2).sentence(table)
    for model in ("l-diversity=2", "t-closeness=0.5", "(alpha,k)-anonymity=0.5,2"):
        method = pc.Incognito(model=model)
        assert method.claim == "frequency"
        assert method.warning is not None
        assert "minimality attack" in method.warning
        assert "strata" in method.warning
        assert "may learn more about a person's disease" in method.sentence(table)
    assert "1/7" in pc.Incognito(l=7).sentence(table)


def test_alpha_k_warns_of_the_minimality_attack() -> None:
    table = table_of([line("age", [1, 2]), secret("disease", [1, 2])], [0, 1])
    method = pc.AlphaK(alpha="1/3", k=4, sensitive=["disease 1"])
    assert method.claim == "frequency"
    assert "minimality attack" in str(method.warning)
    for word in ("at least 4 rows", "1/3", "'disease 1'", "may learn more about a person's disease"):
        assert word in method.sentence(table)
    assert method.model_dump(mode="json") == {"alpha": "1/3", "k": 4, "sensitive": ["disease 1"]}


def test_alpha_k_protects_only_the_values_given() -> None:
    table = table_of([line("age", [1, 1, 2, 2]), secret("disease", [0, 0, 1, 2])], range(4))
    every = pc.AlphaK(alpha=0.5, k=2).group(table, Coins.from_seed(1))
    assert every.labels.tolist() == [0, 0, 0, 0]
    some = pc.AlphaK(alpha=0.5, k=2, sensitive=("disease 1",)).group(table, Coins.from_seed(1))
    assert some.labels.tolist() == [0, 0, 1, 1]


# --- what a monotone model is


def random_model(random: Random, kind: type[PrivacyModel]) -> PrivacyModel:
    choices: dict[str, list[Any]] = {
        "k": [1, 2, 4],
        "l": [1, 2, 3],
        "c": [1, "1/2", 3],
        "t": [0.1, 0.3, 0.5],
        "alpha": [0.4, 0.6],
        "beta": [0.3, 1, 2],
        "delta": [0.3, 1, 2],
        "risk": [0.2, 0.5],
        "e": [1, 3],
        "sensitive": [None, None, (0,), (1, 2)],
        "together": [False, True],
        "distance": ["equal", "ordered"],
        "distinct": [False, True],
    }
    return kind(**{name: random.choice(choices[name]) for name in kind.model_fields})


@pytest.mark.parametrize("kind", MONOTONE, ids=lambda kind: kind.name)
def test_merging_groups_that_satisfy_a_monotone_model_gives_one_that_does(kind: type[PrivacyModel]) -> None:
    random = Random(kind.name)
    attribute = replace(numbered(4), kind=Kind.NUMBER)
    both = broken = 0
    for _ in range(500):
        model = random_model(random, kind)
        if not is_monotone(model):
            continue
        pair = np.array([[random.choice([0, 0, 1, 2, 5]) for _ in range(4)] for _ in range(2)])
        whole = pair.sum(axis=0) + [random.randrange(1, 6) for _ in range(4)]
        if (pair.sum(axis=1) == 0).any():
            continue
        first, second, merged = model.check_counts(np.vstack([pair, pair.sum(axis=0)]), whole, attribute=attribute)
        both += first and second
        broken += not merged
        assert merged or not (first and second)
    assert both >= 3
    assert broken >= 3


def test_incognito_refuses_what_is_not_monotone() -> None:
    table = table_of([line("age", [1, 2, 3, 4]), secret("s", [0, 1, 2, 3])], range(4))
    accepted, refusals = set(), []
    for name, kind in models().items():
        usual = {key: int(text) if text.isdigit() else text for key, text in kind.examples.items()}
        preset = kind.variants.get(name, {})
        try:
            pc.Incognito(model=kind(**{**usual, **preset})).minimal_nodes(table)
            accepted.add(kind)
        except Infeasible:
            accepted.add(kind)
        except PellucidError as refusal:
            refusals.append(str(refusal))
    assert len(refusals) >= 5
    assert not any("\n" in refusal for refusal in refusals)
    assert accepted <= {*MONOTONE, pc.AverageRisk, pc.SampleUniqueness, pc.PopulationUniques}
    assert len(accepted) >= 10
    some = {"name": "entropy l-diversity", "l": 2, "sensitive": ["s 0"]}
    with pytest.raises(MethodError, match="monotone"):
        pc.Incognito(model=some).minimal_nodes(table)


# --- what is refused


def test_a_taxonomy_with_several_parents_is_refused() -> None:
    frame = pl.DataFrame({"town": ["x", "y", "z"], "disease": ["a", "b", "c"]})
    columns = {
        "town": pc.Column(role="quasi", taxonomy={"tree": {"*": {"A": ["x", "y"], "B": ["y", "z"]}}}),
        "disease": pc.Column(role="sensitive"),
    }
    table = pc.read(frame, schema=pc.Schema(columns=columns))
    for method in (pc.Incognito(k=1), pc.AlphaK(alpha=1, k=1)):
        with pytest.raises(MethodError, match="'town' gives a name several parents"):
            method.group(table, Coins.from_seed(1))


def test_a_lattice_that_is_too_large_is_refused_with_its_size() -> None:
    table = table_of([*(line(f"q{i}", [0, 1]) for i in range(25)), secret("s", [0, 1])], range(2))
    with pytest.raises(MethodError, match="33,554,432 combinations of levels"):
        pc.Incognito(k=1).minimal_nodes(table)


def test_parameters_out_of_range_name_what_would_do() -> None:
    table = table_of([line("age", [1, 2, 3]), secret("s", [0, 0, 1])], range(3))
    with pytest.raises(Infeasible, match="use k = 3 or less"):
        pc.AlphaK(alpha=1, k=4).group(table, Coins.from_seed(1))
    with pytest.raises(Infeasible, match="use alpha = 2/3 or more"):
        pc.AlphaK(alpha=0.5, k=1).group(table, Coins.from_seed(1))
    with pytest.raises(Infeasible, match="k = 3"):
        pc.Incognito(k=4).group(table, Coins.from_seed(1))
    for parameters in ({"k": 2}, {"alpha": 0, "k": 2}, {"alpha": 2, "k": 2}, {"alpha": 0.5, "k": 0}):
        with pytest.raises(MethodError):
            pc.AlphaK(**parameters)
    with pytest.raises(MethodError, match="one of k, l, model"):
        pc.Incognito()


@pytest.mark.parametrize("method", [pc.Incognito(k=1), pc.AlphaK(alpha=1, k=1)], ids=lambda m: m.name)
def test_a_table_without_rows_is_refused(method: Any) -> None:
    table = table_of([line("age", []), secret("s", [])], [])
    with pytest.raises(MethodError, match="no rows"):
        method.group(table, Coins.from_seed(1))


# --- larger tables


def test_alpha_k_at_alpha_1_and_k_1_separates_all_vectors() -> None:
    table, _ = random_table(Random("all"), rows=500, family="tree", attributes=5)
    found = pc.AlphaK(alpha=1, k=1).group(table, Coins.from_seed(1))
    vectors = {tuple(int(table.codes[i][row]) for i in table.having(Role.QUASI)) for row in range(500)}
    assert len(found) == len(vectors)


def test_alpha_k_of_a_hundred_thousand_rows_satisfies_its_model_on_one_and_two_threads() -> None:
    generator = np.random.default_rng(3)
    n = 100_000
    columns = [line("zip", generator.permutation(n).tolist()), line("age", generator.integers(0, 60, n).tolist())]
    hidden = secret("s", generator.triangular(0, 3, 30, n).astype(int).tolist())
    table = table_of([*columns, hidden], generator.permutation(n))
    method = pc.AlphaK(alpha="1/4", k=10)
    found = method.group(table, Coins.from_seed(1), threads=1)
    assert np.array_equal(found.labels, method.group(table, Coins.from_seed(1), threads=2).labels)
    sizes = np.bincount(found.labels)
    cells, counts = np.unique(found.labels.astype(np.int64) * 30 + table.codes[2], return_counts=True)
    assert len(sizes) >= 50
    assert sizes.min() >= 10
    assert (counts * 4 <= sizes[cells // 30]).all()


def test_the_minimal_nodes_of_adult_are_those_that_polars_counts() -> None:
    """Every minimal node has groups of at least 5 rows, and one level lower anywhere a smaller one appears."""
    if not (DATA / "adult" / "adult.csv").is_file():
        pytest.skip(f"Adult is not at {DATA}; say where with PELLUCID_DATA")
    frame = pl.read_csv(DATA / "adult" / "adult.csv", infer_schema_length=None)
    frame = frame.filter(~pl.any_horizontal(pl.col(pl.String) == "?")).select(*QUASI, "education")
    taxonomies = {name: DATA / "adult" / "taxonomies" / f"{name}.csv" for name in QUASI}
    columns = {name: pc.Column(role="quasi", taxonomy=str(path)) for name, path in taxonomies.items()}
    table = pc.read(frame, schema=pc.Schema(columns={**columns, "education": pc.Column(role="sensitive")}))
    assert len(table) == 45_222
    paths = {
        name: {row[0]: row for row in (text.split(";") for text in path.read_text().split())}
        for name, path in taxonomies.items()
    }
    leveled = frame.select(
        pl.col(name)
        .cast(pl.String)
        .replace_strict({leaf: row[h] for leaf, row in paths[name].items()})
        .alias(f"{name}{h}")
        for name in QUASI
        for h in range(len(next(iter(paths[name].values()))))
    )

    def smallest(node: tuple[int, ...]) -> int:
        names = [f"{name}{h}" for name, h in zip(QUASI, node, strict=True)]
        return int(leveled.group_by(names).len()["len"].min())  # type: ignore[arg-type]

    nodes = pc.Incognito(k=5).minimal_nodes(table)
    assert len(nodes) == len(set(nodes))
    lower = {(*node[:i], h - 1, *node[i + 1 :]) for node in nodes for i, h in enumerate(node) if h}
    assert all(smallest(node) >= 5 for node in nodes)
    assert all(smallest(node) < 5 for node in lower)
    found = pc.Incognito(k=5).group(table, Coins.from_seed(1))
    assert found.levels in nodes
    assert found.sizes.min() >= 5
