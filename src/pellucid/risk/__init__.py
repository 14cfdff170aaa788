"""What an attacker learns from a release: beliefs about everybody, exact wherever an engine allows.

``adversary`` says who attacks, ``views`` what there is to attack, ``infer`` what follows. Methods tell how they
behave (:meth:`pellucid.anonymize.methods.Method.likelihood`); nothing here names one.
"""

from __future__ import annotations

from pellucid.runtime.lazy_names import names_of

__all__, __getattr__, __dir__ = names_of(__name__, __file__)  # publishing asks a little of here, and loads no attack
