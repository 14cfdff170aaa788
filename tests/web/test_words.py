"""What the pages say is plain, true of the setting that is chosen, and said for as long as it matters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import httpx
import polars as pl
import pytest

import pellucid
from web.serving import Served, csv_of, served
from web.stewards import PEOPLE, ROLES, SETTING, opened, published, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.anonymize.recode import RECODERS
from pellucid.core.schema import Column, Kind, Role, Schema
from pellucid.web.broader import uses_broader_names


def test_broader_names_that_a_setting_leaves_aside_are_told_and_not_promised(
    server: Served, steward: httpx.Client
) -> None:
    rows = "".join(f"{20 + i},{('Rome', 'Bern')[i % 2]},{'abcd'[i % 4]}\n" for i in range(24))
    opened(server, steward, f"age,town,ill\n{rows}")
    steward.post("/roles/0", data={"role": "quasi", "taxonomy": "ladder", "ladder": "5, 10"})
    steward.post("/roles/1", files=csv_of("Rome;warm;*\nBern;cold;*\n", "towns.csv"))
    steward.post("/roles", data={"role-2": "sensitive", "then": "method"})
    server.wait()
    assert server.session.checked is not None
    cells = re.findall(r'<td data-label="Published as">(.*?)<br><button', steward.get("/roles").text, re.DOTALL)
    assert "ranges" in cells[0]
    assert "its broader names only if you choose them at step 3" in cells[0]
    assert "ranges" not in cells[1]
    assert "broader names" in cells[1]
    told = "Broader names are not used: those of age. This setting publishes ranges such as [21, 27]"
    assert told in text_of(steward.get("/method"))  # soft-cut, as it begins
    assert "(taxonomy)” under What a group becomes" in text_of(steward.get("/method"))
    for recode, unused in (("intervals", "age"), ("taxonomy", ""), ("suppression", "age, town")):
        live = text_of(steward.post("/method/check", data={**SETTING, "recode": recode}))
        assert ("Broader names are not used" in live) == bool(unused)
        assert f"those of {unused}." in live or not unused


@pytest.mark.parametrize("recode", sorted(RECODERS))
@pytest.mark.parametrize(
    ("kind", "values", "taxonomy"),
    [
        ("number", [21, 28], {"ladder": [10]}),
        ("date", ["2024-01-03", "2024-01-28"], {"dates": ["month", "year"]}),
        ("category", ["Rome", "Bari"], {"tree": {"*": {"warm": ["Rome", "Bari"], "cold": ["Oslo"]}}}),
    ],
)
def test_broader_names_are_used_exactly_where_the_page_says_so(
    recode: str, kind: str, values: list[object], taxonomy: dict[str, object]
) -> None:
    people = pl.DataFrame({"known": values, "ill": ["a", "b"]})
    if kind == "date":
        people = people.with_columns(pl.col("known").str.to_date())

    def told(**how: object) -> str:
        known = Column(role=Role.QUASI, kind=Kind(kind), **how)
        schema = Schema(columns={"known": known, "ill": Column(role=Role.SENSITIVE)})
        release = pellucid.publish(people, pellucid.Tailor(l=2), schema=schema, recode=recode)
        return str([sorted(map(str, frame["known"])) for frame in release.public.frames.values() if "known" in frame])

    assert (told() != told(taxonomy=taxonomy)) == uses_broader_names(recode, Kind(kind))


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        ("4", "2", "l from 4 to 2: the first number is the larger one; write from 2 to 4"),
        ("1", "3", "l from 1 to 3: give two whole numbers from 2 upward"),
        ("", "3", "l from nothing to 3: give two whole numbers from 2 upward"),
        ("2", "20000", "l from 2 to 20000: l goes up to 10,000 here; choose a smaller range"),
    ],
)
def test_a_range_that_cannot_be_compared_says_what_is_wrong(kept: Served, low: str, high: str, told: str) -> None:
    with kept.steward() as steward:
        refused = steward.post("/result/compare", data={"m-hybrid": "on", "from": low, "to": high})
    assert refused.status_code == 422
    assert told in text_of(refused)


def test_a_discarded_release_is_told_until_the_next_thing_that_works(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    steward.post("/roles", data={**ROLES, "role-2": "drop", "then": "stay", "discard": "yes"})
    for _ in range(2):
        assert "was discarded" in steward.get("/roles").text
    assert steward.post("/roles/1", data={"role": "no such role"}).status_code == 422
    assert "was discarded" in steward.get("/roles").text  # that did not work
    steward.post("/roles/1", data={"role": "quasi"})
    for page in ("/roles", "/method", "/result", "/release"):
        assert "was discarded" not in steward.get(page).text


def test_roles_that_were_saved_are_not_asked_for_again_but_to_be_read(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, PEOPLE)
    steward.post("/roles", data={"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive", "then": "stay"})
    for page in ("/method", "/result/compare"):
        told = text_of(steward.get(page))
        assert "The roles of step 2 are kept, and the table was not read with them yet" in told
        assert "say what each column is" not in told


def test_what_was_saved_or_loaded_is_confirmed_once(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, PEOPLE)
    roles = {"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive", "then": "stay"}
    schema = '[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n'
    tree = "".join(f"{age};young;*\n" for age in range(20, 25))
    for sent, page, told in (
        (lambda: steward.post("/roles", data=roles), "/roles", "The roles are saved."),
        (lambda: steward.post("/roles/load", files=csv_of(schema, "mine.toml")), "/roles", "mine.toml is loaded"),
        (lambda: steward.post("/roles/1", data={"role": "quasi"}), "/roles/1", "about the column age is saved."),
        (
            lambda: steward.post("/roles/1", data={"role": "quasi", "taxonomy": "ladder", "ladder": "5"}),
            "/roles/1",
            "about the column age is saved.",
        ),
        (lambda: steward.post("/roles/1", files=csv_of(tree, "t.csv")), "/roles/1", "The tree t.csv is taken"),
    ):
        assert told not in text_of(steward.get(page))
        assert sent().status_code == 303
        server.wait()
        assert told in text_of(steward.get(page))
        assert told not in text_of(steward.get(page))
    steward.post("/roles/load", files=csv_of("no toml", "mine.toml"))
    assert "is loaded" not in text_of(steward.get("/roles"))


def test_what_is_settled_need_not_be_checked_and_the_rest_names_fields_of_the_page(
    server: Served, steward: httpx.Client
) -> None:
    rows = "".join(f"{10000 + i % 600},{'ab?'[i % 3]},{'wxyz'[i % 4]}\n" for i in range(900))
    opened(server, steward, f"zip,job,colour\n{rows}")
    page = text_of(steward.get("/roles"))
    assert page.count("read as numbers") == 2  # beside the column, and in the list
    assert page.count("take '?' out of “Texts that stand for an empty value” at Details of the column if not so") == 2
    assert "missing =" not in page
    assert "give the column to protect the role “To be protected (sensitive)”" in page
    assert ">Texts that stand for an empty value</label>" in steward.get("/roles/1").text
    steward.post("/roles/0", data={"role": "quasi", "kind": "category"})
    steward.post("/roles/1", data={"role": "quasi", "missing": ""})
    steward.post("/roles", data={"role-2": "sensitive", "then": "stay"})
    page = text_of(steward.get("/roles"))
    assert "read as numbers" not in page
    assert "stands for a missing value" not in page
    assert "give the column to protect" not in page


JARGON = re.compile(r"\b(posterior|QI|microdata|minimality|recod\w+|quasi-identifiers?|equivalence class|coins?)\b")


@pytest.mark.parametrize("path", ["/data", "/roles", "/roles/1", "/method", "/result"])
def test_terms_of_the_field_stand_in_brackets_or_are_explained_below(kept: Served, path: str) -> None:
    with kept.steward() as steward:
        page = steward.get(path).text
    page = re.sub(r"<details.*?</details>", " ", page, flags=re.DOTALL)
    plain = re.sub(r"\([^)]*\)", " ", unescape(re.sub(r"<[^>]+>", " ", page)))
    assert JARGON.findall(plain) == []


# Words that a steward who never opens a terminal need not know; a page has one word for each thing.

STEPS = ["/data", "/roles", "/roles/1", "/method", "/result", "/result/risk", "/result/utility", "/result/compare"]
EMPTY = "age,town,ill\n" + "".join(
    f"{'' if i % 7 == 0 else 20 + i},{('Rome', 'Bern', '')[i % 3]},{('flu', 'gout', 'cold', '')[i % 4]}\n"
    for i in range(24)
)
RULES = {
    "an option of the command line": r"(?<![\w-])--[a-z]+",
    "a parameter of Python": r"\b(?:quasi|sensitive|truth|population|groups|made_by|budget|patience|model|schema)=",
    "a command": r"\bpellucid (?:publish|attack|init|serve|measure|verify|report|compare)\b",
    "null, where the page says empty": r"(?<!“or )\bnulls?\b",  # what the published file has is told in quotes, once
    "a chance that is not in percent": (
        r"\b(?:believes?|sure) (?:at most |up to |more than |over )?[01](?:\.\d+)?(?![\d./]| ?%)"
    ),
    "a chance as a decimal": r"counting alone gives (?:at most )?0\.",
}


@pytest.fixture(scope="module")
def broken() -> Iterator[Served]:
    """A release of a table with empty values by a method that attackers break, compared with another one."""
    with served(seed=7) as running, running.steward() as steward:
        opened(running, steward, EMPTY)
        steward.post("/roles", data={"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "method"})
        running.wait()
        steward.post("/result/compare", data={"m-tailor": "on", "m-mondrian": "on", "from": "2", "to": "3"})
        running.wait()
        steward.post("/method", data={"name": "mondrian", "p-l": "2"})
        running.wait()
        steward.post("/result/person", data={"who": "3"})
        running.wait()
        assert None not in (running.session.risk, running.session.comparison, running.session.person)
        yield running


def said_on(page: str) -> str:
    """What a page says, cells of the published table too."""
    page = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("path", [*STEPS, "/release", "/method?name=tailor", "/method?name=hybrid&l=9"])
def test_pages_have_one_plain_word_for_each_thing(broken: Served, path: str) -> None:
    with broken.steward() as steward:
        said = said_on(steward.get(path).text)
    for rule, pattern in RULES.items():
        found = [said[max(one.start() - 60, 0) : one.end() + 40] for one in re.finditer(pattern, said)]
        assert found == [], rule


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("an option of the command line", "allow more with --patience"),
        ("a parameter of Python", "give the table as truth="),
        ("null, where the page says empty", "3 of 8 rows are null"),
        ("a chance that is not in percent", "believes up to 1 of somebody"),
        ("a chance that is not in percent", "believes 0.33 of 'flu'"),
        ("a chance as a decimal", "counting alone gives 0.25"),
        ("a command", "as pellucid attack does"),
    ],
)
def test_the_rules_find_what_they_are_about(rule: str, text: str) -> None:
    assert re.search(RULES[rule], text)
    assert not re.search(RULES["a chance that is not in percent"], "is up to 100 % sure of somebody, is 1/3 sure of it")


def test_chances_are_one_over_a_number_or_in_percent(broken: Served) -> None:
    with broken.steward() as steward:
        risk, compare = (steward.get(f"/result/{tab}").text for tab in ("risk", "compare"))
    sure = re.findall(r"<dt>Sure at most</dt><dd>(.*?)</dd>", risk)
    cells = [re.findall(r'<td class="n">\s*(.*?)</td>', row) for row in re.findall(r"<tr.*?</tr>", compare, re.DOTALL)]
    risks = [row[0].strip() for row in cells if len(row) == 7]
    assert len(sure) > 3
    assert len(risks) > 3
    one_way = r"~?(1/\d+|(over |under )?[\d.]+ %)|not known|(at least|at most|more than) (1/\d+|[\d.]+ %)"
    assert [one for one in (*sure, *risks) if not re.fullmatch(one_way, one.replace("\xa0", " "))] == []
