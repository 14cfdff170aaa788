"""The public account of a release, whichever engine made it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from pellucid.group import Method
from pellucid.model import PrivacyModel
from pellucid.recode import Recoder, TwoTables
from pellucid.schema import Role
from pellucid.table import Table


def recipe(
    table: Table,
    method: Method,
    recoder: Recoder,
    rows: int,
    *,
    suppressed: int,
    changes: Sequence[str] = (),
    accepted: Sequence[str] = (),
) -> dict[str, Any]:
    """Everything an informed attacker is assumed to know anyway; of the table only its columns count.

    The engine is not in it: the same release comes from every one. ``accepted_known`` is what somebody accepted, not
    what was measured: see :mod:`pellucid.determined`.
    """
    return {
        "pellucid": version("pellucid"),
        "method": method.name,
        "parameters": method.model_dump(mode="json", exclude_none=True),
        "guarantee": method.claim,
        "sentence": sentence_of(table, method, recoder, accepted),
        "recode": recoder.name,
        "recode_parameters": recoder.model_dump(mode="json"),
        "rows": rows,
        "suppressed": suppressed,
        "changes": list(changes),
        **({"accepted_known": list(accepted)} if accepted else {}),
        "columns": [
            {"name": attribute.name, "role": attribute.role.value, "kind": attribute.kind.value}
            for attribute in table.attributes
            if attribute.role in (Role.QUASI, Role.CARRY, Role.SENSITIVE)
        ],
        "row_order": "identifier" if table.order is not None else "coins",
    }


def sentence_of(table: Table, method: Method, recoder: Recoder, accepted: Sequence[str] = ()) -> str:
    """The promise, with what the way of publishing and the choice of protected values leave open."""
    said = [method.sentence(table)]
    model = getattr(method, "required", None)
    names = " and ".join(table.attributes[i].name for i in table.having(Role.SENSITIVE))
    if isinstance(recoder, TwoTables) and isinstance(model, PrivacyModel) and model.looks_at == "sizes":
        said.append("The two tables show exact quasi-identifiers: whoever knows them recognises a person's row.")
    protected = [getattr(method, "sensitive", None), getattr(method, "binary", None), getattr(model, "sensitive", None)]
    if any(values is not None for values in protected):
        said.append(f"Other values of {names} are not protected and may be told with certainty.")
    if accepted:
        columns = " or ".join(accepted)
        said.append(f"What {columns} gives away about {names} by itself was accepted and is not covered.")
    return " ".join(said)
