"""What one adversary believes after seeing a release: the verb ``attack``; ``attack_all`` asks all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.core.schema import Roles, Schema, as_roles
from pellucid.errors import AttackError
from pellucid.models import PrivacyModel
from pellucid.posterior.exclusion import BUDGET
from pellucid.risk.adversary import Adversary
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.select_engine import believe
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.runtime.arguments import whole_number, yes_or_no
from pellucid.runtime.progress import SILENT, Progress


def attack(  # noqa: PLR0913  (a public verb)
    release: Any,
    adversary: Adversary | None = None,
    *,
    truth: Any = None,
    population: Any = None,
    made_by: Method | None = None,
    roles: Roles | None = None,
    schema: Schema | str | Path | None = None,
    quasi: Sequence[str] | str | None = None,
    sensitive: str | None = None,
    identifier: str | None = None,
    group: str | None = None,
    model: PrivacyModel | None = None,
    groups: Any = None,
    exact: bool = False,
    budget: int = BUDGET,
    progress: Progress = SILENT,
) -> Beliefs:
    """What an adversary believes about everybody after seeing a release.

    ``release``: what :func:`pellucid.publish` gave, the folder that it was written to, or what anybody else published:
    a file, a frame, or two tables by name. What its columns are comes from its recipe, from ``roles`` or
    ``schema``, or from ``quasi`` and ``sensitive``. How it was made comes from its recipe, or ``made_by``: a method
    with its parameters.

    The people are those of ``population`` (a frame, a path, or what :func:`pellucid.read` gave; it may have more
    people than the release), or those of ``truth``, the table that the release was made of. Of our own release and its
    ``truth``, both are asked who are told who is in which group and who are not, and each person's figure is the larger
    one (``at_most`` says what bounds the second where that is out of reach); otherwise who is in which group is found
    from the published values. Without
    either, the people are the rows of the release. Of a folder or a file and its ``truth``, where boxes overlap, the
    method is run again to find who is in which group; ``groups`` tells it where that fails: ``release.private.labels``,
    or the file that publishing kept. The sensitive values of ``truth`` are not used to infer, except to
    measure a :class:`Distribution` without probabilities, and as the start of a walk through worlds where no exact
    engine applies.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> pc.attack(release, pc.Adversary(knows="algorithm"), truth=pc.datasets.patients(), **roles).max_risk
    0.5
    >>> beliefs = pc.attack(release, population=pc.datasets.voters(), identifier="name")
    >>> beliefs.posterior("Bruce", "gastritis"), beliefs.engine
    (0.375, 'exact (all 720 worlds that fit)')
    """
    who = adversary if adversary is not None else Adversary(knows="algorithm")
    exact = yes_or_no(exact, "exact", AttackError)
    budget = whole_number(budget, "budget", AttackError)
    columns = as_roles(roles, schema=schema, quasi=quasi, sensitive=sensitive, identifier=identifier, group=group)
    people = KnownPeople(truth, population, groups)
    gathered = gather(release, columns, people, made_by=made_by, model=model, progress=progress)
    return believe(gathered, who, exact=exact, budget=budget, progress=progress)
