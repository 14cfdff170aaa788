"""Passwords in the address of a table: what is shown and written of it is without them.

Addresses come in many forms, and a password may hold whatever ends it elsewhere (``@``, ``/``, ``::``, ``;``). Where it
is not clear what belongs to it, more is left out rather than less.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

QUERY = re.compile(r"::\s*(?:select|with)(?=[\s*('\"])", re.IGNORECASE)
FILE_ONLY = re.compile(r"(?:sqlite|duckdb)(?:\+\w+)?:///", re.IGNORECASE)  # nobody logs in
SCHEME = re.compile(r"(?:[A-Za-z][\w+.-]*:)*//|jdbc:(?:\w+:)*", re.IGNORECASE)
USER = re.compile(r"[^:/@?;&=]*")
ODBC = re.compile(r"[?&;]\s*odbc_connect\s*=(.*)", re.IGNORECASE | re.DOTALL)
SECRET = re.compile(
    r"[?&;]\s*[^=&;?]*(?:pass|pwd|\bpw\b|secret|token|key|credential|\bsig)[^=&;?]*="  # the name of a parameter
    r"(\{(?:[^}]|\}\})*\}|.*?(?=[&;][\w .%-]+=|$))",  # its value ends where another parameter begins
    re.IGNORECASE | re.DOTALL,
)
HIDDEN = "***"


def is_address(source: str) -> bool:
    """Whether a text is a database URL and not a path.

    >>> is_address("sqlite:///clinic.db::patients"), is_address("clinic.csv")
    (True, False)
    """
    return "://" in source or source[:5].lower() == "jdbc:"


def without_password(source: str) -> str:
    """A source as it may be shown and written: of a database URL everything but its password.

    >>> without_password("postgresql://ann:s/3@cr@t@host/db?sslpassword=x&a=1::patients")
    'postgresql://ann:***@host/db?sslpassword=***&a=1::patients'
    >>> without_password("oracle://ann/secret@host/db"), without_password("clinic.csv")
    ('oracle://ann:***@host/db', 'clinic.csv')
    """
    if not is_address(source):
        return source
    end = end_of_url(source)
    url, masked, at = source[:end], "", 0
    for first, last in _spans(url):
        if first > at or not masked:
            mark = HIDDEN if url[first - 1 : first] in (":", "=") else f":{HIDDEN}"
            masked += url[at:first] + mark
        at = max(at, last)
    return masked + url[at:] + source[end:]


def secrets_of(source: str) -> list[str]:
    """What is left out of an address, as it stands there and as a driver gets it, the longest first.

    >>> secrets_of("postgresql://ann:s%20t@host/db::patients")
    ['s%20t', 's t']
    """
    url = source[: end_of_url(source)]
    secrets = [url[first:last] for first, last in _spans(url)]
    secrets += [unquote_plus(secret) for secret in secrets]
    secrets += [inner[1] for secret in secrets for inner in SECRET.finditer(f";{secret}")]  # in a text for ODBC
    return sorted(filter(None, dict.fromkeys(secrets)), key=len, reverse=True)


def _spans(url: str) -> list[tuple[int, int]]:
    given = [match.span(1) for pattern in (ODBC, SECRET) for match in pattern.finditer(url)]
    return sorted([*given, *_login(url)])


def end_of_url(source: str) -> int:
    """Where the table or query begins behind an address; a ``::`` in a password is none of them."""
    query = QUERY.search(source)
    if query is not None:
        before, behind = "@" in source[: query.start()], "@" in source[query.start() :]
        if before or not behind or FILE_ONLY.match(source):
            return query.start()
    last = source.rfind("::")
    return len(source) if last < 0 or "@" in source[last:] else last


def _login(url: str) -> list[tuple[int, int]]:
    """From where to where a password stands between the user and the last ``@``."""
    scheme, at = SCHEME.match(url), url.rfind("@")
    if scheme is None or at < scheme.end() or FILE_ONLY.match(url):
        return []
    user = USER.match(url, scheme.end(), at)
    first = scheme.end() if user is None else user.end()
    first += url[first : first + 1] == ":"
    return [(first, at)] if first < at else []
