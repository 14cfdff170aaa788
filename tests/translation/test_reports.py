"""A report in another language: nothing of it stays English, numbers are the reader's, values are nobody's words."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import polars as pl
import pytest

pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")

from tests.plain.settings import SETTINGS

import pellucid as pc
from pellucid.errors import OutputError
from pellucid.group import methods
from pellucid.speaking.reader import Reader

ROLES: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
MADE: dict[str, tuple[pc.Method, dict[str, Any]]] = {
    "hybrid": (pc.Hybrid(l=2), {}),
    "soft-cut of one value": (pc.SoftCut(l=2, values={"disease": ["flu"]}), {}),
    "anatomy": (pc.Anatomy(l=2), {}),
    "tailor, means": (pc.Tailor(l=2), {"recode": "means"}),
    "ace, suppressed": (pc.Ace(l=2), {"recode": "suppression"}),
    "mondrian, which leaks": (pc.Mondrian(l=2), {}),
    "audited": (pc.Audited(l=2), {}),
    "mondrian of sizes": (pc.Mondrian(k=3), {}),
    "incognito, rows withheld": (pc.Incognito(k=2, max_suppressed="25%"), {}),
}

REFERENCES = {method.reference for method in methods().values()}  # titles of papers stay as they are


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked for in another language, and is in no catalog."""
    found: list[str] = []
    told = Reader.untranslated

    def noticed(self: Reader, text: str, *, tagged: bool) -> Any:
        found.extend([text] if re.search("[A-Za-z]{2}", text) else [])
        return told(self, text, tagged=tagged)

    monkeypatch.setattr(Reader, "untranslated", noticed)
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("audience", ["public", "private"])
@pytest.mark.parametrize("made", MADE)
def test_no_sentence_of_a_german_report_is_english(made: str, audience: Any, left: list[str]) -> None:
    """Whoever adds a sentence to reports adds it to report.po (marked) or library.po (what the library says)."""
    method, how = MADE[made]
    patients = pc.datasets.patients()
    release = pc.publish(patients, method, seed=1, **how, **ROLES)
    page = pc.report(release, patients, audience=audience, language="de", **ROLES)
    assert left == []
    assert '<html lang="de">' in page.html
    assert "höchstens 1/2" in page.html or audience == "private" or "k" in method.model_dump(exclude_none=True)


@pytest.mark.parametrize("audience", ["public", "private"])
@pytest.mark.parametrize("method", [pc.Mondrian(k=3), pc.Mdav(k=3)], ids=lambda one: one.name)
def test_a_german_report_on_hidden_people_is_german(method: pc.Method, audience: Any, left: list[str]) -> None:
    patients = pc.datasets.patients()
    roles: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": (), "identifier": "name"}
    release = pc.publish(patients, method, **roles)
    page = pc.report(release, patients, audience=audience, language="de", identifier="name")
    assert left == []
    assert "Kein Wert ist geschützt." in page.html


def sentences(page: str) -> set[str]:
    """What a report says, piece by piece; code, charts and tables of values apart."""
    apart = (
        r"<(pre|code|style|svg|cite)\b.*?</\1>"
        r"|<table class=\"sample\".*?</table>|<section id=\"versions\">.*?</section>"
    )
    texts = unescape(re.sub(r"<[^>]+>", "\n", re.sub(apart, "\n", page, flags=re.DOTALL)))
    return {text for line in texts.splitlines() if (text := " ".join(line.split()))}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", sorted(set(methods())))
def test_no_method_is_reported_in_english(name: str, left: list[str], tmp_path: Any) -> None:
    """Also what no catalog was asked for: a sentence that both languages share was never told to anybody."""
    people = pl.DataFrame(
        {
            "age": [21, 23, 24, 26, 28, 29, 31, 33, 95],
            "illness": ["flu", "gout", "cold", "flu", "ulcer", "cold", "gout", "flu", "ulcer"],
        }
    )
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": "illness"}
    release = pc.publish(people, SETTINGS[name](2, pc.read(people, **roles)), seed=1, **roles)
    given: dict[str, Any] = {"audience": "private", "attacks": pc.attack_all(release, truth=people, **roles), **roles}
    german = pc.report(release, people, language="de", **given).html
    assert left == []
    english = pc.report(release, people, **given).html
    shared = sentences(german) & sentences(english)
    assert [text for text in shared if len(re.findall("[A-Za-z]{2,}", text)) > 2 and text not in REFERENCES] == []
    folder = release.write(tmp_path / "out")
    pc.report(folder, people, audience="private", language="de", **roles)  # who is where, found by running it again
    assert left == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_report_on_files_and_of_several_columns(left: list[str], tmp_path: Any) -> None:
    people = pc.datasets.census(300)
    roles: dict[str, Any] = {"quasi": ["age", "gender"], "sensitive": ["occupation", "income"]}
    folder = pc.publish(people, pc.SoftCut(l=2), seed=1, **roles).write(tmp_path / "out")
    pc.report(folder, audience="public", language="de")
    pc.report(folder, people, audience="private", language="de")
    pc.report(pl.read_csv(folder / "data.csv"), audience="public", language="de", **roles)
    assert left == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_numbers_and_dates_are_the_readers_and_code_and_values_stay() -> None:
    people = pc.datasets.census(1200).with_columns(
        occupation=pl.Series(["none", "value", "people", "0.5", "1,234"] * 240)
    )
    roles: dict[str, Any] = {"quasi": ["age", "gender"], "sensitive": "occupation"}
    release = pc.publish(people, pc.Hybrid(l=2), seed=1, **roles)
    page = pc.report(release, people, audience="private", language="de", title="people", **roles)
    assert page.title == "people"  # as the steward wrote it
    shown = re.sub(
        r"<(pre|code|style)\b.*?</\1>|<section id=\"versions\">.*?</section>", "", page.html, flags=re.DOTALL
    )
    for value in ("none", "value", "people", "0.5", "1,234"):
        assert f">{value}</" in shown, value  # in a chart, or in the sample
    texts = unescape(re.sub(r"<(table class=\"sample\").*?</table>|<[^>]+>", "\n", shown, flags=re.DOTALL))
    assert "1.200 Zeilen" in texts
    assert re.findall(r"(?<![\d.,'])0\.\d+", texts.replace("\n0.5\n", "\n").replace("'0.5'", "")) == []
    assert re.search(r"\d{1,2}\. [A-Z]\w+ 20\d\d", texts)
    assert re.search(r"0,\d", texts)
    assert '"l": 2' in unescape(page.html)  # the recipe, as the file has it


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_column_keeps_the_and_of_its_own_name(left: list[str]) -> None:
    people = pc.datasets.census(300).rename({"occupation": "bread and butter", "gender": "she or he"})
    roles: dict[str, Any] = {"quasi": ["age", "she or he"], "sensitive": ["income", "bread and butter"]}
    release = pc.publish(people, pc.SoftCut(l=2), seed=1, **roles)
    pages = [pc.report(release, *given, language="de", **roles).html for given in ((), (people,))]
    for page in pages:
        assert "außer income und bread and butter kennt" in page  # one and is theirs, the other one ours
        assert "bread und butter" not in page
        assert "she oder he" not in page
    assert left == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_english_is_what_it_was_and_an_unknown_language_is_refused() -> None:
    patients = pc.datasets.patients()
    release = pc.publish(patients, pc.Hybrid(l=2), seed=1, **ROLES)
    plain = pc.report(release, audience="public", **ROLES).html
    assert pc.report(release, audience="public", language="en", **ROLES).html == plain
    with pytest.raises(OutputError, match=r"language = 'fr': must be one of en, de"):
        pc.report(release, audience="public", language="fr", **ROLES)
