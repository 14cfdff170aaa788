"""Where inputs are tried: a folder with good files to put a bad one beside, and releases, on disk and in memory."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import pellucid as pc
from pellucid.core.schema import UNSAID
from pellucid.risk.views.opened_release import ReleaseView
from pellucid.risk.views.regrouping import HowMade

CORPUS = Path(__file__).parents[1] / "tests" / "data" / "fuzz"
FOUND = CORPUS / "found"
ROLES: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": "disease", "identifier": "name"}
BUNDLES = ("out", "rich", "soft", "tables")  # releases; all but the first are of the table with everything in it
GOOD_FILES = (
    *("csv/people.csv", "csv/everything.csv", "schema/people.toml", "schema/everything.toml"),
    *("job/job.toml", "groups/groups.csv", "taxonomy/towns.csv", "workload/queries.json"),
)
TOWNS = """born;town;school;pay
1980-01-05;Oslo;primary;1
1981-12-31;Rome;secondary;2
1990-02-28;Rome;tertiary;1
1990-03-01;Oslo;tertiary;3
"""


@dataclass(frozen=True)
class Workplace:
    """A folder with good files to put a bad one beside, and what a table and a release are in memory."""

    folder: Path
    table: pc.Table
    release: pc.Release
    origin: HowMade
    corpus: Mapping[str, Mapping[str, bytes]]
    recipes: Mapping[str, bytes]

    @classmethod
    def made(cls, folder: Path) -> Workplace:
        """A folder in this one is the current one from now on: words of a command line are names in it."""
        warnings.simplefilter("ignore")
        folder = folder / "work"  # so that ../x is a name in what is thrown away
        folder.mkdir()
        os.chdir(folder)
        for name in GOOD_FILES:
            (folder / Path(name).name).write_bytes((CORPUS / name).read_bytes())
        (folder / "towns-people.csv").write_text(TOWNS)
        table = pc.read("people.csv", **ROLES)
        release = pc.publish(table, pc.Mondrian(l=2, strict=True), seed=1)
        release.write("out")
        everything = pc.read("everything.csv", schema="everything.toml")
        pc.publish(everything, pc.Tailor(model=pc.KAnonymity(k=2)), seed=1, accept_known="town").write("rich")
        pc.publish(everything, pc.SoftCut(l=2), seed=1, accept_known="town").write("soft", format="parquet")
        pc.publish(everything, pc.Anatomy(l=2), seed=1, accept_known="town").write("tables")
        corpus = {
            kind.name: {path.name: path.read_bytes() for path in sorted(kind.iterdir())}
            for kind in sorted(CORPUS.iterdir())
            if kind.is_dir() and kind != FOUND
        }
        recipes = {name: (folder / name / "recipe.json").read_bytes() for name in BUNDLES}
        look = ReleaseView.at(folder / "out", UNSAID)
        return cls(folder, table, release, look.made(look.method), corpus, recipes)

    def frame(self, name: str) -> pl.DataFrame:
        """A table of the corpus."""
        return pl.read_csv(self.corpus["csv"][name])

    def beside_data_of(self, bundle: str) -> Path:
        """A folder with the data of a release, for another recipe."""
        folder = self.folder / f"recipes-{bundle}"
        if not folder.exists():
            shutil.copytree(self.folder / bundle, folder)
        return folder
