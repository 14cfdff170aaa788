"""A message is data until it is known who reads it: Python, the command line, a report or a page."""

from __future__ import annotations

import copy
import json
import pickle
import random
import warnings
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as pc
from pellucid.cli.wording import ATTACK, Terminal, in_options
from pellucid.errors import AttackError, InputError, SchemaError
from pellucid.messages import (
    PYTHON,
    Column,
    Count,
    File,
    Message,
    Names,
    Note,
    NoteKind,
    Probability,
    Share,
    Speaker,
    Term,
    Value,
    kind_of_note,
)
from pellucid.messages.terms import (
    IDENTIFIER,
    quoted_key,
)
from pellucid.reports.adversaries import in_both
from pellucid.web.checks import field_of
from pellucid.web.wording import Page

TOLD = Message("give {QUASI} and {SCHEMA}, or name it with {such}", such=IDENTIFIER.such_as("a b"))


def test_python_reads_a_plain_text() -> None:
    told = TOLD
    assert told == str(told) == "give quasi= and schema=, or name it with identifier='a b'"
    assert repr(told) == repr(str(told))


def test_each_surface_has_its_words() -> None:
    told = TOLD
    assert in_options(told) == "give --quasi and --schema, or name it with --identifier 'a b'"
    page = "give the role “Others may know it” and the roles, or name it with the role “Names the person”"
    assert told.told(Speaker(field_of)) == page
    assert Message("set {kind}", kind=quoted_key("kind", "date")).told(Speaker(field_of)) == "set the kind “date”"
    assert in_options(Message("set {kind}", kind=quoted_key("kind", "date"))) == 'set kind = "date"'
    over = Message.of("too many worlds", "{SAMPLE_OR_MORE_BUDGET}")
    assert in_options(over) == str(over) == "too many worlds; sample, or raise the budget"
    assert ATTACK.tell(over) == "too many worlds; raise it with --budget"


def test_a_report_says_what_is_lacking_without_what_to_type() -> None:
    lacking = Message.of("nobody's values are known", "give them with {POPULATION}, or {TELL_GROUPS}")
    assert in_both(lacking.problem) == "nobody's values are known"
    assert in_both(lacking).endswith("or report again with the groups that were kept: --groups FILE, groups= in Python")


def test_an_error_has_a_problem_and_a_way_out_that_survive_other_errors_and_processes() -> None:
    first = AttackError("no people are known", "give them with {TRUTH}")
    second = AttackError("of Bob: {why}", why=first.message)
    for error in (second, pickle.loads(pickle.dumps(second))):
        assert str(error) == "of Bob: no people are known; give them with truth="
        assert (error.message.problem, error.message.way_out) == (
            "of Bob: no people are known",
            "give them with truth=",
        )
        assert in_options(error.message) == "of Bob: no people are known; give them with --truth"


def test_texts_after_each_other_keep_their_terms() -> None:
    both = Message.joined([Message("give {TRUTH}"), "or nothing", Message("or {SCHEMA}")])
    assert in_options(Message("first, {both}", both=both)) == "first, give --truth; or nothing; or --schema"


def test_a_note_keeps_its_kind_among_others() -> None:
    notes = tuple(map(Message, [Note("sure with 0.99", NoteKind.CONFIDENCE), "give {TRUTH}"]))
    assert [kind_of_note(note) for note in pickle.loads(pickle.dumps(notes))] == [NoteKind.CONFIDENCE, None]
    assert notes[1] == "give truth="


def test_no_mark_is_left_where_a_person_reads() -> None:
    frame = pc.datasets.patients()
    with pytest.raises(SchemaError) as both:
        pc.read(frame, schema="x.toml", quasi="age")
    with pytest.raises(SchemaError) as none:
        pc.read(frame)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = pc.publish(frame, pc.Hybrid(l=2), quasi=["age"], sensitive="disease", seed=1)
    report = pc.attack_all(release, adversaries=["nothing", "distribution"], classic=True)
    texts = [
        str(both.value),
        str(none.value),
        *(str(one.message) for one in caught),
        *(one.why for one in report.missed),
        *(one.reason for one in report.findings),
        *report.notes,
        *(note for one in report.attempts for note in one.beliefs.notes),
        *pc.levels(release).unanswered.values(),
    ]
    assert len(texts) > 10
    assert not [text for text in texts if any(0xFDD0 <= ord(letter) <= 0xFDEF for letter in text)]
    assert "give that as truth=" in " ".join(texts)


def any_value(draw: random.Random, depth: int) -> Any:
    """Some value of a message; with depth, another message among them."""
    text = "".join(draw.choices("a {}\\'é", k=draw.randrange(5)))
    plain: list[Any] = [text, draw.randrange(-9, 10_000), draw.random(), Fraction(draw.randrange(9), 7), None, True]
    typed = [
        Count(draw.randrange(3), "row"),
        Probability(draw.choice([Fraction(1, 3), 0.25]), draw.choice(["", "at most"])),
        Share(draw.random()),
        Term("quasi", "quasi=", draw.choice([None, ["age"], text])),
        Column(text),
        Value(draw.choice([None, text, 3, 1.5])),
        Names(tuple(draw.choices("abc", k=draw.randrange(4))), draw.choice(["and", "or"])),
        File("a.csv"),
        Path("b.csv"),
        date(2026, 11, 18),
        [1, text],
    ]
    return any_message(draw, depth - 1) if depth and draw.random() < 0.5 else draw.choice(plain + typed)


def any_message(draw: random.Random, depth: int) -> Message:
    """Some message, with others in it."""
    values = {name: any_value(draw, depth) for name in draw.sample("xyz", draw.randrange(4))}
    if not values:
        return Message(draw.choice(["{no} values, no places", "plain"]))
    return Message(" and {{}} ".join(f"{{{name}{draw.choice(['', '!r', '!s'])}}}" for name in values), **values)


@pytest.mark.parametrize("seed", range(200))
def test_any_message_survives_pickling_and_json(seed: int) -> None:
    made = any_message(random.Random(seed), 3)
    assert len(made.splitlines()) <= 1
    for again in (
        pickle.loads(pickle.dumps(made)),
        copy.deepcopy(made),
        Message.from_document(json.loads(json.dumps(made.document()))),
    ):
        assert again == made
        assert again.template == made.template
        assert again.document() == made.document()
        for speaker in (Terminal(), Page()):
            assert again.told(speaker) == made.told(speaker)
    assert made.told(PYTHON) == made


def test_a_message_is_frozen_and_asks_for_nothing_but_its_values() -> None:
    made = Message("{n} rows", n=3)
    with pytest.raises(AttributeError, match="frozen"):
        made.template = "{n} people"
    with pytest.raises(TypeError):
        made.values["n"] = 4  # type: ignore[index]
    with pytest.raises(ValueError, match="names its values"):
        Message.from_document({"template": "{n.__class__}", "values": {"n": 3}})


def test_an_error_takes_a_template_and_its_values() -> None:
    wrong = InputError(
        "{file} has no column {column!r}",
        "name one of {names}",
        file=Path("a.csv"),
        column="x{y}",
        names=Names(("a", "b"), "or"),
    )
    assert str(wrong) == "a.csv has no column 'x{y}'; name one of a or b"
    assert wrong.message.way_out.values["names"] == Names(("a", "b"), "or")
    assert str(InputError("{of} a text that was finished")) == "{of} a text that was finished"
    assert str(InputError(ValueError("a\n  b"))) == "a b"


def test_numbers_of_numpy_are_written_as_python_writes_them() -> None:
    assert Message("{n:,} {x:.2f}", n=np.int64(12_345), x=np.float64(0.5)) == "12,345 0.50"


def test_a_template_names_terms_and_a_value_never_does() -> None:
    told = Message("give {TRUTH}, as in {a: b}")
    assert told == "give truth=, as in {a: b}"
    assert pickle.loads(pickle.dumps(told)).told(Terminal()) == "give --truth, as in {a: b}"
    assert Message("{column} besides {TRUTH}", column="{TRUTH}") == "{TRUTH} besides truth="
