"""The anonymized tables that pyCANON's repository comes with: what pyCANON says of them, and what counting finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from peers_cases import Tools

QUASI = ("age", "education", "occupation", "relationship", "sex", "native-country")  # as its example has them
SENSITIVE = "salary-class"
EXAMPLES = (
    *(f"processed/adult_anonymized_{k}.csv" for k in (3, 10, 20)),
    *(f"l_diversity/adult_k{k}_anonymized_l2.csv" for k in (3, 10, 20)),
)


def examined(path: Path, tools: Tools) -> dict[str, Any]:
    """One of them."""
    worker = tools.worker("pyCANON")
    told = worker.ask(table=str(path), quasi=list(QUASI), sensitive=SENSITIVE)
    frame = pl.read_csv(path, infer_schema_length=0)
    counts = frame.group_by(*QUASI, SENSITIVE).len()
    shares = counts.with_columns(share=pl.col("len") / pl.col("len").sum().over(QUASI))
    most = shares.group_by(QUASI).agg(pl.col("share").max(), pl.col("len").sum())
    worker.end()
    return {
        "version": worker.version,
        **told,
        "rows": len(frame),
        "groups": len(most),
        "counted": float(most["share"].max()),  # type: ignore[arg-type]
        "certain": int(most.filter(pl.col("share") == 1)["len"].sum()),
        "exposed": int(most.filter(pl.col("share") > 0.5)["len"].sum()),
    }
