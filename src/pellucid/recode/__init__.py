"""What a group becomes: one file per recoder, each a function of the group alone."""

from pellucid.recode.anatomy import Anatomy
from pellucid.recode.intervals import Intervals
from pellucid.recode.recoder import Recoder
from pellucid.recode.suppression import Suppression
from pellucid.recode.taxonomic import Taxonomic

__all__ = ["Anatomy", "Intervals", "Recoder", "Suppression", "Taxonomic"]
