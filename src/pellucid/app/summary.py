"""What a person wants to know about a release: how many groups, how large, what was kept, where it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.app.kept import information_kept
from pellucid.app.show import percent
from pellucid.release import Release
from pellucid.table import Table


def figures_of(table: Table, release: Release, recode: str) -> dict[str, Any]:
    """Rows, groups, sizes and information kept, for a program."""
    grouping = release.private.grouping
    sizes = grouping.sizes
    return {
        "rows": len(table),
        "suppressed_rows": grouping.suppressed,
        "groups": len(grouping),
        "group_sizes": {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())},
        "information_kept": information_kept(table, grouping, recode),
    }


def in_words(figures: Mapping[str, Any]) -> dict[str, str]:
    """The same for a person, as labelled lines."""
    sizes = figures["group_sizes"]
    suppressed = f", {figures['suppressed_rows']:,} suppressed" if figures["suppressed_rows"] else ""
    kept = ", ".join(f"{name} {percent(share)}" for name, share in figures["information_kept"].items())
    return {
        "rows": f"{figures['rows']:,}{suppressed}",
        "groups": f"{figures['groups']:,} of {sizes['min']:,} to {sizes['max']:,} rows (median {sizes['median']:,g})",
        "kept": f"{kept} (1 minus the mean extent of what is published)",
        "promise": figures["guarantee"],
        "files": ", ".join(str(Path(figures["out"]) / name) for name in figures["files"]),
    }
