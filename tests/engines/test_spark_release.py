"""What a release with Spark keeps on disk and for how long, and how far Spark is while a person waits."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.tables import people, schema_of
from pellucid.anonymize.self_check import Countable
from pellucid.errors import PromiseNotKept
from pellucid.runtime.progress import SILENT
from pellucid.spark.engine.job_progress import Watcher, watching

pytestmark = pytest.mark.spark


def published(spark: Any, work: Path, method: pc.Method) -> Any:
    source = spark.createDataFrame(people(60).to_arrow(compat_level=pl.CompatLevel.oldest()))
    return pc.publish(source, method, schema=schema_of("ties"), engine=pc.Spark(work=work))


@pytest.mark.parametrize("method", [pc.Hybrid(l=2), pc.Anatomy(l=2)])
def test_the_files_of_a_release_go_with_it_unless_somebody_took_a_frame(
    spark: Any, tmp_path: Path, method: pc.Method
) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    release = published(spark, work, method)
    left = {path.name for folder in work.iterdir() for path in folder.iterdir()}
    assert left == set(release.public.frames)  # nothing but the published tables
    levels = pc.levels(release)
    out = release.write(tmp_path / "out")
    del release
    gc.collect()
    assert list(work.iterdir()) == []
    assert pc.levels(out, spark=spark) == levels
    taken = published(spark, other, method).frames
    gc.collect()
    derived = taken.popitem()[1].select("ill")
    del taken
    gc.collect()
    assert derived.count() == 60


@pytest.mark.parametrize("method", [pc.SoftCut(l=2), pc.Anatomy(l=2)])
def test_workers_count_every_group_and_a_broken_promise_publishes_nothing(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: pc.Method
) -> None:
    stricter = Countable({"ill": pc.LDiversity(l=50)})  # the workers are told that more was promised
    monkeypatch.setattr("pellucid.spark.engine.publish.Countable.of", lambda *_: stricter)
    with pytest.raises(PromiseNotKept, match=r"in a group of \d+ rows one value of ill has more than 1/50 of them"):
        published(spark, tmp_path, method)
    assert list(tmp_path.iterdir()) == []


def test_what_is_done_in_memory_only_names_the_way_out(spark: Any, tmp_path: Path) -> None:
    release = published(spark, tmp_path, pc.Hybrid(l=2))
    for source in (release, release.public.frames, release.public.frames["data"]):
        with pytest.raises(pc.AttackError, match=r"is with Spark.*; write it .*and attack the folder"):
            pc.attack(source, truth=people(60), schema=schema_of("ties"))
    with pytest.raises(pc.InputError, match=r"with Spark no row comes here.*, or write it .*and report on the folder"):
        pc.report(release, people(60))
    with pytest.raises(pc.InputError, match=r"a Spark DataFrame is not read into memory; pellucid\.publish"):
        pc.read(release.public.frames["data"], schema=schema_of("ties"))
    about_beliefs: list[pc.PrivacyModel] = [pc.KAnonymity(k=2), pc.TransparentLDiversity(l=2)]
    for known in ({}, {"truth": people(60), "schema": schema_of("ties")}):
        with pytest.raises(pc.PellucidError, match=r"rows in memory, and this release is with Spark; write it .*fold"):
            pc.verify(release, about_beliefs, **known)  # type: ignore[arg-type]
    out = release.write(tmp_path / "out")
    verdicts = pc.verify(out, about_beliefs, truth=people(60), schema=schema_of("ties"))
    assert [verdict.holds for verdict in verdicts] == [True, True]
    assert pc.attack(out, truth=people(60), schema=schema_of("ties")).max_risk <= 0.5


def test_a_release_shows_itself_in_a_line_and_in_a_notebook_without_a_job(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = published(spark, tmp_path, pc.Anatomy(l=2))

    def job(*_: Any) -> None:
        raise AssertionError("a job was started")

    (kind,) = set(map(type, release.public.frames.values()))
    for name in ("collect", "toPandas", "toArrow", "head", "count"):
        monkeypatch.setattr(kind, name, job)
    shown = "SparkRelease(anatomy(l=2): 60 rows in 2 tables, guarantee 'algorithm'; its .promise"
    assert repr(release).startswith(shown)
    view = release._repr_html_()
    assert "with probability at most 1/2" in view
    assert view.count("with Spark; release.frames[") == 2


class Heard:
    """Writes down what a person would see."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int]] = []
        self.steps: list[int] = []

    def stage(self, name: str, total: int) -> None:
        self.stages.append((name, total))

    def advance(self, done: int) -> None:
        self.steps.append(done)


def test_the_share_of_tasks_that_are_done_is_told(spark: Any, tmp_path: Path) -> None:
    """Of two tasks one waits for a file, until the other was told as half of the rows.

    Spark's account of its stages comes later than their results: one of a test before this may still be called active,
    with all of its tasks done. So all that has happened is accounted for first.
    """
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    assert list(spark.sparkContext.statusTracker().getActiveStageIds()) == []
    go_on = str(tmp_path / "go on")

    def wait(batches: Any) -> Any:
        import time
        from pathlib import Path

        for batch in batches:
            while batch.column(0)[0].as_py() and not Path(go_on).exists():
                time.sleep(0.01)
            yield batch

    heard = Heard()
    watcher = Watcher(heard, spark.sparkContext.statusTracker())
    watcher.stage("grouping", 80)
    job = threading.Thread(target=lambda: spark.range(0, 2, 1, 2).mapInArrow(wait, "id long").toArrow())
    job.start()
    while 40 not in heard.steps and job.is_alive():
        watcher.look()
        job.join(0.05)  # looking without a pause takes the processor from the job
    (tmp_path / "go on").touch()
    job.join()
    assert heard.stages == [("grouping", 80)]
    assert set(heard.steps) == {0, 40} or set(heard.steps) == {40}
    watcher.advance(79)  # now somebody knows better
    count = len(heard.steps)
    watcher.look()
    assert len(heard.steps) == count


def test_stages_are_passed_on_and_silence_is_kept(spark: Any) -> None:
    heard = Heard()
    source = spark.createDataFrame(people(300).to_arrow(compat_level=pl.CompatLevel.oldest()))
    pc.publish(source, pc.Anatomy(l=2), schema=schema_of("ties"), progress=heard)
    names = [name.partition(",")[0] for name, _ in heard.stages]
    telling = "measuring what columns say about the sensitive one"
    assert list(dict.fromkeys(names)) == ["counting values", "encoding", telling, "drawing", "grouping", "writing"]
    with watching(spark, SILENT) as told:
        assert told is SILENT
