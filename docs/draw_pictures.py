"""Draws docs/img/explained/*.svg: the pictures of the site, in its colours, light and dark.

.venv/bin/python docs/draw_pictures.py

A colour is a variable of docs/_static/pellucid.css with the light one beside it, for viewers that know no variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import combinations
from pathlib import Path

PICTURES = Path(__file__).parent / "img" / "explained"
COLOURS = {
    "card": "#ffffff",
    "ink": "#1c2328",
    "soft": "#56616a",
    "line": "#c3cad0",
    "rail": "#eef1f3",
    "accent": "#0b6075",
    "accent-soft": "#e3f0f3",
    "bad": "#a1211c",
    "bad-soft": "#fcebe9",
    "good": "#1d6b3a",
    "good-soft": "#e4f3e9",
}
FONT = 'font-family="system-ui, Segoe UI, Noto Sans, DejaVu Sans, sans-serif"'


def colour(name: str) -> str:
    """A colour of the site."""
    return f"var(--picture-{name}, {COLOURS[name]})"


def styled(fill: str = "none", stroke: str = "none", width: float = 1, dashes: str = "") -> str:
    """A style attribute."""
    paint = [
        f"{key}: {value if value == 'none' else colour(value)}" for key, value in (("fill", fill), ("stroke", stroke))
    ]
    return f'style="{"; ".join(paint)}; stroke-width: {width}{f"; stroke-dasharray: {dashes}" if dashes else ""}"'


def box(x: float, y: float, wide: float, high: float, **style: str) -> str:
    """A rectangle with round corners."""
    return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="6" {styled(**style)}/>'  # type: ignore[arg-type]


def dot(x: float, y: float, radius: float, **style: str) -> str:
    """A circle."""
    return f'<circle cx="{x}" cy="{y}" r="{radius}" {styled(**style)}/>'  # type: ignore[arg-type]


def words(
    x: float, y: float, text: str, *, size: float = 14, ink: str = "ink", at: str = "start", bold: bool = False
) -> str:
    """One line of text."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{at}"{weight} {styled(fill=ink)}>{escape(text)}</text>'
    )


def arrow(x: float, y: float, to_x: float, to_y: float, ink: str = "soft") -> str:
    """A line with a head; horizontal or vertical."""
    dx, dy = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    head = f"M {to_x - 8 * dx - 5 * dy} {to_y - 8 * dy - 5 * dx} L {to_x} {to_y} L {to_x - 8 * dx + 5 * dy} {to_y - 8 * dy + 5 * dx}"
    return f'<path d="M {x} {y} L {to_x} {to_y} {head}" {styled(stroke=ink, width=1.5)}/>'


def picture(name: str, size: tuple[int, int], title: str, parts: Iterable[str]) -> None:
    """Write one picture."""
    wide, high = size
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" aria-label="{escape(title)}" {FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect x="0.5" y="0.5" width="{wide - 1}" height="{high - 1}" rx="8" {styled(fill="card", stroke="line")}/>',
        *parts,
        "</svg>",
    ]
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.svg").write_text("\n".join(lines) + "\n", encoding="utf-8")


def job() -> None:
    """What a job reads and writes, and which of it is private."""
    parts = [
        box(20, 40, 170, 92, fill="rail", stroke="line"),
        words(105, 66, "your table", at="middle", bold=True),
        words(105, 90, "names, ages, diseases", at="middle", size=13, ink="soft"),
        words(105, 112, "and a schema", at="middle", size=13, ink="soft"),
        arrow(190, 86, 280, 86),
        box(282, 40, 176, 92, fill="accent-soft", stroke="accent"),
        words(370, 66, "pellucid publish", at="middle", bold=True, ink="accent"),
        words(370, 90, "groups people who", at="middle", size=13, ink="soft"),
        words(370, 110, "look alike, with coins", at="middle", size=13, ink="soft"),
        arrow(458, 86, 548, 86),
        box(550, 28, 230, 116, fill="good-soft", stroke="good"),
        words(665, 54, "release/", at="middle", bold=True, ink="good"),
        words(566, 80, "data.csv", size=13),
        words(648, 80, "the published rows", size=12, ink="soft"),
        words(566, 103, "recipe.json", size=13),
        words(648, 103, "how it was made", size=12, ink="soft"),
        words(566, 126, "report.html", size=13),
        words(648, 126, "the public report", size=12, ink="soft"),
        f'<path d="M 20 172 L 780 172" {styled(stroke="line", dashes="5 5")}/>',
        words(780, 192, "stays with you", at="end", size=12, ink="bad", bold=True),
        arrow(370, 132, 370, 208),
        box(282, 210, 176, 62, fill="bad-soft", stroke="bad"),
        words(370, 236, "groups.csv", at="middle", bold=True, ink="bad"),
        words(370, 257, "who is in which group", at="middle", size=12, ink="soft"),
        arrow(458, 241, 548, 241),
        box(550, 210, 230, 62, fill="bad-soft", stroke="bad"),
        words(665, 236, "attack, private report", at="middle", bold=True, ink="bad"),
        words(665, 257, "what each attacker believes", at="middle", size=12, ink="soft"),
        arrow(105, 132, 105, 208),
        box(20, 210, 170, 62, fill="bad-soft", stroke="bad"),
        words(105, 236, "your table again", at="middle", bold=True, ink="bad"),
        words(105, 257, "the truth, for the audit", at="middle", size=12, ink="soft"),
        arrow(190, 241, 280, 241),
    ]
    picture("job", (800, 290), "From the table to what is handed out, and what stays with you", parts)


PEOPLE = [("Ann", 24), ("Bob", 24), ("Cara", 61), ("Dev", 61), ("Eli", 61), ("Fay", 61)]
PUBLISHED = ["HIV", "HIV", "asthma", "flu", "gout", "ulcer"]


def published() -> None:
    """What the clinic published of six people, and what everybody knows about them."""
    parts = [words(30, 38, "what was published", bold=True), words(440, 38, "what the voter list says", bold=True)]
    for row, disease in enumerate(PUBLISHED):
        y = 52 + 34 * row
        ink = "bad" if disease == "HIV" else "ink"
        parts += [
            box(30, y, 330, 30, fill="rail", stroke="line"),
            words(46, y + 20, "1100"),
            words(130, y + 20, "[24, 61]"),
        ]
        parts.append(words(240, y + 20, disease, ink=ink, bold=disease == "HIV"))
    for row, (name, age) in enumerate(PEOPLE):
        y = 52 + 34 * row + (18 if age == 61 else 0)
        fill, stroke = ("accent-soft", "accent") if age == 24 else ("rail", "line")
        parts += [box(440, y, 330, 30, fill=fill, stroke=stroke), words(456, y + 20, name), words(560, y + 20, "1100")]
        parts.append(words(650, y + 20, str(age)))
    parts += [
        f'<path d="M 425 129 L 785 129" {styled(stroke="accent", width=2, dashes="6 5")}/>',
        words(30, 292, "Mondrian would have cut between 24 and 61. It did not. Why?", size=15, bold=True, ink="accent"),
    ]
    picture("published", (800, 312), "Six published rows, and the six people whom they are about", parts)


def world(x: float, y: float, sick: Sequence[int], *, kept: bool) -> list[str]:
    """One way to hand out two HIV: two people of 24 on the left, four of 61 on the right."""
    parts = [box(x, y, 138, 62, fill="bad-soft" if kept else "card", stroke="bad" if kept else "line")]
    for person in range(6):
        at = x + 20 + 18 * person + (14 if person > 1 else 0)
        ill = person in sick
        parts.append(
            dot(at, y + 24, 7, fill=("bad" if kept else "soft") if ill else "card", stroke="bad" if kept else "soft")
        )
    parts.append(f'<path d="M {x + 54} {y + 10} L {x + 54} {y + 38}" {styled(stroke="line", dashes="3 3")}/>')
    told = "not cut: this one" if kept else "both sides diverse: cut"
    parts.append(words(x + 69, y + 53, told, size=10.5, ink="bad" if kept else "soft", at="middle", bold=kept))
    return parts


def worlds() -> None:
    """The fifteen ways, of which fourteen would have been published otherwise."""
    parts = [
        words(30, 34, "fifteen ways to hand out two HIV among six people", bold=True),
        words(
            30,
            54,
            "left of the line: Ann and Bob, 24. Right: the four of 61. A full circle has HIV.",
            size=12.5,
            ink="soft",
        ),
    ]
    for number, sick in enumerate(combinations(range(6), 2)):
        row, column = divmod(number, 5)
        parts += world(30 + 150 * column, 70 + 74 * row, sick, kept=sick == (0, 1))
    parts.append(
        words(
            30,
            314,
            "Fourteen of them Mondrian would have published as two groups. One is left.",
            size=15,
            bold=True,
            ink="bad",
        )
    )
    picture(
        "worlds",
        (800, 334),
        "Fifteen worlds, of which only the one where Ann and Bob have HIV gives this release",
        parts,
    )


def die() -> None:
    """How likely a refusal is, by slack: a smooth stair instead of a cliff."""
    parts = [words(30, 34, "how likely a cut is refused, by how many rows it has to spare (l = 4)", bold=True)]
    hard = [1.0] * 2 + [0.0] * 7
    soft = [min(1.0, (3 / 4) ** (t + 1)) for t in range(-2, 7)]
    for left, title, heights, ink in ((30, "without a die", hard, "bad"), (420, "SoftCut", soft, "accent")):
        parts.append(words(left, 62, title, size=13, bold=True, ink=ink))
        for place, chance in enumerate(heights):
            high = 134 * chance
            x = left + 38 * place
            if chance:
                parts.append(
                    f'<rect x="{x}" y="{230 - high:.1f}" width="30" height="{high:.1f}" rx="3" {styled(fill=f"{ink}-soft", stroke=ink)}/>'
                )
                parts.append(
                    words(
                        x + 15,
                        222 - high,
                        f"{chance:.2f}".removesuffix("0").rstrip("0").rstrip(".") or "0",
                        size=10.5,
                        at="middle",
                    )
                )
            else:
                parts.append(words(x + 15, 224, "0", size=10.5, at="middle"))
            parts.append(words(x + 15, 248, str(place - 2), size=11, at="middle", ink="soft"))
        parts.append(f'<path d="M {left} 230.5 L {left + 340} 230.5" {styled(stroke="line")}/>')
    parts += [
        words(30, 276, "A refusal tells: it would have failed. That can name", size=13, ink="bad"),
        words(30, 295, "somebody with certainty.", size=13, ink="bad"),
        words(420, 276, "One row more or less changes the chance by a factor", size=13, ink="accent"),
        words(420, 295, "of at most 4/3. One more row per group pays for it.", size=13, ink="accent"),
    ]
    picture(
        "die",
        (800, 314),
        "The chance that a cut is refused: a cliff without a die, a stair of factors 3/4 with it",
        parts,
    )


def weights() -> None:
    """The eleven people of docs/softcut.md: the bound is reached, and not exceeded."""
    parts = [
        words(30, 34, "a group of three below a refused cut, l = 2: who of them has v?", bold=True),
        words(
            30,
            56,
            "Before the refusal each of v, e, f is x's with 1/3. A refusal is likelier if x has v.",
            size=12.5,
            ink="soft",
        ),
    ]
    for row, (value, refused, belief) in enumerate((("v", "1/2", 0.5), ("e", "1/4", 0.25), ("f", "1/4", 0.25))):
        y = 78 + 46 * row
        ink = "accent" if value == "v" else "soft"
        parts += [
            words(30, y + 22, f"if x has {value}"),
            words(150, y + 22, f"refused with {refused}", ink="soft"),
            f'<rect x="320" y="{y}" width="{560 * belief:.0f}" height="32" rx="4" {styled(fill="accent-soft" if value == "v" else "rail", stroke=ink)}/>',
            words(332, y + 21, f"believed: {refused}", size=13, bold=value == "v", ink=ink),
        ]
    parts += [
        f'<path d="M 600 68 L 600 220" {styled(stroke="bad", width=1.5, dashes="5 4")}/>',
        words(608, 214, "1/l = 1/2", size=12.5, ink="bad"),
        words(
            30,
            246,
            "The bound is reached and not exceeded: the extra row in the group is what the refusal costs.",
            size=13,
            ink="accent",
            bold=True,
        ),
    ]
    picture("weights", (800, 266), "Beliefs about one person below a refused cut: 1/2, 1/4 and 1/4 at l = 2", parts)


def main() -> None:
    """Draw all."""
    for draw in (job, published, worlds, die, weights):
        draw()


if __name__ == "__main__":
    main()
