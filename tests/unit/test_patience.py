"""Work that takes too long is stopped, also where the first alarm rings where nobody hears it."""

from __future__ import annotations

import signal
import time
from contextlib import suppress

import pytest

from pellucid.errors import AttackError
from pellucid.runtime import patience
from pellucid.runtime.patience import TooLong, at_most


def forever() -> None:
    while True:
        pass


def deaf_once() -> None:
    """Work that drops the first alarm, as Python does with what is raised in a callback of its collector."""
    with suppress(TooLong):
        forever()
    forever()


def test_an_alarm_that_is_dropped_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "AGAIN", 0.02)
    with pytest.raises(TooLong), at_most(0.02):
        deaf_once()


def test_nothing_rings_afterwards() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with at_most(600):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.parametrize("seconds", [1e-6, 2e-4])
def test_nothing_rings_afterwards_whenever_it_rings(seconds: float) -> None:
    """It may ring before the work begins or as it ends; an alarm that stayed armed struck whatever came next."""
    before = signal.getsignal(signal.SIGALRM)
    for _ in range(200):
        began = time.perf_counter()
        with suppress(TooLong), at_most(seconds):
            while time.perf_counter() - began < seconds:
                pass
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_patience_that_is_none_is_refused_with_the_rule(seconds: float) -> None:
    with pytest.raises(AttackError, match=r"patience .* above 0"), at_most(seconds):
        pass


def test_time_that_is_over_while_a_class_is_made_is_no_defect() -> None:
    class Waiting:
        def __set_name__(self, owner: type, name: str) -> None:
            while True:  # until it rings; Python 3.11 wraps what is raised here
                pass

    with pytest.raises(TooLong), at_most(0.01):

        class Made:
            attribute = Waiting()
