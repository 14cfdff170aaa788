"""Releases with settings that are drawn: what a report may have to tell of, one way or the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
from tests.plain.settings import SETTINGS

import pellucid as pc
from pellucid.errors import PellucidError
from pellucid.group import methods

# values and names that are no English words: one in a report is a sentence of ours
ILLNESSES = ("grippe", "gicht", "husten", "angina")
PAYS = ("A", "B", "C", "D")
REGIONS = {"*": {"Norden": ["Kiel", "Bremen"], "Süden": ["Ulm", "Graz"]}}
MODELS = (
    "k-anonymity=3",
    "entropy l-diversity=2",
    "recursive (c,l)-diversity=3,2",
    "t-closeness=0.6",
    "(alpha,k)-anonymity=0.5,2",
    "beta-likeness=3",
)


@dataclass
class Setting:
    """What was drawn: a table, what its columns are, a method and how it is used; ``says`` names it in a message."""

    name: str
    random: Random
    people: pl.DataFrame
    columns: dict[str, dict[str, Any]]
    parameters: dict[str, Any] = field(default_factory=dict)
    recode: str | None = None
    given: str = "release"
    truth: bool = True
    population: bool = False
    schema_given: bool = True
    patience: float = 10.0

    @property
    def says(self) -> str:
        """The setting in one line, to be looked at again."""
        how = f"recode={self.recode}, given={self.given}, truth={self.truth}, population={self.population}"
        return f"{self.name} {self.parameters}, {how}, {self.columns}"

    @property
    def about(self) -> dict[str, Any]:
        """What the columns are; a schema has something sensitive."""
        if any(column.get("role") == "sensitive" for column in self.columns.values()):
            return {"schema": pc.Schema(columns=self.columns)}
        return {"quasi": [name for name, column in self.columns.items() if column["role"] == "quasi"]}

    def method(self) -> pc.Method:
        """The method as drawn."""
        if self.parameters:
            return methods()[self.name](**self.parameters)
        return SETTINGS[self.name](2, pc.read(self.people, **self.about))

    def published(self) -> pc.Release:
        """The release; raises where this setting cannot be published."""
        return pc.publish(self.people, self.method(), **self.about, recode=self.recode, seed=1)

    def reported(self, release: pc.Release, folder: Path, language: str, audience: Any) -> str:
        """The report on the release, the folder it was written to, or its table alone."""
        about = self.about
        source: Any = release
        if self.given == "folder":
            source = release.write(folder) if not folder.exists() else folder
            about = about if self.schema_given or self.population else {}
        measured = "quantiles" in self.says or "percent" in self.says  # which a table alone does not tell
        if self.given == "table" and len(release.frames) == 1 and not measured:
            source = release.frame
        truth = self.people if self.truth else None
        sensitive = [name for name, column in self.columns.items() if column["role"] == "sensitive"]
        if self.population and audience == "private" and self.given != "table" and len(sensitive) == 1:
            others = self.people.vstack(self.people.with_columns(name="Q" + pl.col("name")))
            about["attacks"] = pc.attack_all(source, truth=truth, population=others, patience=self.patience, **about)
        page = pc.report(source, truth, audience=audience, language=language, patience=self.patience, **about)
        return page.html


def drawn(seed: int, name: str | None = None) -> Setting:
    """A setting: mostly plain, with one or two things that are special about it."""
    random = Random(f"{seed} {name}")
    made = Setting(name or random.choice(sorted(methods())), random, people(random), dict(COLUMNS))
    for change in random.sample(CHANGES, random.choice((0, 1, 1, 2, 3))):
        change(made)
    made.given = random.choice(("release", "release", "folder", "folder", "table"))
    made.truth = made.given != "table" and random.random() < 0.75
    made.schema_given = random.random() < 0.5
    return made


def publishable(seed: int, name: str | None = None) -> Iterator[tuple[Setting, pc.Release]]:
    """Settings of which there is a release, one after the other, for ever."""
    for number in count():
        setting = drawn(1000 * seed + number, name)
        try:
            yield setting, setting.published()
        except PellucidError:
            continue  # this method cannot do that, or not with these people


def people(random: Random) -> pl.DataFrame:
    """A few dozen, of whom everything is known that a column can say."""
    rows = random.choice((12, 16, 24))
    ill = [ILLNESSES[i % 4] for i in range(rows)]
    random.shuffle(ill)
    return pl.DataFrame(
        {
            "name": [f"P{i}" for i in range(rows)],
            "age": [random.randrange(18, 90) for _ in range(rows)],
            "town": [random.choice(("Kiel", "Bremen", "Ulm", "Graz")) for _ in range(rows)],
            "born": [f"19{random.randrange(40, 99)}-0{random.randrange(1, 9)}-11" for _ in range(rows)],
            "household": [i // 2 for i in range(rows)],
            "weight": [round(random.uniform(1, 9), 1) for _ in range(rows)],
            "ill": ill,
            "pay": [PAYS[(i + random.randrange(2)) % 4] for i in range(rows)],
        }
    )


COLUMNS: dict[str, dict[str, Any]] = {"age": {"role": "quasi"}, "town": {"role": "quasi"}, "ill": {"role": "sensitive"}}


def changed(setting: Setting, column: str, **said: Any) -> None:
    setting.columns = {**setting.columns, column: {**setting.columns.get(column, {}), **said}}


def two_sensitive(setting: Setting) -> None:
    if methods()[setting.name].several:
        changed(setting, "pay", role="sensitive")


def nothing_sensitive(setting: Setting) -> None:
    setting.columns = {"age": {"role": "quasi"}, "town": {"role": "quasi"}}
    setting.name = setting.random.choice(("mondrian", "mdav", "incognito", "tailor"))
    setting.parameters = {"k": 3} if setting.name != "tailor" else {"model": "k-anonymity=3"}


def some_values(setting: Setting) -> None:
    if "ill" in setting.columns:
        changed(setting, "ill", protect=list(setting.random.sample(ILLNESSES, 2)))


def with_k(setting: Setting) -> None:
    if "k" in methods()[setting.name].model_fields and "l" in methods()[setting.name].model_fields:
        setting.parameters = {**setting.parameters, "k": 5, "l": 2}


def larger_l(setting: Setting) -> None:
    if "l" in methods()[setting.name].model_fields and not setting.parameters:
        setting.parameters = {"l": setting.random.choice((1, 3))}


def another_model(setting: Setting) -> None:
    if "model" in methods()[setting.name].model_fields:
        setting.parameters = {"model": setting.random.choice(MODELS)}


def households(setting: Setting) -> None:
    changed(setting, "household", role="cluster")


def weights(setting: Setting) -> None:
    changed(setting, "weight", role="weight")


def importance(setting: Setting) -> None:
    changed(setting, "age", importance=3)


def capped(setting: Setting) -> None:
    ends = ({"low": 30, "high": 70}, {"percent": [5, 95]}, {"high": 60})
    changed(setting, "age", cap=setting.random.choice(ends))


def rounded(setting: Setting) -> None:
    changed(setting, "age", round=setting.random.choice((5, [0, 18, 65], {"quantiles": 4})))


def dated(setting: Setting) -> None:
    changed(setting, "born", role="quasi", kind="date")
    if setting.random.random() < 0.5:
        changed(setting, "born", round="year")


def tree(setting: Setting) -> None:
    changed(setting, "town", taxonomy={"tree": REGIONS})


def ladder(setting: Setting) -> None:
    changed(setting, "age", taxonomy={"ladder": [10, 20, 40]})


def withheld(setting: Setting) -> None:
    setting.name = setting.random.choice(("incognito", "alpha-k"))
    if setting.name == "incognito":
        setting.parameters = {setting.random.choice("kl"): 2, "max_suppressed": "30%"}


def another_recoding(setting: Setting) -> None:
    setting.recode = setting.random.choice(("intervals", "means", "taxonomy", "suppression", "anatomy"))


def carried(setting: Setting) -> None:
    changed(setting, "pay", role="carry")


def named(setting: Setting) -> None:
    changed(setting, "name", role="identifier")


def nulls(setting: Setting) -> None:
    for column in ("age", "ill"):
        if column in setting.columns and setting.random.random() < 0.6:
            gone = pl.int_range(pl.len()).is_in(setting.random.sample(range(setting.people.height), 3))
            setting.people = setting.people.with_columns(pl.when(~gone).then(pl.col(column)).alias(column))


def everybody(setting: Setting) -> None:
    named(setting)
    setting.population = True


def impatient(setting: Setting) -> None:
    setting.patience = 0.001


CHANGES = (
    *(two_sensitive, nothing_sensitive, some_values, with_k, larger_l, another_model, households, weights, importance),
    *(capped, rounded, dated, tree, ladder, withheld, another_recoding, another_recoding, carried, named, nulls),
    *(everybody, impatient),
)
