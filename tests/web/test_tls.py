"""The page on the network: only with the flag, only with a certificate, and then only over https."""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from cli.program import PROGRAM
from web.serving import PATIENCE

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

EXPOSE = "--i-know-this-exposes-data"


def address_of_this_machine() -> str:
    """An IPv4 address of this machine that other machines may reach."""
    for found in psutil.net_if_addrs().values():
        for one in found:
            if one.family == socket.AF_INET and not ipaddress.ip_address(one.address).is_loopback:
                return one.address
    pytest.skip("this machine has no address but its own 127.0.0.1, so nothing can be exposed")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate that signs itself, for this machine's addresses, and its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("the program openssl is not on this machine; it makes the certificate of this test")
    folder = tmp_path_factory.mktemp("tls")
    names = f"subjectAltName=IP:127.0.0.1,IP:{address_of_this_machine()}"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=pellucid test"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([program, *words, "-addext", names, *files], check=True, capture_output=True)
    return folder / "cert.pem", folder / "key.pem"


@contextmanager
def running(folder: Path, *words: str) -> Iterator[str]:
    """`pellucid serve` with these words; gives the address that it prints."""
    program = subprocess.Popen(
        [*PROGRAM, "serve", "--no-browser", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert program.stdout is not None
    try:
        yield next(found[0] for line in program.stdout if (found := re.search(r"https?://\S+", line)))
    finally:
        program.terminate()
        program.communicate(timeout=900)


def until_answered(client: httpx.Client, address: str) -> httpx.Response:
    """The address is printed a moment before the server listens."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            return client.get(address)
        except httpx.ConnectError:
            time.sleep(0.02)
    raise AssertionError("the server does not listen")


def test_on_the_network_https_answers_and_http_does_not(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    cert, key = certificate
    host = address_of_this_machine()
    words = ["--host", host, EXPOSE, "--tls-cert", str(cert), "--tls-key", str(key)]
    trusted = ssl.create_default_context(cafile=str(cert))
    with running(tmp_path, *words) as address, httpx.Client(verify=trusted, timeout=900) as client:
        assert re.fullmatch(rf"https://{re.escape(host)}:\d+/\?token=[\w-]{{43}}", address)
        welcome = until_answered(client, address)
        assert welcome.status_code == 200
        assert "; Secure" in welcome.headers["set-cookie"]
        origin = address.partition("/?")[0]
        assert "Which table" in client.get(f"{origin}/data").text
        assert client.post(f"{origin}/data/demo", data={"name": "no"}, headers={"Origin": origin}).status_code == 422
        plain = origin.replace("https://", "http://")  # a page of that origin is not ours
        assert client.post(f"{origin}/data/demo", headers={"Origin": plain}).status_code == 403
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"{plain}/data", timeout=900)
        with pytest.raises(httpx.ConnectError):  # nobody who did not get the certificate is fooled
            httpx.get(f"{origin}/data", timeout=900)
        port = int(origin.rpartition(":")[2])
        with socket.socket() as elsewhere, pytest.raises(ConnectionRefusedError):
            elsewhere.connect(("127.0.0.1", port))


@pytest.mark.parametrize(
    "lacking", [[EXPOSE], ["--tls-cert", "--tls-key"], [EXPOSE, "--tls-cert", "--tls-key"]], ids="+".join
)
def test_the_flag_and_the_files_are_demanded(certificate: tuple[Path, Path], lacking: list[str]) -> None:
    given = {EXPOSE: [], "--tls-cert": [str(certificate[0])], "--tls-key": [str(certificate[1])]}
    words = [word for option, value in given.items() if option not in lacking for word in (option, *value)]
    program = subprocess.run(
        [*PROGRAM, "serve", "--no-browser", "--host", address_of_this_machine(), *words],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert program.returncode == 2
    assert "lets other machines in" in program.stderr
    assert EXPOSE in program.stderr
    assert "http" not in program.stdout


def test_files_that_are_no_certificate_are_one_line(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate\n")
    words = ["--tls-cert", str(wrong), "--tls-key", str(certificate[1])]
    program = subprocess.run(
        [*PROGRAM, "serve", "--no-browser", *words], capture_output=True, text=True, timeout=900, check=False
    )
    assert program.returncode == 2
    assert "not a certificate with its key" in program.stderr
    assert len(program.stderr.splitlines()) == 1
    assert "http" not in program.stdout
