"""What the library says, in the words of the page."""

from __future__ import annotations

from pellucid.app.web.checks import field_of
from pellucid.messages import Probability, Share, Speaker, Term, Value
from pellucid.text.figures import percent


class Page(Speaker):
    """Terms are fields, probabilities percents, and a null is empty.

    >>> from pellucid.messages import Message
    >>> Message("{most} of {value}", most=Probability(0.25, "at most"), value=Value(None)).told(Page())
    'at most 25 % of empty'
    """

    def term(self, term: Term) -> str:
        """A field."""
        return self.called(term) if self.called is not None else field_of(term)

    def probability(self, probability: Probability) -> str:
        """In percent."""
        return f"{probability.kind} {percent(float(probability.value))}".strip()

    def share(self, share: Share) -> str:
        """As the page writes its own.

        >>> Page().share(Share(0.159, 1)), Page().share(Share(0.159))
        ('15.9 %', '16 %')
        """
        return super().share(share).replace("%", " %") if share.digits else super().share(share)

    def value(self, value: Value) -> str:
        """A null has no value."""
        return "empty" if value.value is None else super().value(value)
