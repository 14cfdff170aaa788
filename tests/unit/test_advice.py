"""Advice is data until it is known who reads it: Python, the command line, a report or a page."""

from __future__ import annotations

import pickle
import warnings

import pytest

import pellucid as pc
from pellucid.advice import (
    IDENTIFIER,
    POPULATION,
    QUASI,
    SAMPLE_OR_MORE_BUDGET,
    SCHEMA,
    TELL_GROUPS,
    TRUTH,
    Advice,
    Note,
    NoteKind,
    advised,
    joined,
    kind_of_note,
    marked,
    quoted_key,
)
from pellucid.app.web.checks import field_of
from pellucid.app.wording import in_attack_options, in_options
from pellucid.errors import AttackError, SchemaError
from pellucid.reporting.adversaries import in_both, reason

TOLD = f"give {QUASI} and {SCHEMA}, or name it with {IDENTIFIER.such_as('a b')}"


def test_python_reads_a_plain_text() -> None:
    told = Advice(TOLD)
    assert told == str(told) == f"{told}" == "give quasi= and schema=, or name it with identifier='a b'"
    assert repr(told) == repr(str(told))


def test_each_surface_has_its_words() -> None:
    told = Advice(TOLD)
    assert in_options(told) == "give --quasi and --schema, or name it with --identifier 'a b'"
    page = "give the role “Others may know it” and the roles, or name it with the role “Names the person”"
    assert told.told(field_of) == page
    assert Advice(f"set {quoted_key('kind', 'date')}").told(field_of) == "set the kind “date”"
    assert in_options(Advice(f"set {quoted_key('kind', 'date')}")) == 'set kind = "date"'
    over = Advice.of("too many worlds", f"{SAMPLE_OR_MORE_BUDGET}")
    assert in_options(over) == str(over) == "too many worlds; sample, or raise the budget"
    assert in_attack_options(over) == "too many worlds; raise it with --budget"


def test_a_report_says_what_is_lacking_without_what_to_type() -> None:
    lacking = Advice.of("nobody's values are known", f"give them with {POPULATION}, or {TELL_GROUPS}")
    assert reason(lacking) == "nobody's values are known"
    assert in_both(lacking).endswith("or report again with the groups that were kept: --groups FILE, groups= in Python")


def test_an_error_has_a_problem_and_a_way_out_that_survive_other_errors_and_processes() -> None:
    first = AttackError("no people are known", f"give them with {TRUTH}")
    second = AttackError(f"of Bob: {first.advice.marked}")
    for error in (second, pickle.loads(pickle.dumps(second))):
        assert str(error) == "of Bob: no people are known; give them with truth="
        assert (error.advice.problem, error.advice.way_out) == ("of Bob: no people are known", "give them with truth=")
        assert in_options(error.advice) == "of Bob: no people are known; give them with --truth"


def test_texts_after_each_other_keep_their_terms() -> None:
    both = joined([Advice(f"give {TRUTH}"), "or nothing"]) + Advice(f", or {SCHEMA}")
    assert in_options("first, " + both) == "first, give --truth; or nothing, or --schema"
    assert marked("plain") == "plain"


def test_a_note_keeps_its_kind_among_others() -> None:
    notes = advised([Note("sure with 0.99", NoteKind.CONFIDENCE), f"give {TRUTH}"])
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
