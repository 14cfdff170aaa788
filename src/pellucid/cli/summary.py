"""What a person wants to know about a release: how many groups, how large, what was kept, where it is.

And which taxonomy ruins its column: broad names where the values themselves, or their ranges, would have told more. A
column that keeps little with its taxonomy is tried without it, on a few thousand rows, numbers and dates as ranges;
where that keeps much more, the steward hears it with both figures. The trial is for the steward's eyes, and nothing of
it is published.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.beyond_the_bound import beyond_the_bound
from pellucid.anonymize.disclosure.one_tells_another import Told, told_of_another, worst_of_each, worst_rest
from pellucid.anonymize.disclosure.strata_pins import inside
from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.recode import Intervals, Means, Recoder
from pellucid.anonymize.recode.alike import as_read, published_alike
from pellucid.anonymize.recode.cell_coverage import needs_groups
from pellucid.anonymize.recode.lazy_frames import MadeWhenAsked
from pellucid.anonymize.sides import declared
from pellucid.cli.in_the_way import in_the_way
from pellucid.cli.not_applicable import certainly_none, not_applicable
from pellucid.cli.output import error_line
from pellucid.cli.remarks import (
    Remark,
    bounds_of_strata,
    certain_of_one,
    codes_among_numbers,
    dates_as_names,
    free_text,
    huge_groups,
    intersecting_rows,
    k_above_l,
    remarks_on,
    rising,
    strata_of_no_use,
    strata_that_mix,
    texts_among_numbers,
)
from pellucid.cli.rows_that_follow import rows_that_follow
from pellucid.cli.run_by_spreadsheets import run_by_spreadsheets
from pellucid.cli.show import sentence, table_lines
from pellucid.cli.spelled_alike import spelled_alike
from pellucid.cli.wording import in_options
from pellucid.core.coins import Coins
from pellucid.core.guessing import COVERED_BY_NONE, Guessing
from pellucid.core.release import Release
from pellucid.core.schema import Column, Kind, Role, Schema
from pellucid.core.sentence import promises_nothing, sentence_of
from pellucid.core.table import Table, frequencies
from pellucid.errors import PellucidError
from pellucid.io import encode
from pellucid.io.original import frame_of_table
from pellucid.io.secrets import without_password
from pellucid.messages import Message, Share
from pellucid.messages.speaker import told
from pellucid.messages.terms import RECODE
from pellucid.metrics.kept import information_kept, rows_named
from pellucid.metrics.pre_rounding import left_out
from pellucid.publishing import Result
from pellucid.text.figures import percent
from pellucid.text.values import joined_by_and

KEEPING = "--keep-groups FILE (keep_groups in a job file)"


def figures_of(table: Table, release: Release, threads: int = 1) -> dict[str, Any]:
    """Rows, groups, sizes and information kept, for a program.

    Groups are those that the method made. A reader takes groups that are published alike for one: ``classes`` of
    ``rows_per_class`` rows, which is what ``levels``, ``measure`` and the reports count.
    """
    grouping, recoder = release.private.grouping, release.public.recipe.recoder
    sizes = grouping.sizes
    read = class_sizes(table, release, threads)
    return {
        "rows": len(table),
        "suppressed_rows": grouping.suppressed,
        "added_rows": 0 if grouping.added is None else len(grouping.added[0]),
        "published_rows": release.public.recipe.rows,
        "replaced_rows": int(release.private.changed.sum()),
        "changes": grouping.changes,
        "groups": len(grouping),
        "group_sizes": spread_of(sizes),
        "classes": len(read),
        "class_sizes": spread_of(read),
        "rows_per_class": float(read.mean()),
        "information_kept": information_kept(table, grouping, recoder, threads),
        "rows_named": rows_named(table, grouping, recoder),
        "most_frequent": most_frequent(table, grouping, threads),
        **told_by_others(table, release),
        **({"kept_by": DISTANCE} if isinstance(recoder, Means) else {}),
    }


def class_sizes(table: Table, release: Release, threads: int = 1) -> NDArray[np.int64]:
    """How many rows each of the groups has that a reader can tell apart, in some order."""
    frames, grouping = release.public.frames, release.private.grouping
    if isinstance(frames, MadeWhenAsked) and frames.boxes is not None:
        return frames.boxes.sizes
    alike = published_alike(table, grouping, release.public.recipe.recoder, threads)
    return np.bincount(alike, weights=grouping.sizes + release.private.added).astype(np.int64)


def spread_of(sizes: NDArray[np.int64]) -> dict[str, Any]:
    """The smallest, the median and the largest of sizes.

    >>> spread_of(np.array([3, 2, 9, 4]))
    {'min': 2, 'median': 3.5, 'max': 9}
    """
    places = (len(sizes) - 1) // 2, len(sizes) // 2
    high = int(sizes.max())
    if high < len(sizes):  # many groups of few different sizes: counting them takes a fraction of sorting
        middle = np.searchsorted(np.cumsum(np.bincount(sizes)), places, "right")
    else:
        middle = np.sort(sizes)[[*places]]
    return {"min": int(sizes.min()), "median": float(middle.mean()), "max": high}


def told_by_others(table: Table, release: Release) -> dict[str, Any]:
    """How often an attacker who knows one sensitive column, or all others, learns one; nothing where there is one."""
    if len(table.having(Role.SENSITIVE)) < 2:
        return {}
    found = told_of_another(table, release.private.grouping, release.public.recipe.made_by)
    return {"told_by_another": [one.document() for one in found], "most_told": [*map(told, most_told(found))]}


def _certainly_none(table: Table, release: Release, threads: int) -> list[Message]:
    """For how many people it is certain that they have nothing in a column that the schema says applies to them."""
    if not any(column.applies for _, column in declared(table)):
        return []
    grouping = release.private.grouping
    alike = published_alike(table, grouping, release.public.recipe.recoder, threads)
    return certainly_none(table, as_read(grouping, alike).labels)


def most_told(found: Sequence[Told]) -> list[Message]:
    """The column that the rest of a row tells most of, where that is several columns, and who tells most of each.

    >>> pair, rest = Told("hiv", "ill", 2, None, 4), Told("hiv", None, 3, None, 4)
    >>> [len(most_told([pair, rest])), len(most_told([pair, pair._replace(column="job"), rest]))]
    [1, 2]
    """
    pairs = worst_of_each(one for one in found if one.known is not None)
    rest = worst_rest(found) if len(pairs) > 2 else None
    return [one.sentence for one in (rest, *pairs) if one is not None]


def most_frequent(table: Table, grouping: Grouping, threads: int = 1) -> dict[str, float]:
    """The share that the most frequent value has of the rows kept, for each sensitive column: what a guess is worth.

    A withheld row has no part in it: what is told of the whole table tells, beside the release, what is missing there.
    """
    shares: dict[str, float] = {}
    for i in table.having(Role.SENSITIVE):
        kept = table.codes[i][grouping.members] if grouping.suppressed else table.codes[i]
        shares[table.attributes[i].name] = float(
            frequencies(kept, len(table.attributes[i]), threads).max() / max(len(kept), 1)
        )
    return shares


def account_of(result: Result) -> tuple[dict[str, Any], list[Remark]]:
    """Everything there is to tell about a release before it is written, and the remarks on it."""
    if result.table is None:
        return _account_of_spark(result)
    table, release, method, threads = result.table, result.release, result.method, result.threads
    figures = figures_of(table, release, threads)
    recoder = release.public.recipe.recoder
    claim = COVERED_BY_NONE if promises_nothing(method) else release.public.recipe.guarantee
    account: dict[str, Any] = {"guarantee": release.promise, "claim": claim, "out": None, "files": []}
    recipe = release.public.recipe.document
    account["promise"] = sentence_of(table, method, recoder, recipe.get("accepted_known", ())).parts
    account["strata"] = recipe.get("strata")
    account["bounds"] = [*map(told, bounds_of_strata(table, method, release, threads))]
    account |= {"why_method": result.why} if result.why else {}
    account["groups_overlap"] = needs_groups(table, method, release.private.grouping, recoder)
    alone = int((release.private.grouping.sizes == 1).sum())
    remarks = remarks_on(table, method, figures, recoder.name, alone=alone)
    runs = [] if result.request.spreadsheet_safe else run_by_spreadsheets(table)
    return figures | account, [
        *free_text(table),
        *dates_as_names(table),
        *texts_among_numbers(table, result.request.source),
        *codes_among_numbers(table),
        *certain_of_one(table, method, release, threads),
        *intersecting_rows(table, release),
        *(Remark("note", text) for text in rows_that_follow(table)),
        *(Remark("warning", text) for text in not_applicable(table, release.private.grouping.labels)),
        *(Remark("warning", text) for text in _certainly_none(table, release, threads)),
        *(Remark("warning", text) for text in (*spelled_alike(table), *runs)),
        *rising(table, method),
        *k_above_l(table, method),
        *(in_the_way(table, method, recoder) if method.name in QUICK else ()),
        *remarks,
        *strata_of_no_use(table, method, release.private.grouping),
        *_of_strata(account),
        *huge_groups(table, method, release.private.grouping),
        *ruined_columns(table, method, recoder, figures),
    ]


def _account_of_spark(result: Result) -> tuple[dict[str, Any], list[Remark]]:
    """The same of a release that Spark made, from what its workers counted."""
    figures, recipe, method = result.counted, result.release.public.recipe, result.method
    outline, sizes = figures["outline"], figures["sizes"]
    table = outline.without_rows()
    columns = [a.name for a in table.attributes if a.role in (Role.QUASI, Role.CARRY)]
    kept = {name: 1 - lost / outline.rows for name, lost in zip(columns, figures["lost"], strict=True)}
    first = [table.attributes[i].name for i in (*table.having(Role.QUASI), *table.having(Role.CARRY))]
    account = {
        "rows": outline.rows,
        "suppressed_rows": 0,
        "added_rows": 0,
        "published_rows": outline.rows,
        "replaced_rows": 0,
        "changes": [],
        "groups": sum(sizes.values()),
        "group_sizes": {"min": min(sizes), "median": median(sizes), "max": max(sizes)},
        "information_kept": {name: kept[name] for name in first},
        "most_frequent": {
            table.attributes[i].name: float(outline.counts[i].max() / outline.rows)
            for i in outline.having(Role.SENSITIVE)
        },
        "guarantee": recipe.sentence,
        "claim": COVERED_BY_NONE if promises_nothing(method) else recipe.guarantee,
        "out": None,
        "files": [],
    }
    counts = {i: outline.counts[i] for i in outline.having(Role.SENSITIVE)}
    remarks = remarks_on(table, method, account, recipe.recoder.name, counts, alone=sizes.get(1, 0))
    rounded = [left_out(of, outline.before[of.name]) for of in table.attributes if of.name in outline.before]
    notes = [Remark("note", text) for text in (*rounded, *figures["remarks"])]
    account["bounds"] = beyond_the_bound(method, figures["above"], outline.rows)
    account["strata"] = recipe.document.get("strata")
    return account, [*remarks, *_of_strata(account), *notes]


def _of_strata(account: Mapping[str, Any]) -> list[Remark]:
    return [] if account["strata"] is None else strata_that_mix(account["strata"]["pins"])


def median(sizes: Mapping[int, int]) -> float:
    """The median of sizes of which each occurs so many times.

    >>> median({2: 3, 5: 1, 9: 2})
    3.5
    """
    ends = np.cumsum([sizes[size] for size in sorted(sizes)])
    total, ordered = int(ends[-1]), sorted(sizes)
    middle = [ordered[int(np.searchsorted(ends, place, side="right"))] for place in ((total - 1) // 2, total // 2)]
    return sum(middle) / 2


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
        error_line(in_options(remark.text), label=f"{remark.label}: ")
    account["seconds"] = round(time.perf_counter() - began, 3)
    account["warnings"] = [*warned, *(in_options(remark.text) for remark in remarks)]
    account["recipe"] = recipe


def named_truth(source: Any) -> dict[str, str]:
    """How a person types the table again that was published, for the commands below; nothing where it has no name.

    >>> named_truth("my patients.csv"), named_truth("census:500"), named_truth("-")
    ({'truth': '"my patients.csv"'}, {'truth': 'census:500'}, {})
    """
    name = without_password(str(source))
    return {} if name == "-" else {"truth": name if name == quote(name) else f'"{name}"'}


def attack_words(figures: Mapping[str, Any]) -> str:
    """The command that tells how often who learns is right, with everything that it takes for this release.

    >>> attack_words({"out": "out", "truth": "census:500"})
    "'pellucid attack out --truth census:500'"
    >>> attack_words({"out": "out", "groups_overlap": True})
    "'pellucid attack out --truth FILE --groups GROUPS' (publish --keep-groups GROUPS keeps these)"
    """
    kept, overlap = figures.get("kept_groups"), figures.get("groups_overlap")
    command = f"pellucid attack {figures['out']} --truth {figures.get('truth', 'FILE')}"
    helps = (kept or overlap) and not figures.get("changes")  # groups do not tell what was published of whom
    command += f" --groups {kept or 'GROUPS'}" if helps else ""
    return f"'{command}'" + (" (publish --keep-groups GROUPS keeps these)" if helps and not kept else "")


def beside_words(figures: Mapping[str, Any]) -> str:
    """How well somebody does who guesses, and what says how well somebody does who learns from the release."""
    how = f"{attack_words(figures)} tells it"
    missing = figures.get("suppressed_rows", 0)
    guesses = [
        Guessing(name, share, None, how, figures["claim"], withheld=missing)
        for name, share in figures["most_frequent"].items()
    ]
    return told(Guessing.together(guesses))


def several_words(figures: Mapping[str, Any]) -> str:
    """What the promise leaves open where several columns are sensitive, and what measures it; empty where one is.

    >>> several_words({"most_frequent": {"ill": 0.5}})
    ''
    """
    columns = list(figures["most_frequent"])
    if len(columns) < 2 or figures["claim"] == COVERED_BY_NONE:
        return ""
    each = f"{joined_by_and(columns)} are protected each by itself"
    if figures.get("most_told"):
        return " ".join([f"{each}.", *figures["most_told"]])
    others = "the other" if len(columns) == 2 else "the others"
    return (
        f"{each}: who knows somebody's value of one may learn {others}; "
        f"'pellucid verify {figures['out']} --harmonised --require l-diversity=2' measures it"
    )


def sizes_in_words(sizes: Mapping[str, Any], mean: float) -> str:
    """Sizes of groups with both figures that other places tell, the median and the average.

    >>> sizes_in_words({"min": 2, "median": 3.0, "max": 90}, 7.125)
    '2 to 90 rows (median 3, 7.1 on average)'
    """
    if sizes["min"] == sizes["max"]:
        return f"{sizes['min']:,} rows"
    return f"{sizes['min']:,} to {sizes['max']:,} rows (median {sizes['median']:,g}, {mean:,.1f} on average)"


def _classes_in_words(figures: Mapping[str, Any]) -> str:
    """As how many groups a reader sees them, where some are published alike; empty where all differ."""
    classes = figures.get("classes", figures["groups"])
    if classes >= figures["groups"]:
        return ""
    spread = sizes_in_words(figures["class_sizes"], figures["rows_per_class"])
    return f"{classes:,} that a reader can tell apart, of {spread}; the other groups are published alike"


def columns_in_words(figures: Mapping[str, Any]) -> str:
    """What is kept of each column as a table, with what strata fix of it, and what its headings mean.

    >>> print(columns_in_words({"information_kept": {"age": 0.9, "zip": 0.8}, "rows_named": {"age": 1.0, "zip": 0.1}}))
    column  kept  one value
    age     90 %
    zip     80 %  10 %
      kept: 1 minus the mean extent of what is published; one value: the rows that
      show a single one
    """
    kept, named = figures["information_kept"], figures.get("rows_named", {})
    few = {name: share for name, share in named.items() if share < NAMED and kept[name] > share + MORE}
    cells = {"column": list(kept), "kept": [percent(share) for share in kept.values()]}
    notes = [f"kept: 1 minus the mean {figures.get('kept_by', EXTENT)}"]
    if few:
        cells["one value"] = [percent(few[name]) if name in few else "" for name in kept]
        notes.append("one value: the rows that show a single one")
    if figures.get("strata"):
        pins = {pin["column"]: pin for pin in figures["strata"]["pins"]}
        cells["within a stratum"] = [str(inside(pins[name])) if name in pins else "" for name in kept]
    return "\n".join([*table_lines(pl.DataFrame(cells)), sentence("; ".join(notes), first="  ")])


def in_words(figures: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The same for a person, as labelled lines: what was made, and what is promised and to be done about it."""
    grouped = figures["rows"] - figures["suppressed_rows"]
    made = sizes_in_words(figures["group_sizes"], grouped / max(figures["groups"], 1))
    strata = figures.get("strata")
    made_of = {
        "method": figures.get("why_method", ""),
        "bound": "; ".join(figures.get("bounds", ())),
        "rows": _rows_in_words(figures),
        "groups": f"{figures['groups']:,} of {made}",
        "read as": _classes_in_words(figures),
        "strata": "" if strata is None else f"{strata['number']:,}",
        "changed": "; ".join(figures["changes"]),
        "files": ", ".join(str(Path(figures["out"]) / name) for name in figures["files"]),
    }
    promised = {
        **figures.get("promise", {"promise": figures["guarantee"]}),
        "beside it": beside_words(figures),
        "limit": several_words(figures),
        "audit": audit_words(figures),
    }
    if figures["out"] is None:  # it was not written: nobody is promised anything, and there is nothing to attack
        promised = {}
    return _filled(made_of), _filled(promised)


def _filled(lines: Mapping[str, str]) -> dict[str, str]:
    """The lines that say something."""
    return {label: text for label, text in lines.items() if text}


def _rows_in_words(figures: Mapping[str, Any]) -> str:
    """How many rows there are, and how many were suppressed, added or replaced where some were."""
    counted = {word: figures[f"{word}_rows"] for word in ("suppressed", "added", "replaced")}
    odd = "".join(f", {number:,} {word}" for word, number in counted.items() if number)
    return f"{figures['rows']:,}{odd}" + (f"; {figures['published_rows']:,} published" if odd else "")


def audit_words(figures: Mapping[str, Any]) -> str:
    """How to look at the release as attackers do; empty where everything that takes is in it.

    >>> audit_words({"groups_overlap": True, "out": "out", "kept_groups": "groups.csv", "truth": "people.csv"})
    'groups.csv tells who is in which group and stays with you; attack out --truth people.csv --groups groups.csv'
    """
    kept = figures.get("kept_groups")
    if kept:
        out = figures.get("out") or "DIR"
        table = figures.get("truth", "TABLE")
        if figures.get("changes"):  # the groups do not tell what was published of whom
            return f"{kept} tells who is in which group and stays with you"
        return f"{kept} tells who is in which group and stays with you; attack {out} --truth {table} --groups {kept}"
    overlap = figures.get("groups_overlap", False)
    if overlap is False:
        return ""
    state, needs = "groups overlap, so that nobody can read off", "needs"
    if overlap is None:  # too many to compare
        state, needs = "groups may overlap, so that perhaps nobody can read off", "may need"
    return (
        f"{state} the release who is in which: a full audit (attack, verify, report) {needs} the groups, which "
        f"{KEEPING} keeps; they are private and stay with you"
    )


EXTENT = "extent of what is published"
DISTANCE = "distance of people's values from what is published, by the range"
LITTLE = 0.5  # a column that keeps less may be ruined
MORE = 0.25  # so much more must be kept without the taxonomy, or than rows name one value
NAMED = 0.5  # of the rows; where fewer show one value of a column, that is said beside what is kept
ROWS = 5_000
TRIED = 3  # columns
QUICK = ("strata", "soft-cut", "hybrid", "tailor", "ace", "mondrian")  # methods that group so many rows in a moment


def _by_names(table: Table, recoder: Recoder) -> list[str]:
    """The quasi-identifiers that are published by names of a taxonomy."""
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    return [
        attribute.name for attribute in quasi if attribute.taxonomy is not None and recoder.uses_names(attribute.kind)
    ]


def ruined_columns(table: Table, method: Method, recoder: Recoder, figures: Mapping[str, Any]) -> list[Remark]:
    """A remark on each quasi-identifier that would keep much more without its taxonomy."""
    if method.name not in QUICK or not recoder.uses_names(Kind.CATEGORY) or table.schema is None:
        return []
    kept = figures["information_kept"]
    suspects = [name for name in _by_names(table, recoder) if kept[name] < LITTLE][:TRIED]
    remarks = [_tried(name, table, table.schema, method, recoder, kept[name]) for name in suspects]
    return [remark for remark in remarks if remark is not None]


def _tried(name: str, table: Table, schema: Schema, method: Method, recoder: Recoder, kept: float) -> Remark | None:
    """Both ways on a part of the rows; None where the taxonomy is not to blame, or it cannot be tried."""
    rows = np.unique(np.linspace(0, len(table) - 1, min(len(table), ROWS)).astype(np.int64))
    # nobody wants dates or numbers listed as sets, of which hardly anything is lost by this measure: ranges are meant
    ranges = next(attribute.kind for attribute in table.attributes if attribute.name == name) is not Kind.CATEGORY
    try:
        before, after = _kept_both_ways(
            name, table, rows, schema, method, (recoder, Intervals() if ranges else recoder)
        )
    except PellucidError:
        return None
    if after - before < MORE:
        return None
    figures = f"keeps {percent(kept)} with its taxonomy"
    if len(rows) < len(table):
        figures += f"; tried on {len(rows):,} rows, it keeps {percent(before)} with"
    without = "as ranges" if ranges else "without it"
    if not ranges and _shortened(schema.columns[name]):  # chosen so that whole codes, such as postcodes, do not show
        price = "that is what shortening costs; without it groups show whole values, two or more side by side"
        return Remark("note", f"{name!r} {figures} and {percent(after)} {without}: {price}")
    advice = (
        Message("publish ranges ({recode})", recode=RECODE.such_as("intervals")) if ranges else "take the taxonomy out"
    )
    return Remark(
        "note",
        Message(
            "{name!r} {figures} and {after} {without}: {advice}, or give one whose names cover what groups have in "
            "common",
            name=name,
            figures=figures,
            after=Share(after),
            without=without,
            advice=advice,
        ),
    )


def _shortened(column: Column) -> bool:
    """Whether a column is published by the first characters of its values."""
    return getattr(column.taxonomy, "prefix", None) is not None


def _kept_both_ways(
    name: str,
    table: Table,
    rows: NDArray[np.int64],
    schema: Schema,
    method: Method,
    recoders: tuple[Recoder, Recoder],
) -> tuple[float, float]:
    """How much of a column is kept of some rows: with its taxonomy, and without it, each by its recoder."""
    frame = frame_of_table(replace(table, names=None))[rows.tolist()]  # publishing keeps no names, only their type
    there = {key: column for key, column in schema.columns.items() if key in frame.columns}
    columns = {key: column for key, column in there.items() if column.role is not Role.IDENTIFIER}
    plain = columns | {name: columns[name].model_copy(update={"taxonomy": None})}
    before, after = (
        _share(name, encode(frame, schema.model_copy(update={"columns": declared})), method, recoder)
        for declared, recoder in zip((columns, plain), recoders, strict=True)
    )
    return before, after


def _share(name: str, table: Table, method: Method, recoder: Recoder) -> float:
    grouping = method.group(table, Coins.from_seed("a trial"), threads=1)  # nothing of it is published
    return information_kept(table, grouping, recoder)[name]
