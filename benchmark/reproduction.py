"""The page docs/reproduction.md and its pictures, from the figures that `pellucid reproduce` wrote.

    for name in $(pellucid reproduce --list --json | jq -r '.[].name'); do pellucid reproduce $name --out full/; done
    python benchmark/reproduction.py full/

Experiments whose figures are not in the folder keep what the page says of them, or are listed as not run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from figures import smaller

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))
from research import Reproduction, experiments  # noqa: E402

PAGE = ROOT / "docs" / "reproduction.md"
PICTURES = ROOT / "docs" / "img" / "reproduction"
HEAD = """\
# The papers' experiments, repeated

**[X]'s headline, Hybrid about as good as Mondrian, is not reproduced on SAL.** There, values are so correlated with
quasi-identifiers that Tailor finds little room for its cuts (`xiao-correlation`). On OCC it is reproduced up to l = 9.
SoftCut, with the same promise, and Strata, whose bound is the share of a stratum where that is larger, err less than
Mondrian on both (`xiao-fig11`).

They are in `research/` of the source and in no wheel. In a checkout `pellucid reproduce --list` names them, and
`pellucid reproduce wong-fig2 --out figs/` runs one and writes its data (CSV), its chart (PNG, SVG, HTML) and a text
that sets it beside the paper; `--quick` takes less data and fewer settings, and seconds. Below: the full runs. For
each experiment, what the paper's text says (the scans have lost the figures), what we find, whether each shape agrees,
and why we differ where we do. Adult is the table without unknown values, 45,222 rows.

This page is written by `benchmark/reproduction.py`. Papers: [C] Cormode et al. 2010, [H] Hemantha 2017, [R] Wong et
al. 2009, [W] Wong et al. 2007, [X] Xiao et al. 2010. Errata are numbered as in the notes on the methods: 6, the
largest risks 2.52/l and 2.70/l of [C] exceed the supremum 2.488/l at l = 6, since they are the largest of many
sampled estimates; 7, anatomizing symmetric groups breaks their promise; 8, with p = 0.65 the risk does not come down
to 1/l; 11, [W] counts sensitive rows in the whole table where those of the merged class are meant.

What "agrees" means: a trend agrees when the last figure is beyond the first and the ranks follow the places with a
correlation of at least 0.8 (Spearman's); where it goes the other way in between, the claim says "mostly" and the
correlation is given. "Falls" of credibilities, distortions by k and groups, and the risks and losses of [H], allow no
step the other way. A comparison of two methods is of their means over all settings shown, without a tolerance; "about
as good" and "about as much" allow 1.5 times the error, "about linear" 1.5 times the factor of the rows, "does not
depend" 25 %, "little" and "about the same time" a half, "about 0.9" from 0.8 to 1, "about 2 %" up to 3 %, "few
remain" a quarter, "most of" half. Everything is one run with one seed, so that a small difference is no finding.

The papers' averages of 100 runs are one run here. Mask is each paper's own: that of [X] judges each value, that of [W]
protects one set and begins with (α,k)-anonymity without an α. `xiao-correlation` is an experiment of ours. The counts
below are of claims as we worded them, a few of which are ours; where a paper leaves a setting open, the remark says
what was tried.
"""


def anchor(name: str, title: str) -> str:
    """The link to a heading, as GitHub makes it."""
    kept = "".join(c for c in f"{name} {title}".lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def already(page: str, name: str) -> tuple[str, str] | None:
    """What the page says of an experiment so far: its line of the summary and its section."""
    line = next((line for line in page.splitlines() if line.startswith((f"| [{name}](", f"| {name} |"))), None)
    section = next((part for part in page.split("\n## ")[1:] if part.startswith(f"{name}: ")), None)
    return None if line is None or section is None else (line, f"## {section.rstrip()}")


def told(parts: list[str]) -> str:
    """How many claims the page has, how many agree, and how many are ours."""
    claims = [
        line for part in parts for line in part.splitlines() if line.startswith(("- agrees: ", "- **differs**: "))
    ]
    ours = [line for line in claims if ": ours, not the paper's" in line]
    agree, mine = (sum(line.startswith("- agrees") for line in some) for some in (claims, ours))
    return (
        f"**In all {len(claims)} claims: {agree} agree, {len(claims) - agree} differ.** {len(ours)} of them are ours "
        f"and not a paper's, of which {mine} hold. Why the others differ stands with each experiment."
    )


def main(folder: Path) -> None:
    parts: list[str] = []
    summary = ["| experiment | what | shapes that agree |", "|---|---|---|"]
    written = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    for name, one in experiments().items():
        path = folder / f"{name}.csv"
        said = already(written, name)
        if not path.exists() and said is not None:
            summary.append(said[0])
            parts.append(said[1])
            continue
        parts += [f"## {name}: {one.title}", one.paper + "."]
        if not path.exists():
            parts += ["Not run for this page."]
            summary.append(f"| {name} | {one.title} | not run |")
            continue
        frame = pl.read_csv(path)
        found = Reproduction(one, False, frame, list(one.check(frame)))
        agreeing = sum(finding.holds for finding in found.findings)
        summary.append(f"| [{name}](#{anchor(name, one.title)}) | {one.title} | {agreeing} of {len(found.findings)} |")
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.png").write_bytes(smaller(found.chart().png(scale=1)))
        parts += [
            f"![{one.title}](img/reproduction/{name}.png)",
            f"**The paper.** {one.reports}",
            "**Ours.**\n\n"
            + "\n".join(
                f"- {'agrees' if finding.holds else '**differs**'}: {finding.claim}"
                + (f" ({finding.ours})" if finding.ours else "")
                for finding in found.findings
            ),
            f"**Where we differ.** {one.remark}",
            f"Full run: about {one.minutes:g} min of processor time.",
        ]
    total = "" if any("Not run for this page." in part for part in parts) else told(parts)
    page = "\n\n".join([HEAD.rstrip(), *([total] if total else []), "\n".join(summary), *parts])
    PAGE.write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
