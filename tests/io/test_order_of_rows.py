"""The order of a file's rows must not decide anything: not the type of a column, and so not the released bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pellucid.io.delimited import SAMPLED_ROWS, read_delimited

CASES = {
    "integers": (lambda i: str(i), ["+5", " 5", '" 7"', "007", "1e3", "5.", "99999999999999999999", "x"]),
    "reals": (lambda i: f"{i}.25", ["+5", "+1.5", " 1.5", "01.5", "1e400", "1.5f"]),
    "dates": (lambda i: f"2024-01-{i % 28 + 1:02}", ["2024-1-5", "24-01-05", "2024-02-31", "2024-01-31 "]),
    "times": (lambda i: f"2024-01-{i % 28 + 1:02} 10:00:00", ["2024-01-05 1:02:03", "2024-01-05 01:02:03.1234567"]),
    "booleans": (lambda i: ["true", "false"][i % 2], ["TRUE", "t", "1"]),
}


@pytest.mark.parametrize(("kind", "odd"), [(kind, odd) for kind, (_, odds) in CASES.items() for odd in odds])
@pytest.mark.parametrize("quoted", [False, True])
def test_an_odd_value_makes_the_same_column_wherever_it_stands(
    kind: str, odd: str, quoted: bool, tmp_path: Path
) -> None:
    usual = [CASES[kind][0](i) for i in range(SAMPLED_ROWS + 50)]
    files = {}
    for place in (0, len(usual) // 2, len(usual)):
        values = [*usual[:place], odd, *usual[place:]]
        path = tmp_path / f"{place}.csv"
        note = '"a, b"' if quoted else "ab"
        path.write_text("x,note\n" + "".join(f"{value},{note}\n" for value in values))
        files[place] = read_delimited(path)["x"]
    assert len({str(column.dtype) for column in files.values()}) == 1
    assert len({str(sorted(column.cast(str).to_list())) for column in files.values()}) == 1
