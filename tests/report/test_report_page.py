"""The page itself: whole, escaped, without scripts and without a network, on A4."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.reports.charts import group_sizes
from pellucid.reports.sample import usual
from report.marked import ROLES, Marked, published

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}'
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "article", "div", "span"),
    *("h1", "h2", "h3", "p", "strong", "blockquote", "pre", "code", "br", "a", "ul", "li", "dl", "dt", "dd"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"),
    *("svg", "g", "path", "line", "rect", "text", "tspan", "defs", "clippath"),
}
SECTIONS = [
    *("summary", "signature", "published", "guarantee", "attackers", "utility"),
    *("sample", "limits", "recipe", "versions"),
]


class Elements(HTMLParser):
    """Every tag with its attributes, as a browser sees them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def check_plain(page: str, tags: set[str] = TAGS) -> None:
    """Only known elements, no handlers, nothing that is loaded from elsewhere."""
    for tag, attributes in Elements(page).found:
        assert tag in tags, tag
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "action", "data"), (tag, name)
            assert name not in ("href", "xlink:href") or (value or "").startswith("#"), value


@pytest.fixture(scope="module")
def evil() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Patients of whom every name and value is markup."""
    table = pc.datasets.patients()
    names = {name: f"{name}{EVIL}" for name in table.columns}
    marked = table.with_columns(pl.col("disease", "name") + EVIL, zipcode=pl.col("zipcode").cast(pl.String) + EVIL)
    many = pl.concat([marked.with_columns(name=pl.col("name") + str(i)) for i in range(6)]).rename(names)
    roles = {"quasi": [names["age"], names["zipcode"]], "sensitive": names["disease"], "identifier": names["name"]}
    return many, roles


@pytest.fixture(scope="module")
def evil_release(evil: tuple[pl.DataFrame, dict[str, Any]]) -> pc.Release:
    return pc.publish(evil[0], pc.Hybrid(l=2), **evil[1])


@pytest.mark.parametrize("audience", ["private", "public"])
def test_markup_in_names_and_values_is_text(
    audience: Any, evil: tuple[pl.DataFrame, dict[str, Any]], evil_release: pc.Release
) -> None:
    page = pc.report(evil_release, evil[0], audience=audience, title=EVIL, **evil[1])
    check_plain(page.html)
    assert "&lt;script&gt;alert(1)" in page.html  # it is there, as text
    assert "49" not in re.findall(r"onerror=alert\(2\)&gt;(\d+)", page.html)


def test_notebook_views_escape_and_show_no_original_row(
    evil: tuple[pl.DataFrame, dict[str, Any]], evil_release: pc.Release
) -> None:
    table, roles = evil
    beliefs = pc.attack(evil_release, truth=table, **roles)
    attacks = pc.attack_all(evil_release, truth=table, adversaries=["nothing"], classic=False, **roles)
    scores = pc.measure(evil_release, table, [pc.Perimeter(), pc.Loss()], **roles)
    levels = pc.levels(evil_release)
    verdicts = pc.verify(evil_release, [pc.KAnonymity(k=2)])
    compared = pc.compare(table, [pc.Tailor(l=2)], [pc.Perimeter()], workers=1, **roles)
    for shown in (evil_release, beliefs, attacks, scores, levels, verdicts, compared):
        view = shown._repr_html_()
        check_plain(view, {"div", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td"})
        assert "Ann" not in view  # a patient's name, in every view an identifier
        assert len(view) < 20_000


def test_a_release_shows_its_promise_and_the_head_of_what_is_public(hybrid: Marked) -> None:
    view = hybrid.release._repr_html_()
    assert "at most 1/3" in view
    assert "guarantee: algorithm" in view
    assert "data: 5 of 150 rows" in view
    assert "Whox" not in view


def test_a_report_in_a_notebook_is_a_frame_that_runs_nothing(hybrid: Marked) -> None:
    page = hybrid.page("public")
    ((tag, attributes),) = Elements(page._repr_html_()).found
    assert tag == "iframe"
    assert attributes["sandbox"] == ""
    assert attributes["srcdoc"] == page.html


@pytest.mark.parametrize("audience", ["private", "public"])
def test_every_section_is_there_and_every_picture_is_told(audience: str, hybrid: Marked) -> None:
    page = hybrid.page(audience).html
    check_plain(page)
    found = Elements(page).found
    assert [attributes["id"] for tag, attributes in found if tag == "section"] == SECTIONS
    pictures = [attributes for tag, attributes in found if tag == "svg"]
    assert len(pictures) == (11 if audience == "private" else 3)
    for picture in pictures:
        assert picture["role"] == "img"
        assert len(picture["aria-label"] or "") > 40
    names = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(names) == len(set(names))


def test_it_is_written_whole(hybrid: Marked, tmp_path: Path) -> None:
    page = hybrid.page("public")
    assert page.write(tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    (tmp_path / "file").write_text("")
    with pytest.raises(pc.OutputError, match="cannot be written"):
        page.write(tmp_path / "file" / "report.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("audience", ["private", "public"])
def test_it_opens_without_a_network(
    audience: Any,
    scheme: str,
    browser: Any,
    evil: tuple[pl.DataFrame, dict[str, Any]],
    evil_release: pc.Release,
    tmp_path: Path,
) -> None:
    target = pc.report(evil_release, evil[0], audience=audience, **evil[1]).write(tmp_path / "report.html")
    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": 800, "height": 1000})
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto(target.as_uri())
    assert asked == [target.as_uri()]
    assert said == []
    # nothing is wider than the window, also a narrow one or at twice the size
    for width in (800, 400, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    ink, paper = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert (brightness(ink) < brightness(paper)) == (scheme == "light")
    context.close()


def brightness(colour: str) -> int:
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3])


def test_it_prints_on_a4(browser: Any, hybrid: Marked, tmp_path: Path) -> None:
    target = hybrid.page("private").write(tmp_path / "report.html")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(target.as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    context.close()
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert len(boxes) > 3
    for width, height in boxes:
        assert (float(width), float(height)) == pytest.approx((595.3, 841.9), abs=1)


def test_without_jinja_the_way_out_is_told(hybrid: Marked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(pc.OutputError, match=r"pip install 'pellucid\[report\]'"):
        hybrid.page("public")


def test_a_wrong_audience_is_refused(hybrid: Marked) -> None:
    with pytest.raises(pc.OutputError, match="must be one of private, public"):
        hybrid.page("everybody")


def test_roles_come_from_the_recipe(hybrid: Marked, tmp_path: Path) -> None:
    folder = hybrid.release.write(tmp_path / "out")
    for release in (hybrid.release, folder):
        page = pc.report(release, hybrid.table, audience="public")
        assert page.summary["rows"] == 150
    assert published(pc.Tailor(l=2), None, 3).page("public").summary["method"] == "tailor"
    assert ROLES["sensitive"] in page.title


def test_counts_on_axes_are_written_out(hybrid: Marked) -> None:
    """150 people: an axis once said 1e+2."""
    written = re.findall(r"<text[^>]*>([^<]*)</text>", hybrid.page("private").html)
    assert "100" in written
    assert [text for text in written if "e+" in text] == []
    sizes = re.findall(r"<text[^>]*>([^<]*)</text>", group_sizes(np.array([3, 4]), np.array([800, 2400])).svg)
    assert "2,000" in sizes


def test_a_third_is_a_third_everywhere(hybrid: Marked) -> None:
    """Groups of three rows: no figure of the page is above 1/3 where it is 1/3."""
    page = hybrid.page("private").html
    assert "found with probability at most 1/3" in page
    assert "0.3334" not in page
    assert "0.3333" not in page


def wide_table(rows: int = 200) -> pl.DataFrame:
    """Nine columns with long words in them, as a census has."""
    words = ["Married-civ-spouse", "Never-married", "Outlying-US(Guam-USVI-etc)", "Exec-managerial", "Self-emp-not-inc"]
    coins = np.random.default_rng(3)
    columns = {f"attribute-number-{i}": [words[c] for c in coins.integers(0, 5, rows)] for i in range(7)}
    age, ill = coins.integers(17, 90, rows), [f"Extraordinarily-long-illness-{c % 10}" for c in range(rows)]
    return pl.DataFrame({"illness": ill, "age": age, **columns})


@pytest.fixture(scope="module")
def wide() -> Any:
    table = wide_table()
    quasi = [name for name in table.columns if name not in ("illness", "attribute-number-6")]
    release = pc.publish(table, pc.Hybrid(l=5), quasi=quasi, carry="attribute-number-6", sensitive="illness")
    return pc.report(release, table, audience="private")


def test_nine_columns_are_whole_on_paper(browser: Any, wide: Any, tmp_path: Path) -> None:
    target = wide.write(tmp_path / "report.html")
    context = browser.new_context(offline=True, viewport={"width": 673, "height": 900})  # A4 between its margins
    page = context.new_page()
    page.goto(target.as_uri())
    page.emulate_media(media="print")
    widths = page.evaluate("[...document.querySelectorAll('table')].map((one) => one.getBoundingClientRect().right)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 673
    cut = "[...document.querySelectorAll('th, td')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert page.evaluate(cut) == 0
    context.close()
    assert len(widths) > 10
    assert max(widths) <= 673


def test_samples_have_their_columns_in_one_order_before_and_after(wide: Any) -> None:
    sample = wide.html.partition('<section id="sample">')[2].partition("</section>")[0]
    tables = re.findall(r"<table.*?</table>", sample, re.DOTALL)
    heads = [re.findall(r"<th>(.*?)</th>", table) for table in tables]
    assert len(heads) == 6
    assert all(head == heads[0] for head in heads)
    assert len(heads[0]) == 9


def test_worst_groups_are_told_so_that_they_can_be_found(wide: Any) -> None:
    worst = wide.html.partition("<h3>The worst groups</h3>")[2].partition("</table>")[0]
    groups = re.findall(r"<tr><td>(.*?)</td>", worst)
    assert len(groups) > 3
    for group in groups:
        assert group.count("attribute-number-") == 6  # every column that others know
        assert "..." not in group


def test_groups_of_a_usual_size_are_spread_and_do_not_depend_on_what_is_protected() -> None:
    labels = np.repeat(np.arange(40, dtype=np.int32), 5)
    known = np.random.default_rng(1).permutation(200).astype(np.int32)
    first = usual(Grouping.from_labels(labels), [known])
    lows = np.minimum.reduceat(known, np.arange(0, 200, 5))
    places = [int(np.argsort(np.argsort(lows))[group]) for group in first]
    assert places == [6, 20, 33]


@pytest.mark.filterwarnings("ignore")
def test_what_is_told_of_one_column_hides_nothing_that_was_accepted_of_another() -> None:
    rows = {"age": [i // 10 for i in range(40)], "age group": [i % 7 for i in range(40)]}
    frame = pl.DataFrame(rows | {"ill": ["abcd"[i // 10] for i in range(40)]})
    roles = {"quasi": ["age", "age group"], "sensitive": "ill"}
    release = pc.publish(frame, pc.Mondrian(k=2), accept_known=["age"], **roles)
    told = "age group is published though it names people."
    page = pc.report(release, accepted=[told], audience="private").html
    assert told in page
    assert "age is published though it gives a protected column away." in page
