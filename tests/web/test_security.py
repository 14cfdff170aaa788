"""The page holds personal data: who gets in, what leaves, what an upload may do. Against a server that runs."""

from __future__ import annotations

import gzip
import http.client
import io
import os
import re
import socket
import stat
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import polars as pl
import pytest

from pellucid.web.security import Gate, Keys
from pellucid.web.server import application
from pellucid.web.session import Session
from pellucid.web.settings import Settings
from web.serving import PATIENCE, Served, csv_of, finished, served

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

PAGES = ["/data", "/roles", "/roles/0", "/method", "/result", "/result/risk", "/result/utility", "/result/compare"]
PAGES += ["/release", "/release/bundle.zip", "/release/report/private", "/roles/schema.toml", "/job", "/"]
SECRET = "Zaphod-4711"
PEOPLE = f"name,age,zip,disease\n{SECRET},30,10001,flu\nBea,31,10002,cold\nCid,44,10003,flu\nDot,45,10004,cold\n"
EVIL = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    """A server that has a table with a secret in it."""
    with served(max_upload=1_000_000, seed=1) as running:
        with running.steward() as steward:
            assert steward.post("/data/upload", files=csv_of(PEOPLE)).status_code == 303
        running.wait()
        assert running.session.data is not None
        yield running


def test_nobody_without_the_token_sees_anything(server: Served) -> None:
    for page in PAGES:
        answer = httpx.get(server.origin + page)
        assert answer.status_code == 403, page
        assert SECRET not in answer.text
        assert "table.csv" not in answer.text


@pytest.mark.parametrize("token", ["", "wrong", "A" * 43, "%00", "ü"])
def test_a_wrong_token_opens_nothing_and_sets_no_cookie(server: Served, token: str) -> None:
    answer = httpx.get(f"{server.origin}/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    wrong = httpx.get(f"{server.origin}/data", cookies={server.cookie[0]: token.encode().hex() or "x"})
    assert wrong.status_code == 403


def test_the_token_sets_a_strict_cookie_that_scripts_cannot_read(server: Served) -> None:
    answer = httpx.get(server.start)
    cookie = answer.headers["set-cookie"].lower()
    assert "samesite=strict" in cookie
    assert "httponly" in cookie
    assert server.token not in cookie
    assert server.token not in answer.text


@pytest.mark.parametrize(
    "odd", ['x={"a":1}; ', "a b; ", 'x=a"b; ', "path=/; ", "expires=1; ", "{name}=of another path; "]
)
def test_odd_cookies_of_other_programs_lock_nobody_out(server: Served, odd: str) -> None:
    name, value = server.cookie
    before = odd.replace("{name}", name)
    assert httpx.get(f"{server.origin}/data", headers={"Cookie": f"{before}{name}={value}"}).status_code == 200
    assert httpx.get(f"{server.origin}/data", headers={"Cookie": f"{before}{name}=x{value}"}).status_code == 403
    assert httpx.get(f"{server.origin}/data", headers={"Cookie": f"{before}x{name}={value}"}).status_code == 403


@pytest.mark.parametrize("tls", [False, True])
def test_the_cookie_travels_only_encrypted_where_there_is_a_certificate(tls: bool) -> None:
    keys = Keys()
    gate = application(Settings(port=443, tls=tls), keys)
    scheme = "https" if tls else "http"

    async def come_in() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(gate), base_url=f"{scheme}://127.0.0.1:443") as one:
            return await one.get("/", params={"token": keys.token}, headers={"Host": "127.0.0.1:443"})

    try:
        answer = finished(come_in())
    finally:
        gate.session.close()
    assert answer.status_code == 200
    assert ("secure" in answer.headers["set-cookie"].lower()) == tls


@pytest.mark.parametrize("page", ["/data/static/", "/data/static/style.css", "/roles/static/0", "//static/style.css"])
def test_only_what_begins_with_static_is_free(server: Served, page: str) -> None:
    assert httpx.get(f"{server.origin}/static/style.css").status_code == 200
    assert httpx.get(server.origin + page).status_code == 403


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil.example"]
)
def test_a_foreign_origin_is_refused_even_with_the_cookie(server: Served, origin: str) -> None:
    with server.steward() as steward:
        for ask in (steward.get("/data", headers={"Origin": origin}), _forget(steward, origin)):
            assert ask.status_code == 403
            assert SECRET not in ask.text
    assert server.session.data is not None


def test_a_form_without_an_origin_is_refused(server: Served) -> None:
    name, value = server.cookie
    answer = httpx.post(f"{server.origin}/data/forget", headers={"Cookie": f"{name}={value}"})
    assert answer.status_code == 403
    assert server.session.data is not None


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "localhost.:{port}"]
)
def test_a_foreign_host_is_refused_even_with_the_cookie(server: Served, host: str) -> None:
    port = server.session.settings.port
    name, value = server.cookie
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.putrequest("GET", "/data", skip_host=True)
    connection.putheader("Host", host.format(port=port))
    connection.putheader("Cookie", f"{name}={value}")
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status in (400, 421)
    assert SECRET not in answer.read().decode()
    connection.close()


def test_every_answer_forbids_what_pages_do_not_need(server: Served) -> None:
    with server.steward() as steward:
        answers = [steward.get(page) for page in [*PAGES, "/nowhere", "/static/style.css"]]
    answers.append(httpx.get(f"{server.origin}/data"))
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers


def test_style_and_script_alone_are_kept_by_browsers_and_only_by_the_name_of_their_content(server: Served) -> None:
    with server.steward() as steward:
        named = re.findall(r'(?:href|src)="(/static/[^"]+)"', steward.get("/data").text)
        assert len(named) == 4
        for address in named:
            assert steward.get(address).headers["cache-control"] == "private, max-age=31536000, immutable"
            assert steward.get(f"{address}0").headers["cache-control"] == "no-store"
        version = named[0].partition("?")[2]
        for page in ("/data", "/result", "/static/nowhere.css", "/nowhere"):
            assert steward.get(f"{page}?{version}").headers["cache-control"] == "no-store"


def test_pages_have_no_inline_script_or_style_and_no_foreign_address(server: Served) -> None:
    with server.steward() as steward:
        for page in ["/data", "/roles", "/roles/1", "/method", "/result", "/release"]:
            text = steward.get(page).text
            assert "<script>" not in text
            assert " style=" not in text
            assert "<style" not in text
            assert " onclick=" not in text
            assert "https://" not in text
            assert "//cdn" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/%2e%2e/serve.py",
        "/static//etc/passwd",
        "/release/report/..%2f..%2fetc%2fpasswd",
        "/release/report/private%00",
        "/roles/-1",
        "/roles/99",
        "/roles/..%2f..",
    ],
)
def test_a_path_leads_nowhere_else(server: Served, path: str) -> None:
    name, value = server.cookie
    connection = http.client.HTTPConnection("127.0.0.1", server.session.settings.port)
    connection.request("GET", path, headers={"Cookie": f"{name}={value}"})  # as it is: httpx would tidy it up
    answer = connection.getresponse()
    text = answer.read().decode()
    assert answer.status == 404
    assert "import" not in text
    assert "root:" not in text
    connection.close()


@pytest.mark.parametrize(
    "name", ["../../../../tmp/owned.csv", "/etc/owned.csv", "..\\..\\owned.csv", "a\x00b.csv", "." * 300]
)
def test_the_name_of_an_upload_is_never_a_path(name: str) -> None:
    with served(max_upload=100_000) as running, running.steward() as steward:
        sent = steward.post("/data/upload", files=csv_of(PEOPLE, name))
        running.wait()
        assert sent.status_code == 303
        assert running.session.data is not None
        kept = {path.name for path in running.session.folder.iterdir()}
        assert len(kept) == 1
        assert kept.pop().startswith("upload-")
        shown = running.session.data["name"]
        assert "/" not in shown
        assert "\\" not in shown
    assert not Path("/tmp/owned.csv").exists()


def test_an_upload_over_the_limit_is_refused_with_the_limit_and_leaves_nothing(server: Served) -> None:
    large = "a,b\n" + "1,2\n" * 600_000
    with server.steward() as steward:
        answer = steward.post("/data/upload", files=csv_of(large))
    assert answer.status_code == 413
    assert "larger than the limit of 1 MB" in answer.text.partition('id="error"')[2].partition("</div>")[0]
    assert len([path for path in server.session.folder.iterdir() if path.name.startswith("upload-")]) == 1
    assert server.session.data is not None


def test_an_upload_that_does_not_say_its_length_stops_at_the_limit_too(server: Served) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\na,b\n'

    def body() -> Iterator[bytes]:
        yield head
        for _ in range(40):
            yield b"1,2\n" * 25_000
        yield b"\r\n--x--\r\n"

    with server.steward() as steward:
        answer = steward.post(
            "/data/upload", content=body(), headers={"Content-Type": "multipart/form-data; boundary=x"}
        )
    assert answer.status_code == 413


def test_a_gzip_bomb_is_refused_before_it_is_unpacked(server: Served) -> None:
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 20_000_000, 9)
    assert len(bomb) < 1_000_000
    with server.steward() as steward:
        answer = steward.post("/data/upload", files={"file": ("t.csv.gz", io.BytesIO(bomb))})
    assert answer.status_code == 413
    assert "unpacks to more than 4 MB" in answer.text


@pytest.mark.parametrize("content", [b"0" * 50_000_000, b"a,b\n1,2\n"])
def test_a_zip_is_refused_before_it_is_unpacked(content: bytes) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", content)
    with served(max_upload=1_000_000) as running, running.steward() as steward:
        steward.post("/data/upload", files={"file": ("table.csv", io.BytesIO(packed.getvalue()))})
        running.wait()
        assert "is a zip archive; unpack it" in steward.get("/data").text
        assert running.session.data is None


def test_a_small_parquet_file_of_a_hundred_million_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    pl.LazyFrame({"a": [0]}).select(pl.repeat(0, 100_000_000, dtype=pl.Int8).alias("a")).collect().write_parquet(path)
    assert path.stat().st_size < 1_000_000
    with served(max_upload=1_000_000) as running, running.steward() as steward:
        steward.post("/data/upload", files={"file": ("bomb.parquet", io.BytesIO(path.read_bytes()))})
        running.wait()
        assert "claims 100,000,000 rows" in steward.get("/data").text


def test_html_in_names_and_values_is_text_everywhere() -> None:
    rows = "\n".join(f'"{EVIL.replace(chr(34), chr(34) * 2)}{i % 3}",{20 + i},v{i % 2}' for i in range(24))
    header = f'"{EVIL.replace(chr(34), chr(34) * 2)}",age,"<b>disease</b>"'
    with served(seed=1) as running, running.steward() as steward:
        steward.post("/data/upload", files=csv_of(f"{header}\n{rows}\n", "<i>t</i>.csv"))
        running.wait()
        steward.post("/roles", data={"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "method"})
        running.wait()
        steward.post("/method", data={"name": "hybrid", "p-l": "2"})
        running.wait()
        steward.post("/result/compare", data={"m-hybrid": "on", "from": "2", "to": "2"})
        running.wait()
        assert running.session.comparison is not None
        pages = ["/data", "/roles", "/roles/0", "/method", "/result", "/result/risk", "/result/utility"]
        for page in [*pages, "/result/compare", "/release"]:
            text = steward.get(page).text
            for tag in ("<script>alert", "<img src=x", "<b>disease", "<i>t</i>"):
                assert tag not in text, (page, tag)
        told = steward.post("/result/person", data={"who": EVIL}, headers={"HX-Request": "true"}).text
        assert "<script>alert" not in told
        assert "&lt;script&gt;" in told


def test_two_hundred_requests_at_once_are_all_answered(server: Served) -> None:
    with server.steward() as steward, ThreadPoolExecutor(50) as pool:
        cookies = dict(steward.cookies)

        def ask(number: int) -> int:
            known = number % 2 == 0
            page = ["/data", "/roles", "/method", "/result", "/job"][number % 5]
            answer = httpx.get(server.origin + page, cookies=cookies if known else None, timeout=900)
            assert known or SECRET not in answer.text
            return answer.status_code

        codes = list(pool.map(ask, range(200)))
    assert {code for number, code in enumerate(codes) if number % 2} == {403}
    assert {code for number, code in enumerate(codes) if not number % 2} <= {
        200,
        204,
        286,
    }  # the last: work that is over


def test_the_folder_is_private_and_gone_at_the_end() -> None:
    with served() as running:
        folder = running.session.folder
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert folder.stat().st_uid == os.getuid()
    assert not folder.exists()


@contextmanager
def somebody_is_there() -> Iterator[None]:
    """While it lasts, no session is idle, however long a busy machine takes for what is done meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "idle", 0.0)
        yield


def test_an_idle_session_is_deleted_and_says_so() -> None:
    with served(idle_seconds=0.4) as running, running.steward() as steward:
        with somebody_is_there():
            steward.post("/data/upload", files=csv_of(PEOPLE))
            running.wait()
            assert running.session.data is not None
        for _ in range(2400):
            if running.session.expired:
                break
            time.sleep(0.05)
        assert list(running.session.folder.iterdir()) == []
        page = steward.get("/data").text
        assert "everything was deleted" in page
        assert SECRET not in page


def test_an_upload_that_stands_still_does_not_outlive_the_idle_hour() -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n' + PEOPLE.encode()
    with served(idle_seconds=0.4) as running:
        name, value = running.cookie
        with socket.create_connection(("127.0.0.1", running.session.settings.port)) as stalled:
            asked = f"POST /data/upload HTTP/1.1\r\nHost: {running.origin[7:]}\r\nOrigin: {running.origin}\r\n"
            told = (
                f"Cookie: {name}={value}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 9999\r\n"
            )
            stalled.sendall(f"{asked}{told}\r\n".encode() + head)
            stalled.settimeout(PATIENCE)
            answer = stalled.recv(100_000).decode()  # it is told so; nothing more was sent
        assert " 422 " in answer.splitlines()[0]
        assert list(running.session.folder.iterdir()) == []


def test_what_is_idle_is_deleted_although_that_failed_before(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(idle_seconds=0.4) as running, running.steward() as steward:
        failed: list[bool] = []
        real = running.session._empty

        def fails_first(keep: set[Path]) -> None:
            if not failed and not keep:
                failed.append(True)
                raise PermissionError("a file is in use")
            real(keep)

        with somebody_is_there():
            steward.post("/data/upload", files=csv_of(PEOPLE))
            running.wait()
        monkeypatch.setattr(running.session, "_empty", fails_first)
        for _ in range(2400):
            if running.session.expired:
                break
            time.sleep(0.05)
        assert failed
        assert running.session.expired
        assert list(running.session.folder.iterdir()) == []


@pytest.mark.parametrize("number", ["9" * 5000, "-1", "99", "x", "1.0", "%D9%A1"])
def test_a_column_that_is_not_there_is_not_found(server: Served, number: str) -> None:
    with server.steward() as steward:
        for answer in (
            steward.get(f"/roles/{number}"),
            steward.post(f"/roles/{number}", data={"role": "drop"}),
            steward.post(f"/roles/{number}", files=csv_of("a;*", "t.csv")),
        ):
            assert answer.status_code == 404
            assert "bug" not in answer.text


def test_delete_everything_now_deletes_everything() -> None:
    with served() as running, running.steward() as steward:
        steward.post("/data/upload", files=csv_of(PEOPLE))
        running.wait()
        assert steward.post("/data/forget", data={"sure": "yes"}).status_code == 303
        assert list(running.session.folder.iterdir()) == []
        assert SECRET not in steward.get("/data").text


def _forget(steward: httpx.Client, origin: str) -> httpx.Response:
    return steward.post("/data/forget", data={"sure": "yes"}, headers={"Origin": origin})


@pytest.mark.parametrize("kind", ["websocket", "other"])
def test_nothing_but_requests_comes_through_the_gate(kind: str) -> None:
    sent: list[object] = []

    async def behind(*_asked: object) -> None:
        sent.append("came through")

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: object) -> None:
        sent.append(message)

    with served() as running:
        gate = Gate(behind, session=running.session, settings=running.session.settings, keys=Keys())
        finished(gate({"type": kind, "path": "/data", "headers": []}, receive, send))
        assert sent == ([{"type": "websocket.close", "code": 1008}] if kind == "websocket" else [])
        sent.clear()
        finished(gate({"type": "lifespan"}, receive, send))
        assert sent == ["came through"]


def test_what_a_bug_says_is_told_nowhere(
    server: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ValueError(f"{SECRET} is not a number")

    with server.steward() as steward:
        monkeypatch.setattr(server.session, "touch", broken)
        answer = steward.get("/data")
        monkeypatch.undo()
    assert answer.status_code == 500
    assert "ValueError" in answer.text
    assert SECRET not in answer.text
    told = capsys.readouterr().err
    assert "ValueError in test_security.py, line " in told
    assert SECRET not in told
