"""``pellucid compare``: which method, which l: risk against utility over a grid of releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, get_origin

import typer

from pellucid.anonymize.cluster_method import applied
from pellucid.anonymize.methods import Method
from pellucid.cli.columns import (
    ClusterOption,
    ImportanceOption,
    PeopleOption,
    SchemaOption,
    SensitiveOption,
    WeightOption,
    read_with_roles,
)
from pellucid.cli.memory import enough_memory
from pellucid.cli.named_values import with_named_values
from pellucid.cli.output import JsonOption, Output, QuietOption, error_line
from pellucid.cli.parameters import (
    SEVERAL,
    Given,
    as_declared,
    bare,
    build_method,
    method_class,
    option_name,
    with_method_options,
)
from pellucid.cli.progress import Bar
from pellucid.cli.remarks import rising, standing_alone
from pellucid.cli.request_options import importance_in
from pellucid.cli.show import heading, sentence, table_lines
from pellucid.cli.text_tables import with_file_options
from pellucid.cli.verbs.publish import given_roles
from pellucid.cli.wording import in_options
from pellucid.comparison import PATIENCE, SEED, Comparison
from pellucid.comparison import compare as compare_table
from pellucid.core.schema import Role, Roles
from pellucid.core.table import Table
from pellucid.errors import MethodError
from pellucid.io import read_as, refuse_absent
from pellucid.messages import Message
from pellucid.messages.terms import MORE_TIME
from pellucid.publishing import drawing_rows
from pellucid.risk import Adversary
from pellucid.text.figures import counted

EXAMPLES = (
    "pellucid compare patients.csv --quasi age,zipcode --sensitive disease \\\n"
    "  --methods soft-cut,anatomy --l 2 --out compare/",
    "pellucid compare census:2000 --methods soft-cut,mondrian --l 2..3 --json",
)

MOST = 1000  # values that a range may stand for


def command() -> Callable[..., None]:
    """The verb, with the parameters of every method as options, each of which may be a range or a list."""
    return with_file_options(with_method_options(compare))


def compare(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", show_default=False, help="A table, as for pellucid publish.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Write compare.csv, compare.html and compare.png, and keep what is done."
        ),
    ] = None,
    methods: Annotated[
        str, typer.Option("--methods", metavar="A,B", help="Which methods (pellucid methods lists them).")
    ] = "strata,soft-cut,tailor,ace,mondrian,anatomy",
    knows: Annotated[
        str, typer.Option("--knows", metavar="A,B", help="What the attackers know of the method.")
    ] = "nothing,minimality,algorithm",
    schema: SchemaOption = None,
    quasi: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Columns that an attacker may know, instead of a schema.")
    ] = None,
    sensitive: SensitiveOption = None,
    identifier: Annotated[list[str] | None, typer.Option(metavar="I", help="A column that names the person.")] = None,
    cluster: ClusterOption = None,
    weight: WeightOption = None,
    people: PeopleOption = None,
    importance: ImportanceOption = None,
    patience: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long one attack on one release may take.")
    ] = PATIENCE,
    workers: Annotated[int | None, typer.Option(metavar="N", min=1, help="How many processes to use.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Write over the comparison of another table in the output folder.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    *,
    parameters: Given,
) -> None:
    """Compare methods and settings: what each release costs, and what it lets an attacker learn.

    A parameter of a method may be a range or a list: --l 2..10, --l 2,4,8. Stopped and called again with the same
    --out, it goes on where it was. The result tells risks, so it is for the publisher and not to be handed out.
    """
    output = Output(as_json=as_json, quiet=quiet)
    refuse_absent(source)
    settings = grid([name.strip() for name in methods.split(",") if name.strip()], parameters)
    attackers = [Adversary(knows=word.strip()) for word in knows.split(",")]  # type: ignore[arg-type]  # it checks
    matters = importance_in(importance or ())
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "cluster": cluster, "weight": weight}
    described, words = given_roles(source, schema, {role: names for role, names in given.items() if names})
    settings = [with_named_values(method, described, words) for method in settings]
    rows = Roles(people=people)
    with output.warnings() as warned, Bar(shown=not (as_json or quiet)) as bar, enough_memory(source):
        if described is None:
            table = read_with_roles(source, words, threads=None, progress=bar, rows=rows, coins=drawing_rows(SEED))
        else:
            table = read_as(source, replace(rows, schema=described), coins=drawing_rows(SEED), progress=bar)
        comparison = compare_table(
            table,
            settings,
            adversaries=attackers,
            importance=matters,
            out=out,
            patience=patience,
            workers=workers,
            overwrite=overwrite,
            progress=bar,
        )
    notes = _of_recommended(table, settings, comparison)
    tell(output, comparison, out, [table.attributes[i].name for i in table.having(Role.SENSITIVE)], warned, notes)


def grid(names: Sequence[str], given: Mapping[str, str | bool]) -> list[Method]:
    """Every method with every combination of the values given for its parameters.

    >>> [method.l for method in grid(["hybrid"], {"l": "2..4"})]
    [2, 3, 4]
    """
    kinds = {name: method_class(name) for name in names}
    if not kinds:
        raise MethodError("--methods is empty; name at least one, for example --methods soft-cut,mondrian")
    for name, kind in kinds.items():
        for field, declared in kind.model_fields.items():
            lacks = declared.is_required() and field not in {as_declared(kind, option) for option in given}
            if lacks and "int" in str(declared.annotation):
                option = option_name(field)
                raise MethodError(f"{name} needs {option}: give one or several to compare, as in {option} 2..5")
    for field in given:
        if not any(as_declared(kind, field) in kind.model_fields for kind in kinds.values()):
            raise MethodError(f"none of {', '.join(names)} has a parameter {option_name(field)}")
    return [setting for name, kind in kinds.items() for setting in _settings(name, kind, given)]


def _settings(name: str, kind: type[Method], given: Mapping[str, str | bool]) -> list[Method]:
    """One method with every combination of the values that are given for parameters of its own."""
    declared = {as_declared(kind, option): value for option, value in given.items()}
    choices = {field: _choices(kind, field, value) for field, value in declared.items() if field in kind.model_fields}
    return [build_method(name, dict(zip(choices, chosen, strict=True))) for chosen in product(*choices.values())]


def _choices(kind: type[Method], field: str, value: str | bool) -> Sequence[str | bool]:
    """The values that one option means for a parameter; a list is one value of a parameter that takes lists."""
    whole = isinstance(value, bool) or get_origin(bare(kind.model_fields[field].annotation)) in SEVERAL
    whole = whole or (field == "l" and "=" in str(value))  # one for each column
    return [value] if whole else spread(field, str(value))


def spread(field: str, text: str) -> list[str | bool]:
    """The values that a text stands for: a range, a list, or itself.

    >>> spread("l", "2..4"), spread("l", "2,8"), spread("alpha", "1/3")
    (['2', '3', '4'], ['2', '8'], ['1/3'])
    """
    values: list[str | bool] = []
    for part in text.split(","):
        low, dots, high = (piece.strip() for piece in part.partition(".."))
        if not dots:
            values.append(low)
            continue
        if not (low.isdigit() and high.isdigit() and int(low) <= int(high) < int(low) + MOST):
            raise MethodError(
                f"{option_name(field)} {text}: a range goes from a whole number to a larger one, as 2..10"
            )
        values += [str(number) for number in range(int(low), int(high) + 1)]
    return values


def tell(
    output: Output,
    comparison: Comparison,
    out: Path | None,
    sensitive: Sequence[str],
    warned: Sequence[str],
    notes: Sequence[Message] = (),
) -> None:
    """The table in short, the recommendation and how it is made, and where the rest is."""
    left, each = _left_in(comparison, out), _each_of(sensitive)
    output.document(
        {
            "recommendation": comparison.sentence,
            "rule": comparison.rule,
            "sentences": comparison.sentences,
            "settings": comparison.frame.to_dicts(),
            "out": None if out is None else str(out),
            "notes": [note for note in (each, left, *warned, *map(str, notes)) if note],
        }
    )
    output.say(heading(counted(len(comparison.cells), "setting")))
    output.say("\n".join(table_lines(comparison.in_short())))
    if not comparison.feasible:  # also when nothing else is said
        error_line(in_options(comparison.sentence))
        raise typer.Exit(1)
    refusals = map(in_options, comparison.refusals)
    for paragraph in (
        each,
        *refusals,
        comparison.sentence,
        *map(in_options, notes),
        comparison.rule,
        _not_known(comparison, out),
    ):
        if paragraph:
            output.say()
            output.say(sentence(paragraph))
    if out is not None:
        _say_written(output, out, left)


def _of_recommended(table: Table, methods: Sequence[Method], comparison: Comparison) -> list[Message]:
    """What publishing would say of the setting that is recommended, where some values only are protected."""
    recommended = comparison.recommended
    if recommended is None:
        return []
    method = applied(methods[comparison.cells.index(recommended)], table)
    told = (*standing_alone(method, recommended.alone, len(table)), *rising(table, method))
    return [Message("{remark}", remark=remark.text) for remark in told]


def _say_written(output: Output, out: Path, left: str) -> None:
    """Which files were written, and what else is in their folder."""
    drawn = ["compare.png"] if (out / "compare.png").exists() else []
    files = ["compare.html", *drawn, "compare.csv", "recommendation.txt"]
    output.say()
    output.say(f"written  {out}/{', '.join(files)}")
    if left:
        output.say(sentence(left))


def _each_of(sensitive: Sequence[str]) -> Message:
    """How several sensitive columns are compared; empty where there is one."""
    if len(sensitive) < 2:
        return Message("")
    return Message(
        "There are {number} sensitive columns ({names}): each is attacked, and the largest risk counts. Query-error "
        "asks as many counts with each.",
        number=len(sensitive),
        names=", ".join(sensitive),
    )


def _not_known(comparison: Comparison, out: Path | None) -> str:
    """Of how many releases it is not known whether they are safe, and what can be done; empty where it is of all."""
    unknown = [cell for cell in comparison.cells if cell.undecided]
    if not unknown:
        return ""
    where = "The column remarks of compare.csv" if out is not None else "compare.csv, which --out DIR writes,"
    more_time = any(MORE_TIME in Message(risk.how).terms for cell in unknown for risk in cell.counted if not risk.ran)
    return (
        f"Of {counted(len(unknown), 'release')} it is not known whether somebody is above 1/l: some attack "
        f"{'was not done in time, ' if more_time else ''}could not run or left it open. "
        f"{'It does' if len(unknown) == 1 else 'They do'} not count as safe. "
        f"{where} says why{'; --patience gives attacks more time' if more_time else ''}."
    )


def _left_in(comparison: Comparison, out: Path | None) -> Message:
    """What the folder keeps of other calls; empty when it is nothing."""
    if out is None or comparison.others <= 0:
        return Message("")
    return Message(
        "compare.csv and compare.html show the settings of this call alone; {kept} of other calls stay in {out}/cells.",
        kept=counted(comparison.others, "setting"),
        out=str(out),
    )
