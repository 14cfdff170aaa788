"""``pellucid attack``: what every kind of attacker learns from a release; exit 1 when that is more than is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.app.auditing import GroupOption, QuasiOption, SchemaOption, SensitiveOption, SourceArgument, names
from pellucid.app.output import JsonOption, Output
from pellucid.app.parameters import Given, build_method, complete_method, with_method_options
from pellucid.app.progress import Bar
from pellucid.app.show import labelled, percent, sentence
from pellucid.app.wording import in_options
from pellucid.attacking.chart import check_chart, write_chart
from pellucid.attacking.finding import Finding
from pellucid.attacking.gather import Gathered, gather
from pellucid.attacking.suite import KINDS, WARNING, AttackReport, Attempt, attack_gathered
from pellucid.attacking.wording import merged, verdict
from pellucid.audit.source import opened
from pellucid.errors import AttackError, PellucidError
from pellucid.group import Method
from pellucid.io import load
from pellucid.model import PrivacyModel, of
from pellucid.taxonomy.wording import label_of

EXIT_CODES = (
    "Exit codes: 0 done, 1 --max-risk is exceeded or not shown, 2 the call or the input is wrong, "
    "130 stopped with Ctrl-C, 141 nobody read the verdict."
)
EXAMPLES = (
    "pellucid publish patients.csv --quasi age,zipcode --sensitive disease \\\n  --method tailor --l 2 --out out/",
    "pellucid attack out/ --population patients.csv",
    "pellucid attack out/data.csv --made-by tailor --l 2 --population voters \\\n  --identifier name --json",
    "pellucid attack census:500 --quasi gender --sensitive occupation --l 2 \\\n  --adversary nothing --max-risk 1/2",
)
SHOWN_VALUES = 20


def command() -> Callable[..., int]:
    """The verb, with the parameters of every method as options."""
    return with_method_options(attack)


def attack(
    source: SourceArgument,
    population: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Everybody's quasi-identifiers: the people of the table, or more than these."
        ),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The table that the release was made of, to score guesses with."),
    ] = None,
    schema: SchemaOption = None,
    quasi: QuasiOption = None,
    sensitive: SensitiveOption = None,
    identifier: Annotated[
        str | None, typer.Option(metavar="I", help="The column of the population that names people.")
    ] = None,
    made_by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The method that made it (pellucid methods), with its parameters as options.",
            autocompletion=complete_method,
        ),
    ] = None,
    group: GroupOption = None,
    adversary: Annotated[
        str | None, typer.Option(metavar="A,B", help=f"Which attackers; all unless given: {', '.join(KINDS)}.")
    ] = None,
    max_risk: Annotated[
        str | None,
        typer.Option(
            metavar="BOUND", help="End with 1 unless no attacker believes more than this of anybody, such as 1/4."
        ),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it: FILE.png, .svg, .html, or .json (Vega-Lite).")
    ] = None,
    as_json: JsonOption = False,
    *,
    parameters: Given,
) -> int:
    """Say what attackers learn from a release: how much each kind believes, of whom, and why.

    Attackers who know only the release, that nothing was changed without need, the algorithm; who learn from the
    release itself; who know how values depend on a column. A release of pellucid brings along how it was made;
    anything else needs --quasi and --sensitive, or --schema, and --made-by.
    """
    output = Output(as_json=as_json)
    most = bound_of(max_risk)
    if chart is not None:
        check_chart(chart)
    method, model = how_made(made_by, parameters)
    kinds: Any = KINDS if adversary is None else names(adversary)
    with output.warnings() as warned, Bar(shown=not as_json) as bar:
        given: dict[str, Any] = {"schema": schema, "quasi": names(quasi), "sensitive": sensitive, "group": group}
        given |= {"made_by": method, "model": model, "identifier": identifier}
        found, also = gathered(source, population, truth, given, bar)
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise AttackError(f"--adversary {unknown[0]}: choose among {', '.join(KINDS)}")
        report = attack_gathered(found, adversaries=kinds, progress=bar)
        if chart is not None:
            bar.stage("drawing", 0)
            write_chart(report, chart)
    kept = None if most is None else report.keeps(float(most))
    output.say(in_words(report, also))
    if most is not None:
        output.say("\n" + sentence(verdict_words(report, most, kept)))
    if chart is not None:
        output.say(f"\nChart: {chart}")
    output.document(document(report, also, most, kept, warned))
    return 0 if most is None or kept is True else 1


def bound_of(text: str | None) -> Fraction | None:
    """The bound as it was typed: 1/4 or 0.25.

    >>> bound_of("1/4"), bound_of("0.25")
    (Fraction(1, 4), Fraction(1, 4))
    """
    if text is None:
        return None
    try:
        bound = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise AttackError(f"--max-risk {text}: must be a probability, such as 1/4 or 0.25") from None
    if not 0 < bound <= 1:
        raise AttackError(f"--max-risk {text}: must be above 0 and at most 1")
    return bound


def how_made(name: str | None, parameters: Given) -> tuple[Method | None, PrivacyModel | None]:
    """The method that was named; without one, --l or --model still say what the groups are meant to satisfy."""
    if name is not None:
        return build_method(name, parameters), None
    if not parameters:
        return None, None
    if set(parameters) == {"l"}:
        text = str(parameters["l"])
        return None, _model(f"l-diversity={text}")
    if set(parameters) == {"model"}:
        return None, _model(str(parameters["model"]))
    option = "--" + next(iter(parameters)).replace("_", "-")
    raise AttackError(f"{option} is a parameter of a method, and none is named; name it with --made-by")


def _model(text: str) -> PrivacyModel:
    found = of(text)
    assert isinstance(found, PrivacyModel)
    return found


def gathered(
    source: str, population: str | None, truth: str | None, given: Mapping[str, Any], bar: Bar
) -> tuple[Gathered, list[str]]:
    """The evidence; a population that has the sensitive column and as many rows as the release is also the truth."""
    release = opened(source)
    found = gather(release, truth=truth, population=population, **given, progress=bar)
    if truth is not None or population is None:
        return found, []
    column = found.evidence.attribute.name
    frame, _ = load(population)
    rows = int(found.evidence.published.sizes.sum())
    if column not in frame.columns or frame.height != rows:
        return found, []
    try:
        scored = gather(release, truth=population, **given)
    except PellucidError:
        return found, []
    return scored, [f"the population has {column} too, so it is taken as the table itself: guesses are scored with it"]


def in_words(report: AttackReport, also: Sequence[str]) -> str:
    """The report for a person."""
    evidence = report.evidence
    made = "nobody says how" if evidence.method is None else evidence.method.name
    people = int(evidence.inside.sum())
    lines = {
        "release": f"{report.source}: {int(evidence.published.sizes.sum()):,} rows in {len(evidence.published):,} "
        f"groups, {evidence.attribute.name} is sensitive",
        "made by": made + ("" if evidence.model is None else f", for {evidence.model!r}"),
        "people": f"{len(evidence.people):,}, of whom {people:,} are or may be in the table",
    }
    notes = [*report.notes, *also]
    if notes:
        lines["note"] = " ".join(in_options(note[0].upper() + note[1:]) + "." for note in notes)
    parts = [labelled(lines), table_words(report)]
    if report.attempts:
        worst = max(report.attempts, key=lambda attempt: attempt.max_risk)
        parts.append(sentence(f"Worst, for somebody who {worst.name}: {worst.worst.reasoning}"))
    if report.missed:
        told = merged({missed.name: in_options(missed.why) for missed in report.missed})
        parts.append("Not tried, which says nothing about safety:\n" + indented(told))
    ran = [finding for finding in report.findings if finding.ran]
    if ran:
        parts.append("Classic attacks:\n" + indented({one.attack: _classic(one) for one in ran}))
    lacking = merged({one.attack: _classic(one) for one in report.findings if not one.ran})
    if lacking:
        parts.append("Classic attacks that lack something, which says nothing about safety:\n" + indented(lacking))
    parts.append(sentence(verdict(report)))
    return "\n\n".join(parts)


def indented(told: Mapping[str, str]) -> str:
    """A name, a colon and a text, wrapped."""
    return "\n".join(sentence(f"{name}: {text}", first="  ") for name, text in told.items())


def _classic(finding: Finding) -> str:
    if not finding.ran:
        return in_options(finding.reason) + (f". {WARNING}" if "composition" in finding.attack else "")
    baseline = "" if finding.baseline is None else f" ({finding.against}: {finding.baseline:.4g})"
    return finding.sentence + baseline + (f" {WARNING}" if "composition" in finding.attack else "")


def table_words(report: AttackReport) -> str:
    """One line for each adversary, and what must be read next to it."""
    heads = ("somebody who", "most", "by count", *(("x 1/l", "people above") if report.l else ()))
    heads = (*heads, "right") if report.scored else heads
    rows = [[_cell(attempt, head) for head in heads] for attempt in report.attempts]
    if not rows:
        return "No adversary could be tried."
    wide = [max(len(line[i]) for line in [heads, *rows]) for i in range(len(heads))]
    wide[0] = min(wide[0], 34)
    lines = [_line(list(heads), wide)]
    for attempt, row in zip(report.attempts, rows, strict=True):
        lines.append(_line(row, wide))
        if attempt.warning is not None:
            lines.append(sentence(attempt.warning, first="    "))
        told = [note for note in attempt.beliefs.notes if note not in report.notes]
        lines += [sentence(in_options(note[0].upper() + note[1:]) + ".", first="    ") for note in told]
    return "\n".join(lines)


def _cell(attempt: Attempt, head: str) -> str:
    if head == "somebody who":
        return attempt.name
    if head == "most":
        bounded = attempt.beliefs.upper is not None and attempt.max_risk > attempt.beliefs.max_risk * (1 + 1e-9)
        return ("<= " if bounded or "bound" in attempt.beliefs.engine else "") + f"{attempt.max_risk:.4g}"
    if head == "by count":
        return f"{attempt.baseline:.4g}"
    if head == "x 1/l":
        return f"{attempt.multiple:.3g}"
    if head == "people above":
        return f"{len(attempt.above):,} ({percent(attempt.share_above or 0.0)})"
    return "" if attempt.accuracy is None else percent(attempt.accuracy)


def _line(cells: list[str], wide: list[int]) -> str:
    first, *rest = cells
    numbers = "  ".join(cell.rjust(width) for cell, width in zip(rest, wide[1:], strict=True))
    if len(first) > wide[0]:
        return f"{first}\n{'':<{wide[0]}}  {numbers}"
    return f"{first:<{wide[0]}}  {numbers}".rstrip()


def verdict_words(report: AttackReport, most: Fraction, kept: bool | None) -> str:
    """Whether the bound that was asked for is kept."""
    if kept:
        return f"holds: nobody believes more than {most} of anybody."
    if kept is False:
        return f"FAILS: up to {report.max_risk:.4g} is believed of somebody, and {most} is allowed."
    lacking = "; ".join(f"who {one.name}" for one in report.missed) or "all"
    return (
        f"NOT SHOWN: these attackers could not be tried: {lacking}. Give what they lack, or name those that count "
        "with --adversary."
    )


def document(
    report: AttackReport, also: Sequence[str], most: Fraction | None, kept: bool | None, warned: Sequence[str]
) -> dict[str, Any]:
    """The report for a program."""
    evidence = report.evidence
    method = evidence.method
    return {
        "source": report.source,
        "rows": int(evidence.published.sizes.sum()),
        "groups": len(evidence.published),
        "people": len(evidence.people),
        "people_in_groups": int(evidence.inside.sum()),
        "sensitive": evidence.attribute.name,
        "method": None if method is None else method.name,
        "parameters": None if method is None else method.model_dump(mode="json", exclude_none=True),
        "guarantee": None if method is None else method.claim,
        "l": report.l,
        "bound": report.bound,
        "max_risk": report.max_risk if report.attempts else None,
        "required": None if most is None else str(most),
        "holds": kept,
        "adversaries": [_attempt(attempt) for attempt in report.attempts],
        "not_tried": [{"name": missed.name, "why": in_options(missed.why)} for missed in report.missed],
        "classic": [_finding(finding) for finding in report.findings],
        "notes": [*report.notes, *also],
        "verdict": verdict(report),
        "warnings": list(warned),
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    beliefs, worst = attempt.beliefs, attempt.worst
    adversary = beliefs.adversary
    prior = "uniform" if adversary.prior == "uniform" else type(adversary.prior).__name__.lower()
    return {
        "name": attempt.name,
        "knows": adversary.knows,
        "prior": prior,
        "attributes": list(getattr(adversary.prior, "attributes", ())),
        "engine": beliefs.engine,
        "max_risk": attempt.max_risk,
        "estimate": beliefs.max_risk,
        "confidence": beliefs.confidence,
        "baseline": attempt.baseline,
        "multiple": attempt.multiple,
        "people_above": None if attempt.bound is None else len(attempt.above),
        "share_above": attempt.share_above,
        "average_above": attempt.average_above,
        "exceeds": attempt.exceeds,
        "accuracy": attempt.accuracy,
        "worst": {
            "person": worst.person,
            "size": worst.size,
            "published": worst.published,
            "values": [
                {"value": None if value is None else label_of(value), "rows": count}
                for value, count in list(worst.values.items())[:SHOWN_VALUES]
            ],
            "reasoning": worst.reasoning,
        },
        "warning": attempt.warning,
        "notes": list(beliefs.notes),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return finding.record() | {"warning": WARNING if "composition" in finding.attack else None}
