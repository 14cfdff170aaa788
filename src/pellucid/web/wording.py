"""What the library says, in the words of the page."""

from __future__ import annotations

from fractions import Fraction

from pellucid.messages import Belief, Figure, Probability, Share, Speaker, Term, Value
from pellucid.text.figures import percent, unit_fraction
from pellucid.web.checks import field_of

LEAST = 0.001  # percent; less is not told apart
IS = {"believes": "is", "believe": "are", "may believe": "may be", "does not believe": "is not"}


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
        """A figure in percent, with as many digits as tell it from another; a limit is the fraction that was set.

        >>> [Page().probability(Probability(value)) for value in (0.25, 1 / 3, 0.3337, 1e-7, 1 - 1e-7, Fraction(1, 3))]
        ['25 %', '33 %', '33.37 %', 'under 0.001 %', 'over 99.99 %', '1/3']
        """
        return f"{probability.kind} {self._figure(probability.value)}".strip()

    def _figure(self, value: Fraction | float) -> str:
        if isinstance(value, Fraction):
            return str(value)
        percents = f"{100 * value:.4g}"
        if unit_fraction(value, rounding=1e-9):
            return percent(value)
        if percents == "100" and value < 1 - 1e-9:
            return "over 99.99 %"
        return f"under {LEAST} %" if 0 < value < LEAST / 100 else f"{percents} %"

    def belief(self, belief: Belief) -> str:
        """How sure somebody is.

        >>> Page().belief(Belief(0.5)), Page().belief(Belief(Fraction(1, 4), "more than", "believe"))
        ('is 50 % sure', 'are more than 1/4 sure')
        """
        return f"{IS[belief.verb]} {self.probability(Probability(belief.value, belief.kind))} sure"

    def share(self, share: Share) -> str:
        """As the page writes its own.

        >>> Page().share(Share(0.159, 1)), Page().share(Share(0.159))
        ('15.9 %', '16 %')
        """
        return super().share(share).replace("%", " %") if share.digits else super().share(share)

    def figure(self, figure: Figure) -> str:
        """A share in percent."""
        if figure.value is None or not figure.share:
            return super().figure(figure)
        return f"{100 * figure.value:.1f} %"

    def value(self, value: Value) -> str:
        """A null has no value."""
        return "empty" if value.value is None else super().value(value)
