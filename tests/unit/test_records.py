"""A record is to who uses it what a frozen dataclass is."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace

import numpy as np
import pytest

from pellucid.runtime.records import record


@record()
class Cut:
    """A cut, as a record."""

    column: str
    at: int = 0
    notes: list[str] = field(default_factory=list, compare=False)
    _hidden: str = field(default="key", repr=False)


@dataclass(frozen=True)
class Generated:
    """The same as a dataclass."""

    column: str
    at: int = 0
    notes: list[str] = field(default_factory=list, compare=False)
    _hidden: str = field(default="key", repr=False)


@record()
class Named(Cut):
    """A record of more fields, which checks itself."""

    name: str = ""

    def __post_init__(self) -> None:
        if self.at < 0:
            raise ValueError(f"at = {self.at}")

    def __repr__(self) -> str:
        return self.name


@record(eq=False)
class Held:
    """What holds an array."""

    values: object


CALLS = [(("age",), {}), (("age", 3), {}), ((), {"column": "age", "at": 3}), (("age",), {"notes": ["a"]})]


@pytest.mark.parametrize(("given", "named"), CALLS)
def test_it_reads_and_compares_as_the_dataclass(given: tuple[object, ...], named: dict[str, object]) -> None:
    one, other = Cut(*given, **named), Generated(*given, **named)  # type: ignore[arg-type]
    assert asdict(one) == asdict(other)
    assert repr(one) == repr(other).replace("Generated", "Cut")
    assert hash(one) == hash(other)
    assert one == Cut(*given, **named)  # type: ignore[arg-type]
    assert one != other
    assert [part.name for part in fields(one)] == [part.name for part in fields(other)]


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), (("age", 1, [], "", 5), {}), (("age",), {"column": "sex"}), (("age",), {"place": 1}), ((), {"at": 1})],
)
def test_it_refuses_the_calls_that_the_dataclass_refuses(given: tuple[object, ...], named: dict[str, object]) -> None:
    for kind in (Cut, Generated):
        with pytest.raises(TypeError, match=kind.__name__):
            kind(*given, **named)  # type: ignore[arg-type]


def test_lists_are_made_afresh() -> None:
    assert Cut("age").notes is not Cut("age").notes


def test_nothing_of_it_changes() -> None:
    cut = Cut("age")
    with pytest.raises(FrozenInstanceError):
        cut.at = 1  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del cut.at
    with pytest.raises(FrozenInstanceError):
        cut.other = 1  # type: ignore[attr-defined]
    assert cut == Cut("age")


def test_it_is_copied_pickled_replaced_and_matched() -> None:
    named = Named("age", 3, ["a"], name="first")
    for same in (copy.copy(named), copy.deepcopy(named), pickle.loads(pickle.dumps(named)), replace(named)):
        assert same == named
        assert asdict(same) == asdict(named)
    assert replace(named, at=4).at == 4
    match named:
        case Named(column, at):
            assert (column, at) == ("age", 3)


def test_a_record_of_a_record_has_its_fields_and_checks_itself() -> None:
    assert repr(Named("age", name="first")) == "first"
    with pytest.raises(ValueError, match="at = -1"):
        Named("age", -1)


def test_what_holds_arrays_equals_itself_alone() -> None:
    held = Held(np.arange(3))
    assert held == held
    assert held != Held(held.values)
    assert len({held, Held(held.values)}) == 2
