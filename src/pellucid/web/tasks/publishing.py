"""Publish, and say what became of the table."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.recode.before_after import all_beside
from pellucid.audit import examine
from pellucid.cli.summary import account_of, spread_of
from pellucid.core.release import Release
from pellucid.core.schema import OF_GROUP, Kind, Role, TextForm
from pellucid.io import written_as
from pellucid.io.bundle import SPREADSHEET_SAFE
from pellucid.io.checksum import checksum
from pellucid.io.formulas import quoted
from pellucid.io.groups_file import lines_of
from pellucid.io.statistics_files import column_labels, value_labels
from pellucid.messages import Message
from pellucid.publishing import carry_out, labels_of_source
from pellucid.reports.several_columns import each_by_itself
from pellucid.runtime.progress import Progress
from pellucid.runtime.whole_file import write_whole
from pellucid.web.charts import group_sizes
from pellucid.web.option_fields import request_of
from pellucid.web.published_labels import LABELS_FILE, published_labels
from pellucid.web.rows_file import write_rows
from pellucid.web.values_by_column import method_of
from pellucid.web.worker_state import BUNDLE_FILE, GROUPS_FILE, ROWS_FILE, Desk

ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # a zip has no time of its own: when it was made is nobody's business
LABELS_SHOWN = 50  # labels that the page lists


class Setting(TypedDict):
    """What is chosen on the page of methods; ``options`` as :mod:`pellucid.web.option_fields` has them."""

    method: str
    parameters: dict[str, str | bool]
    options: dict[str, str]
    seed: int | None


def publish(
    desk: Desk,
    *,
    source: dict[str, Any],
    schema: str,
    setting: Setting,
    place: str,
    accept_known: list[str],
    progress: Progress,
) -> dict[str, Any]:
    """Make the release and its bundle, for which see :func:`pack`."""
    method, parameters = setting["method"], setting["parameters"]
    chosen = method_of(method, parameters, desk.schema(schema).names(Role.SENSITIVE))
    table = desk.table(source, schema, progress)
    asked = request_of(source["place"], chosen, setting["options"])
    asked = replace(asked, accept_known=accept_known, seed=setting["seed"])
    made = carry_out(asked, read=lambda _, __: table, progress=progress)
    release = made.release
    progress.stage("measuring what is kept", 0)
    account, remarks = account_of(made)
    sizes = sizes_told(release)
    both = all_beside(table, release.private.grouping, release.public.recipe.recoder)
    desk.keep(release)
    packed = pack(desk, source=source, kind="csv", place=place, progress=progress)
    write_rows(Path(place) / ROWS_FILE, both)
    names = [a.name for a in table.attributes if a.role in (*OF_GROUP, Role.SENSITIVE)]
    return {
        "method": method,
        "parameters": {key: str(value) for key, value in parameters.items()},
        "l": getattr(chosen, "l", None),
        "recode": release.public.recipe.recoder.name,
        "recipe": release.recipe,
        "sentence": release.promise,
        "claim": release.public.recipe.guarantee,
        "warning": chosen.warning,
        "telling": made.telling,
        "bounds": Message.joined(account["bounds"], "; "),
        "account": {key: account[key] for key in account if key not in ("out", "files")},
        "read": {"groups": len(sizes), **spread_of(sizes), "mean": float(sizes.mean())},
        "remarks": [remark.text for remark in remarks],
        "each_by_itself": several_told(release),
        "columns": names,
        "after_columns": both.after.columns,
        "numbers": [a.name for a in table.attributes if a.role is not Role.IDENTIFIER and a.kind is Kind.NUMBER],
        "rows": len(table),
        "sizes": group_sizes(sizes),
        "packed": packed,
    }


def several_told(release: Release) -> str:
    """What several sensitive columns leave open, with figures: the page is the steward's; empty where one is."""
    if len(release.public.recipe.names(Role.SENSITIVE)) < 2:
        return ""
    found = each_by_itself(examine(release), release.public.recipe.made_by, secret=True)
    return "" if found is None else found.text


def sizes_told(release: Release) -> NDArray[np.int64]:
    """How many rows each group has that a reader of the release can tell apart: those published alike count as one."""
    first = next(iter(release.public.frames.values()))
    sensitive = set(release.public.recipe.names(Role.SENSITIVE))
    by = [first.columns[0]] if len(release.public.frames) > 1 else [c for c in first.columns if c not in sensitive]
    return first.group_by(by).len()["len"].to_numpy().astype(np.int64)


def pack(
    desk: Desk,
    *,
    source: dict[str, Any],
    kind: Literal["csv", "parquet", "arrow"],
    place: str,
    progress: Progress,
) -> dict[str, Any]:
    """The public half as files, as ``pellucid publish`` writes them, and as one zip; the groups beside it, private.

    All of it is written into ``place``, a new folder of this piece of work alone. The server takes the zip from there
    together with what is said here about it, so that nobody is ever handed a bundle that its page does not describe.
    """
    release = desk.release
    progress.stage("writing the bundle", 0)
    folder = Path(place) / "bundle"
    folder.parent.mkdir(mode=0o700)
    release.write(folder, format=kind)
    table = Path(source["place"])
    with written_as(TextForm(**source.get("form", {}))):
        labels = published_labels(release.public, column_labels(table), value_labels(table))
    if len(labels):
        safe = bool(release.recipe.get(SPREADSHEET_SAFE))
        (quoted(labels) if safe else labels).write_csv(folder / LABELS_FILE)
    zipped = Path(place) / BUNDLE_FILE
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(folder.iterdir()):
            _add(archive, path, path.name)
    files = [
        {"name": path.name, "bytes": path.stat().st_size, "sha256": checksum(path)} for path in sorted(folder.iterdir())
    ]
    shutil.rmtree(folder)
    of_source = labels_of_source(release.private.labels, desk.kept)
    write_whole(Path(place) / GROUPS_FILE, b"".join(lines_of(of_source)), private=True)
    told = {"labels": labels.head(LABELS_SHOWN).rows(), "every_label": len(labels)}
    return {"format": kind, "files": files, "reports": [], **told}


def put_into_bundle(bundle: Path, report: Path, name: str, place: Path) -> None:
    """A copy of the bundle with a report under this name, in ``place``, a new folder; one that is there stays."""
    place.mkdir(mode=0o700)
    whole = place / BUNDLE_FILE
    shutil.copyfile(bundle, whole)
    with zipfile.ZipFile(whole, "a") as archive:
        if name not in archive.namelist():
            _add(archive, report, name)


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    entry = zipfile.ZipInfo(name, ZIP_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    with path.open("rb") as file, archive.open(entry, "w") as target:
        shutil.copyfileobj(file, target, 1 << 20)
