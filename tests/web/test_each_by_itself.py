"""What several protected columns leave open is said where the promise is, with its figures, and not only at the end."""

from __future__ import annotations

import random
import re

import httpx
import pytest

from web.serving import Served
from web.stewards import opened

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


def test_what_two_protected_columns_leave_open_stands_beside_the_promise(server: Served, steward: httpx.Client) -> None:
    drawn = random.Random(2)
    rows = "".join(f"{20 + row % 30},{drawn.choice('abcdef')},{drawn.choice('uvwxyz')}\n" for row in range(120))
    opened(server, steward, f"age,ill,pay\n{rows}")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "role-2": "sensitive", "then": "method"})
    server.wait()
    assert "each-by-itself" not in steward.get("/method").text  # nothing is published yet
    steward.post("/method", data={"name": "soft-cut", "p-l": "3"})
    server.wait()
    assert server.session.release is not None
    for address in ("/method", "/result", "/result/risk"):
        page = steward.get(address).text
        (note,) = re.findall(r'<div class="note" id="each-by-itself"><p>(.*?)</p></div>', page)
        for name in ("ill", "pay"):
            assert re.search(
                rf"who knows [a-z]+ of a person and sees only the release is certain of {name} for \d+ of 120 people, "
                r"and more than 1/3 sure of a value for",
                note,
            )


def test_values_that_are_protected_are_told_in_words_of_the_reader(server: Served, steward: httpx.Client) -> None:
    """Also that rows are in groups with nothing but such values; a setting is no text of a program."""
    drawn = random.Random(3)
    ill = [*"abc" * 22, *"n" * 54]
    rows = "".join(f"{20 + row % 30},{one},{drawn.choice('uvwxyz')}\n" for row, one in enumerate(ill))
    opened(server, steward, f"age,ill,pay\n{rows}")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "role-2": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "soft-cut", "p-l": "3", **{f"p-values~ill={one}": "on" for one in "abc"}})
    server.wait()
    assert server.session.release is not None
    result = steward.get("/result").text
    (note,) = re.findall(r'<div class="note" id="each-by-itself"><p>(.*?)</p></div>', result)
    assert re.search(r"certain of &#39;a&#39; or &#39;b&#39; or &#39;c&#39; of ill for \d+ of 66 people", note)
    assert re.search(r"\d+ rows are in groups where everybody&#39;s ill is &#39;a&#39; or &#39;b&#39; or", result)
    released = steward.get("/release").text
    assert "values = ill: a, b, c" in released
    assert "any one of &#39;a&#39;, &#39;b&#39; and &#39;c&#39; as any one person&#39;s ill" in released
