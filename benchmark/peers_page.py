"""What benchmark/peers.py writes: the page docs/peers.md and its chart, from the recorded results alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import Any

from peers_cases import COINS, OURS, QUASI, Case, at_found_risk, cases
from peers_examples import EXAMPLES

from pellucid.charts.charting import INK, PALETTE, SHAPES, Chart, dressed
from pellucid.charts.vega_lite import Part, mark, nominal, quantitative, rows
from pellucid.text.figures import percent

Results = Mapping[str, Any]
CHART = "img/peers.png"
SIZE = "whole programs, rows: "  # begins the key of such a result
STATISTICS = "statistics, "  # likewise
VALUES = {"occupation": 14, "salary-class": 2}
MARKS = ("1/l", "what the definition allows", "group frequency", "attacker who assumes minimality")


def allowed(case: Case) -> float:
    """The largest share of one value in a group that the form allows: what the tool itself promises.

    >>> round(allowed(Case("", "entropy", 2)), 3), allowed(Case("", "recursive", 2, 4))
    (0.876, 0.8)
    """
    if case.form == "distinct":
        return 1.0
    if case.form == "recursive":
        return case.c / (1 + case.c)
    others = VALUES[case.sensitive] - 1
    low, high = 1 / case.l, 1.0
    for _ in range(60):  # the most frequent value with the others as even as can be
        share = (low + high) / 2
        entropy = -share * log(share) - (1 - share) * log((1 - share) / others)
        low, high = (share, high) if entropy >= log(case.l) else (low, share)
    return low


def done(results: Results, sensitive: str) -> Iterator[tuple[Case, Mapping[str, Any]]]:
    """The cases of a sensitive column that were run, with their results."""
    for case in cases():
        if case.sensitive == sensitive and case.key in results:
            yield case, results[case.key]


def share(value: float) -> str:
    """A share with three digits.

    >>> share(1.0), share(0.6428)
    ('1', '.643')
    """
    return "1" if value >= 1 else f"{value:.3f}".lstrip("0")


def risks(results: Results, sensitive: str) -> list[str]:
    lines = [
        "| tool | asked for | allowed by the definition | 1/l | group frequency | people above 1/l | assuming "
        "minimality | people above 1/l | keeps its definition |",
        "|---" * 9 + "|",
    ]
    for case, found in done(results, sensitive):
        start = f"| {case.tool} | {case.asked} | {_promise(case)} | {share(1 / case.l)} |"
        if "counted" not in found:
            lines.append(f"{start} {found.get('none') or found.get('error')} | | | | |")
            continue
        reasoned = " not computed | |"
        if "minimality" in found:
            about = "~" if found["sampled"] else ""
            reasoned = f" {about}{share(found['minimality'])} | {about}{found['reasoned']:,} |"
        keeps = "yes" if found["keeps"] else "no"
        lines.append(f"{start} **{share(found['counted'])}** | {found['exposed']:,} |{reasoned} {keeps} |")
    return lines


def _promise(case: Case) -> str:
    return "below 1" if case.form == "distinct" else share(allowed(case))


def worth(results: Results) -> list[str]:
    lines = [
        "| tool | asked for | groups | smallest | rows suppressed | error of counts | SoftCut's l and bound | its "
        "smallest group | its error | CPU seconds | peak memory |",
        "|---" * 11 + "|",
    ]
    for case, found in done(results, "occupation"):
        if "counted" not in found:
            continue
        l = at_found_risk(found["counted"])
        beside = results.get(f"SoftCut, l = {l}, {case.sensitive}", {})
        error = f"{beside['error']:.3f}" if "error" in beside else "none at this l"
        lines.append(
            f"| {case.tool} | {case.asked} | {found['groups']:,} | {found.get('smallest', 'not recorded')} | "
            f"{found['suppressed']:,} | {_error(found)} | l = {l}: {share(1 / l)} | {beside.get('smallest', '')} | "
            f"**{error}** | {found['seconds']:.1f} | {found['memory']:,} MB |"
        )
    if "SoftCut, speed" in results:
        own = results["SoftCut, speed"]
        beside = results["SoftCut, l = 2, occupation"]
        lines.append(
            f"| pellucid | SoftCut, l = 2 | | {beside['smallest']} | 0 | {beside['error']:.3f} | | | | "
            f"{own['seconds']:.1f} | {own['memory']:,} MB |"
        )
    return lines


def learned(results: Results) -> list[str]:
    """How often the strongest attacker with statistics is right, and what is left of contrasts."""
    lines = [
        "| tool | asked for | attacker | correct guesses without the release | with it | true value without | with it "
        "| contrasts off by |",
        "|---" * 8 + "|",
    ]
    keys = [(case.tool, case.asked, f"{STATISTICS}{case.key}") for case in cases() if case.several]
    keys += [(f"*{name}*", f"l = {l}", f"{STATISTICS}{name}, l = {l}") for name in OURS for l in (2, 3)]
    for tool, asked, key in keys:
        found = results.get(key, {})
        if "right" in found:
            alone, mean = (_percent(found[name]) for name in ("right alone", "mean alone"))
            off = _percent(found["contrasts"]) if "contrasts" in found else "all suppressed"
            lines.append(
                f"| {tool} | {asked} | {BY[found['by']]} | {alone} | **{_percent(found['right'])}** | {mean} | "
                f"{_percent(found['mean'])} | {off} |"
            )
    return ["## Attackers with statistics", "", LEARNED, "", *lines, ""] if len(lines) > 2 else []


def _percent(value: float | None) -> str:
    return "" if value is None else percent(value).replace(" %", "%")


def sizes(results: Results) -> list[str]:
    """ARX and pellucid as whole programs; nothing where they were not compared."""
    measured = sorted((int(key.removeprefix(SIZE)), found) for key, found in results.items() if key.startswith(SIZE))
    if not measured:
        return []
    lines = ["| rows | ARX | pellucid | | ARX's CPU | pellucid's | ARX's memory | pellucid's |", "|---" * 8 + "|"]
    for people, found in measured:
        arx, ours = found["ARX"], found["pellucid"]
        both = [f"{one['seconds']:.2f} s" for one in (arx, ours)]
        times = f"**{arx['seconds'] / ours['seconds']:.1f} times**"
        rest = [f"{one['cpu']:.2f} s" for one in (arx, ours)] + [f"{one['megabytes']:,.0f} MB" for one in (arx, ours)]
        lines.append(f"| {people:,} | " + " | ".join([*both, times, *rest]) + " |")
    return ["## Whole programs, larger tables", "", SIZES, "", *lines, ""]


def _error(found: Mapping[str, Any]) -> str:
    return f"{found['error']:.3f}" if found["error"] is not None else "all suppressed"


def worlds(results: Results) -> list[str]:
    lines = [
        "| tool | asked for | sensitive | tables | group frequency, highest | knowing the method, highest | tables "
        "where the method adds |",
        "|---" * 7 + "|",
    ]
    for case in cases():
        told = results.get(f"black box: {case.key}", {}).get("tables", [])
        ran = [one for one in told if "informed" in one]
        if told and not ran:
            lines.append(f"| {case.tool} | {case.asked} | {case.sensitive} | 0 of {len(told)}: refused | | | |")
        if ran:
            counted, informed = (max(one[name] for one in ran) for name in ("counted", "informed"))
            more = sum(one["informed"] > one["counted"] + 1e-9 for one in ran)
            of = f"{len(ran)}" if len(ran) == len(told) else f"{len(ran)} of {len(told)}, the others refused"
            told_more = _most_told([one for one in ran if one["informed"] > one["counted"] + 1e-9])
            figures = f"{share(counted)} | **{share(informed)}** | {more}{told_more}"
            lines.append(f"| {case.tool} | {case.asked} | {case.sensitive} | {of} | {figures} |")
    return lines


def _most_told(tables: list[Mapping[str, float]]) -> str:
    """Where knowing the tool tells most, in a few words."""
    if not tables:
        return ""
    most = max(tables, key=lambda one: one["informed"] - one["counted"])
    return f", such as {share(most['informed'])} instead of {share(most['counted'])}"


def examples(results: Results) -> list[str]:
    lines = [
        "| its example | rows | pyCANON's l | its entropy l | group frequency | people above 1/2 | people whose salary "
        "is certain |",
        "|---" * 7 + "|",
    ]
    for name in EXAMPLES:
        found = results.get(f"pyCANON, {name}", {})
        if "l" in found:
            lines.append(
                f"| {name.split('/')[-1]} | {found['rows']:,} | {found['l']} | {found['entropy']:g} | "
                f"**{share(found['counted'])}** | {found['exposed']:,} | {found['certain']:,} |"
            )
    return lines


def versions(results: Results) -> str:
    found = {case.tool: results[case.key]["version"] for case in cases() if case.key in results}
    for name in EXAMPLES:
        if f"pyCANON, {name}" in results:
            found["pyCANON"] = results[f"pyCANON, {name}"]["version"]
    found |= {"pellucid": results["SoftCut, speed"]["version"]} if "SoftCut, speed" in results else {}
    return ", ".join(f"{tool} {version}" for tool, version in found.items())


def page(results: Results) -> str:
    absent = sorted({case.tool for case in cases() if case.key not in results})
    parts = [HEAD.format(versions=versions(results), quasi=", ".join(QUASI)), f"![{ALT}]({CHART})", "", SENSITIVE, ""]
    parts += [*risks(results, "occupation"), "", READING, "", "## Salary: two values", "", SALARY, ""]
    parts += [
        *risks(results, "salary-class"),
        "",
        _soft_cut_on_salary(results),
        "",
        "## Detail and speed",
        "",
    ]
    parts += [
        WORTH,
        "",
        *worth(results),
        "",
        *learned(results),
        *sizes(results),
        "## Attackers who know the method",
        "",
        WORLDS,
        "",
        *worlds(results),
        "",
    ]
    parts += ["## pyCANON's own examples", "", PYCANON, "", *examples(results), "", NOT_MEASURED, ""]
    if absent:
        parts += [f"Not complete: cases of {', '.join(absent)} were not run.", ""]
    return "\n".join([*parts, AGAIN])


def _soft_cut_on_salary(results: Results) -> str:
    told = results.get("SoftCut, l = 2, salary-class", {})
    if "infeasible" not in told:
        return ""
    return (
        f"SoftCut refuses l = 2 here. Its message: {str(told['infeasible']).split(';')[0]}. No tool can do better by "
        "hiding which row is whose, because every reader knows the share in the whole table. A promise can cover the "
        "rarer value alone (`--values '>50K'`)."
    )


def chart(results: Results) -> Chart:
    """For every case of occupation: what a reader thinks, what the definition allows, and what is found."""
    drawn = []
    for case, found in done(results, "occupation"):
        if "counted" in found:
            figures = (1 / case.l, allowed(case), found["counted"], found.get("minimality"))
            drawn += [
                {"case": f"{case.tool}: {case.asked}", "mark": name, "share": x}
                for name, x in zip(MARKS, figures, strict=True)
                if x is not None
            ]
    order = list(dict.fromkeys(row["case"] for row in drawn))
    title = "highest probability of one occupation for one person"

    def by(looks: list[Any]) -> Part:
        legend = {"orient": "bottom", "columns": 2, "labelLimit": 320}
        return nominal(
            "mark", sort=list(MARKS), title=None, scale={"domain": list(MARKS), "range": looks}, legend=legend
        )

    points = mark(
        "point",
        {"opacity": 1, "strokeWidth": 1.8},
        x=quantitative("share", title=title, scale={"domain": [0, 1]}),
        y=nominal("case", sort=order, title=None, axis={"labelLimit": 320}),
        stroke=by(LOOKS),
        fill=by([*LOOKS[:3], "transparent"]),  # where both are at one place, both are seen
        shape=by(list(SHAPES[:4])),
        size=by([60, 60, 60, 170]),
    )
    picture = rows(drawn) | points | {"width": 560, "height": 21 * len(order)}
    return Chart(dressed(picture, TITLE, CAPTION, 760))


LOOKS = [INK, "#AAAAAA", PALETTE[1], PALETTE[0]]

TITLE = "l-diversity of other anonymizers: expected, allowed and found"
ALT = "For each tool and form of l-diversity: 1/l, what its definition allows, and the highest probability found"
CAPTION = (
    "Adult, 45,222 people, occupation. Each line is a release by a tool. Circle: 1/l, what a reader of 'l-diverse' may "
    "expect. Grey square: the largest share that the tool's own definition allows. Triangle: the largest share of an "
    "occupation in a group, which every reader can count. Diamond: an attacker who assumes that nothing was "
    "generalised without need. To the right of the circle, the risk is above what the reader expects. A triangle to "
    "the right of the square would break the tool's definition."
)
SENSITIVE = "## Occupation: 14 values"
HEAD = """\
# What other anonymizers promise, and what is found

`benchmark/peers.py` writes this page from the results in `docs/peers.json`: {versions}.

Each tool publishes UCI Adult with each form of l-diversity that it has, by its public functions and otherwise with
its own settings. Adult has 45,222 people without unknown values, and the quasi-identifiers are {quasi}. pellucid
audits what is published, like any other release.

A tool that keeps its definition breaks no promise. But a reader of "l-diverse" may expect that nobody's value can be
guessed with probability above 1/l. The definitions allow more:

- **distinct l**: every group has at least l different values. How often each occurs is free: 98 of 100 rows may agree.
- **entropy l**: every group is as uncertain as l equally frequent values. One of 14 values may still have 88% of a
  group at l = 2.
- **recursive (c,l)**: the most frequent value has fewer rows than c times the l-th and all rarer ones together. Its
  share stays below c/(1+c) of the group.

Two attackers are tried:

- **Group frequency** is the largest share of a value in a group. The attacker needs no knowledge of the tool.
- **Assuming minimality**: the attacker assumes that nothing was generalised without need. If the finer classes of a
  group each satisfied the form, the tool would have published them. So at least one does not. A tool that recodes whole
  columns at once may have had the need in another group. The figure is then what the attacker infers, not what is true.
  `~` marks figures that are partly sampled, with an estimated number of people.

The second attacker infers more about some people of a group and less about others, by their finer class. So fewer
people may be above 1/l than by group frequency (ARX, distinct 3, 5%), though the highest probability is higher.
"""
READING = """\
pellucid's exact models check *keeps its definition*, by the definitions of the paper (Machanavajjhala et al., ICDE
2006). ANJANA checks entropy and recursive diversity with pyCANON. That rounds entropy down and sorts counts upwards
for (c,l) ([differences](models.md#when-levels-disagree-with-pycanons)). A "no" in the table would mean that the two
definitions differ.

ARX publishes suppressed rows as stars, and ANJANA leaves them out. No form demands anything of them, so *keeps* does
not count them. The attackers do, where they are published: a person who fits no other group must be among them."""
SALARY = """\
Three quarters of the people have `<=50K`. So entropy 2-diversity cannot be reached, and distinct 2-diversity demands
one other row."""
WORTH = f"""\
**Error** is the mean relative error of 400 counts on three quasi-identifiers and the occupation (`query-error` of
`pellucid measure`). Every cell is taken as evenly filled.

**SoftCut** stands beside each release with the smallest l whose bound 1/l is at most the group frequency found there.
Its attacker knows the method. The error is the mean of {COINS} runs. Only the probability of the occupation is
matched. SoftCut's groups may have as few rows as l, while 20 to 58 groups of 45,222 people are mostly large. A larger
k is an option (`--k`) and costs detail.

**CPU seconds** are those of the tool's call on a table in memory, and **memory** is that of its process. Each is one
run on one machine of 2 cores, shared with others. ARX may take 2 GB, and Java compiles while it runs. ARX searches
for the optimal recoding of whole columns. Mondrian in Python is not compiled. So the seconds compare programs, not
methods.

ARX and ANJANA recode by Adult's taxonomies, which has a worth of its own. The others choose intervals and sets
freely. Memory and smallest groups are of a second run of the same versions, in which every figure of privacy and
error came out the same. ARX's smallest groups are of a later run of 3.9.2, which had the same figures too."""
BY = {
    "column": "one column",
    "pair": "two columns",
    "columns": "all columns",
    "strata": "strata of 50",
    "learned": "learned from the release",
}
LEARNED = """\
These attackers know how occupations depend on one column, on the pair that says most, on all columns (naive Bayes),
or on strata of 50 people who look alike. They know it from the original table, or learn it from the release. Each
line has the one with the most correct best guesses. *True value* is the mean probability of the true occupation.

*Contrasts* are differences between classes of people, such as men and women. At 0% off they are as in the table, and
at 100% nothing is left of them. The methods in italics are pellucid's. Mondrian makes no promise about attackers who
know it.

Groups of two or three people leave such an attacker less doubt than groups of hundreds, whatever the form of
l-diversity. Large groups cost contrasts instead: without suppression, ARX and ANJANA lose half to two thirds of them.
Strata keeps more of them than SoftCut, and reveals less to such an attacker."""
SIZES = """\
Both programs read a CSV file and write one. Their start counts. They take turns in one run on a quiet machine of 2
cores, and the figures are medians of 5. The table is a synthetic census with four quasi-identifiers. ARX chooses
among ladders of intervals for whole columns, for distinct 8-diversity, its weakest form. pellucid runs SoftCut
with l = 8, which makes small groups and promises more. ARX's worker is compiled beforehand. Java may take a quarter
of the memory, which is its default."""
WORLDS = """\
This attacker knows the tool, its settings, and everything about everyone except the values. Tables of seven people
allow an exact answer (`pc.attack_anonymizer`). The tool runs on every way to assign the values: 210, or 35 with two
values. Those that give the same release are counted. The tables have people of three ages and one sex, with values
drawn by a public seed, and Adult's taxonomies. Where the last column is not 0, the release reveals more than its
group frequencies."""
PYCANON = """\
pyCANON anonymizes nothing. It computes which parameters a table satisfies. Its repository has anonymized tables of
Adult as examples, with salary as sensitive and six quasi-identifiers. Its l shows whether anyone's salary is certain.
The last columns show how much more a reader learns. The examples were examined with pyCANON 1.3.5, the version of
that environment. [Its speed](levels.md) and [where it differs](models.md#when-levels-disagree-with-pycanons) are of
1.3.6, which was not tried on the examples."""
NOT_MEASURED = """\
## Not measured

- **sdcMicro** makes no l-diverse tables: `ldiversity()` measures (distinct, entropy, recursive). It was not run. R
  could be installed there, the package and its imports could not.
- **ARX's** local recoding, other privacy models (t-closeness, beta-likeness, differential privacy) and other quality
  models.
- **anonypyx'** announced entropy and recursive forms, which raise NotImplementedError.
- **Adult and an attacker who knows the tool.** No exact engine knows these tools, and all possible tables of 45,222
  people cannot be tried.
- **Other quasi-identifiers** give other figures. With more of them groups are coarser, or more is suppressed.
"""
AGAIN = """\
## Again

    python benchmark/peers.py --draw                  # this page from docs/peers.json, without any of the tools
    python -m venv peers && peers/bin/pip install anonypy anonypyx anjana pycanon
    python benchmark/peers.py --python peers/bin/python --arx 'arx.jar:lib/*' --examples pycanon/data --again

`PELLUCID_DATA` or `../shared/data` has Adult. The script skips what is not given, and says so.
"""
