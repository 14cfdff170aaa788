"""``pellucid reproduce``: an experiment of the papers again, beside what they report.

The experiments are in ``research`` beside ``src``, for whoever has the source; a wheel has this verb alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

import pellucid
from pellucid.cli.output import JsonOption, Output, QuietOption
from pellucid.cli.progress import Bar
from pellucid.cli.show import heading, labelled, sentence
from pellucid.errors import InputError

EXAMPLES = ("pellucid reproduce --list", "pellucid reproduce xiao-fig15 --quick --out figs/")


def research() -> ModuleType:
    """The package of the experiments, of the checkout that this is part of."""
    checkout = Path(str(pellucid.__file__)).resolve().parents[2]
    if not (checkout / "research" / "__init__.py").is_file():
        raise InputError(
            "the papers' experiments are not installed: they are in the folder research of pellucid's source",
            "get the source, run ./script/setup in it and there .venv/bin/pellucid reproduce",
        )
    if str(checkout) not in sys.path:
        sys.path.append(str(checkout))
    return import_module("research")


def command() -> Callable[..., None]:
    """The verb."""
    return reproduce


def reproduce(
    name: Annotated[str | None, typer.Argument(metavar="NAME", show_default=False, help="Which experiment.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the experiments and the data that they need.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Write data (CSV), chart (PNG, SVG, HTML) and text."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Less data and fewer settings: seconds, not minutes.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Repeat an experiment of the papers and set it beside what they report.

    For every shape that the paper reports it is said whether ours agrees, and where we differ, why.
    """
    output, papers = Output(as_json=as_json, quiet=quiet), research()
    if listed:
        return tell_list(output, papers)
    if name is None:
        raise InputError(f"which experiment? one of {', '.join(papers.experiments())}; --list explains them")
    with Bar(shown=not (as_json or quiet)) as bar:
        repeated = papers.reproduce(name, out=out, quick=quick, progress=bar)
    output.document(
        {
            "name": name,
            "paper": repeated.experiment.paper,
            "reports": repeated.experiment.reports,
            "remark": repeated.experiment.remark,
            "quick": quick,
            "agrees": repeated.agrees,
            "findings": [{"claim": f.claim, "holds": f.holds, "ours": f.ours} for f in repeated.findings],
            "figures": repeated.frame.to_dicts(),
            "out": None if out is None else str(out),
        }
    )
    output.say(heading(f"{name}: {repeated.experiment.title}"))
    output.say(sentence(repeated.experiment.reports, first="The paper: "))
    output.say()
    for finding in repeated.findings:
        output.say(sentence(str(finding), first="  "))
    output.say()
    output.say(sentence(repeated.experiment.remark, first="Where we differ: "))
    if out is not None:
        output.say()
        output.say(f"written  {out}/{name}.csv, .png, .svg, .html, .txt")
    return None


def tell_list(output: Output, papers: ModuleType) -> None:
    """Every experiment, what it needs, and whether that is at hand."""
    known = papers.experiments()
    output.document(
        [
            {
                "name": experiment.name,
                "paper": experiment.paper,
                "title": experiment.title,
                "data": experiment.data or "synthetic",
                "here": papers.has_data(experiment.data),
                "minutes": experiment.minutes,
            }
            for experiment in known.values()
        ]
    )
    rows = {}
    for experiment in known.values():
        needs = (
            "synthetic data"
            if not experiment.data
            else experiment.data + ("" if papers.has_data(experiment.data) else " (absent)")
        )
        rows[experiment.name] = f"{experiment.title}; {needs}; about {experiment.minutes:g} min"
    output.say(labelled(rows))
