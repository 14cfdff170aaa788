"""``pellucid report``: one page about a release, for the file or to publish beside the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pellucid.cli.auditing import (
    PATIENCE,
    GroupsOption,
    IdentifierOption,
    PatienceOption,
    QuasiOption,
    SchemaOption,
    SensitiveOption,
    SourceArgument,
    names,
)
from pellucid.cli.output import JsonOption, Output, QuietOption, error_line
from pellucid.cli.progress import Bar
from pellucid.cli.show import labelled
from pellucid.cli.spark_options import EngineOption, MasterOption, SparkOption, session_of
from pellucid.cli.text_tables import with_file_options
from pellucid.errors import OutputError
from pellucid.io.secrets import without_password
from pellucid.reports import Audience
from pellucid.reports import report as make_report
from pellucid.reports.opened import private_with_spark
from pellucid.runtime.whole_file import refuse_broken_link
from pellucid.text.figures import counted

EXAMPLES = (
    "pellucid publish patients --l 2 --out out/ --keep-groups groups.csv",
    "pellucid report out/ --original patients.csv",
    "pellucid report out/ --audience public --out public.html",
    "pellucid report out/ --original patients.csv --groups groups.csv \\\n  --out full.html",
    "pellucid report out/ --original patients.csv --identifier name \\\n  --title Patients --out file.html --json",
)
ENDINGS = (".html", ".htm")
EXIT_CODES = (
    "Exit codes: 0 done, 1 the page is written and nobody should sign it: nothing was found out about a sensitive "
    "column, the promise is not kept, or the release is not what it is said to be (the page says why), "
    "2 the call or the input is wrong, 130 stopped with Ctrl-C."
)


def command() -> Callable[..., int]:
    """The verb."""
    return with_file_options(report)


def report(
    release: SourceArgument,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="TABLE",
            help="The table that the release was made of; a public report does not look at it.",
        ),
    ] = None,
    audience: Annotated[
        Audience,
        typer.Option(help="private names people and groups, for the file; public may stand beside the data."),
    ] = "private",
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("report.html"),
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="What stands above it.")] = None,
    schema: SchemaOption = None,
    quasi: QuasiOption = None,
    sensitive: SensitiveOption = None,
    identifier: IdentifierOption = None,
    groups: GroupsOption = None,
    patience: PatienceOption = PATIENCE,
    engine: EngineOption = "local",
    master: MasterOption = None,
    spark_option: SparkOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the page if it exists.")] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Write a report on a release: what is promised and to whom, what attackers learn, what was lost, the limits.

    One HTML file that needs no network and prints on A4. The public one tells nothing about single people or groups;
    it is made of the release and of what the schema declares (domains, taxonomies), never of the table. With --engine
    spark its rows stay with Spark: for the public one, which is the same page.
    """
    output = Output(as_json=as_json, quiet=quiet)
    check_page(out, overwrite=overwrite)
    if audience == "private":
        keep_apart(out, Path(release))
        if engine == "spark":
            raise private_with_spark()
    started = session_of(engine, master, spark_option, [release])
    with output.warnings() as warned, started as spark, Bar(shown=not (as_json or quiet)) as bar:
        made = make_report(
            release,
            original,
            audience=audience,
            title=title,
            schema=schema,
            quasi=names(quasi),
            sensitive=names(sensitive),
            identifier=identifier,
            groups=groups,
            patience=patience,
            spark=spark,
            progress=bar,
        )
        made.write(out)
    facts = made.summary
    rows, seen_groups = counted(facts["rows"], "row"), counted(facts["groups"], "group")
    lines = {
        "report": f"{out} ({audience})",
        "release": f"{rows} in {seen_groups} that a reader can tell apart",
        "promise": facts["sentence"],
        "attacks": attack_words(facts["verdicts"]),
        "counted": facts["hidden"] or facts["contradicted"],
        "beside it": " ".join(facts["guessing"].values()),
        "not known": f"{facts['undeclared']} Give it with --schema." if facts["undeclared"] else "",
    }
    output.say(labelled({label: text for label, text in lines.items() if text}))
    given = None if original is None else without_password(original)
    document: dict[str, Any] = {"release": without_password(release), "original": given}
    document |= {"audience": audience, "out": str(out)}
    output.document(document | facts | {"warnings": warned})
    for problem in facts["problems"]:
        error_line(f"{problem}: do not sign it; see {out}")
    return 1 if facts["problems"] else 0


def attack_words(verdicts: Mapping[str, str]) -> str:
    """What the page says in its summary, word for word; of several columns, each with its name.

    >>> attack_words({"ill": "Nobody is sure."}), attack_words({"ill": "Nobody.", "pay": "Somebody."})
    ('Nobody is sure.', 'ill: Nobody. pay: Somebody.')
    """
    return " ".join(verdict if len(verdicts) == 1 else f"{name}: {verdict}" for name, verdict in verdicts.items())


def keep_apart(out: Path, release: Path) -> None:
    """Raise when a page that names people would lie in the folder that is handed out."""
    folder = release.expanduser().resolve()
    if folder.is_dir() and out.expanduser().resolve().is_relative_to(folder):
        raise OutputError(
            f"--out {out}: a private report names people, and {release} is handed out; choose another folder, or make "
            "the report for everybody with --audience public"
        )


def check_page(out: Path, *, overwrite: bool) -> None:
    """Raise about the target before any work is done."""
    if out.suffix.lower() not in ENDINGS:
        raise OutputError(f"--out {out}: a report is a page; give a name that ends with {' or '.join(ENDINGS)}")
    if out.is_dir():
        raise OutputError(f"--out {out} is a folder; give the name of a file in it, such as {out / 'report.html'}")
    refuse_broken_link(out, called=f"--out {out}")
    if out.exists() and not overwrite:
        raise OutputError("--out {out} exists; choose another name, or add --overwrite to replace it", out=out)
    if not out.parent.is_dir():
        raise OutputError("--out {out}: there is no folder {parent}; make it first", out=out, parent=out.parent)
