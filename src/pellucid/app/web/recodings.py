"""What a group may become, in plain words."""

from __future__ import annotations

from pellucid.app.web.session import Session
from pellucid.recode import RECODERS
from pellucid.recode.recoder import RowRecoder

# in plain words, with the term of the field in brackets; those with a row for each person first
RECODINGS = {
    kind.name: f"{kind.summary} ({kind.name})"
    for kind in sorted(RECODERS.values(), key=lambda kind: not issubclass(kind, RowRecoder))
}


def offered_recodings(session: Session) -> dict[str, str]:
    """What a group may become; without a protected column, exact values would hide nobody."""
    return {key: about for key, about in RECODINGS.items() if key != "anatomy" or not session.hiding}
