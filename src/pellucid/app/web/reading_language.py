"""Which language somebody reads: what they chose on the page, else what their browser asks for, else English."""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.datastructures import Headers

from pellucid.speaking.reader import ENGLISH

COOKIE = "pellucid-language"
_WANTED = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,30})?\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?))?\s*")
MOST = 20  # languages of a header that are looked at


def language_of(headers: Headers, known: Collection[str]) -> str:
    """The language of a request.

    >>> language_of(Headers({"accept-language": "de-AT,de;q=0.9,en;q=0.8"}), ["en", "de"])
    'de'
    >>> language_of(Headers({"accept-language": "de", "cookie": "a=b; pellucid-language=en"}), ["en", "de"])
    'en'
    >>> language_of(Headers({"accept-language": "fr, en;q=0.3, de;q=0.7"}), ["en", "de"])
    'de'
    >>> language_of(Headers({}), ["en", "de"])
    'en'
    """
    pairs = (part.strip().partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
    chosen = next((value for name, _, value in pairs if name == COOKIE and value in known), None)
    return chosen or _asked_for(headers.get("accept-language", ""), known)


def _asked_for(header: str, known: Collection[str]) -> str:
    found = [
        (-float(match[2] or 1), place, match[1].lower())
        for place, part in enumerate(header.split(",")[:MOST])
        if (match := _WANTED.fullmatch(part)) and float(match[2] or 1) > 0
    ]
    return next((language for *_, language in sorted(found) if language in known), ENGLISH)
