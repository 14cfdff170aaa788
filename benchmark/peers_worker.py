"""Runs one anonymizer inside its own environment, for benchmark/peers.py: requests come in, answers go out.

    python benchmark/peers_worker.py anonypy

A request is a line of JSON: the form of l-diversity, its parameters, a CSV file and its roles, where to write what is
published. The file that is written has a line for each line that was read, in its order: the published
quasi-identifiers, as the tool writes them but for two things, so that every tool's can be read alike: sets become
``{a, b}`` and ranges ``[1, 5]``; of a row that is left out it has nothing. Answers are lines of JSON, with the seconds
of processor time that the tool itself took.

Needs nothing of pellucid, except to run pellucid. Nothing here belongs to any of the tools but calls of their public
functions; the group of each row is read off their own partitions where what they publish has lost the rows.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")


def written(cells: list[list[str]], quasi: list[str], out: str) -> None:
    import csv

    with Path(out).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(quasi)
        writer.writerows(cells)


def frame_of(asked: dict[str, Any]) -> Any:
    """The table, with numbers as numbers and everything else as categories, as these tools want it."""
    import pandas as pd

    frame = pd.read_csv(asked["table"], dtype=str)
    for name in frame.columns:
        frame[name] = pd.to_numeric(frame[name]) if name in asked["numbers"] else frame[name].astype("category")
    return frame


def in_boxes(frame: Any, partitions: Any, quasi: list[str]) -> list[list[str]]:
    """What every row is published as, from the rows of each group."""
    cells: list[list[str]] = [[] for _ in range(len(frame))]
    for rows in partitions:
        part = frame.loc[rows, quasi]
        box = []
        for name in quasi:
            found = sorted(set(part[name].tolist()))
            if part[name].dtype.name == "category":
                box.append(str(found[0]) if len(found) == 1 else "{" + ", ".join(found) + "}")
            else:
                box.append(str(found[0]) if len(found) == 1 else f"[{found[0]}, {found[-1]}]")
        for row in rows:
            cells[row] = box
    return cells


def remembered(algorithm: Any) -> list[Any]:
    """The partitions that an algorithm gives whoever asks it."""
    found: list[Any] = []
    partition = algorithm.partition

    def remembering(*given: Any, **more: Any) -> Any:
        found.append(partition(*given, **more))
        return found[-1]

    algorithm.partition = remembering
    return found


def anonypy(asked: dict[str, Any]) -> tuple[float, list[list[str]]]:
    """Preserver.anonymize_l_diversity: Mondrian, distinct l-diversity."""
    import anonypy as tool

    frame = frame_of(asked)
    frame = frame[[*asked["quasi"], asked["sensitive"]]]
    began = time.process_time()
    preserver = tool.Preserver(frame, asked["quasi"], asked["sensitive"])
    groups = remembered(preserver.modrian)
    preserver.anonymize_l_diversity(k=asked["l"], l=asked["l"])
    took = time.process_time() - began
    return took, in_boxes(frame, groups[0], asked["quasi"])


def anonypyx(asked: dict[str, Any]) -> tuple[float, list[list[str]]]:
    """Anonymiser with l: Mondrian, distinct l-diversity (the others are announced and not implemented)."""
    import anonypyx as tool

    frame = frame_of(asked)
    frame = frame[[*asked["quasi"], asked["sensitive"]]]
    names = {"feature_columns": asked["quasi"], "sensitive_column": asked["sensitive"]}
    began = time.process_time()
    anonymiser = tool.Anonymiser(
        frame, k=asked["l"], l=asked["l"], algorithm="Mondrian", generalisation_strategy="human-readable", **names
    )
    groups = remembered(anonymiser.algorithm)
    anonymiser.anonymise()
    took = time.process_time() - began
    return took, in_boxes(frame, groups[0], asked["quasi"])


def anjana(asked: dict[str, Any]) -> tuple[float, list[list[str]] | None]:
    """l_diversity, entropy_l_diversity, recursive_c_l_diversity: full-domain recoding, column by column."""
    import anjana.anonymity as tool
    import pandas as pd

    frame = pd.read_csv(asked["table"], dtype=str)[[*asked["quasi"], asked["sensitive"]]]
    frame["row"] = [str(row) for row in range(len(frame))]
    hierarchies = {
        name: dict(pd.read_csv(Path(asked["taxonomies"]) / f"{name}.csv", sep=";", header=None, dtype=str))
        for name in asked["quasi"]
    }
    more = {"distinct": {}, "entropy": {}, "recursive": {"c": int(asked["c"] or 0)}}[asked["form"]]
    call = {
        "distinct": tool.l_diversity,
        "entropy": tool.entropy_l_diversity,
        "recursive": tool.recursive_c_l_diversity,
    }
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):  # it tells of its progress there
        found = call[asked["form"]](
            data=frame, ident=[], quasi_ident=list(asked["quasi"]), sens_att=asked["sensitive"], k=asked["l"],
            l_div=asked["l"], supp_level=100 * asked["suppression"], hierarchies=hierarchies, **more,
        )  # fmt: skip
    took = time.process_time() - began
    if not len(found):
        return took, None
    cells = [[""] * len(asked["quasi"]) for _ in range(len(frame))]  # who was left out is published nowhere
    for row, *values in found[["row", *asked["quasi"]]].itertuples(index=False):
        cells[int(row)] = list(values)
    return took, cells


def pellucid(asked: dict[str, Any]) -> tuple[float, list[list[str]]]:
    """SoftCut with boxes, from a frame in memory."""
    import polars as pl

    import pellucid as pc

    frame = pl.read_csv(asked["table"], infer_schema_length=0)
    frame = frame.with_columns(pl.col(name).cast(pl.Int64) for name in asked["numbers"])
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pc.publish(frame, pc.SoftCut(l=asked["l"]), quasi=asked["quasi"], sensitive=asked["sensitive"], seed=1)
    return time.process_time() - began, []  # what it is worth is measured by whoever asks


def pycanon(asked: dict[str, Any]) -> dict[str, Any]:
    """What pyCANON says of a published table: distinct l, entropy l, and (c, l)."""
    import pandas as pd
    from pycanon import anonymity

    frame = pd.read_csv(asked["table"], dtype=str, keep_default_na=False)
    quasi, sensitive = list(asked["quasi"]), [asked["sensitive"]]
    began = time.process_time()
    l = int(anonymity.l_diversity(frame, quasi, sensitive))
    entropy = float(anonymity.entropy_l_diversity(frame, quasi, sensitive))
    c = float(anonymity.recursive_c_l_diversity(frame, quasi, sensitive)[0]) if l > 1 else None
    return {"seconds": time.process_time() - began, "l": l, "entropy": entropy, "c": c}


TOOLS = {"anonypy": anonypy, "anonypyx": anonypyx, "anjana": anjana, "pellucid": pellucid}


def answer(tool: str, asked: dict[str, Any]) -> dict[str, Any]:
    if tool == "pycanon":
        return pycanon(asked)
    took, cells = TOOLS[tool](asked)
    if cells is None:
        return {"seconds": took, "none": "it says that this cannot be achieved"}
    if cells:
        written(cells, asked["quasi"], asked["out"])
    return {"seconds": took}


def main() -> None:
    tool = sys.argv[1]
    print(json.dumps({"version": version(tool)}), flush=True)
    for line in sys.stdin:
        try:
            told = answer(tool, json.loads(line))
        except Exception as wrong:  # whatever a tool raises is its answer
            told = {"error": f"{type(wrong).__name__}: {wrong}".splitlines()[0]}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
