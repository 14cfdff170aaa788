"""A comparison can be trusted, stopped and continued: nothing unknown counts as safe, nothing is done twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.comparing import Cell, Comparison, Question, Risk
from pellucid.comparing.cell import TooLong, at_most, bound_of
from pellucid.comparing.kept import cell_file
from pellucid.errors import MeasureError, MethodError, OutputError
from pellucid.table import fingerprint

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
METRICS = [{"name": "query-error", "unit": "mean relative error", "direction": "lower"}]


def cell(method: str, l: int, error: float, risks: list[Risk], **more: Any) -> Cell:
    scores = [{"metric": "query-error", "value": error, "unit": "", "direction": "lower", "meaning": ""}]
    return Cell(method, {"l": l}, l, scores=scores, risks=risks, rows=100, groups=10, **more)


def ran(largest: float, above: int, unsure: int = 0) -> Risk:
    return Risk("knows the algorithm", True, largest, above, unsure)


NOT_RUN = Risk("knows the algorithm", False, how="it is too much to count")


def test_the_sentence_names_what_is_kept_and_who_is_above() -> None:
    cells = [cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), cell("mondrian", 6, 0.0, [ran(1.0, 412)])]
    assert Comparison(cells, METRICS).sentence == (
        "Hybrid at l=6 keeps 92 % of the query accuracy of Mondrian and has no row above 1/6; Mondrian has 412."
    )


def test_the_strictest_promise_that_costs_little_is_recommended() -> None:
    errors = {2: 0.05, 4: 0.08, 8: 0.12, 10: 0.4}
    cells = [cell("hybrid", l, error, [ran(1 / l, 0)]) for l, error in errors.items()]
    found = Comparison(cells, METRICS)
    assert found.sentence.startswith("Hybrid at l=8 ")  # 0.88 is above 90 % of 0.95, and 0.6 is not
    assert len(found.sentences) == 4


def test_a_rival_that_could_not_be_attacked_is_told_with_the_reason() -> None:
    cells = [cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), cell("mondrian", 6, 0.0, [NOT_RUN], promised=False)]
    assert Comparison(cells, METRICS).sentence == (
        "Hybrid at l=6 keeps 92 % of the query accuracy of Mondrian and has no row above 1/6; Mondrian is not known "
        "to be safe (somebody who knows the algorithm could not be tried on it: it is too much to count)."
    )


def test_a_method_without_a_promise_is_not_recommended_because_it_was_lucky() -> None:
    lucky = cell("mondrian", 6, 0.01, [ran(1 / 6, 0)], promised=False)
    found = Comparison([cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), lucky], METRICS)
    assert found.sentence.startswith("Hybrid at l=6 keeps 93 % ")
    assert found.sentence.endswith("Mondrian has none on this table either, but does not promise it.")
    assert "does not promise it" in Comparison([lucky], METRICS).sentence


def test_exact_quasi_identifiers_are_not_preferred_for_their_accuracy_and_are_told() -> None:
    anatomy = cell("anatomy", 6, 0.01, [ran(1 / 6, 0)], exact=True)
    found = Comparison([cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), anatomy], METRICS)
    assert found.sentence == (
        "Hybrid at l=6 has no row above 1/6 (query-error 0.08). Anatomy is more accurate (query-error 0.01 against "
        "0.08) and as safe, but publishes everybody's exact quasi-identifiers, so that it tells who is in the table."
    )
    alone = Comparison([anatomy], METRICS).sentence
    assert alone.startswith("Anatomy at l=6 ")
    assert "exact quasi-identifiers" in alone
    worse = cell("anatomy", 6, 0.2, [ran(1 / 6, 0)], exact=True)
    assert "Anatomy" not in Comparison([cell("hybrid", 6, 0.08, [ran(1 / 6, 0)]), worse], METRICS).sentence


def test_a_stricter_promise_of_exact_quasi_identifiers_does_not_win_over_a_generalised_release() -> None:
    cells = [cell("hybrid", 4, 0.08, [ran(1 / 4, 0)]), cell("anatomy", 7, 0.01, [ran(1 / 7, 0)], exact=True)]
    found = Comparison(cells, METRICS)
    assert found.sentence.startswith("Hybrid at l=4 ")
    assert len(found.sentences) == 2


def test_a_mistaken_belief_in_minimality_does_not_count() -> None:
    guess = Risk("knows minimality", True, 1.0, 40, knows="minimality")
    knows = Risk("knows the algorithm", True, 0.5, 0, knows="algorithm")
    assert cell("ace", 2, 0.1, [guess, knows]).safe
    assert not cell("mondrian", 2, 0.1, [guess], promised=False).safe
    informed = cell("mondrian", 2, 0.1, [guess, Risk("knows the algorithm", True, 1.0, 7, knows="algorithm")])
    assert informed.above == 7
    assert not cell("ace", 2, 0.1, [guess]).known  # nobody who counts was tried


def test_somebody_who_assumes_minimality_is_not_tried_on_a_method_that_does_more() -> None:
    attackers = [pc.Adversary(knows="minimality"), pc.Adversary(knows="algorithm")]
    methods = [pc.Ace(l=2), pc.GreedyGrouping(l=2)]
    ace, greedy = pc.compare(pc.datasets.patients(), methods, [pc.Perimeter()], attackers, **ROLES).cells
    assert [risk.ran for risk in ace.risks] == [False, True]
    assert [risk.ran for risk in greedy.risks] == [True, True]
    assert ace.safe


@pytest.mark.parametrize("risks", [[NOT_RUN], [ran(0.2, 0), NOT_RUN], [ran(0.2, 0, unsure=3)], []])
def test_what_is_not_known_is_not_safe(risks: list[Risk]) -> None:
    doubtful = cell("mondrian", 5, 0.01, risks)
    assert not doubtful.safe
    found = Comparison([doubtful], METRICS)
    assert found.sentence.startswith("No release was found to be safe")
    assert found.frame["safe"].to_list() == ["not known"]


def test_a_row_above_the_bound_is_unsafe_whatever_else_could_not_run() -> None:
    found = Comparison([cell("mondrian", 5, 0.01, [ran(1.0, 7), NOT_RUN])], METRICS)
    assert found.frame["safe"].to_list() == ["no"]
    assert "too much to count" in found.frame["remarks"][0]


def test_an_attack_ends_when_patience_does() -> None:
    began = time.perf_counter()
    with pytest.raises(TooLong), at_most(0.05):
        time.sleep(30)
    assert time.perf_counter() - began < 2


def test_bounds_come_from_what_a_method_promises() -> None:
    assert [bound_of(m) for m in (pc.Tailor(l=3), pc.AlphaK(alpha="1/4", k=2), pc.Incognito(k=3))] == [3, 4, None]


def grid() -> list[pc.Hybrid | pc.GreedyGrouping]:
    return [pc.Hybrid(l=2), pc.GreedyGrouping(l=2), pc.Hybrid(l=9)]


def test_a_comparison_measures_attacks_and_writes(tmp_path: Path) -> None:
    found = pc.compare(pc.datasets.patients(), grid(), out=tmp_path, **ROLES)
    hybrid, greedy, refused = found.cells
    assert (hybrid.safe, hybrid.above, hybrid.largest) == (True, 0, 0.5)
    assert (greedy.safe, greedy.largest) == (False, 1.0)  # of two buckets with gastritis twice the first has both
    assert "l = 9 is not feasible" in refused.refused
    assert {path.name for path in tmp_path.iterdir()} == {
        "cells",
        "compare.csv",
        "compare.html",
        "compare.png",
        "recommendation.txt",
    }
    table = pl.read_csv(tmp_path / "compare.csv")
    assert table["method"].to_list() == ["hybrid", "greedy-grouping", "hybrid"]
    assert table["safe"].to_list() == ["yes", "no", "not known"]
    assert "Hybrid at l=2" in (tmp_path / "recommendation.txt").read_text()
    page = (tmp_path / "compare.html").read_text()
    assert "cdn." not in page  # it works without a network
    assert "Gill" not in page
    assert "Gill" not in (tmp_path / "compare.csv").read_text()


def test_finished_cells_are_not_done_again_and_spoilt_ones_are(tmp_path: Path) -> None:
    first = pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2), pc.Anatomy(l=2)], out=tmp_path, **ROLES)
    kept = sorted((tmp_path / "cells").iterdir())
    content = json.loads(kept[1].read_text())
    kept[1].write_text(json.dumps({**content, "groups": 999}))
    kept[0].write_text('{"half a')
    again = pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2), pc.Anatomy(l=2)], out=tmp_path, **ROLES)
    assert [c.groups for c in again.cells] == [999, first.cells[1].groups]


def test_another_table_method_or_question_has_cells_of_its_own() -> None:
    def place(
        ages: int = 0, l: int = 2, metric: pc.Metric | None = None, knows: Any = "nothing", seed: int = 1
    ) -> Path:
        table = pc.read(pc.datasets.patients().with_columns(pl.col("age") + ages), **ROLES)
        question = Question([metric or pc.Perimeter()], [pc.Adversary(knows=knows)], 10.0, seed)
        return cell_file(Path(), fingerprint(table), pc.Hybrid(l=l), question)

    assert place() == place()
    others = [place(ages=1), place(l=3), place(metric=pc.Loss()), place(knows="algorithm"), place(seed=2)]
    assert len({place(), *others}) == 6


def laddered(widths: list[int], ages: list[int]) -> pc.Table:
    ladder = pc.Column(role="quasi", taxonomy={"ladder": widths})
    columns = {"age": ladder, "job": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive")}
    frame = pl.DataFrame({"age": ages, "job": list("abab"), "ill": list("xyxy")})
    return pc.read(frame, schema=pc.Schema(columns=columns))


def test_a_fingerprint_tells_rows_in_another_order_and_another_taxonomy() -> None:
    one = laddered([5, 10], [20, 23, 31, 38])
    assert fingerprint(one) == fingerprint(laddered([5, 10], [20, 23, 31, 38]))
    swapped = laddered([5, 10], [23, 20, 31, 38])  # the same values in every column, of other rows
    others = [swapped, laddered([2, 4], [20, 23, 31, 38]), laddered([5, 10], [20, 24, 31, 38])]
    for measured in (False, True):
        assert len({fingerprint(table, measured=measured) for table in (one, *others)}) == 4


SCRIPT = """
import sys
import pellucid as pc
methods = [pc.Hybrid(l=l) for l in range(2, 8)] + [pc.Anatomy(l=l) for l in range(2, 8)]
# exact attacks alone: one that is not done when patience ends may be, the next time
attackers = [pc.Adversary(), pc.Adversary(knows="algorithm")]
schema = pc.datasets.schema_of("census:3000")
pc.compare("census:3000", methods, [pc.Perimeter()], attackers, schema=schema, out=sys.argv[1], workers=1)
"""


def test_killed_and_called_again_gives_the_same_result(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", SCRIPT]
    running = subprocess.Popen([*command, str(broken)], env=environment)
    deadline = time.monotonic() + 60
    while len(list(broken.glob("cells/*.json"))) < 2 and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    done = {path: path.stat().st_mtime_ns for path in broken.glob("cells/*.json")}
    assert 2 <= len(done) < 12
    assert not (broken / "compare.csv").exists()
    subprocess.run([*command, str(broken)], env=environment, check=True)
    subprocess.run([*command, str(whole)], env=environment, check=True)
    assert all(path.stat().st_mtime_ns == when for path, when in done.items())
    for name in ("compare.csv", "recommendation.txt"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize(
    ("methods", "metrics", "told"),
    [
        ([], None, "methods = \\[\\]"),
        ([pc.Hybrid(l=2)], [], "metrics = \\[\\]"),
        (["hybrid"], None, "'hybrid'"),
    ],
)
def test_mistakes_are_told(methods: list[Any], metrics: list[Any] | None, told: str) -> None:
    with pytest.raises((MethodError, MeasureError), match=told):
        pc.compare(pc.datasets.patients(), methods, metrics, **ROLES)


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("pellucid.comparing.filled", None)  # whoever starts to work fails
    with pytest.raises(OutputError, match="no folder to write to"):
        pc.compare(pc.datasets.patients(), [pc.Hybrid(l=2)], out=tmp_path / "file", **ROLES)
