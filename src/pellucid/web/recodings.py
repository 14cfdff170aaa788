"""What a group may become, in plain words."""

from __future__ import annotations

from pellucid.anonymize.recode import RECODERS
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.web.session import Session

# in plain words, with the term of the field in brackets; those with a row for each person first
RECODINGS = {
    kind.name: f"{kind.summary} ({kind.name})"
    for kind in sorted(RECODERS.values(), key=lambda kind: not issubclass(kind, RowRecoder))
}


def offered_recodings(session: Session) -> dict[str, str]:
    """What a group may become; without a protected column, exact values would hide nobody."""
    return {key: about for key, about in RECODINGS.items() if key != "anatomy" or not session.hiding}
