"""The texts of pages and reports that a translator translates, found in templates and in Python.

- ``python tests/translation/extracting.py`` brings every catalog up to date with the texts of pages and reports;
- with ``new LANGUAGE`` it begins the catalog of another language;
- with ``library`` it prints the templates of the library's messages, for ``library.po``.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jinja2 import nodes

from pellucid.app.web import pages
from pellucid.reporting import page as report_page
from pellucid.speaking.catalog import CONTEXT, read_catalog
from pellucid.speaking.forms import DATE, DAY, EXAMPLE, MONTHS, PART, SHORT
from pellucid.speaking.reader import LOCALE, PAGE, REPORT
from pellucid.speaking.recognized import is_number

FOLDERS = {PAGE: pages.HERE, REPORT: Path(report_page.__file__).parent}  # where the texts of a catalog stand
TEMPLATES = {PAGE: pages.environment, REPORT: report_page.environment}
PACKAGE = pages.HERE.parent.parent
MOST_VARIANTS = 16
WIDTH = 105
TEXTS = (  # what code calls a text that is told itself, where it is put into another one
    *(
        "about",
        "allowed",
        "are",
        "asked",
        "attacker",
        "called",
        "change",
        "content",
        "done",
        "empty",
        "feasible_sentence",
        "filled",
        "given_away",
        "instead",
    ),
    *("kind", "label", "lacking", "made", "needed", "reason", "remark", "sentence", "them", "title", "told"),
    *("way_out", "why", "written", "wrong"),
)
NUMBERS = ("figure", "percent", "probability", "against", "len", "round")


@dataclass(frozen=True)
class Found:
    """A text, what it is for several things, what it means in particular, and where it stands."""

    text: str
    where: str
    plural: str = ""
    context: str = ""

    @property
    def key(self) -> str:
        """What a catalog finds it by."""
        return f"{self.context}{CONTEXT}{self.text}" if self.context else self.text


def texts(domain: str = PAGE) -> dict[str, Found]:
    """Every text of a catalog, by its key: those of templates, those of Python, and the forms of numbers and dates."""
    found = [*(of_forms() if domain == PAGE else ()), *of_templates(domain)]
    for path in sorted(FOLDERS[domain].rglob("*.py")):
        found += of_python(path, FOLDERS[domain], raised=domain == PAGE)
    kept: dict[str, Found] = {}
    for one in found:
        if one.key not in kept or one.plural:
            kept[one.key] = one
    return kept


def of_forms() -> Iterator[Found]:
    """What a catalog gives by example."""
    where = "speaking/forms.py"
    yield Found("English", where, context="language")
    yield Found(EXAMPLE, where, context="number")
    yield Found(DATE, where, context="date")
    yield Found(DAY, where, context="date")
    yield Found(SHORT, where, context="date")
    yield Found(PART, where, context="date")
    yield Found(MONTHS, where, context="months")


def of_templates(domain: str) -> Iterator[Found]:
    """What stands in ``{% trans %}`` and ``_()``, and what is counted."""
    environment = TEMPLATES[domain]()
    for path in sorted((FOLDERS[domain] / "templates").glob("*.html")):
        source, where = path.read_text(encoding="utf-8"), f"templates/{path.name}"
        for _, function, message in environment.extract_translations(source):  # type: ignore[attr-defined]
            if isinstance(message, str):
                yield Found(message, where)
            elif function == "pgettext":
                yield Found(message[1] or "", where, context=message[0] or "")
            else:
                yield Found(message[0] or "", where, plural=message[1] or "")
        for node in environment.parse(source).find_all(nodes.Filter):
            given = [one.value for one in node.args if isinstance(one, nodes.Const)]
            if node.name == "count" and given:
                yield counted_text(given[0], given[1] if len(given) > 1 else None, where)


def counted_text(thing: str, things: str | None, where: str) -> Found:
    """So many of a thing."""
    return Found(f"{{n}} {thing}", where, plural=f"{{n}} {things or thing + 's'}")


def of_python(path: Path, folder: Path, *, raised: bool) -> Iterator[Found]:
    """What is marked with ``say``, counted, or ``raised``; a report shows no error."""
    where = path.relative_to(folder).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and _called(node) == "counted" and len(node.args) > 1:
            words = [one.value for one in node.args[1:] if isinstance(one, ast.Constant)]
            if words:
                yield counted_text(str(words[0]), str(words[1]) if len(words) > 1 else None, where)
        for argument in _said(node) if raised or not isinstance(node, ast.Raise) else ():
            for text in templates_of(argument):
                yield Found(text, where)


def _said(node: ast.AST) -> Iterable[ast.expr]:
    """The texts that a call marks, or that an exception has."""
    if isinstance(node, ast.Call) and _called(node) in ("say", "Message"):
        return node.args[:1]
    if isinstance(node, ast.Call) and _called(node) == "of" and ast.unparse(node.func) == "Message.of":
        return node.args[:2]
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return node.exc.args[:2]
    return ()


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def templates_of(text: ast.expr) -> list[str]:
    """The templates that a text of the code is made of: one, or one for each of the words it chooses between.

    >>> templates_of(ast.parse("f'{name} has {rows:,} {\\"row\\" if rows == 1 else \\"rows\\"}'", mode="eval").body)
    ['{name} has {n_rows} row', '{name} has {n_rows} rows']
    >>> templates_of(ast.parse("wrong", mode="eval").body)
    []
    """
    if isinstance(text, ast.Constant):
        return [text.value] if isinstance(text.value, str) and re.search("[A-Za-z]{2}", text.value) else []
    if isinstance(text, ast.IfExp):
        return [*templates_of(text.body), *templates_of(text.orelse)]
    if not isinstance(text, ast.JoinedStr):
        return []
    places = Places()
    parts = [
        [str(part.value)] if isinstance(part, ast.Constant) else places.written(part)
        for part in text.values
        if isinstance(part, ast.Constant | ast.FormattedValue)
    ]
    made = ["".join(chosen) for chosen in itertools.islice(itertools.product(*parts), MOST_VARIANTS)]
    return [one for one in made if re.search("[A-Za-z]{2}", re.sub(r"\{\w+\}", "", one))]


class Places:
    """Names for the places of one template."""

    def __init__(self) -> None:
        self._named: dict[str, str] = {}

    def written(self, part: ast.FormattedValue) -> list[str]:
        """A place, or the words that are chosen between there."""
        if isinstance(part.value, ast.IfExp):
            both = (part.value.body, part.value.orelse)
            if all(isinstance(one, ast.Constant | ast.JoinedStr) for one in both):
                return ["".join(self._texts(one)) for one in both if isinstance(one, ast.Constant | ast.JoinedStr)]
        code = ast.unparse(part.value)
        if code not in self._named:
            self._named[code] = self._fresh(_name_of(part))
        return [f"{{{self._named[code]}}}"]

    def _texts(self, text: ast.Constant | ast.JoinedStr) -> list[str]:
        if isinstance(text, ast.Constant):
            return [str(text.value)]
        return [
            str(part.value) if isinstance(part, ast.Constant) else self.written(part)[0]
            for part in text.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        ]

    def _fresh(self, name: str) -> str:
        taken = set(self._named.values())
        others = (f"{name}{n}" for n in itertools.count(2))
        return next(one for one in itertools.chain([name], others) if one not in taken)


def _name_of(part: ast.FormattedValue) -> str:
    value = part.value
    function = _called(value) if isinstance(value, ast.Call) else ""
    if function in ("counted", "key", "quoted_key"):
        return "words"
    if function == "few":
        return "names"
    if function == "_called":
        return "words_called"
    name = _word(value)
    number = part.format_spec is not None or function in NUMBERS
    if not number and (name in TEXTS or (isinstance(value, ast.Name) and value.id.isupper())):
        return f"words_{name}"
    return name if not number or is_number(name) else "n" if name in ("", "value") else f"n_{name}"


def _word(value: ast.expr) -> str:
    """One word for what stands in a place."""
    if isinstance(value, ast.Name):
        return value.id.lower().strip("_")
    if isinstance(value, ast.Attribute):
        return value.attr.lower().strip("_")
    if isinstance(value, ast.Call):
        named = (word for one in value.args if (word := _word(one)) not in ("", "value"))
        return next(named, _called(value).strip("_"))
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        return re.sub(r"\W", "_", str(value.slice.value)) if isinstance(value.slice.value, str) else _word(value.value)
    if isinstance(value, ast.BinOp):
        return _word(value.left)
    return "value"


def of_library() -> Iterator[Found]:
    """The templates of what the library raises and advises, outside of the page."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if not any(map(path.is_relative_to, FOLDERS.values())) and "kernels" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for argument in _said(node):
                    for text in templates_of(argument):
                        yield Found(text, path.relative_to(PACKAGE).as_posix())


def update(language: str, domain: str) -> tuple[int, list[str]]:
    """Bring a catalog of a language up to date; how many texts it misses, and which of its texts are no more."""
    path = LOCALE / language / "LC_MESSAGES" / domain
    before = path.read_text(encoding="utf-8") if path.is_file() else HEADER.replace("LANGUAGE", language)
    known = read_catalog(path).entries if path.is_file() else {}
    found = texts(domain)
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [written(one, known[key].told if key in known else ()) for key, one in found.items()]
    path.write_text("\n".join([before.partition("\n\n")[0] + "\n", *entries]), encoding="utf-8")
    return len(found.keys() - known.keys()), sorted(known.keys() - found.keys())


HEADER = """\
# The words of the field, the same everywhere (a glossary for translators): ...
msgid ""
msgstr ""
"Language: LANGUAGE\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


def written(one: Found, told: tuple[str, ...]) -> str:
    """An entry of a .po file. Where it stands is told by the file alone: line numbers would change with every edit."""
    lines = [f"#: {one.where}"]
    if flag := "python-format" if "%(" in one.text else "python-brace-format" if "{" in one.text else "":
        lines.append(f"#, {flag}")
    if one.context:
        lines.append(f"msgctxt {quoted(one.context)}")
    lines.append(f"msgid {quoted(one.text)}")
    if one.plural:
        both = told if len(told) > 1 else (*told, *told) or ("", "")
        lines += [f"msgid_plural {quoted(one.plural)}", *(f"msgstr[{n}] {quoted(form)}" for n, form in enumerate(both))]
    else:
        lines.append(f"msgstr {quoted(told[0] if told else '')}")
    return "".join(f"{line}\n" for line in lines)


def quoted(text: str) -> str:
    """A text as a .po file has it, a long one over several lines."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if len(plain) <= WIDTH:
        return f'"{plain}"'
    pieces = re.findall(rf".{{1,{WIDTH}}}(?: |$)|.+?(?: |$)", plain)
    return "\n".join(['""', *(f'"{piece}"' for piece in pieces)])


def main(arguments: list[str]) -> None:
    """Update all catalogs, begin one, or print the library's templates."""
    if arguments[:1] == ["library"]:
        for one in of_library():
            print(f"{one.where}: {one.text}")
        return
    chosen = arguments[1:] or sorted(folder.name for folder in LOCALE.iterdir() if folder.is_dir())
    for language in chosen:
        for domain in FOLDERS:
            missing, gone = update(language, domain)
            print(f"{language}/{domain}: {missing} texts are not translated yet")
            print("".join(f"  no text any more: {text!r}\n" for text in gone), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
