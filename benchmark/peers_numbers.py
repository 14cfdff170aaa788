"""The expected values of other tools' own tests, put to pellucid: equal, or different for a reason that is computed.

    .venv/bin/python benchmark/peers_numbers.py                        # writes docs/peers-numbers.md; about two minutes
    .venv/bin/python benchmark/peers_numbers.py --every 20 --out /tmp/some.md    # every 20th expectation of ARX

Expectations are data in ``benchmark/expectations`` with their source; no code of another tool runs. ARX's Adult and its
hierarchies are read from the folder of real tables. Each expectation is one of

    equal            pellucid gives the number, to nine digits
    other counting   it does not, and the number comes out when we count as the reason says: that is computed here too
    not expressible  pellucid has no such measure or requirement
    unexplained      ends this script with 1
"""

from __future__ import annotations

import argparse
import functools
import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from figures import DATA, ROOT, say
from numpy.typing import NDArray

import pellucid as pc
from pellucid.anonymize.methods.incognito import without_smallest
from pellucid.audit import examine
from pellucid.core.schema import Column, Schema
from pellucid.metrics import metrics
from pellucid.models.groups import Groups
from pellucid.models.population_uniqueness import population_uniqueness

EXPECTED = Path(__file__).with_name("expectations")
EQUAL, OTHER, NOT, WHY = "equal", "other counting", "not expressible", "unexplained"
NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
EIGHT = tuple(name for name in NINE if name != "occupation")
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Answer:
    """What became of an expectation, and why it is not ours."""

    tool: str
    what: str
    standing: str
    why: str = ""


def close(one: Any, other: Any) -> bool:
    """Nine digits, which is what the tests of the other tools ask for or less."""
    return one is not None and bool(np.allclose(one, other, rtol=1e-9, atol=1e-9))


class Adult:
    """ARX's Adult, generalised to levels of its hierarchies."""

    def __init__(self, subset: Sequence[int]) -> None:
        folder = DATA / "arx_adult"
        text = gzip.decompress((folder / "adult.csv.gz").read_bytes())
        self.rows = pl.read_csv(text, separator=";", infer_schema=False)
        self.member = np.zeros(len(self.rows), np.bool_)
        self.member[list(subset)] = True
        self.files = {name: folder / f"{name}.csv" for name in NINE}
        self.names = {
            name: {(words := line.split(";"))[0]: words for line in file.read_text().splitlines()}
            for name, file in self.files.items()
        }
        in_tree = Column(role="sensitive", kind="category", taxonomy=str(self.files["occupation"]))
        in_order = Column(role="sensitive", kind="ordered", order=tuple(self.names["occupation"]))
        self.occupation, self.ordered = (self.table_with(one) for one in (in_tree, in_order))

    def table_with(self, occupation: Column) -> pc.Table:
        columns = {"sex": Column(role="quasi"), "occupation": occupation}
        return pc.read(self.rows.select(*columns), schema=Schema(columns=columns))

    def generalised(self, quasi: Sequence[str], node: Sequence[int]) -> pl.DataFrame:
        told = {
            name: self.rows[name].replace_strict({value: words[level] for value, words in self.names[name].items()})
            for name, level in zip(quasi, node, strict=True)
        }
        return pl.DataFrame(told)


@dataclass(frozen=True)
class Case:
    """Groups of a node, and which of them a set of models leaves in the table."""

    adult: Adult
    quasi: tuple[str, ...]
    node: tuple[int, ...]
    published: pl.DataFrame  # every row, generalised
    label: Codes
    counts: Codes  # of each group and occupation, of members where a population is asked about
    table: pc.Table  # with occupations in a tree, or in order
    people: Codes  # of each group, in the population
    in_table: NDArray[np.bool_]

    @property
    def sizes(self) -> Codes:
        return self.counts.sum(axis=1)

    def met(self, name: str, parameters: Sequence[Any]) -> NDArray[np.bool_] | None:
        """Which groups satisfy one model, or are left of the table for it; None where pellucid has none."""
        if name in RISKS:
            return without_smallest(self.sizes, self.sizes > 0, [RISKS[name](parameters[0])])
        model = model_of(name, parameters)
        if model is None:
            return None
        attribute = self.table.attributes[1]
        held = np.flatnonzero(self.sizes)
        met = np.ones(len(self.sizes), np.bool_)
        groups = Groups.of_counts(self.counts[held], self.counts.sum(axis=0), attribute, population=self.people[held])
        met[held] = model.met(groups)
        return met


RISKS: dict[str, Callable[[str], Any]] = {
    "av": lambda risk: pc.AverageRisk(risk=risk),
    "su": lambda share: pc.SampleUniqueness(share=share),
}


def model_of(name: str, given: Sequence[Any]) -> pc.PrivacyModel | None:
    """A model of ARX in ours."""
    first = given[0]
    made: dict[str, Callable[[], pc.PrivacyModel]] = {
        "k": lambda: pc.KAnonymity(k=int(first)),
        "cl": lambda: pc.RecursiveDiversity(c=float(first), l=int(given[1])),
        "ht": lambda: pc.TCloseness(t=float(first), distance="hierarchical"),
        "et": lambda: pc.TCloseness(t=float(first)),
        "ot": lambda: pc.TCloseness(t=float(given[-1]), distance="ordered"),
        "bb": lambda: pc.BetaLikeness(beta=float(first)),
        "eb": lambda: pc.EnhancedBetaLikeness(beta=float(first)),
        "dp": lambda: pc.DeltaPresence(low=float(first), high=float(given[1])),
        "km": lambda: pc.KMap(k=int(first)),
    }
    if name == "el" and given[1] in (None, "SHANNON"):
        return pc.EntropyLDiversity(l=float(first))
    return made[name]() if name in made else None


def case_of(adult: Adult, node: Sequence[int], models: Sequence[str]) -> Case:
    quasi = NINE if len(node) == len(NINE) else EIGHT
    published = adult.generalised(quasi, node)
    label = published.select(pl.struct(pl.all()).rank("dense"))[:, 0].to_numpy().astype(np.int64) - 1
    among = bool({"dp", "km"} & set(models))
    in_table = adult.member if among else np.ones(len(label), np.bool_)
    table = adult.ordered if "ot" in models else adult.occupation
    values = table.codes[1].astype(np.int64)
    number, width = int(label.max()) + 1, len(table.attributes[1])
    flat = np.bincount(label[in_table] * width + values[in_table], minlength=number * width)
    people = np.bincount(label, minlength=number)
    return Case(adult, quasi, tuple(node), published, label, flat.reshape(number, width), table, people, in_table)


def measured(case: Case, kept: NDArray[np.bool_], metric: str) -> Any:
    """A figure of ours: rows that are not kept are published as stars."""
    rows = case.in_table
    stars = [pl.when(pl.Series(kept)).then(pl.col(name)).otherwise(pl.lit("*")).alias(name) for name in case.quasi]
    beside = [] if "occupation" in case.quasi else ["occupation"]
    release = case.published.select(stars).with_columns(case.adult.rows.select(beside)).filter(pl.Series(rows))
    original = case.adult.rows.select(*case.quasi, *beside).filter(pl.Series(rows))
    columns = {name: Column(role="quasi", kind="category", taxonomy=str(case.adult.files[name])) for name in case.quasi}
    columns |= {name: Column(role="sensitive", kind="category") for name in beside}
    schema = Schema(columns=columns, nothing_sensitive=not beside)
    (score,) = pc.measure(release, original, [metrics()[metric]()], schema=schema)
    return score


def bits(codes: Codes, within: Codes) -> float:
    """Bits that tell each value among the rows of its group of values."""
    return float(-np.log2(np.bincount(codes)[codes] / np.bincount(within)[within]).sum())


def entropy_of_arx(case: Case, kept: NDArray[np.bool_]) -> float:
    """Generalisation of every row, and for suppressed rows the bits of their generalised values among themselves."""
    rows, gone = case.in_table, case.in_table & ~kept
    total = 0.0
    for name in case.quasi:
        value, node = (
            column.rank("dense").to_numpy().astype(np.int64) - 1
            for column in (case.adult.rows[name].filter(pl.Series(rows)), case.published[name].filter(pl.Series(rows)))
        )
        total += bits(value, node)
        hidden = case.published[name].filter(pl.Series(gone)).rank("dense").to_numpy().astype(np.int64)
        total += bits(hidden, np.zeros(len(hidden), np.int64)) if len(hidden) else 0.0
    return total


def entropy_answer(case: Case, kept: NDArray[np.bool_], value: float) -> Answer:
    """The bits as ARX counts suppressed rows, which measure tells under that name."""
    told = measured(case, kept, "entropy").details["bits_as_arx"]
    ours = None if told is None else sum(told.values())
    return Answer("", "", EQUAL if close(ours, value) else WHY, f"{ours} for {value}")


def class_size_answer(case: Case, kept: NDArray[np.bool_], value: float) -> Answer:
    """The mean with the suppressed rows as one class more, which measure tells under that name."""
    ours = measured(case, kept, "class-size").details["rows_per_class_with_suppressed"]
    return Answer("", "", EQUAL if close(ours, value) else WHY, f"{ours} for {value}")


def utility_of(adult: Adult, metric: str, models: Sequence[Sequence[Any]], node: Sequence[int], value: Any) -> Answer:
    """One expectation of TestUtilityMetrics."""
    tool = f"ARX utility, {metric}"
    case = case_of(adult, node, [name for name, *_ in models])
    if metric == "height":  # by column precision has the level by the height of the taxonomy
        heights = measured(case, np.ones(len(case.label), np.bool_), "precision").details["heights"]
        tops = {name: len(next(iter(adult.names[name].values()))) - 1 for name in case.quasi}
        ours = sum(heights[name] * tops[name] for name in case.quasi)
        return Answer(tool, str(node), EQUAL if close(ours, value) else WHY, f"{ours} for {value}")
    met = functools.reduce(np.logical_and, (case.met(name, given) for name, *given in models))
    kept = met[case.label] if "monotonic" not in metric else np.ones(len(case.label), np.bool_)
    if metric == "discernibility, monotonic" or metric == "discernibility":
        ours = measured(case, kept, "discernibility").value
        return Answer(tool, str(node), EQUAL if close(ours, value) else WHY, f"{ours} for {value}")
    if metric.startswith("precision"):
        ours = 1 - measured(case, kept, "precision").value
        return Answer(tool, str(node), EQUAL if close(ours, value) else WHY, f"{ours} for {value}")
    if metric == "loss":
        ours = sorted(measured(case, kept, "loss").details["scaled"].values(), reverse=True)
        return Answer(tool, str(node), EQUAL if np.allclose(ours, value, atol=2e-10) else WHY, f"{ours} for {value}")
    answer = entropy_answer if metric == "entropy" else class_size_answer
    return replace(answer(case, kept, value), tool=tool, what=str(node))


NO_MODEL = {
    "el": "The Grassberger estimate of entropy is none of ours",
    "kme": "A Poisson estimate of the population for k-map is none of ours",
}
BY_SIZE = (
    "ARX suppresses small groups one by one until the estimate is low enough. Our estimate is no sum, so we suppress "
    "all of a size at once. One by one it holds with ours too"
)


def uniqueness_of(case: Case, limit: float, asked: Sequence[Any], value: str) -> Answer:
    """Population uniqueness by one estimator, with the smallest groups withheld one by one."""
    share, model, people = float(asked[0]), {"DANKAR": "believed"}.get(asked[1], str(asked[1]).lower()), int(asked[2])
    sizes = np.sort(case.sizes)
    most = int(np.searchsorted(np.cumsum(sizes), limit * sizes.sum(), "right"))
    for gone in range(0, most + 1, 20):
        found = getattr(population_uniqueness(sizes[gone:], people), model)
        if found is not None and found <= share:
            return Answer("", "", OTHER if value == "solution" else WHY, BY_SIZE)
    return Answer("", "", WHY if value == "solution" else EQUAL, f"{model} never falls to {share}")


ABSENT = (
    "ARX leaves groups of the population without a member out of delta-presence. Ours asks the lower bound of them too"
)


TIES = (
    "As many groups of each size are suppressed. Which of equal ones go is another order in ARX than ours. With others "
    "of them the number comes out. Where there are too many to try, it lies between those of the two extremes"
)
FEWEST_TRIED = 100


def with_other_ties(
    case: Case, met: NDArray[np.bool_], score: Callable[[NDArray[np.bool_]], float], value: float
) -> bool:
    """Whether the score comes out where other groups go of the largest size that is withheld."""
    equal = np.flatnonzero(case.sizes == case.sizes[~met].max())
    number = int((~met[equal]).sum())

    def of(gone: Sequence[int]) -> float:
        kept = met.copy()
        kept[equal], kept[list(gone)] = True, False
        return score(kept[case.label])

    if comb(len(equal), number) <= FEWEST_TRIED:
        return any(close(of(gone), value) for gone in combinations(equal.tolist(), number))
    whole = measured(case, met[case.label], "loss").details["scaled"]
    first = np.unique(case.label, return_index=True)[1]
    weighed = np.zeros(len(case.sizes))
    for name, level in zip(case.quasi, case.node, strict=True):
        below = Counter(words[level] for words in case.adult.names[name].values())
        leaves = case.published[name][first].replace_strict(below, return_dtype=pl.Float64).to_numpy()
        weighed += (leaves - 1) / (len(case.adult.names[name]) - 1) / (1 + whole[name])
    order = equal[np.argsort(weighed[equal])]
    least, most = sorted(of(one[:number].tolist()) for one in (order, order[::-1]))
    return least <= value <= most


def optimum_of(adult: Adult, asked: Sequence[Any]) -> Answer:
    """One expectation of TestAnonymization*: that a node is a solution, that it is none without suppression."""
    kind, test, metric, limit, models, node, value = asked
    tool, what = f"ARX optimum, {kind}", f"{test} {models} {node}"
    lacking = [name for name, given in models.items() if name not in (*RISKS, "pu") and model_of(name, given) is None]
    if lacking:
        return Answer(tool, what, NOT, NO_MODEL[lacking[0]])
    top = [len(next(iter(adult.names[name].values()))) - 1 for name in EIGHT]
    case = case_of(adult, top if node is None else node, list(models))
    if "pu" in models:
        return replace(uniqueness_of(case, limit, models["pu"], value), tool=tool, what=what)
    met = functools.reduce(np.logical_and, (case.met(name, given) for name, given in models.items()))
    gone = int(case.sizes[~met].sum())
    if kind != "score":
        holds = gone <= limit * case.sizes.sum() if kind == "verdict" else gone == 0
        expected = value == "solution"
        if node is None:
            holds = bool(met.all())
        low = float(models["dp"][0]) if "dp" in models else 0.0
        if holds == expected and kind == "verdict" and holds and low and not case.sizes.all():
            return Answer(tool, what, OTHER, ABSENT)
        return Answer(tool, what, EQUAL if holds == expected else WHY, f"{gone} rows break it, expected: {value}")
    name = metric.removeprefix("create").removeprefix("Precomputed").split("Metric")[0]
    monotonic = "entropy, monotonic" if metric.endswith(", true)") else "entropy"
    called = {"Entropy": monotonic, "AECS": "average class size", "Discernability": "discernibility, monotonic"}
    if set(RISKS) & set(models):
        score = functools.partial(entropy_of_arx if name == "Entropy" else score_of_loss, case)
        if close(score(met[case.label]), float(value)):
            return Answer(tool, what, EQUAL)
        other = with_other_ties(case, met, score, float(value))
        return Answer(tool, what, OTHER if other else WHY, TIES)
    if name in called:
        return replace(_as_utility(called[name], case, met, float(value)), tool=tool, what=what)
    ours = score_of_loss(case, met[case.label])
    return Answer(tool, what, EQUAL if abs(ours - float(value)) < 1e-8 else WHY, f"{ours} for {value}")


def score_of_loss(case: Case, kept: NDArray[np.bool_]) -> float:
    """ARX's loss of a node: the geometric mean of what the columns lose."""
    by_column = measured(case, kept, "loss").details["scaled"].values()
    return float(np.exp(np.log(np.array([*by_column]) + 1).mean()) - 1)


def _as_utility(metric: str, case: Case, met: NDArray[np.bool_], value: float) -> Answer:
    kept = met[case.label] if metric != "discernibility, monotonic" else np.ones(len(case.label), np.bool_)
    if metric.startswith("entropy"):
        monotonic = sum(measured(case, np.ones(len(kept), np.bool_), "entropy").details["bits"].values())
        if close(monotonic, value):
            return Answer("", "", EQUAL)
        return entropy_answer(case, kept, value)
    if metric == "average class size":
        return class_size_answer(case, kept, value)
    ours = measured(case, kept, "discernibility").value
    return Answer("", "", EQUAL if close(ours, value) else WHY, f"{ours} for {value}")


def frequencies_of(table: dict[str, Any]) -> list[Answer]:
    """freqCalc: rows and people that match, and how many rows match one and two rows."""
    rows = len(table["weights"])
    frame = pl.DataFrame(table["keys"], schema=dict.fromkeys(table["keys"], pl.Int64)).with_columns(
        w=pl.Series(table["weights"]), s=pl.Series(["a", "b"] * rows)[:rows]
    )
    audit = examine(frame, quasi=list(table["keys"]), sensitive="s", weight="w")
    strict = audit.row_risks()
    alike = strict.rows_alike if audit.matches is None else audit.matches.rows
    people = strict.people_alike if audit.matches is None else audit.matches.people
    ours = {"fk": alike, "Fk": people, "n1": (alike == 1).sum(), "n2": (alike == 2).sum()}
    # without weights the people are the rows
    pairs = [(name, ours[name], table[name]) for name in ours] + [("Fk, no weights", alike, table["fk"])]
    return [
        Answer("sdcMicro freqCalc", f"{table['table']}: {name}", EQUAL if close(one, other) else WHY, f"{one}")
        for name, one, other in pairs
    ]


def individual_risks(expected: dict[str, Any], table: dict[str, Any]) -> list[Answer]:
    """indivRisk: ours is exact for all group sizes; sdcMicro approximates from three rows on unless told otherwise."""
    frame = pl.DataFrame(table["keys"]).with_columns(
        w=pl.Series(table["weights"]), s=pl.Series(["a", "b"] * (len(table["weights"]) // 2))
    )
    risks = examine(frame, quasi=list(table["keys"]), sensitive="s", weight="w").row_risks()
    assert risks.risk is not None
    same = np.allclose(risks.risk, expected["exact"], atol=5e-9)
    small = risks.rows_alike < FEW
    apart = np.allclose(risks.risk[small], np.array(expected["approximate"])[small], atol=5e-9)
    return [
        Answer("sdcMicro indivRisk", "exact", EQUAL if same else WHY, str(risks.risk)),
        Answer(
            "sdcMicro indivRisk",
            "approximate",
            OTHER if apart else WHY,
            "sdcMicro approximates the risk of groups of three rows and more by default. Ours is exact",
        ),
    ]


FEW = 3
NO_MEASURE = {
    "cm": "The classification metric is none of ours. Our `classification` trains a classifier on the release",
}
THEIRS = {
    "entropy_l_diversity": "pyCANON cuts the decimals of the entropy level off. So a whole number becomes one "
    "less where its float is below it. Ours is the number",
    "delta_disclosure": "pyCANON leaves out values that a group does not have. By the definition they are infinitely "
    "less likely there, so no delta holds",
    "enhanced_beta_likeness": "pyCANON reports the largest min(gain, -ln p). Where a value gains more than -ln p no "
    "beta holds",
    "recursive_c_l_diversity": "pyCANON takes the rarest value of a group for r1, where the definition takes the most "
    "frequent. So its c is too small. It gives none where a group has one value",
    "avg_rir": "pyCANON takes the mean over classes. Ours is over rows, as ARX's",
}


def pycanon_of(case: dict[str, Any]) -> list[Answer]:
    """Thirteen measures of one table; its two pairs are four figures."""
    frame = pl.read_csv(DATA / "pycanon" / f"{case['file']}.csv", infer_schema=False)
    quasi, sensitive, expected = case["quasi"], case["sensitive"], case["expected"]
    frame.columns = [name.strip() for name in frame.columns]
    numbers = frame[sensitive].cast(pl.Float64, strict=False)
    is_number = numbers.null_count() == frame[sensitive].null_count()
    audit = examine(frame.with_columns(numbers) if is_number else frame, quasi=quasi, sensitive=sensitive)
    level = {one.model: one.level for one in audit.levels() if one.view == "separate"}
    k, groups = audit.groups_of(sensitive), audit.groups
    sizes = k.groups.sizes
    ours = {
        "k_anonymity": level["k-anonymity"],
        "l_diversity": level["distinct l-diversity"],
        "entropy_l_diversity": level["entropy l-diversity"],
        "alpha_k_anonymity": [level["(alpha,k)-anonymity"], level["k-anonymity"]],
        "basic_beta_likeness": level["beta-likeness"],
        "enhanced_beta_likeness": level["enhanced beta-likeness"],
        "delta_disclosure": level["delta-disclosure"],
        "t_closeness": level["ordered t-closeness" if is_number else "t-closeness"],
        "dm": int((sizes**2).sum()),
        "aec": audit.rows / groups / int(sizes.min()),
        "recursive_c_l_diversity": None,  # ours is one c for each l
        "avg_rir": level["average re-identification risk"],
        "max_rir": level["maximum re-identification risk"],
    }
    theirs = as_pycanon(k.groups, float(ours["entropy_l_diversity"]))
    found = []
    for name, value in expected.items():
        tool, what = f"pyCANON {name}", f"{case['file']}, {sensitive}: {name}"
        if name in NO_MEASURE:
            found.append(Answer(tool, what, NOT, NO_MEASURE[name]))
        elif close(ours[name], value):
            found.append(Answer(tool, what, EQUAL))
        elif name in THEIRS and theirs[name](value):
            found.append(Answer(tool, what, OTHER, THEIRS[name]))
        else:
            found.append(Answer(tool, what, WHY, f"{ours[name]} for {value}"))
    return found


def as_pycanon(groups: Groups, entropy: float) -> dict[str, Callable[[Any], bool]]:
    """Whether a figure comes out as pyCANON counts it, or is shown wrong, where it counts in its own way."""
    sizes = np.repeat(groups.sizes, np.diff(groups.starts))
    share = groups.table_counts[groups.codes] / groups.table_counts.sum()
    within = groups.counts / sizes

    def rarest_first(value: list[Any]) -> bool:
        """The c that comes out where counts ascend: the rarest value is r1, and l counts from there."""
        c, l = value
        if c is None:
            return l == 1
        ranked = [np.sort(one) for one in np.split(groups.counts, groups.starts[1:-1])]
        return int(c) == max(int(one[0] // one[l - 1 :].sum()) + 1 for one in ranked)

    return {
        "delta_disclosure": functools.partial(close, float(np.abs(np.log(within / share)).max())),
        "enhanced_beta_likeness": functools.partial(close, float(np.minimum(within / share - 1, -np.log(share)).max())),
        "avg_rir": functools.partial(close, float((1 / groups.sizes).mean())),
        "entropy_l_diversity": lambda value: value <= entropy <= value + 1,
        "recursive_c_l_diversity": rarest_first,
    }


def answers(every: int = 1) -> list[Answer]:
    """All of them; tables that are not at hand are left out, and said."""
    found: list[Answer] = []
    sdc = json.loads((EXPECTED / "sdcmicro.json").read_text())
    for table in sdc["frequencies"]:
        found += frequencies_of(table)
    found += individual_risks(sdc["individual_risk"], sdc["frequencies"][0])
    if (DATA / "pycanon").exists():
        for table in json.loads((EXPECTED / "pycanon.json").read_text())["tables"][::every]:
            found += pycanon_of(table)
    else:
        say(f"pyCANON's tables are not in {DATA / 'pycanon'}: left out")
    if (DATA / "arx_adult").exists():
        asked = json.loads((EXPECTED / "arx.json").read_text())
        adult = Adult(asked["subset"])
        found += [utility_of(adult, *one) for one in asked["utility"][::every]]
        found += [optimum_of(adult, one) for one in asked["optima"][::every]]
    else:
        say(f"ARX's Adult is not in {DATA / 'arx_adult'}: left out")
    return found


def page(found: Sequence[Answer]) -> str:
    """The page for users who compare."""
    tools: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in found:
        tools[one.tool][one.standing] += 1
        if one.standing in (OTHER, NOT):
            reasons[one.standing, one.why][one.tool] += 1
    total = Counter(one.standing for one in found)
    lines = [
        f"| {tool} | {sum(c.values())} | {c[EQUAL]} | {c[OTHER]} | {c[NOT]} |" for tool, c in sorted(tools.items())
    ]
    told = [
        f"- **{', '.join(sorted(by))}** ({sum(by.values())}, {standing}). {why}."
        for (standing, why), by in sorted(reasons.items())
    ]
    return PAGE.format(
        tried=len(found),
        equal=total[EQUAL],
        other=total[OTHER],
        missing=total[NOT],
        unexplained=total[WHY],
        table="\n".join(lines),
        reasons="\n".join(told),
    )


PAGE = """# The peers' own numbers

`benchmark/peers_numbers.py` writes this page. Other tools test themselves against expected values. The script asks
pellucid for the same: {tried:,} expectations of ARX (utility measures and optima on Adult), pyCANON and sdcMicro.

- **{equal:,} are equal**, to nine digits.
- **{other:,} count in another way.** The number comes out when we count as the reason below says, or the reason shows
  that it cannot be right. The script computes that for each.
- **{missing:,} have no counterpart** in pellucid.
- **{unexplained:,} are unexplained.**

| expectations | tried | equal | other counting | not expressible |
|---|---|---|---|---|
{table}

## Why a number differs

{reasons}

MDAV's published losses (Tarragona and CASCrefmicrodata, k = 3, 4, 5, 10) come out to the last digit with
`--method mdav --scale deviation`. Those tables are part of sdcMicro and are not kept here.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="every so many expectations of ARX and tables of pyCANON")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "peers-numbers.md")
    given = parser.parse_args()
    found = answers(given.every)
    given.out.write_text(page(found))
    unexplained = [one for one in found if one.standing == WHY]
    for one in unexplained:
        say(f"unexplained: {one.tool}: {one.what}: {one.why}")
    say(f"{len(found):,} expectations, {len(unexplained):,} unexplained: {given.out}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
