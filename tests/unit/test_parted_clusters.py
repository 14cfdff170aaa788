"""Clusters that were taken as several: what is certain to somebody who knows that their rows have the same value."""

from __future__ import annotations

import warnings
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.disclosure.shared_values import SharedInClustersWarning, shared_columns
from pellucid.core.schema import Role
from pellucid.models import Groups
from pellucid.reports.promise import assumptions_of, general_limits
from pellucid.risk.report import parted_clusters
from pellucid.risk.report.parted_clusters import count_certain
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import verdict_lines

ROLES = {"quasi": ["age"], "sensitive": "decile", "cluster": "home"}


def homes(seed: int = 1, many: int = 120) -> pl.DataFrame:
    """Homes of one to four people who share a decile."""
    drawn = Random(seed)
    rows = [
        (home, drawn.randrange(90), decile)
        for home in range(many)
        for decile in [drawn.randrange(10)]
        for _ in range(drawn.randint(1, 4))
    ]
    return pl.DataFrame(rows, schema=["home", "age", "decile"], orient="row").cast({"decile": pl.String})


def parted(people: pl.DataFrame) -> pc.Release:
    """A release that takes every row of a home by itself."""
    with pytest.warns(SharedInClustersWarning):
        return pc.publish(people, pc.SoftCut(l=3, cluster_rows=1), **ROLES)


def plainly(
    clusters: list[int], values: list[int], groups: list[int], most: int, marks: list[bool] | None
) -> tuple[int, int, int]:
    """The definition: of parted clusters that share a value, those in all of whose groups no other value is."""
    shown: dict[int, set[int]] = {}
    for group, value in zip(groups, values, strict=True):
        shown.setdefault(group, set()).add(value)
    rows_of = {one: [row for row, of in enumerate(clusters) if of == one] for one in clusters}
    parted = {one: rows for one, rows in rows_of.items() if len(rows) > most}
    certain = [
        rows
        for rows in parted.values()
        if len({values[row] for row in rows}) == 1
        and (marks is None or marks[values[rows[0]]])
        and len(set.intersection(*(shown[groups[row]] for row in rows))) == 1
    ]
    return len(parted), len(certain), sum(map(len, certain))


@pytest.mark.parametrize("at_once", [1, 7, 1 << 22])
def test_the_count_is_that_of_the_definition(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted_clusters, "AT_ONCE", at_once)
    seen = set()
    for seed in range(300):
        drawn = Random(seed)
        rows, values = drawn.randint(1, 14), drawn.randint(1, 4)
        clusters = [drawn.randrange(5) for _ in range(rows)]
        shared = [drawn.randrange(values) for _ in range(5)]
        has = [shared[of] if drawn.random() < 0.9 else drawn.randrange(values) for of in clusters]
        groups = [drawn.randrange(4) for _ in range(rows)]
        marks = None if drawn.random() < 0.5 else [drawn.random() < 0.5 for _ in range(values)]
        codes, held = sorted(set(has)), np.array(has)
        held = np.searchsorted(codes, held).astype(np.int32)
        frame = pl.DataFrame({"q": [0] * rows, "s": [f"v{code}" for code in held.tolist()]})
        table = pc.read(frame, quasi="q", sensitive="s")
        (column,) = table.having(Role.SENSITIVE)
        _, labels = np.unique(groups, return_inverse=True)
        labels = labels.astype(np.int32)
        marked = None if marks is None else np.array([marks[code] for code in codes])
        published = Groups.of(labels, table.codes[column], table.attributes[column])
        most = drawn.randint(1, 3)
        found = count_certain(np.array(clusters, np.int32), table.codes[column], labels, published, most, marked)
        assert found == plainly(clusters, has, groups, most, marks), seed
        seen.add(found)
    assert len(seen) > 20


def test_an_attack_counts_it_and_no_verdict_covers_it() -> None:
    people = homes()
    release = parted(people)
    report = pc.attack_all(release, truth=people, adversaries=["nothing", "algorithm"])
    told = report.parted
    labels, has = release.private.labels.tolist(), people["decile"].cast(int).to_list()
    assert told is not None
    assert (told.parted, told.certain, told.people) == plainly(people["home"].to_list(), has, labels, 1, None)
    assert told.certain
    first = verdict_lines(result_of(report))
    assert first[0].startswith("holds: ")
    assert first[1].startswith(
        "NOT covered by the promise: somebody who knows that all rows of a cluster have the same"
    )
    assert f"certain of it for {told.certain} of the {told.parted} clusters of more than 1 row" in first[1]
    notes = " ".join(report.attempts[1].beliefs.notes)
    assert "goes together is neither covered nor bounded" in notes


def test_it_is_counted_from_files_and_said_where_it_cannot_be_counted(tmp_path: object) -> None:
    people, folder = homes(), f"{tmp_path}/out"
    release = parted(people)
    release.write(folder)
    whole = pc.attack_all(release, truth=people, adversaries=["nothing"]).parted
    told = pc.attack_all(folder, truth=people, groups=release.private.labels, adversaries=["nothing"]).parted
    assert told == whole
    unknown = pc.attack_all(folder, truth=people.drop("home"), groups=release.private.labels, adversaries=["nothing"])
    for report in (unknown, pc.attack_all(folder, adversaries=["nothing"])):
        assert report.parted is not None
        assert report.parted.certain is None
        assert "what such somebody believes of these is not bounded" in report.parted.sentence


def test_of_whole_clusters_nothing_is_said(tmp_path: object) -> None:
    people, folder = homes(), f"{tmp_path}/out"
    release = pc.publish(people, pc.SoftCut(l=2), **ROLES)
    release.write(folder)
    assert pc.attack_all(release, truth=people, adversaries=["nothing"]).parted is None
    assert pc.attack_all(folder, adversaries=["nothing"]).parted is None
    page = pc.report(release, people, audience="public").html
    assert "takes more of them than it says as several" not in page


def test_both_reports_say_it_and_the_public_one_counts_nothing() -> None:
    people = homes()
    release = parted(people)
    private = pc.report(release, people).html
    public = pc.report(release, people, audience="public").html
    assert "certain of it for" in private.partition('id="signature"')[0]
    assert "takes more of them than it says as several" in public
    assert "certain of it for" not in public
    assert assumptions_of(None, clustered=True, parted=True)[2] in public
    assert dict(general_limits(clustered=True))["People who depend on each other"] not in public


def test_publishing_warns_where_parted_clusters_share_a_value() -> None:
    people = homes()
    with pytest.warns(SharedInClustersWarning, match="decile is the same for all rows of 100 % of the clusters of two"):
        pc.publish(people, pc.SoftCut(l=3, cluster_rows=1), **ROLES)
    drawn = Random(4)
    mixed = people.with_columns(decile=pl.Series([str(drawn.randrange(10)) for _ in range(len(people))]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SharedInClustersWarning)
        pc.publish(people, pc.SoftCut(l=3), **ROLES)
        pc.publish(mixed, pc.SoftCut(l=3, cluster_rows=1), **ROLES)


@pytest.mark.parametrize("different", [0, 2, 6])
def test_nearly_all_is_counted_among_clusters_with_a_protected_value(different: int) -> None:
    """Of fifty pairs that have it some are of two kinds; the hundred pairs without it do not count."""
    ill = [("yes", "no" if pair < different else "yes") if pair < 50 else ("no", "no") for pair in range(150)]
    rows = [(pair, pair % 7, value) for pair, values in enumerate(ill) for value in values]
    table = pc.read(
        pl.DataFrame(rows, schema=["home", "age", "ill"], orient="row"), quasi="age", sensitive="ill", cluster="home"
    )
    found = shared_columns(table, pc.SoftCut(l=2, values=("yes",)))
    assert found == ({} if different == 6 else {"ill": 1 - different / 50})


def test_the_refusal_that_proposes_it_says_what_it_leaves_open() -> None:
    drawn = Random(2)
    sizes = [1] * 100 + [2] * 100 + [5]
    rows = [(home, drawn.randrange(90), f"d{home % 10}") for home, size in enumerate(sizes) for _ in range(size)]
    people = pl.DataFrame(rows, schema=["home", "age", "decile"], orient="row")
    said = r"cluster_rows=\d+.* \(nearly all clusters share one decile, and who knows that may then be certain of it\)"
    with pytest.raises(pc.Infeasible, match=said):
        pc.publish(people, pc.SoftCut(l=4), **ROLES)
