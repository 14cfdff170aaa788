"""What an attack found, in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping

from pellucid.attacking.suite import AttackReport


def verdict(report: AttackReport) -> str:
    """The whole in a sentence or two."""
    if not report.attempts:
        return "Nothing was found out: no adversary could be tried."
    missed = f" {len(report.missed)} could not be tried." if report.missed else ""
    if report.l is None:
        worst = max(report.attempts, key=lambda attempt: attempt.max_risk)
        return f"The most that is believed of anybody is {worst.max_risk:.4g}, by one who {worst.name}.{missed}"
    above = [attempt for attempt in report.attempts if attempt.exceeds]
    tried = len(report.attempts)
    if above:
        who = "; ".join(f"who {attempt.name} ({attempt.max_risk:.4g})" for attempt in above)
        return f"{len(above)} of {tried} attackers believe more than 1/{report.l} of somebody: {who}.{missed}"
    whom = "The one attacker that was tried believes" if tried == 1 else f"None of the {tried} attackers believes"
    most = "at most" if tried == 1 else "more than"
    return f"{whom} {most} 1/{report.l} of anybody.{missed}"


def merged(told: Mapping[str, str]) -> dict[str, str]:
    """Names with the same text as one.

    >>> merged({"a": "x", "b": "y", "c": "x"})
    {'a; c': 'x', 'b': 'y'}
    """
    names_of: dict[str, list[str]] = {}
    for name, text in told.items():
        names_of.setdefault(text, []).append(name)
    return {"; ".join(sharing): text for text, sharing in names_of.items()}
