"""What a person wants to know about a release: how many groups, how large, what was kept, where it is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.app.output import error_line
from pellucid.app.remarks import Remark, remarks_on
from pellucid.app.ruined import ruined_columns
from pellucid.attacking.reading import needs_groups
from pellucid.group import Method
from pellucid.group.protecting import as_schema_says
from pellucid.measuring.kept import information_kept
from pellucid.recode import recoder_told
from pellucid.recode.alike import published_alike
from pellucid.release import Release
from pellucid.table import Table
from pellucid.wording import percent

KEEPING = "--keep-groups FILE (keep_groups in a job file)"


def figures_of(table: Table, release: Release) -> dict[str, Any]:
    """Rows, groups, sizes and information kept, for a program.

    Groups are those that the method made. A reader takes groups that are published alike for one: ``classes`` of
    ``rows_per_class`` rows, which is what ``levels``, ``measure`` and the reports count.
    """
    grouping, recoder = release.private.grouping, recoder_told(release.recipe)
    sizes = grouping.sizes
    classes = len(np.unique(published_alike(table, grouping, recoder)))
    return {
        "rows": len(table),
        "suppressed_rows": grouping.suppressed,
        "added_rows": 0 if grouping.added is None else len(grouping.added[0]),
        "published_rows": release.recipe["rows"],
        "replaced_rows": int(release.private.changed.sum()),
        "changes": grouping.changes,
        "groups": len(grouping),
        "group_sizes": {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())},
        "classes": classes,
        "rows_per_class": (len(grouping.members)) / max(classes, 1),
        "information_kept": information_kept(table, grouping, recoder),
    }


def account_of(table: Table, release: Release, method: Method) -> tuple[dict[str, Any], list[Remark]]:
    """Everything there is to tell about a release before it is written, and the remarks on it."""
    method = as_schema_says(method, table.schema)
    figures = figures_of(table, release)
    recoder = recoder_told(release.recipe)
    told = {"guarantee": release.recipe["sentence"], "out": None, "files": []}
    told["groups_overlap"] = needs_groups(table, method, release.private.grouping, recoder)
    remarks = remarks_on(table, method, figures, release.recipe["recode"])
    return figures | told, [*remarks, *ruined_columns(table, method, recoder, figures)]


def written(account: dict[str, Any], out: Path, groups: Path | None = None) -> None:
    """Add where the release is, and the file of groups that stays with the steward."""
    account["out"] = str(out)
    account["kept_groups"] = None if groups is None else str(groups)
    account["files"] = sorted(path.name for path in out.iterdir())


def tell(
    account: dict[str, Any], remarks: Sequence[Remark], warned: Sequence[str], recipe: Mapping[str, Any], began: float
) -> None:
    """Say the remarks, and add to the account what was said, the time since ``began`` and the recipe."""
    for remark in remarks:
        error_line(remark.text, label=f"{remark.label}: ")
    account["seconds"] = round(time.perf_counter() - began, 3)
    account["warnings"] = [*warned, *(remark.text for remark in remarks)]
    account["recipe"] = recipe


def in_words(figures: Mapping[str, Any]) -> dict[str, str]:
    """The same for a person, as labelled lines."""
    sizes = figures["group_sizes"]
    counted = {word: figures[f"{word}_rows"] for word in ("suppressed", "added", "replaced")}
    odd = "".join(f", {number:,} {word}" for word, number in counted.items() if number)
    kept = ", ".join(f"{name} {percent(share)}" for name, share in figures["information_kept"].items())
    spread = f"{sizes['min']:,} to {sizes['max']:,} rows (median {sizes['median']:,g})"
    classes = figures.get("classes", figures["groups"])
    read = f"{classes:,} that a reader can tell apart, of {figures.get('rows_per_class', 0):,.1f} rows on average"
    lines = {
        "rows": f"{figures['rows']:,}{odd}" + (f"; {figures['published_rows']:,} published" if odd else ""),
        "groups": f"{figures['groups']:,} of " + (spread if sizes["min"] < sizes["max"] else f"{sizes['min']:,} rows"),
        "read as": f"{read}; the other groups are published alike" if classes < figures["groups"] else "",
        "kept": f"{kept} (1 minus the mean extent of what is published)",
        "changed": "; ".join(figures["changes"]),
        "promise": figures["guarantee"],
        "audit": audit_words(figures),
        "files": ", ".join(str(Path(figures["out"]) / name) for name in figures["files"]),
    }
    return {label: text for label, text in lines.items() if text}


def audit_words(figures: Mapping[str, Any]) -> str:
    """How to look at the release as attackers do; empty where everything that takes is in it.

    >>> audit_words({"groups_overlap": True, "out": "out", "kept_groups": "groups.csv"})
    'groups.csv tells who is in which group and stays with you; attack out --truth TABLE --groups groups.csv'
    """
    kept = figures.get("kept_groups")
    if kept:
        out = figures.get("out") or "DIR"
        return f"{kept} tells who is in which group and stays with you; attack {out} --truth TABLE --groups {kept}"
    if not figures.get("groups_overlap"):
        return ""
    return (
        "groups overlap, so that nobody can read off the release who is in which: a full audit (attack, verify, "
        f"report) needs the groups, which {KEEPING} keeps; they are private and stay with you"
    )
