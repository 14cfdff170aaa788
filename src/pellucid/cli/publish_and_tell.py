"""What ``publish`` and ``run`` do alike: publish, measure what is kept, write, and tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pellucid.cli.memory import enough_memory
from pellucid.cli.output import Output
from pellucid.cli.progress import Bar
from pellucid.cli.remarks import Remark, without_taxonomies
from pellucid.cli.show import labelled
from pellucid.cli.summary import account_of, columns_in_words, in_words, tell, written
from pellucid.cli.wording import as_typed
from pellucid.core.request import Request
from pellucid.messages import Speaker
from pellucid.messages.speaker import speak
from pellucid.models import PROMISED, Verdict
from pellucid.publishing import Result

Look = Callable[[Result], None]
Doing = Callable[[Bar, Look], Sequence[Verdict]]


def publish_and_tell(
    request: Request,
    out: Path,
    do: Doing,
    output: Output,
    began: float,
    *,
    told_as: Mapping[str, str] = MappingProxyType({}),
    requiring: bool = False,
) -> Sequence[Verdict]:
    """Publish by ``do``, which shows what it made before it writes, and tell it; whether it satisfies what is required.

    ``told_as``: how a person types the table again. ``requiring``: whether what is required is told.
    """
    account: dict[str, Any] = {}
    remarks: list[Remark] = []
    recipe: dict[str, Any] = {}

    def look(result: Result) -> None:
        bar.stage("measuring what is kept", 0)
        speak(Speaker(rows=result.release.public.recipe.protects_rows))
        figures, found = account_of(result)
        account.update(figures)
        recipe.update(result.release.recipe)
        remarks.extend(found)
        if result.table is not None:
            remarks.extend(without_taxonomies(result.table, result.method, account["information_kept"]))

    shown = not (output.as_json or output.quiet)
    with output.warnings() as warned, Bar(shown=shown) as bar, enough_memory(request.source), as_typed(out):
        verdicts = do(bar, look)
        if all(verdicts):
            written(account, out, request.keep_groups)
    tell(account, remarks, warned, recipe, began)
    if requiring:
        account["required"] = [_document(verdict) for verdict in verdicts]
    told = {**account, **told_as}
    made, promised = in_words(told)
    required = {
        f"requires {verdict.model}": ("of each person: " if verdict.model == PROMISED else f"{verdict.required}: ")
        + ("holds" if verdict.holds else "DOES NOT HOLD")
        + ("" if verdict.level is None else f", reached {verdict.level}")
        for verdict in verdicts
    }
    output.say("\n\n".join([labelled(made), columns_in_words(told), *filter(None, [labelled(promised | required)])]))
    output.document(account)
    return verdicts


def _document(verdict: Verdict) -> dict[str, Any]:
    return {"model": verdict.model, "required": verdict.required, "level": verdict.level, "holds": verdict.holds}
