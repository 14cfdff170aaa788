"""What an attacker is given: a release, whoever may be in it, who is in which group, how it was made."""

from __future__ import annotations

from pellucid.risk.views.evidence import Evidence, Gathered, PublishedFrom

__all__ = ["Evidence", "Gathered", "PublishedFrom"]
