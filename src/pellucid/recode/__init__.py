"""What a group becomes: one file per recoder, each a function of the group alone."""

from __future__ import annotations

from pellucid.recode.anatomy import TwoTables
from pellucid.recode.intervals import Intervals
from pellucid.recode.recoder import Recoder
from pellucid.recode.suppression import Suppression
from pellucid.recode.taxonomic import Taxonomic

Taxonomy = Taxonomic  # the public name, ``pc.Taxonomy``; elsewhere a Taxonomy is a tree of categories
RECODERS: dict[str, type[Recoder]] = {kind.name: kind for kind in (Intervals, Taxonomic, TwoTables, Suppression)}

__all__ = ["RECODERS", "Intervals", "Recoder", "Suppression", "Taxonomic", "Taxonomy", "TwoTables"]
