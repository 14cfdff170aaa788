"""What is told, as data: a template with typed values, and how each surface says them."""

from pellucid.messages.message import Message, Note, NoteKind, kind_of_note
from pellucid.messages.speaker import PYTHON, Speaker, spoken_by
from pellucid.messages.values import (
    Belief,
    Column,
    Count,
    Figure,
    File,
    Names,
    People,
    Probability,
    Share,
    Term,
    Value,
)

__all__ = [
    "PYTHON",
    "Belief",
    "Column",
    "Count",
    "Figure",
    "File",
    "Message",
    "Names",
    "Note",
    "NoteKind",
    "People",
    "Probability",
    "Share",
    "Speaker",
    "Term",
    "Value",
    "kind_of_note",
    "spoken_by",
]
