"""Models that only limit the size of a group and the share of each protected value, as the kernels take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pellucid.core.table import Attribute, Codes
from pellucid.models import PrivacyModel
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import codes_of

LARGEST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class GroupLimits:
    """A group passes when it has ``least`` rows and no protected class has more than a share p/q of them.

    ``class_of[code]`` is the class of a sensitive value; class ``classes`` is whatever is not protected.
    """

    least: int
    p: int
    q: int
    class_of: Codes
    classes: int

    @property
    def share(self) -> Fraction:
        """The largest share of a protected class."""
        return Fraction(self.p, self.q)


def limits_of(model: PrivacyModel, attribute: Attribute) -> GroupLimits | None:
    """The limits that a model comes down to, or None when it asks for something else."""
    if model.parts != (model,):
        return _joined([limits_of(part, attribute) for part in model.parts])
    if isinstance(model, KAnonymity):
        return GroupLimits(min(model.k, LARGEST), 1, 1, np.zeros(len(attribute), np.int32), 0)
    if not isinstance(model, LDiversity | AlphaKAnonymity):
        return None
    share = Fraction(1, model.l) if isinstance(model, LDiversity) else model.alpha
    least = 1 if isinstance(model, LDiversity) else min(model.k, LARGEST)
    if share.denominator > LARGEST:
        return None  # products with it may not fit a machine word
    class_of, classes = classes_of(model, attribute)
    if share > 0 and model.sensitive is None:
        least = max(least, -(-share.denominator // share.numerator))  # so that a single row of a value is allowed
    return GroupLimits(least, share.numerator, share.denominator, class_of, classes)


def _joined(parts: Sequence[GroupLimits | None]) -> GroupLimits | None:
    """The limits of all of these, which count the same values where they count any; None where one is missing."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    counting = [part for part in known if part.classes]
    if len(set(map(_counted, counting))) > 1:
        return None  # several sets, which may overlap
    share = min(part.share for part in known)
    least = max(part.least for part in known)
    first = (counting or known)[0]
    return GroupLimits(least, share.numerator, share.denominator, first.class_of, first.classes)


def _counted(limits: GroupLimits) -> tuple[int, bytes]:
    """What it counts, comparably."""
    return limits.classes, limits.class_of.tobytes()


def classes_of(model: LDiversity | AlphaKAnonymity, attribute: Attribute) -> tuple[Codes, int]:
    """The class of every code, and how many protected classes there are."""
    if model.sensitive is None:
        return np.arange(len(attribute), dtype=np.int32), len(attribute)
    codes = codes_of(model.sensitive, attribute)
    classes = 1 if model.together else len(codes)
    class_of = np.full(len(attribute), classes, np.int32)
    class_of[codes] = 0 if model.together else np.arange(len(codes))
    return class_of, classes
