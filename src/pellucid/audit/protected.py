"""Only some values of a sensitive column are sensitive: nobody minds a cold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.errors import ModelError
from pellucid.model import PrivacyModel
from pellucid.model.sensitive import DiversityModel


def protecting(model: PrivacyModel, values: Iterable[Any] | None, *, together: bool = False) -> PrivacyModel:
    """The model about these values only, each or all together as one; models that know no such sets stay as they are.

    >>> from pellucid.model import parse
    >>> protecting(parse("l-diversity=2"), ["HIV", "cancer"], together=True)
    LDiversity(sensitive=('HIV', 'cancer'), together=True, l=2)
    >>> protecting(parse("k-anonymity=2"), ["HIV"])
    KAnonymity(k=2)
    """
    if values is None:
        if together:
            raise ModelError("together is said of values, and none are given; name the values to protect")
        return model
    if not isinstance(model, DiversityModel):
        return model
    given = {name: getattr(model, name) for name in model.model_fields_set}
    chosen = [values] if isinstance(values, str) else list(values)
    return type(model)(**(given | {"sensitive": chosen, "together": together}))
