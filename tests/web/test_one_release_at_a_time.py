"""What is known of one release is never shown of another, and an earlier one is there until somebody went back."""

from __future__ import annotations

import httpx
import pytest

from pellucid.web import earlier_releases
from pellucid.web.session import Session
from pellucid.web.steps.looking import look_closer
from pellucid.web.worker_state import BUNDLE_FILE
from web.serving import Served
from web.stewards import checked, published, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


def test_what_an_attack_on_the_last_release_finds_is_not_kept_for_the_next(
    server: Served, steward: httpx.Client
) -> None:
    published(server, steward)
    session = server.session
    risk, utility = session.risk, session.utility
    assert None not in (risk, utility)
    late = look_closer(session, {})
    session.forget_release()
    for task in late:
        assert not task.wanted()
        task.keep({"state": "kept", "of": "the last release"})
        assert task.excuse is not None
        task.excuse("of the last release")
    assert (session.risk, session.utility) == (None, None)
    session._looked[f"risk of {session.column}"] = (
        session.releases - 1,
        risk,
    )  # a thread that was between looking and keeping
    assert session.risk is None
    session.risk = risk
    assert session.risk is risk


def test_work_on_the_last_release_ends_before_the_release_is_put_aside(
    server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(server, steward)
    session = server.session
    order: list[str] = []
    aside, cancel = earlier_releases.set_aside, session.jobs.cancel

    def ended() -> None:
        order.append("ended")
        cancel()

    def put_aside(of: Session) -> None:
        order.append("aside")
        aside(of)

    monkeypatch.setattr(session.jobs, "cancel", ended)
    monkeypatch.setattr("pellucid.web.steps.method.set_aside", put_aside)
    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    server.wait()
    assert order == ["ended", "aside"]
    assert session.risk is not None
    assert session.release_name == "tailor, l = 2"


def test_one_can_go_back_to_the_oldest_of_as_many_as_are_kept(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    session = server.session
    made = ("hybrid", "tailor", "ace", "anatomy", "mondrian", "hybrid", "tailor")
    for name in made:
        steward.post("/method", data={"name": name, "p-l": "2"})
        server.wait(lambda: session.release is not None)
        steward.post("/job/cancel")
    assert len(session.earlier) == earlier_releases.MOST
    assert [one.name.partition(",")[0] for one in session.earlier] == list(made[-2:-7:-1])
    oldest = session.earlier[-1]
    answer = steward.post("/releases/back", data={"key": oldest.key})
    assert answer.status_code == 303
    assert session.release_name == oldest.name
    assert (session.folder / BUNDLE_FILE).is_file()
    assert [one.name.partition(",")[0] for one in session.earlier] == list(made[:1:-1])
    kept = [one.folder.name for one in session.earlier]
    assert sorted(kept) == sorted(path.name for path in session.folder.glob(f"{earlier_releases.FOLDER}*"))


def test_who_was_not_tried_is_tried_after_going_back_and_nothing_is_said_to_come_that_does_not(
    server: Served, steward: httpx.Client
) -> None:
    published(server, steward)
    session = server.session
    whole = session.risk
    assert whole is not None
    attackers = [one["name"] for one in whole["attempts"]]
    session.risk = {**whole, "attempts": whole["attempts"][:1], "waiting": attackers[1:]}
    told = text_of(steward.get("/result/risk"))
    assert f"somebody who {attackers[1]}: not tried" in told
    assert "still to come" not in told
    look_closer(session, {})[-1].excuse("no memory is left")  # type: ignore[misc]
    assert f"somebody who {attackers[1]}: not tried (no memory is left)" in text_of(steward.get("/result/risk"))
    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    server.wait()
    steward.post("/releases/back", data={"key": session.earlier[0].key})
    server.wait()
    assert session.release_name == "hybrid, l = 2"
    assert session.risk is not None
    assert session.risk["waiting"] == []
