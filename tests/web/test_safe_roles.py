"""The roles are safe, on the page: what gives a protected column away needs a tick, and a draft can be published."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import numpy as np
import polars as pl
import pytest

from pellucid.text.figures import percent
from web.serving import Served
from web.stewards import opened, text_of

ROOT = Path(__file__).parents[2]


def excerpt(rows: int = 600) -> str:
    coins = np.random.default_rng(1)
    money = coins.lognormal(10, 1, rows).astype(int)
    decile = np.searchsorted(np.quantile(money, np.arange(0.1, 1, 0.1)), money) + 1
    return pl.DataFrame({"age": coins.integers(18, 95, rows), "PINCP": money, "PINCP_DECILE": decile}).write_csv()


def test_what_gives_the_protected_column_away_needs_a_tick(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, excerpt())
    roles = {"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
    steward.post("/roles", data=roles)
    server.wait()
    assert server.session.checked is None
    page = text_of(steward.get("/roles"))
    assert "These columns give a protected one away" in page
    assert "Publish PINCP all the same (PINCP tells 9" in page
    assert "PINCP tells 9" in text_of(steward.get("/method"))
    steward.post("/roles", data={**roles, "accept-1": "yes"})
    server.wait()
    assert server.session.checked is not None
    assert "What PINCP gives away about PINCP_DECILE by itself was accepted" in text_of(steward.get("/method"))
    steward.post("/method", data={"name": "hybrid", "p-l": "3"})
    server.wait()
    assert server.session.release is not None
    assert server.session.release["recipe"]["accepted_known"] == ["PINCP"]


def test_the_page_shows_how_much_each_column_says(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, excerpt())
    assert "It tells" in text_of(steward.get("/roles"))
    assert server.session.data is not None
    told = {column["name"]: column["says"] for column in server.session.data["columns"]}
    steward.post("/roles", data={"role-0": "quasi", "role-1": "drop", "role-2": "sensitive", "then": "method"})
    server.wait()
    assert server.session.checked is not None
    assert server.session.checked["says"] == {"age": told["age"]}
    assert told["age"]["of"] == "PINCP_DECILE"
    sentence = f"It tells {percent(told['age']['share'])} of what there is to know about PINCP_DECILE."
    assert sentence in text_of(steward.get("/roles"))
    live = {"role-0": "quasi", "role-1": "drop"}
    assert sentence in text_of(steward.post("/roles/consider", data={**live, "role-2": "sensitive"}))
    for other in ({**live, "role-2": "drop"}, {**live, "role-0": "sensitive", "role-2": "sensitive"}):
        assert "It tells" not in text_of(steward.post("/roles/consider", data=other))  # nobody protects it, or tells it


def test_more_than_ten_known_columns_of_a_draft_lead_to_three_steps(server: Served, steward: httpx.Client) -> None:
    coins = np.random.default_rng(2)
    table = {f"city_{number}": coins.integers(0, 4, 60) for number in range(12)} | {"disease": coins.integers(0, 6, 60)}
    opened(server, steward, pl.DataFrame(table).write_csv())
    suggested = [str(column.role) for column in server.session.columns.values()]
    assert (suggested.count("quasi"), suggested.count("sensitive")) == (10, 1)
    every = {f"role-{number}": "quasi" for number in range(12)} | {"role-12": "sensitive", "then": "method"}
    refused = steward.post("/roles", data=every)
    assert refused.status_code == 422
    assert "three steps" in text_of(refused)
    assert "at most ten columns that others know" in text_of(refused)


def test_the_suggested_roles_for_adult_can_be_published(server: Served, steward: httpx.Client) -> None:
    data = Path(os.environ.get("PELLUCID_DATA", ROOT.parent / "shared" / "data")) / "adult" / "adult.csv"
    if not data.exists():
        pytest.skip("Adult is not there: PELLUCID_DATA names its folder")
    opened(server, steward, pl.read_csv(data).head(4_000).write_csv(), "adult.csv")
    steward.post("/roles", data={"then": "method"})
    server.wait()
    assert server.session.checked is not None, text_of(steward.get("/roles"))
    page = text_of(steward.get("/method"))
    assert "no l is possible here" not in page
    assert server.session.checked["feasible"]["largest"] >= 2
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})
    server.wait()
    assert server.session.release is not None
