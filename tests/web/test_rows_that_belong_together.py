"""Where a column says which rows belong together, the pages speak of them and of nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import httpx
import pytest

from web.serving import Served, served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

ROLES = {"role-0": "identifier", "role-1": "cluster", "role-2": "quasi", "role-3": "quasi", "role-4": "sensitive"}
SETTING = {"name": "soft-cut", "p-l": "2"}
ILL = ["I21", "C50", "F32", "K35", "J45", "N18", "E11", "G35", "M54", "S72", "L40", "H25"]
PATIENTS = 60


def stays() -> str:
    """Sixty patients of one to three stays each; I21 is among what half of those with three stays have."""
    drawn, lines, number = Random(5), ["stay,patient,age,ward,diagnosis"], 0
    for patient in range(PATIENTS):
        age, several = drawn.randint(20, 90), 1 + patient % 3
        ill = [ILL[1 + (patient + 4 * place) % 11] for place in range(several)]
        if several == 3 and patient % 2:
            ill[0] = "I21"
        for one in ill:
            number += 1
            lines.append(f"F{number:04},P{patient:04},{age},{drawn.choice('ABCD')},{one}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def clustered() -> Iterator[tuple[Served, httpx.Client]]:
    """A session with a release of stays; tests leave it as it is."""
    with served(seed=7, max_upload=20_000_000) as server, server.steward() as steward:
        opened(server, steward, stays(), "stays.csv")
        steward.post("/roles", data={**ROLES, "then": "method"})
        server.wait()
        assert server.session.checked is not None
        steward.post("/method", data=SETTING)
        server.wait()
        assert server.session.release is not None
        yield server, steward


def promise_on(page: str) -> str:
    """The sentence of the box."""
    (box,) = re.findall(r'<blockquote class="promise.*?</blockquote>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", box).split())


def test_what_would_be_promised_is_what_the_release_promises(clustered: tuple[Served, httpx.Client]) -> None:
    server, steward = clustered
    before, after = (promise_on(steward.get(address).text) for address in ("/method?name=soft-cut&l=2", "/result"))
    assert before == after
    assert "a value of diagnosis that any one patient has, in whichever of its rows" in before
    assert "Somebody who knows what one row of a patient has, such as one of its members, is not covered" in before
    assert server.session.release is not None
    live = promise_on(steward.post("/method/check", data=SETTING).text)
    assert live == before


def test_a_method_that_takes_rows_as_people_is_refused_before_it_is_pressed(
    clustered: tuple[Served, httpx.Client],
) -> None:
    _, steward = clustered
    said = text_of(steward.post("/method/check", data={"name": "mondrian", "p-l": "2"}))
    assert "takes every row as a person of its own, and a column says which rows belong together" in said


def test_an_l_that_clusters_do_not_allow_is_refused_with_ways_that_can_be_gone(
    clustered: tuple[Served, httpx.Client],
) -> None:
    server, steward = clustered
    said = text_of(steward.post("/method/check", data={**SETTING, "p-l": "3"}))
    assert "l = 3 is not feasible: 'I21' is the 'diagnosis' of some row of 10 of 20 clusters" in said
    possible = text_of(steward.post("/method/check", data=SETTING))
    assert "Possible here: l up to 2: of those with 3 rows (by patient), 50 % have 'I21' in one of them" in possible
    (rows,) = re.findall(r"For l = 3: take larger clusters as several with (\d) at “Rows of a cluster”", possible)
    assert "or protect all values but 'I21', and 'I21' is then not protected" in possible
    gone = steward.post("/method/check", data={**SETTING, "p-l": "3", "p-cluster_rows": rows})
    assert "With this nothing can be published" not in text_of(gone)
    assert f"any one patient of at most {rows} rows has" in promise_on(gone.text)
    assert server.session.release is not None


def test_where_ways_to_a_larger_l_are_not_looked_for_the_page_says_so(
    clustered: tuple[Served, httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, steward = clustered
    monkeypatch.setattr("pellucid.web.promised.MOST_TRIED", 10)
    said = text_of(steward.post("/method/check", data=SETTING))
    assert "What would have to change for l = 3 is looked for in tables of up to 10 rows" in said
    assert "take larger clusters" not in said


POSSIBLE = re.compile(r"Possible here: (l up to (\d+): .*? in (?:it|one of them))")


@pytest.mark.parametrize("values", ["", "C50,F32,K35,I21"])
def test_compare_and_the_ways_out_say_the_l_that_the_setting_allows(values: str) -> None:
    with served(seed=7, max_upload=20_000_000) as server, server.steward() as steward:
        opened(server, steward, stays(), "stays.csv")
        steward.post("/roles", data={**ROLES, "then": "method"})
        server.wait()
        setting = {**SETTING, "p-cluster_rows": "1"} | ({"p-values": values} if values else {})
        (single,) = POSSIBLE.findall(_checked(steward, setting))
        (whole,) = POSSIBLE.findall(_checked(steward, {**setting, "p-cluster_rows": ""}))
        assert int(single[1]) > int(whole[1]), "the setting matters here"
        instead = _checked(steward, {**setting, "p-l": "90", "p-values": ""})
        (every,) = re.findall(r"Possible here: l up to (\d+)", instead)
        assert f"Use l = {every}" in instead
        steward.post("/method", data=setting)
        server.wait()
        assert server.session.release is not None
        said = text_of(steward.get("/result/compare"))
        assert f"Possible here with soft-cut, as it is set: {single[0]}" in said
        assert f"With the other methods, which take all rows of a cluster as one: {whole[0]}" in said
        assert "For methods that protect every value" not in said, "none of them can be used where rows belong together"
        steward.post("/method", data={key: value for key, value in setting.items() if key != "p-cluster_rows"})
        server.wait()
        assert f"Possible here: {whole[0]}" in text_of(steward.get("/result/compare"))


def _checked(steward: httpx.Client, setting: dict[str, str]) -> str:
    return text_of(steward.post("/method/check", data=setting))


def reports_of(server: Served, steward: httpx.Client) -> list[str]:
    """What both reports say."""
    said = []
    for audience in ("public", "private"):
        steward.post("/release/report", data={"audience": audience})
        server.wait()
        said.append(text_of(steward.get(f"/release/report/{audience}")).replace("\N{NO-BREAK SPACE}", " "))
    return said


def test_what_is_said_of_several_rows_is_about_those_that_belong_together(
    clustered: tuple[Served, httpx.Client],
) -> None:
    server, steward = clustered
    reports = reports_of(server, steward)
    for said in (text_of(steward.get("/release")), *reports):
        assert "The promise is about rows that belong together, as the table says, and takes them as one." in said
        assert "The promise is about one row" not in said
        assert "Merge the rows" not in said
    for said in reports:
        assert "Which rows belong together is as the table says." in said
        assert "Each person has one row" not in said
        assert "names a value that rows which belong together have with probability" in said


def test_rows_are_counted_as_rows_and_called_so(clustered: tuple[Served, httpx.Client]) -> None:
    server, steward = clustered
    risk, report = text_of(steward.get("/result/risk")), reports_of(server, steward)[1]
    assert "120 rows are, or may be, in the table." in report
    assert "Rows above 1/2" in risk
    assert "Who only guesses the most frequent diagnosis is right for" in risk
    for said in (risk.replace("\N{NO-BREAK SPACE}", " "), report):
        counted = re.findall(
            r"[^.]{0,60}(?:\d (?:% )?(?:of (?:the )?)?|[Bb]ars count |how many )people\b[^.]{0,30}", said
        )
        assert not counted


def test_a_patient_is_attacked_by_the_name_that_the_rows_share(clustered: tuple[Served, httpx.Client]) -> None:
    _, steward = clustered
    page = text_of(steward.get("/result/risk"))
    assert "Name, as in the identifier column or in patient" in page
    heads = {"hx-request": "true"}
    patient = text_of(steward.post("/result/person", data={"who": "p0005"}, headers=heads))  # of three stays
    assert re.findall(r"Row (F\d+)", patient) == ["F0010", "F0011", "F0012"]
    assert patient.count("Somebody who knows the algorithm covered by the promise") == 3
    stay = text_of(steward.post("/result/person", data={"who": "F0011"}, headers=heads))
    assert "Row F" not in stay
    assert stay.count("Somebody who knows the algorithm covered by the promise") == 1
    nobody = text_of(steward.post("/result/person", data={"who": "P9999"}, headers=heads))
    assert "nobody in the table is called P9999" in nobody.lower().replace("p9999", "P9999")


def test_a_column_that_is_called_after_people_keeps_its_name_in_the_promise_and_elsewhere() -> None:
    drawn = Random(1)
    lines = [f"{i // 2},{drawn.randint(20, 80)},{i % 5},{1 + i % 7}" for i in range(60)]
    with served(seed=7, max_upload=20_000_000) as server, server.steward() as steward:
        opened(server, steward, "\n".join(["home,age,number of people,w", *lines]), "5 people.csv")
        roles = {"role-0": "cluster", "role-1": "quasi", "role-2": "sensitive", "role-3": "weight"}
        steward.post("/roles", data={**roles, "then": "method"})
        server.wait()
        steward.post("/method", data=SETTING)
        server.wait()
        for address in ("/method?name=soft-cut&l=2", "/result"):
            assert "everyone except number of people names a value of number of people" in promise_on(
                steward.get(address).text
            )
        said = text_of(steward.get("/roles"))
        assert "For how many people a row stands" in said
        assert "5 people.csv" in said
        for address in ("/roles", "/method", "/result", "/result/risk", "/release"):
            said = text_of(steward.get(address))
            assert "number of people" in said
            assert "5 rows.csv" not in said
            assert address == "/method" or "number of rows" not in said  # where k is asked for, it is one
