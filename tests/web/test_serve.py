"""``pellucid serve`` as a person starts and ends it."""

from __future__ import annotations

import builtins
import contextlib
import os
import re
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.program import PROGRAM, as_in_a_terminal
from pellucid.cli.program import main
from pellucid.datasets import patients

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


TLS = ["--tls-cert", "{pem}", "--tls-key", "{pem}"]


def as_with_nohup() -> None:
    """The terminal may be closed."""
    as_in_a_terminal()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def started(
    tmp_path: Path, *words: str, browser: str = "", how: Callable[[], None] = as_in_a_terminal
) -> tuple[subprocess.Popen[str], str]:
    """The program with its own folder for temporary files, and the address that it printed."""
    program = subprocess.Popen(
        [*PROGRAM, "serve", *([] if browser else ["--no-browser"]), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "BROWSER": browser},
        preexec_fn=how,
    )
    assert program.stdout is not None
    for line in program.stdout:
        found = re.search(r"http://\S+", line)
        if found:
            return program, found[0]
    raise AssertionError("no address was printed")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_it_prints_its_address_serves_and_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    table = tmp_path / "patients.csv"
    table.write_text(patients().write_csv())
    program, address = started(tmp_path, str(table))
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", address)
    with httpx.Client(timeout=900) as client:
        assert client.get(address).status_code == 200
        origin = address.partition("/?")[0]
        assert client.get(f"{origin}/data").status_code == 200
        assert client.get(f"{origin}/nowhere").status_code == 404
    assert list(tmp_path.glob("pellucid-serve-*"))
    program.send_signal(number)
    out, err = program.communicate(timeout=900)
    assert program.returncode in (0, -number)
    assert not list(tmp_path.glob("pellucid-serve-*"))
    assert table.exists()
    token = address.partition("token=")[2]
    assert token not in out + err
    assert "Ann" not in out + err
    assert "GET" not in out + err


def test_a_terminal_that_is_closed_leaves_no_upload_behind(tmp_path: Path) -> None:
    program, address = started(tmp_path)
    origin = address.partition("/?")[0]
    with httpx.Client(timeout=900, headers={"Origin": origin}) as client:
        client.get(address)
        sent = client.post(f"{origin}/data/upload", files={"file": ("p.csv", patients().write_csv().encode())})
        assert sent.status_code == 303
    (folder,) = tmp_path.glob("pellucid-serve-*")
    assert [path for path in folder.iterdir() if "Ann" in path.read_text()]
    program.send_signal(signal.SIGHUP)
    program.communicate(timeout=900)
    assert not folder.exists()


@dataclass(frozen=True)
class Running:
    """A server of which several tests ask something that leaves it as it is."""

    program: subprocess.Popen[str]
    address: str
    temporary: Path
    folder: Path
    kept: str  # what the squatter of its port was told who listened there as soon as the address was printed


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Started with nohup, at a port that a program of another user has bound before."""
    temporary = tmp_path_factory.mktemp("running")
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        squatter.bind(("127.0.0.1", 0))
        program, address = started(temporary, "--port", str(squatter.getsockname()[1]), how=as_with_nohup)
        try:
            try:
                squatter.listen()
                kept = ""
                squatter.close()  # or it would be asked below, and never answer
            except OSError as wrong:
                kept = str(wrong)
            (folder,) = temporary.glob("pellucid-serve-*")
            yield Running(program, address, temporary, folder, kept)
        finally:
            program.terminate()
            program.communicate(timeout=900)


def test_started_with_nohup_it_stays_when_the_terminal_is_closed(running: Running) -> None:
    running.program.send_signal(signal.SIGHUP)
    assert httpx.get(running.address, timeout=900).status_code == 200
    assert running.program.poll() is None


def test_the_printed_address_is_ours_and_cannot_be_taken_over(running: Running) -> None:
    assert "in use" in running.kept
    assert httpx.get(running.address, timeout=900).status_code == 200


def test_a_folder_of_a_server_that_was_killed_is_deleted_by_the_next_and_one_that_runs_is_spared(
    running: Running,
) -> None:
    program, address = started(running.temporary)
    with httpx.Client(timeout=900) as client:
        assert client.get(address).status_code == 200
    assert running.folder.exists()
    (left,) = {*running.temporary.glob("pellucid-serve-*")} - {running.folder}
    program.kill()
    program.communicate()
    another, _ = started(running.temporary)
    try:
        assert not left.exists()
        assert running.folder.exists()
    finally:
        another.terminate()
        another.communicate(timeout=900)


def test_nobody_in_between_says_for_whom_a_request_is(running: Running) -> None:
    with httpx.Client(timeout=900) as client:
        client.get(running.address)
        origin = running.address.partition("/?")[0]
        led = client.get(f"{origin}/data/", headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"})
        assert led.headers["location"] == f"{origin}/data"
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        asked = client.get(f"{origin}/data", headers={**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
        assert asked.status_code == 200  # a request like any other


@pytest.mark.parametrize("with_file", [False, True])
def test_the_browser_is_led_in_and_the_file_that_led_it_is_deleted(tmp_path: Path, with_file: bool) -> None:
    table = tmp_path / "patients.csv"
    table.write_text(patients().write_csv())
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\ncat "${{1#file://}}" > {seen}.part 2>&1; mv {seen}.part {seen}\n')
    browser.chmod(0o700)
    program, address = started(tmp_path, *([str(table)] if with_file else []), browser=str(browser))
    try:
        with httpx.Client(timeout=900) as client:
            client.get(f"{address.partition('/?')[0]}/data")  # not with the token: the lifespan has begun, and no more
            for _ in range(2400):
                if seen.exists():
                    break
                time.sleep(0.05)
            assert f"url={address}" in seen.read_text()
            (folder,) = tmp_path.glob("pellucid-serve-*")
            assert (folder / "start.html").exists()
            assert client.get(address).status_code == 200
            assert not (folder / "start.html").exists()
    finally:
        program.terminate()
        program.communicate(timeout=900)


def workers_of(folder: Path) -> list[int]:
    """The processes that work in the private folder of a server."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = place.read_bytes().split(b"\0")
            if b"pellucid.web.worker" in words and str(folder).encode() in words:
                found.append(int(place.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are found in /proc")
def test_the_worker_of_a_server_that_was_killed_ends_too(tmp_path: Path) -> None:
    table = tmp_path / "patients.csv"
    table.write_text(patients().write_csv())
    program, address = started(tmp_path, str(table))
    with httpx.Client(timeout=900) as client:
        client.get(address)
        (folder,) = tmp_path.glob("pellucid-serve-*")
        for _ in range(2400):
            if "8 rows" in client.get(f"{address.partition('/?')[0]}/data").text:  # it listens, and has nothing to do
                break
            time.sleep(0.05)
    (worker,) = workers_of(folder)
    try:
        program.kill()
        program.communicate(timeout=900)
        for _ in range(2400):
            if not workers_of(folder):
                break
            time.sleep(0.05)
        assert workers_of(folder) == []
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


def test_an_address_is_printed_as_browsers_write_it(tmp_path: Path) -> None:
    try:
        with socket.socket(socket.AF_INET6) as six:
            six.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    program, address = started(tmp_path, "--host", "0:0:0:0:0:0:0:1")
    try:
        assert re.match(r"http://\[::1\]:\d+/", address)
        assert httpx.get(address, timeout=900).status_code == 200
    finally:
        program.terminate()
        program.communicate(timeout=900)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "0.0.0.0"], "lets other machines in"),
        (["--host", "192.0.2.7", "--i-know-this-exposes-data"], "--tls-cert FILE"),
        (["--host", "192.0.2.7", *TLS], "--i-know-this-exposes-data"),
        (
            ["--host", "0.0.0.0", "--i-know-this-exposes-data", "--tls-cert", "{pem}", "--tls-key", "{pem}"],
            "every address",
        ),
        (["--tls-cert", "{pem}"], "go together"),
        (["--tls-cert", "nowhere.pem", "--tls-key", "{pem}"], "there is no file 'nowhere.pem'"),
        (["nowhere.csv"], "there is no file 'nowhere.csv'"),
        (["--port", "{taken}"], "choose another --port"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pem = tmp_path / "x.pem"
    pem.write_text("")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        filled = [word.format(pem=pem, taken=taken.getsockname()[1]) for word in words]
        assert main(["serve", "--no-browser", *filled]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert len(error.splitlines()) == 1


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def absent(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "uvicorn":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    assert main(["serve", "--no-browser"]) == 2
    assert "pip install 'pellucid[web]'" in capsys.readouterr().err


def test_the_browser_is_not_given_the_token_as_an_argument(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import webbrowser

    from pellucid.cli.verbs import serve

    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(serve.threading, "Timer", lambda _wait, call, given: Immediately(call, given))
    page = tmp_path / "start.html"
    serve.open_browser("http://127.0.0.1:1/?token=secret", page)
    assert opened == [page.as_uri()]
    assert "token=secret" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


class Immediately:
    """A timer that does not wait."""

    def __init__(self, call: Any, given: list[Any]) -> None:
        self.call, self.given = call, given

    def start(self) -> None:
        self.call(*self.given)
