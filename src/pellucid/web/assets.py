"""Style and scripts, named by their content: a browser keeps them for good, and never one of another version."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
PATH = "/static/"
FOR_GOOD = "private, max-age=31536000, immutable"  # seconds of a year


@cache
def asset(name: str) -> str:
    """The address of a file of style or script, which changes when its content does.

    >>> asset("style.css").partition("=")[0]
    '/static/style.css?v'
    """
    return f"{PATH}{name}?v={sha256((FOLDER / name).read_bytes()).hexdigest()[:16]}"


def is_asset(path: str, query: bytes) -> bool:
    """Whether a request is for one of these files as it is now; they hold no data of anybody.

    >>> address, _, version = asset("style.css").partition("?")
    >>> is_asset(address, version.encode()), is_asset(address, b"v=1"), is_asset("/data", version.encode())
    (True, False, False)
    """
    name = path.removeprefix(PATH)
    if not path.startswith(PATH) or name not in {file.name for file in FOLDER.iterdir()}:
        return False
    return f"{path}?{query.decode('latin-1')}" == asset(name)
