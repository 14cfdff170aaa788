"""How a server was started."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000
IDLE_SECONDS = 3600.0
MAX_UPLOAD = 500 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Settings:
    """Where it listens and what it allows. ``seed`` fixes the coins, for tests: the command line has no such option."""

    host: str = "127.0.0.1"
    port: int = 0
    file: Path | None = None
    max_upload: int = MAX_UPLOAD
    idle_seconds: float = IDLE_SECONDS
    tls: bool = False
    seed: int | None = None

    @property
    def scheme(self) -> str:
        """http, or https where there is a certificate."""
        return "https" if self.tls else "http"

    @property
    def origin(self) -> str:
        """Where the pages are.

        >>> Settings(port=8000).origin, Settings(host="::1", port=8000).origin
        ('http://127.0.0.1:8000', 'http://[::1]:8000')
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether an address is this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("192.168.1.4")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
