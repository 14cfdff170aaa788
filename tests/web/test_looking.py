"""Looking closer at a release: attacker by attacker, for so long, giving way to what the steward asks for next."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from pellucid.datasets import patients
from pellucid.risk.adversary_kinds import KINDS
from pellucid.runtime.progress import SILENT
from pellucid.web.jobs import Busy, Jobs, TaskCall, WorkerDied
from pellucid.web.tasks import attack_budget
from pellucid.web.tasks.attack_budget import CHEAP_FIRST, Effort
from pellucid.web.tasks.attacking import attack
from pellucid.web.tasks.publishing import Setting, publish
from pellucid.web.worker_state import Desk
from web.holding import Held, halt
from web.serving import PATIENCE, Served
from web.stewards import COLUMNS, ROLES, checked, opened, published

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

SCHEMA = "".join(
    f'[columns.{name}]\nrole = "{role}"\n' for name, role in zip(patients().columns, COLUMNS.values(), strict=True)
)


@pytest.fixture
def desk(tmp_path: Path) -> tuple[Desk, dict[str, Any]]:
    """A worker's desk with the patients published."""
    (tmp_path / "patients.csv").write_text(patients().write_csv())
    about = {"source": {"place": str(tmp_path / "patients.csv"), "name": "patients.csv"}, "schema": SCHEMA}
    made = Desk(tmp_path)
    setting: Setting = {"method": "hybrid", "parameters": {"l": "2"}, "options": {}, "seed": None}
    publish(made, **about, setting=setting, place=str(tmp_path / "packing"), accept_known=[], progress=SILENT)
    return made, about


def test_each_attacker_is_tried_once_and_all_are(desk: tuple[Desk, dict[str, Any]]) -> None:
    assert sorted(CHEAP_FIRST) == sorted(KINDS)
    made, about = desk
    for n in range(len(CHEAP_FIRST)):
        found = attack(made, **about, kinds=CHEAP_FIRST[: n + 1], progress=SILENT)
        assert len(found["tried"]) == n + 1
        assert len(found["waiting"]) == len(CHEAP_FIRST) - n - 1
    before = dict(made.attacked["disease"].tried)
    attack(made, **about, kinds=CHEAP_FIRST, progress=SILENT)
    assert made.attacked["disease"].tried == before


def test_an_attacker_who_is_not_done_is_not_known_and_never_safe(
    desk: tuple[Desk, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, about = desk
    quick = attack_budget.attack_gathered

    def slow(*given: Any, **how: Any) -> Any:
        if how["adversaries"] == ["algorithm"]:
            signal.setitimer(signal.ITIMER_REAL, 0.01)  # patience ends for this one, however busy the machine is
            time.sleep(30)
        return quick(*given, **how)

    monkeypatch.setattr(attack_budget, "attack_gathered", slow)
    found = attack(made, **about, kinds=CHEAP_FIRST, seconds=600, progress=SILENT)
    assert found["unfinished"] == {"knows the algorithm": "not done after 10 minutes"}
    assert found["suggested"] == 2400
    assert found["state"] == "open"
    said = found["verdict"][0]
    assert said["strong"] == "So far:"
    assert said["text"].endswith("Not known yet, though the promise covers them too: somebody who knows the algorithm.")
    assert "knows the algorithm" not in [one["name"] for one in found["attempts"]]
    assert "learns from the release" in [one["name"] for one in found["attempts"]]
    assert said["text"].startswith("Somebody who knows only the release, whom the promise covers,")
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0  # no alarm is left
    monkeypatch.setattr(attack_budget, "attack_gathered", quick)
    again = attack(made, **about, kinds=CHEAP_FIRST, seconds=600, progress=SILENT)
    assert again["unfinished"]  # no more time, no other try
    more = attack(made, **about, kinds=CHEAP_FIRST, seconds=6000, progress=SILENT)
    assert more["unfinished"] == {}
    assert more["verdict"][0]["strong"] == "The promise is kept."
    assert Effort(60, 5).exceeds(Effort(60, 6))


def test_who_would_not_be_done_in_time_is_not_begun_and_says_why(
    desk: tuple[Desk, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, about = desk
    attack(made, **about, kinds=CHEAP_FIRST[:-1], progress=SILENT)
    assert CHEAP_FIRST[-1] == "learned"
    made.attacked["disease"].seconds["distribution"] = (
        400.0  # for two columns: once for each, as in each of the turns of who learns
    )
    begun: list[Any] = []
    quick = attack_budget.attack_gathered
    monkeypatch.setattr(
        attack_budget, "attack_gathered", lambda *a, **k: begun.append(k["adversaries"]) or quick(*a, **k)
    )
    found = attack(made, **about, kinds=CHEAP_FIRST, seconds=120, progress=SILENT)
    assert begun == []
    why = "not begun: it would take about 83 minutes, and one attacker is given 2 minutes"
    assert found["unfinished"] == {"learns from the release": why}
    assert found["suggested"] == 7500
    assert found["state"] == "kept"  # the promise does not cover this one, and everybody else was tried
    more = attack(made, **about, kinds=CHEAP_FIRST, seconds=7500, progress=SILENT)
    assert begun == [["learned"]]
    assert more["unfinished"] == {}


NOT_YET = "Not known yet, though the promise covers them too: somebody who knows the algorithm."


def test_the_tab_says_what_is_not_known_yet(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    found = server.session.risk
    assert found is not None
    server.session.risk = {
        **found,
        "attempts": found["attempts"][:1],
        "verdict": [{"looks": "", "strong": "So far:", "text": NOT_YET}],
        "unfinished": {"knows the algorithm": "not done after 2 minutes"},
        "suggested": 480,
        "state": "open",
    }
    page = steward.get("/result/risk").text
    assert "So far:" in page
    assert "The promise is kept" not in page
    assert f"<strong>So far:</strong> {NOT_YET}" in page
    assert "somebody who knows the algorithm: not done after 2 minutes" in page
    assert 'name="seconds" min="1" value="480"' in page
    wrong = steward.post("/result/look", data={"seconds": "0"})
    assert wrong.status_code == 422
    assert "must be a whole number from 1" in wrong.text
    steward.post("/result/look", data={"seconds": "300", "budget": "1000"})
    server.wait()
    assert server.session.effort == {"seconds": 300.0, "budget": 1000}
    assert server.session.risk["unfinished"] == {}
    assert "Not known yet" not in steward.get("/result/risk").text


def test_attacks_give_way_to_another_publish_and_go_on_after_other_work(
    server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked(server, steward)
    session = server.session
    held = Held(monkeypatch, "attack")  # none is over before it is to give way

    def attacking() -> bool:
        job = session.jobs.running
        return job is not None and job.tasks[0].name == "attack"

    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    server.wait(attacking)
    assert attacking()
    obsolete = session.jobs.current
    assert steward.post("/method", data={"name": "hybrid", "p-l": "2"}).status_code == 303  # and not: still busy
    assert obsolete is not None
    assert obsolete.state == "cancelled"
    server.wait(attacking)
    assert session.release is not None
    assert session.release["method"] == "hybrid"
    assert steward.post("/release/bundle", data={"format": "parquet"}).status_code == 303
    server.wait(lambda: session.release is not None and session.release["packed"]["format"] == "parquet")
    assert session.release["packed"]["format"] == "parquet"
    job = session.jobs.running
    assert job is not None  # the attacks go on
    assert {task.name for task in job.tasks} <= {"pack", "measure", "attack"}
    assert steward.post("/job/cancel").status_code == 303
    assert session.jobs.running is None
    held.may_end.set()


class Working:
    """Stands for the other process: tasks last until they are let go."""

    def __init__(self, _folder: Path) -> None:
        self.alive = True

    def call(self, task: str, arguments: dict[str, Any], _tell: Any) -> dict[str, Any]:
        while self.alive and not arguments["let_go"]:
            time.sleep(0.005)
        if not self.alive:
            raise WorkerDied
        return {"task": task}

    def kill(self) -> None:
        self.alive = False


def test_only_what_yields_gives_way_and_what_is_not_wanted_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pellucid.web.jobs.Worker", Working)
    jobs, done, hold, go = Jobs(tmp_path), [], {"let_go": []}, {"let_go": [True]}

    def task(name: str, arguments: dict[str, Any], **how: Any) -> TaskCall:
        return TaskCall(name, arguments, lambda found: done.append(found["task"]), **how)

    def until(enough: Any) -> None:
        end = time.monotonic() + PATIENCE
        while not enough():
            assert time.monotonic() < end
            time.sleep(0.005)

    wanted = [True]
    look = [task(f"look {n}", hold, yields=True, wanted=lambda: wanted[0]) for n in range(2)]
    first = jobs.start("looking", ("a",), look)
    jobs.start("other work", ("a",), [task("other", go)])
    assert first.state == "cancelled"
    until(lambda: jobs.running is not None and jobs.running.tasks[0].name == "look 0")
    assert done == ["other"]
    wanted[0] = False
    stubborn = jobs.start("stubborn", ("a",), [task("stubborn", hold)], kept=lambda: "3 are kept")
    with pytest.raises(Busy, match="still busy with: stubborn"):
        jobs.start("late", ("a",), [task("late", go)])
    hold["let_go"].append(True)
    until(lambda: jobs.running is None)
    assert stubborn.state == "done"
    assert done == ["other", "stubborn"]
    hold["let_go"].clear()
    cancelled = jobs.start("again", ("a",), [task("again", hold)], kept=lambda: "3 are kept")
    jobs.cancel()
    assert (cancelled.state, cancelled.message) == ("cancelled", "3 are kept")


def test_a_cancelled_comparison_says_what_is_kept_shows_it_and_goes_on(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv(), "patients.csv")
    steward.post("/roles", data=ROLES)
    server.wait()
    session = server.session
    steward.post("/result/compare", data={"m-hybrid": "on", "from": "2", "to": "3"})
    server.wait()
    assert session.comparing is None  # all of it is done
    halt(server)  # none of the others is done before it is cancelled
    names = {f"m-{name}": "on" for name in ("hybrid", "tailor", "audited")}
    steward.post("/result/compare", data={**names, "from": "2", "to": "4"})
    steward.post("/job/cancel")
    job = session.jobs.current
    assert job is not None
    assert job.state == "cancelled"
    page = steward.get("/result/compare").text
    assert "nothing half-made was kept" not in page
    assert "2 of 9 settings are finished and kept" in page
    form = {**names, "from": "2", "to": "4"}
    steward.post("/result/compare", data={**form, "finished": "yes"})
    server.wait()
    assert session.comparison is not None
    assert len(session.comparison["cells"]) == 2
    assert "Only 2 of 9 settings are shown" in steward.get("/result/compare").text
    steward.post("/result/compare", data=form)
    server.wait()
    assert len(session.comparison["cells"]) == 9
    assert "settings are finished" not in steward.get("/result/compare").text
