"""SIGKILL of a server at any moment: what it leaves is nobody else's to read, and the next server removes it."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from zipfile import ZipFile

import pytest

from pellucid.web.session import PREFIX, remove_orphans
from web.serving import PATIENCE
from web.test_serve import workers_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

KILLS = (1, 25)  # usually, and when thorough
# a steward without a browser, in the process of the server: upload, roles, publish, download, report, again and again
SERVING = """
import sys
from web.serving import served
from web.stewards import published
with served() as server, server.steward() as steward:
    print(server.session.folder, flush=True)
    while True:
        for method in ("tailor", "hybrid"):
            published(server, steward, name=method)
            assert steward.get("/release/bundle.zip").status_code == 200
            if "thorough" in sys.argv:
                steward.post("/release/report", data={"audience": "private"})
                server.wait()
            print(method, flush=True)
"""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are found in /proc")
def test_a_server_that_is_killed_leaves_nothing_that_others_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    draw, round_of_work = random.Random(4), 0.0
    for _ in range(KILLS[thorough]):
        with serving(tmp_path, "thorough" if thorough else "") as program:
            assert program.stdout is not None
            folder = Path(program.stdout.readline().strip())
            began = time.monotonic()
            if not round_of_work:
                assert program.stdout.readline() == "tailor\n"
                round_of_work = 2 * (time.monotonic() - began) if thorough else time.monotonic() - began
            time.sleep(draw.uniform(0, round_of_work))
            program.kill()
            program.wait(PATIENCE)
        until = time.monotonic() + PATIENCE
        while workers_of(folder):
            assert time.monotonic() < until, "its worker goes on without it"
            time.sleep(0.02)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        whole(folder)
        assert [path for path in tmp_path.iterdir() if not path.name.startswith(PREFIX)] == []
        remove_orphans()  # what the next server does first
        assert list(tmp_path.iterdir()) == []


def serving(folder: Path, how: str) -> subprocess.Popen[str]:
    tests = Path(__file__).parents[1]
    paths = os.pathsep.join([str(tests), str(tests.parent / "src")])
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": paths}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SERVING, how], stdout=subprocess.PIPE, text=True, env=environment
    )


def whole(folder: Path) -> None:
    """What would have been handed out is all there."""
    bundle = folder / "bundle.zip"
    if bundle.exists():
        with ZipFile(bundle) as files:
            assert files.testzip() is None
            assert {"data.csv", "recipe.json"} <= {Path(name).name for name in files.namelist()}
    for report in folder.glob("report-*.html"):
        assert report.read_text(encoding="utf-8").rstrip().endswith("</html>"), report.name
