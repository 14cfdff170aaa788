"""A report for the file on a table of the shape of Adult: large groups of few kinds of people."""

from __future__ import annotations

import httpx
import polars as pl
import pytest

from web.serving import Served, csv_of, served

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

# the jobs of one group of Adult; so many combinations that an int64 does not hold them
JOBS = [61, 59, 21, 23, 9, 27, 22, 58, 6, 33, 9, 28, 15, 11]
ROWS = 12_200  # a quarter of Adult


def groups_of_two_kinds() -> pl.DataFrame:
    """Towns of 382 people, in which a cut by sex would put too many people of one job together."""
    jobs = [f"job {job}" for job, people in enumerate(JOBS) for _ in range(people)]
    towns = range(ROWS // len(jobs) + 1)
    sexes = ["f"] * (len(jobs) // 2) + ["m"] * (len(jobs) - len(jobs) // 2)
    parts = [pl.DataFrame({"town": [town] * len(jobs), "sex": sexes, "job": jobs}) for town in towns]
    return pl.concat(parts).head(ROWS)


def test_a_private_report_on_large_groups_of_few_kinds_comes() -> None:
    with served(seed=7) as server, server.steward() as steward:
        steward.post("/data/upload", files=csv_of(groups_of_two_kinds().write_csv()))
        server.wait()
        steward.post("/roles", data={"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "method"})
        server.wait()
        server.session.effort = {"seconds": 600.0}  # nobody is given up, however busy the machine is
        steward.post("/method", data={"name": "mondrian", "p-l": "5"})
        server.wait(lambda: server.session.release is not None)
        report = made(server, steward)
        assert "12,200" in report.text
        assert "knows the distribution by sex" in report.text
        assert "not done after" not in report.text


def made(server: Served, steward: httpx.Client) -> httpx.Response:
    """The private report."""
    steward.post("/release/report", data={"audience": "private"})
    server.wait(lambda: "private" in server.session.reports)
    report = steward.get("/release/report/private")
    assert report.status_code == 200, server.session.jobs.current
    return report
