"""Whether the groups of a release keep what is promised about whole clusters, where everything is known that tells it.

Beliefs are about rows. A promise about households is kept by the method for a household as a whole, and who knows which
rows belong together is bounded by the proof, not by a computation (``ClusterMethod.not_computed``). That bound is worth
something only for groups that the method can have made. Where the true table, its clusters and the groups are given,
they are counted: groups in which more than one cluster in l has a value are none of the method's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.clusters import cluster_name, parted_by_lot
from pellucid.anonymize.self_check import Countable
from pellucid.errors import PromiseNotKept
from pellucid.risk.inference.world_enumeration import Contradicted
from pellucid.risk.views import Gathered


def require_whole_clusters(gathered: Gathered) -> None:
    """Raise where groups break what is promised about whole clusters; nothing is said where too little is known."""
    evidence, truth = gathered.evidence, gathered.truth
    method, people = evidence.method, evidence.people
    if not isinstance(method, ClusterMethod) or method.cluster_rows is None or people.clusters is None:
        return
    if truth is None or evidence.membership is not None or evidence.crowd is not None:
        return
    if len(truth) != len(people.clusters) or len(evidence.grouping.labels) != len(truth) or int(truth.min()) < 0:
        return
    if parted_by_lot(people, method.cluster_rows) is not None:  # which rows are one unit is not known here
        return
    attributes, codes = (*people.attributes, evidence.attribute), (*people.codes, truth.astype(np.int32))
    try:
        Countable.of(method, [evidence.attribute.name]).require_kept(
            replace(people, attributes=attributes, codes=codes), evidence.grouping
        )
    except PromiseNotKept as wrong:
        unit = cluster_name(people)
        raise Contradicted(f"{wrong}, each {unit} taken as a whole, and {method.name} makes no such group") from None
