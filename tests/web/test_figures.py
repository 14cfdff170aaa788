"""One release has one figure: the same number on every tab, on the command line and in the reports."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from pellucid.cli.program import main
from pellucid.datasets import patients
from pellucid.text.figures import percent
from web.serving import Served, served
from web.stewards import published

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, httpx.Client, Path]]:
    """The eight patients published with Tailor, which draws no coins here, compared, reported and unpacked."""
    folder = tmp_path_factory.mktemp("told")
    with served(seed=7) as server, server.steward() as steward:
        published(server, steward, name="tailor")
        steward.post("/result/compare", data={"m-tailor": "on", "from": "2", "to": "2"})
        server.wait()
        with zipfile.ZipFile(io.BytesIO(steward.get("/release/bundle.zip").content)) as bundle:
            bundle.extractall(folder / "out")
        for audience in ("private", "public"):
            steward.post("/release/report", data={"audience": audience})
            server.wait()
        (folder / "patients.csv").write_text(patients().write_csv())
        yield server, steward, folder


def measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    words = ["measure", str(folder / "out"), "--original", str(folder / "patients.csv"), "--json"]
    capsys.readouterr()
    assert main(words) == 0
    return {score["metric"]: score for score in json.loads(capsys.readouterr().out)["scores"]}


def compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    words = ["compare", str(folder / "patients.csv"), "--quasi", "age,zipcode", "--sensitive", "disease"]
    capsys.readouterr()
    assert main([*words, "--identifier", "name", "--methods", "tailor", "--l", "2", "--json"]) == 0
    (setting,) = json.loads(capsys.readouterr().out)["settings"]
    return setting


@pytest.mark.parametrize("metric", ["query-error", "kept", "loss"])
def test_a_figure_is_the_same_everywhere(
    metric: str, told: tuple[Served, httpx.Client, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    server, steward, folder = told
    session = server.session
    assert session.utility is not None
    assert session.comparison is not None
    (mine,) = [score["value"] for score in session.utility["scores"] if score["name"] == metric]
    assert 0 < mine < 5
    (cell,) = session.comparison["cells"]
    assert cell[{"query-error": "utility"}.get(metric, metric)] == mine
    assert measured(folder, capsys)[metric]["value"] == mine
    assert compared(folder, capsys)[metric] == mine
    report = steward.get("/release/report/private").text
    assert re.search(rf'<th scope="row">{metric}</th><td class="number">{mine:.4g}</td>', report)
    lines = re.findall(r"<tr[^>]*>.*?</tr>", unbroken(steward, "/result/compare"), re.DOTALL)
    shown = [line for line in lines if "tailor, l = 2" in line and f">{100 * mine:.1f} %<" in line]
    assert len(shown) == 2  # your release, and its setting


def unbroken(steward: httpx.Client, path: str) -> str:
    """A page with a plain blank before each percent sign, as the library writes it."""
    return steward.get(path).text.replace("\N{NO-BREAK SPACE}", " ")


def test_what_is_kept_of_a_column_is_the_same_on_every_page(
    told: tuple[Served, httpx.Client, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    server, steward, folder = told
    assert server.session.release is not None
    kept = server.session.release["account"]["information_kept"]
    assert measured(folder, capsys)["kept"]["details"]["columns"] == pytest.approx(kept)
    pages = {path: unescape(unbroken(steward, path)) for path in ("/result", "/result/utility")}
    reports = {name: unescape(steward.get(f"/release/report/{name}").text) for name in ("private", "public")}
    for name, share in kept.items():
        for path, page in pages.items():
            assert f'aria-label="{name}: {percent(share)}"' in page, path
        for audience, page in reports.items():
            _, _, after = page.partition("How much of each column is kept</p>")
            picture = after.partition("</figure>")[0].replace("\N{NO-BREAK SPACE}", " ")
            assert f">{percent(share)}<" in picture, (audience, name)
    for page in (*pages.values(), *reports.values()):
        assert not re.search(r"\d+ % (lost|left open)|What is lost of|is left open", page)


def test_the_spread_of_an_estimate_is_told(told: tuple[Served, httpx.Client, Path]) -> None:
    server, steward, _ = told
    assert server.session.utility is not None
    spread = server.session.utility["query"]["spread"]
    assert spread > 0
    assert f"± {100 * spread:.1f} % with other queries" in unbroken(steward, "/result/utility")
    assert f"± {spread:.1%} with other queries" in steward.get("/release/report/private").text


def test_reports_name_the_files_and_only_the_private_one_the_source(told: tuple[Served, httpx.Client, Path]) -> None:
    _, steward, folder = told
    private, public = (steward.get(f"/release/report/{name}").text for name in ("private", "public"))
    source = sha256((folder / "patients.csv").read_bytes()).hexdigest()
    for file in (folder / "out").iterdir():
        digest = sha256(file.read_bytes()).hexdigest()
        assert digest in private
        assert digest in public
    assert source in private
    assert "<h1>Report on a release of patients.csv: 8 rows with disease, made by tailor with l = 2</h1>" in private
    assert re.search(r'<th scope="row">name</th><td>identifier: names the person', private)
    assert source not in public
    assert "patients.csv" not in public
    assert "<h1>Report on a release: 8 rows with disease, made by tailor with l = 2</h1>" in public


def test_a_bundle_in_another_format_takes_back_the_reports_on_the_old_one() -> None:
    with served(seed=7) as server, server.steward() as steward:
        published(server, steward)
        steward.post("/release/report", data={"audience": "public"})
        server.wait()
        assert steward.get("/release/report/public").status_code == 200
        steward.post("/release/bundle", data={"format": "parquet"})
        server.wait()
        assert steward.get("/release/report/public").status_code == 404
