"""How the pages read: short sentences, hardly a semicolon, and the field's words instead of phrases around them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEAN = 16  # words of a sentence
LONG = 25  # words that few sentences exceed: one in ten, or two of a short page
PAGES = sorted(path for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if "_build" not in path.parts)
CIRCUMLOCUTIONS = re.compile(r"\b(?:[Ss]ome(?:body|one) who|[Hh]and(?:s|ed|ing)? out|Whoever)\b")
UNEDITED = {  # their sentences are composed by scripts in benchmark/, and wait there
    "docs/reproduction.md",
}
NO_PROSE = (
    (r"(?s)<!--.*?-->", ""),
    (r"(?s)(```+|~~~).*?\1", "\n\n"),
    (r"(?m)^( {4}|\t|>).*$", ""),
    (r"(?m)^\s*\|.*$", "\n"),
    (r"(?m)^(#+ |:::|!!!).*$", "\n"),
    (r"!\[[^\]]*\]\([^)]*\)", ""),
    (r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1"),
    (r"`+[^`\n]*`+", " X "),
    (r"(?m)^\s*([-*+]|\d+\.)\s+", "\n\n"),
    (r"<[^>]+>|\*", ""),
    (r"\b(e\.g|i\.e|etc|et al|vs|Fig|cf)\.", r"\1"),
    (r"(\d)\.(\d)", r"\1\2"),
)


def prose(markdown: str) -> str:
    """What a reader reads as sentences: no code, tables, headings, addresses, or what is quoted."""
    for pattern, instead in NO_PROSE:
        markdown = re.sub(pattern, instead, markdown)
    return markdown


def sentences(markdown: str) -> list[str]:
    """The sentences of a page, of at least four words."""
    parts = [re.sub(r"\s+", " ", part).strip() for part in re.split(r"\n\s*\n", prose(markdown))]
    each = [one for part in parts for one in re.split(r"(?<=[.!?])[\"”)]?\s+(?=[A-Z\"“(0-9'])", part)]
    return [one for one in each if len(words(one)) >= 4 and re.search(r"[.!?:]['\"”)]?$", one)]


def words(sentence: str) -> list[str]:
    return re.findall(r"[A-Za-z][A-Za-z'’\-]*", sentence)


def wrong_with(markdown: str) -> list[str]:
    """What a reader would mind, with the sentences that are meant."""
    read = sentences(markdown)
    if not read:
        return []
    lengths = [len(words(one)) for one in read]
    long = [one for one, length in zip(read, lengths, strict=True) if length > LONG]
    joined = [one for one in read if ";" in one]
    phrases = [found[0] for found in CIRCUMLOCUTIONS.finditer(prose(markdown))]
    mean = sum(lengths) / len(lengths)
    return [
        *([f"{mean:.1f} words a sentence"] if mean > MEAN and len(read) > 3 else []),
        *([f"{len(long)} of {len(read)} above {LONG} words: {long}"] if len(long) > max(2, len(read) / 10) else []),
        *([f"semicolons: {joined}"] if len(joined) > max(1, 3 * len(read) / 100) else []),
        *([f"say attacker, people or share: {phrases}"] if phrases else []),
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_reads_well(page: Path) -> None:
    wrong = wrong_with(page.read_text(encoding="utf-8"))
    if str(page.relative_to(ROOT)) in UNEDITED:
        assert wrong, f"{page.name} reads well now: take it out of UNEDITED"
    else:
        assert not wrong, "\n".join(wrong)


def test_what_is_hard_to_read_is_found() -> None:
    long = " ".join(["word"] * 26) + "."
    assert wrong_with("Short it is, and good.\n") == []
    assert len(wrong_with(f"{long}\n\n{long}\n\n{long}\n\nIt is short and good.\n")) == 2
    assert wrong_with("One is here; two is there.\n\nThree is here; four is there.\n")[0].startswith("semicolons")
    assert wrong_with("It is handed out to somebody who asks.\n")[0].endswith("['handed out', 'somebody who']")
    assert wrong_with("```\nwhoever; whoever; whoever\n```\n\n| whoever | one who |\n\n## Whoever\n") == []
