"""Whether all that steered a method is known to somebody who knows the algorithm: else nothing is claimed of it."""

from __future__ import annotations

from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.risk.adversary import Adversary
from pellucid.risk.inference.by_membership_chance import gives_nothing_away
from pellucid.risk.inference.likelihoods import tells_by_order
from pellucid.risk.views import Evidence
from pellucid.risk.views.missing_inputs import UNORDERED, UNTOLD
from pellucid.risk.views.row_orders import order_is_idle


class NotKnown(AttackError):
    """Something that steered the method is not known, so nothing is claimed; the message says what to give."""


def require_known(evidence: Evidence, adversary: Adversary) -> None:
    """Raise when somebody who knows the algorithm would need what is not known here."""
    method = evidence.method
    if adversary.knows != "algorithm" or method is None or not evidence.lacking or gives_nothing_away(evidence):
        return
    lacking = [reason for reason in evidence.lacking if reason not in (UNORDERED, UNTOLD) or order_matters(evidence)]
    if lacking:
        raise NotKnown(
            "what {method} gives away depends on things that are not known: {lacking}",
            method=method.name,
            lacking=Message.joined(lacking),
        )


def order_matters(evidence: Evidence) -> bool:
    """Whether the method may have made other groups of the rows in another order, and that tells something."""
    assert evidence.method is not None
    return not order_is_idle(evidence.method, evidence.people) and tells_by_order(evidence)
