"""``pellucid demo``: the whole job in front of the reader's eyes, on tables that come with the package."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from pellucid.anonymize.methods.soft_cut import SoftCut
from pellucid.anonymize.methods.strata import Strata
from pellucid.anonymize.recode.cell_coverage import needs_groups
from pellucid.cli.output import JsonOption, Output, QuietOption, ThreadsOption
from pellucid.cli.progress import Bar
from pellucid.cli.remarks import bounds_of_strata
from pellucid.cli.show import bars, heading, labelled, sentence, side_by_side, table_lines
from pellucid.cli.summary import beside_words, figures_of
from pellucid.cli.wording import as_typed
from pellucid.core.release import Release
from pellucid.core.table import Table
from pellucid.datasets import patients, schema_of, voters
from pellucid.io import check_target, read
from pellucid.io.groups_file import check_groups_file, kept_groups
from pellucid.publishing import publish
from pellucid.text.figures import percent

EXAMPLES = (
    "pellucid demo",
    "pellucid demo --out elsewhere/",
)
VICTIM = "Ed"  # of all patients the one whose group the coins never change
CENSUS = "census:50000"
STRATA = (
    "Strata, the default, cuts the table into strata of at least 50 people who look alike, by what others may know "
    "alone. Inside each it makes small groups. Where a value is more frequent than 1/8 in a stratum, the stratum is "
    "published whole: what is typical of so many people is a statistic. The strict form is SoftCut, as for the eight "
    "patients: the bound is 1/l for everybody, for an attacker who knows no such statistic."
)
MANY_SIZES = 12
GROUPS = "groups file"


def command() -> Callable[..., None]:
    """The verb."""
    return demo


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the census release goes.")] = Path(
        "demo-release"
    ),
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """See the whole job done on tables that come with the package: eight patients, then a census of 50,000.

    The census release is written to a folder, ./demo-release unless --out names another, and beside it who is in which
    group, which an attack takes.
    """
    output = Output(as_json=as_json, quiet=quiet)
    with as_typed(out):
        check_target(out, overwrite=True)
    beside = out if out.name else out.resolve()
    groups = beside.with_name(f"{beside.name}-groups.csv")
    check_groups_file(groups, out, [], overwrite=True, called=GROUPS)
    hospital = publish(read("patients", schema=schema_of("patients")), SoftCut(l=2))
    output.say(eight_patients(hospital))
    with Bar(shown=not (as_json or quiet)) as bar:
        began, method = time.perf_counter(), Strata(l=8)
        table = read(CENSUS, schema=schema_of(CENSUS), progress=bar)
        release = publish(table, method, threads=threads, progress=bar)
        seconds = time.perf_counter() - began
        figures = figures_of(table, release)
        overlap = needs_groups(table, method, release.private.grouping, release.public.recipe.recoder)
        with kept_groups(groups, lambda: release.private.labels, called=GROUPS) as put_groups, as_typed(out):
            release.write(out, overwrite=True, then=put_groups)
    figures |= {
        "guarantee": release.promise,
        "bounds": bounds_of_strata(table, method, release),
        "claim": release.public.recipe.guarantee,
        "seconds": round(seconds, 3),
        "out": str(out),
        "truth": CENSUS,
        "groups_overlap": overlap,
        "kept_groups": str(groups),
        "files": sorted(path.name for path in out.iterdir()),
    }
    output.say()
    output.say(census_of_fifty_thousand(table, release, figures))
    output.document({"patients": hospital.frame.to_dicts(), "census": figures})


def eight_patients(release: Release) -> str:
    """Before and after, and what a voter list gives away in each."""
    before = patients()
    victim = voters().row(by_predicate=pl.col("name") == VICTIM, named=True)
    row = before["name"].to_list().index(VICTIM)
    labels = release.private.labels
    possible = sorted(before["disease"].to_numpy()[labels == labels[row]])
    return "\n".join(
        [
            heading("Eight patients, too few for strata: published with SoftCut at l = 2"),
            side_by_side(
                ["what the hospital knows", "", *table_lines(before)],
                ["what everybody may see", "", *table_lines(release.frame)],
            ),
            "",
            sentence(
                f"The voter list of the town says that {VICTIM} is {victim['age']} and lives in {victim['zipcode']}. "
                f"On the left that is one row: {VICTIM} has {before['disease'][row]}. On the right "
                f"{len(possible)} rows fit, with {' and '.join(possible)}, and nothing tells them apart, not even "
                f"knowing how the groups were made: to whoever thinks all ways of handing these diseases out equally "
                f"likely, each is {VICTIM}'s with probability 1/{len(possible)}. Somebody who learns from the release, "
                f"or knows from elsewhere, which of them people of {victim['age']} usually have may be right more "
                "often; the promise does not cover that."
            ),
        ]
    )


def census_of_fifty_thousand(table: Table, release: Release, figures: dict[str, Any]) -> str:
    """Group sizes, information kept, the promise, and where the files are."""
    kept = figures["information_kept"]
    return "\n".join(
        [
            heading(f"A census of {len(table):,} people, published with Strata at l = 8"),
            sentence(STRATA),
            "",
            "four rows of the release",
            "",
            *table_lines(_sample(release.frame)),
            "",
            "how many groups have how many rows",
            "",
            size_bars(release.private.grouping.sizes),
            "",
            "information kept (1 minus the mean extent of what is published)",
            "",
            bars(kept, {name: percent(share) for name, share in kept.items()}, full=1),
            "",
            labelled(
                {
                    "bound": "; ".join(figures["bounds"]),
                    "promise": figures["guarantee"],
                    "beside it": beside_words(figures),
                    "time": f"{figures['seconds']:.2f} s to read and publish {len(table):,} rows",
                    "files": ", ".join(str(Path(figures["out"]) / name) for name in figures["files"]),
                    "private": f"{figures['kept_groups']}: who is in which group, for that attack",
                }
            ),
        ]
    )


def _sample(frame: pl.DataFrame, rows: int = 4) -> pl.DataFrame:
    """A few published rows from all over the table."""
    return frame.gather_every(max(frame.height // rows, 1), offset=frame.height // (2 * rows)).head(rows)


def size_bars(sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> str:
    """How many groups have each size, the large sizes together."""
    values, counts = np.unique(sizes, return_counts=True)
    counted = {str(value): int(count) for value, count in zip(values[:MANY_SIZES], counts[:MANY_SIZES], strict=True)}
    if len(values) > MANY_SIZES:
        counted[f"{values[MANY_SIZES]}+"] = int(counts[MANY_SIZES:].sum())
    return bars(counted, {size: f"{count:,}" for size, count in counted.items()}, full=max(counted.values()))
