"""Names that are going away: they work and warn, then they are refused, and always they say what to write instead.

docs/versions.md promises it: an old name works for two minor versions or a year, whichever is longer, and is an error
that names the new one for a minor version more. The three tables of old names are ``_OLD_NAMES`` in ``pellucid``, the
arguments of :func:`renamed_parameters` above a function, and ``OLD_OPTIONS`` of the command line.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Renamed(NamedTuple):  # a dataclass would make ``import pellucid`` slower
    """What something is called now, the version that warned first, and whether the old name is refused by now."""

    new: str
    since: str
    refused: bool = False

    def told(self, old: str) -> str:
        """The one line that whoever uses the old name reads.

        >>> Renamed("protect", "0.2").told("values")
        'values is called protect since pellucid 0.2 and will go away; write protect'
        """
        fate = "no longer works" if self.refused else "will go away"
        return f"{old} is called {self.new} since pellucid {self.since} and {fate}; write {self.new}"


def current_name(old: str, renamed: Renamed, refusal: type[Exception], *, stacklevel: int = 2) -> str:
    """The name that an old one stands for, with a warning where the caller stands, or the refusal that names it."""
    if renamed.refused:
        raise refusal(renamed.told(old))
    warnings.warn(renamed.told(old), DeprecationWarning, stacklevel=stacklevel + 1)
    return renamed.new


def renamed_parameters(**old_names: Renamed) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A function that also takes its parameters by their old names.

    >>> @renamed_parameters(values=Renamed("protect", "0.2"))
    ... def publish(*, protect=None):
    ...     return protect
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     publish(values=["HIV"]), str(seen[0].message)
    (['HIV'], 'values is called protect since pellucid 0.2 and will go away; write protect')
    """

    def taking_both(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def called(*positional: P.args, **named: P.kwargs) -> T:
            for old in [name for name in named if name in old_names]:
                new = current_name(old, old_names[old], TypeError)
                if new in named:
                    raise TypeError(f"{old} and {new} are the same, and both are given; keep {new}")
                named[new] = named.pop(old)
            return function(*positional, **named)

        return called

    return taking_both


def current_options(
    words: Sequence[str],
    old_options: Mapping[str, Renamed],
    *,
    tell: Callable[[str], object],
    refusal: type[Exception],
) -> list[str]:
    """The words of a command line with today's options; each old one is told once. What follows ``--`` is no option.

    >>> old = {"--values": Renamed("--protect", "0.2")}
    >>> current_options(["publish", "--values=HIV", "--", "--values"], old, tell=print, refusal=ValueError)
    --values is called --protect since pellucid 0.2 and will go away; write --protect
    ['publish', '--protect=HIV', '--', '--values']
    """
    options = words[: words.index("--")] if "--" in words else words
    current: list[str] = []
    for word in options:
        name, equals, value = word.partition("=")
        renamed = old_options.get(name)
        if renamed is not None and renamed.refused:
            raise refusal(renamed.told(name))
        current.append(word if renamed is None else f"{renamed.new}{equals}{value}")
    for name in dict.fromkeys(word.partition("=")[0] for word in options):
        if name in old_options:
            tell(old_options[name].told(name))
    return [*current, *words[len(options) :]]
