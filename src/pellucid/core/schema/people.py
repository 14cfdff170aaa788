"""What is done about people who occur in several rows: the answer that a column, a call or a job gives."""

from __future__ import annotations

import re

from pellucid.errors import SchemaError
from pellucid.messages.terms import bare_term
from pellucid.runtime.records import record

ROW, PERSON, ONE = "row", "person", "one"
ANSWER = re.compile(r"row|person|one|(first|last) by (\S.*)")
EXAMPLES = "row, person, one, first by DATE or last by DATE"


@record()
class Several:
    """What is done about the people whom a column numbers.

    ``row``: each row is protected by itself; ``person``: a person's rows are one cluster; ``one``: one row of each
    person is drawn by lot; ``first by date`` and ``last by date``: the row that a column puts there.

    >>> Several.of("patient=first by admitted").by, Several.of("patient=one").leaves_one
    ('admitted', True)
    """

    column: str
    answer: str

    @classmethod
    def of(cls, text: str) -> Several:
        """What ``column=answer`` says."""
        column, _, answer = text.partition("=")
        while not ANSWER.fullmatch(answer) and "=" in answer:  # a name may have the sign in it
            more, _, answer = answer.partition("=")
            column = f"{column}={more}"
        if not column or not ANSWER.fullmatch(answer):
            raise SchemaError(
                "{people} = {text!r} does not say what is done about whom",
                "write the column that numbers people and one of {examples}, as in {example!r}",
                people=bare_term("people"),
                text=text,
                examples=EXAMPLES,
                example="patient=one",
            )
        return cls(column, answer)

    @property
    def leaves_one(self) -> bool:
        """Whether one row of each person is published."""
        return self.answer not in (ROW, PERSON)

    @property
    def by(self) -> str:
        """The column that says which row is the first or the last; empty where a lot does."""
        found = ANSWER.fullmatch(self.answer)
        return (found and found[2]) or ""

    @property
    def text(self) -> str:
        """As it is given."""
        return f"{self.column}={self.answer}"
