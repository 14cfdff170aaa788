"""``pellucid serve``: the whole job in a browser, on this machine."""

from __future__ import annotations

import ipaddress
import signal
import socket
import ssl
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.errors import InputError, PellucidError
from pellucid.web.settings import MEGABYTE, Settings, is_loopback

if TYPE_CHECKING:
    import uvicorn

EXIT_CODES = "Exit codes: 0 ended with Ctrl-C, SIGTERM or a closed terminal, 2 the call is wrong."
EXAMPLES = (
    "pellucid serve",
    "pellucid serve patients.csv --port 8642 --no-browser",
)
NEEDED = ("jinja2", "python_multipart", "starlette", "vl_convert")
INSTALL = "the page needs the extra 'web', which is not installed; run: pip install 'pellucid[web]'"


def command() -> Callable[..., None]:
    """The verb."""
    return serve


def check_installed() -> None:
    """Raise where the packages of the page are not there."""
    try:
        import uvicorn  # noqa: F401
    except ImportError:
        raise PellucidError(INSTALL) from None
    if any(find_spec(name) is None for name in NEEDED):
        raise PellucidError(INSTALL)


def serve(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", show_default=False, help="A table to begin with, read in place.")
    ] = None,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0: any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; anything but this machine needs the next options.")
    ] = "127.0.0.1",
    exposes: Annotated[
        bool,
        typer.Option("--i-know-this-exposes-data", help="Listen on the network: whoever has the address has the data."),
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate, to listen elsewhere.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of the certificate.")] = None,
    max_upload: Annotated[int, typer.Option(metavar="MB", min=1, help="The largest file that may be uploaded.")] = 500,
) -> None:
    """Open the page: choose a table, say what its columns are, publish, attack, download.

    It listens on this machine only and prints an address with a token; whoever has the token sees the data. Uploads
    live in a private folder that is deleted at the end, and after an idle hour. Ctrl-C ends it.
    """
    host = as_browsers_write(host)
    check_host(host, exposes=exposes, certificate=tls_cert, key=tls_key)
    if tls_cert is not None and tls_key is not None:
        check_certificate(tls_cert, tls_key)
    if file is not None and not file.is_file():
        raise InputError("there is no file {file!r}; check the name and the folder", file=str(file))
    check_installed()
    import uvicorn

    from pellucid.web.security import Keys
    from pellucid.web.server import application

    listening = bound(host, port)
    settings = Settings(
        host=host,
        port=listening.getsockname()[1],
        file=None if file is None else file.resolve(),
        max_upload=max_upload * MEGABYTE,
        tls=tls_cert is not None,
    )
    keys = Keys()
    app = application(settings, keys)
    address = f"{settings.origin}/?token={keys.token}"
    config = uvicorn.Config(
        app,
        log_config=None,  # nothing about requests is written anywhere
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nobody else says for whom a request is
        ws="none",
        timeout_graceful_shutdown=2,
        ssl_certfile=tls_cert,
        ssl_keyfile=tls_key,
    )
    server = uvicorn.Server(config)
    end_with_the_terminal(server)
    try:
        where = "in a browser on this machine" if is_loopback(host) else "in a browser; whoever has it has the data"
        print(f"Open this address {where}:\n\n    {address}\n\nCtrl-C ends it.", flush=True)
        if not no_browser:
            open_browser(address, app.session.start_page)
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        app.session.close()
    with suppress(OSError):  # the terminal may be gone
        print("Ended; the private folder is deleted.", file=sys.stderr)


def end_with_the_terminal(server: uvicorn.Server) -> None:
    """A terminal that is closed, or sends quit, ends the server as SIGTERM does.

    These signals would otherwise kill it at once and leave personal data on the disk. Whoever started it with
    ``nohup`` has asked it to stay.
    """

    def end(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    for name in ("SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)  # other systems lack them
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


def check_host(host: str, *, exposes: bool, certificate: Path | None, key: Path | None) -> None:
    """Refuse to listen anywhere but on this machine, unless that is clearly meant and encrypted."""
    for given in (certificate, key):
        if given is not None and not given.is_file():
            raise InputError(f"there is no file {str(given)!r}; give the certificate and its key as PEM files")
    if (certificate is None) != (key is None):
        raise InputError("--tls-cert and --tls-key go together; give both")
    if is_loopback(host):
        return
    if not exposes or certificate is None:
        raise InputError(
            f"--host {host} lets other machines in, and the page shows personal data; stay on 127.0.0.1, or add "
            "--i-know-this-exposes-data with --tls-cert FILE and --tls-key FILE"
        )
    if host in ("0.0.0.0", "::", ""):
        raise InputError(f"--host {host!r} is every address at once; give the one name or address that people type")


def check_certificate(certificate: Path, key: Path) -> None:
    """Refuse files that no server could use, before an address is printed that would not answer."""
    try:
        # a key with a password would ask for it on the terminal, in the middle of the start
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: b"")
    except (ssl.SSLError, OSError, ValueError):
        raise InputError(
            f"{str(certificate)!r} and {str(key)!r} are not a certificate with its key; give two PEM files that belong "
            "together, the key without a password"
        ) from None


def as_browsers_write(host: str) -> str:
    """An address in the one spelling that browsers send as Host; a name as it is.

    >>> as_browsers_write("0:0:0:0:0:0:0:1"), as_browsers_write("::ffff:127.0.0.1"), as_browsers_write("localhost")
    ('::1', '127.0.0.1', 'localhost')
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(getattr(address, "ipv4_mapped", None) or address)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; an address that is taken or unknown is one line."""
    listening: socket.socket | None = None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # named as TCP: asyncio then sends small packets at once, else each page waits 40 ms for an acknowledgement
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()  # before the address is printed: until then another program could take it over
    except OSError as wrong:
        if listening is not None:
            listening.close()
        why = wrong.strerror or "it is unknown"
        raise InputError(f"cannot listen on {host} port {port} ({why}); choose another --port") from None
    return listening


def open_browser(address: str, page: Path) -> None:
    """Open the address through a file that only we can read: other users can see the arguments of a program.

    The session deletes the file when somebody came in through it.
    """
    page.touch(mode=0o600)
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}">', encoding="utf-8"
    )
    threading.Timer(0.5, webbrowser.open, [page.as_uri()]).start()
