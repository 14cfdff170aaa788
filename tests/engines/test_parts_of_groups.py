"""Looking at parts of a table and keeping the few groups that answers rest on answers as looking at all of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from pellucid.audit import deciding_groups as telling
from pellucid.audit.deciding_groups import DecidingLook, deciding, kept, merged
from pellucid.audit.partition import partition
from pellucid.core.schema import Column, Schema
from pellucid.core.table import frequencies
from pellucid.io import encode
from pellucid.models import models, parse
from pellucid.models.groups import Groups, GroupTally, numbered
from pellucid.models.sensitive import DiversityModel
from pellucid.models.table_risk import PopulationUniques


def random_table(rng: np.random.Generator):
    """Few and many groups, ties everywhere, nulls, a sensitive column of texts, numbers, or with a taxonomy."""
    rows = int(rng.integers(1, 300))
    quasi = {f"q{i}": _some(rng, rows, int(rng.integers(1, 12))) for i in range(int(rng.integers(1, 4)))}
    kind = rng.choice(["text", "number", "tree"])
    values = rng.integers(0, int(rng.integers(1, 7)), rows)
    nulls = rng.random(rows) < rng.choice([0, 0.1])
    nulls[0] = False
    held = pl.Series(values / 4) if kind == "number" else pl.Series([f"v{value}" for value in values])
    held = held.set(pl.Series(nulls), None)
    tree = {"tree": {"*": {"low": ["v0", "v1", "v2"], "high": ["v3", "v4", "v5", "v6"]}}}
    sensitive = Column(role="sensitive", taxonomy=tree if kind == "tree" else None)
    columns = {name: Column(role="quasi", kind="category") for name in quasi} | {"s": sensitive}
    return encode(pl.DataFrame(quasi).with_columns(s=held), Schema(columns=columns))


def _some(rng, rows, values):
    picked = rng.integers(0, values, rows)
    return pl.Series([None if value == 0 else f"x{value}" for value in picked], dtype=pl.String)


def asked_of(table, rng):
    """Every model at every label, some of them about some values only."""
    secret = table.attributes[-1].values.to_list()
    chosen = tuple(secret[: int(rng.integers(1, len(secret) + 1))])
    asked = []
    for kind in dict.fromkeys(models().values()):
        if kind.looks_at == "population" or kind is PopulationUniques:  # which says that it needs all sizes
            continue
        for model in kind.surveyable():
            asked.append(model)
            if isinstance(model, DiversityModel):
                given = {name: getattr(model, name) for name in model.model_fields_set}
                asked += [type(model)(**given, sensitive=chosen, together=together) for together in (False, True)]
    return asked


def entries_of(table, whole):
    """The groups as rows of forming values, code and rows, as Spark hands them over."""
    groups = whole.groups
    group = groups.groups_of_entries
    examples = whole.rows[whole.first][group]
    forming = {
        f"f{i}": table.attributes[i].values.gather(table.codes[i][examples].astype(np.uint32)) for i in whole.forming
    }
    return pl.DataFrame(forming).with_columns(code=pl.Series(groups.codes), rows=pl.Series(groups.counts))


def in_parts(entries: pl.DataFrame, starts: list[int], rng) -> list[list[pl.DataFrame]]:
    """Cut between groups into partitions, and anywhere into frames."""
    borders = sorted({0, entries.height, *rng.choice(starts, size=min(len(starts), 4)).tolist()})
    partitions = []
    for a, b in pairwise(borders):
        cuts = sorted({a, b, *rng.integers(a, b, 3).tolist()})
        partitions.append([entries.slice(c, d - c) for c, d in pairwise(cuts)])
    return partitions


@pytest.mark.parametrize("seed", range(60))
def test_parts_answer_as_the_whole(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(telling, "STRETCH", int(rng.integers(1, 50)))
    table = random_table(rng)
    forming = range(len(table.attributes) - 1)
    whole = partition(table, forming, len(table.attributes) - 1)
    entries = entries_of(table, whole)
    asked = asked_of(table, rng)
    counts = frequencies(table.codes[-1], len(table.attributes[-1]))
    look = DecidingLook(table.attributes[-1], counts, tuple(asked))
    parts = [look(frames) for frames in in_parts(entries, whole.groups.starts[:-1].tolist(), rng)]
    told = merged(parts, asked)
    few, many = told.groups, whole.groups
    assert few.tally == many.tally
    for model in asked:
        assert type(model).surveyed(few) == type(model).surveyed(many)
        assert model.unfit(few) == model.unfit(many)
        if model.unfit(many) is None:
            assert model.level(few) == model.level(many), model
            assert model.check(few) == model.check(many), model
            worst = model.level(many).worst
            assert list(told.published(worst.group).values()) == list(whole.published(worst.group).values())


def test_a_model_that_is_asked_alone_answers_as_from_all_groups():
    """No other model keeps the groups that this one's answer rests on: the smallest is not the least diverse."""
    counts = np.array([[5, 4, 3], [9, 0, 0], [1, 1, 1], [8, 7, 0]])
    groups = Groups.of_counts(counts, counts.sum(axis=0), numbered(3))
    asked = [model for kind in dict.fromkeys(models().values()) for model in kind.surveyable()]
    asked = [model for model in asked if model.looks_at != "population" and model.unfit(groups) is None]
    asked = [model for model in asked if not isinstance(model, PopulationUniques)]  # which needs all sizes
    assert {model.by_group for model in asked} == {True, False}
    for model in asked:
        few = kept(groups, deciding(groups, [model]))
        assert model.level(few) == model.level(groups), model
        assert model.check(few) == model.check(groups), model
        assert type(model).surveyed(few) == type(model).surveyed(groups), model


def test_what_is_left_does_not_grow_with_the_groups(monkeypatch):
    monkeypatch.setattr(telling, "STRETCH", 64)
    rng = np.random.default_rng(1)
    rows = 5000
    frame = pl.DataFrame({"q": rng.permutation(rows) // 2, "s": rng.integers(0, 9, rows)})
    table = encode(frame, Schema.of(quasi=["q"], sensitive="s"))
    whole = partition(table, [0], 1)
    asked = asked_of(table, rng)
    told = DecidingLook(table.attributes[1], frequencies(table.codes[1], 9), tuple(asked))([entries_of(table, whole)])
    assert told.groups.tally.groups == rows // 2
    assert len(told.groups) <= 2 + sum(len(model.directions) for model in asked)


def test_a_group_that_is_cut_between_frames_is_one_group():
    frame = pl.DataFrame({"f0": [None, None, "a"], "code": [0, 1, 0], "rows": [1, 2, 4]})
    table = encode(pl.DataFrame({"q": ["a", "a"], "s": [0, 1]}), Schema.of(quasi=["q"], sensitive="s"))
    asked = (parse("k-anonymity=2"), parse("l-diversity=2"))
    told = DecidingLook(table.attributes[1], np.array([5, 2]), asked)([frame.slice(i, 1) for i in range(3)])
    assert told.groups.tally == GroupTally(groups=2, rows=7, small=(0, 0, 1, 1))
    k, l = (model.level(told.groups) for model in asked)
    assert (k.level, k.worst.counts, told.published(k.worst.group)) == (3, {1: 2, 0: 1}, {"f0": None})
    assert (l.level, l.worst.counts, told.published(l.worst.group)) == (1, {0: 4}, {"f0": "a"})
