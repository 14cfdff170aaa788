"""Figures of the house: files, lines, functions, complexity, who imports whom. For whoever tidies it, before and after.

    python benchmark/house.py                     # this tree, as a table
    python benchmark/house.py --repo ../before    # another one
    python benchmark/house.py --complex 15        # the functions above that complexity, the worst first
    python benchmark/house.py --one-importer      # the files that one other file imports
    python benchmark/house.py --places text       # what a figure of the ratchet counts, with places
    python benchmark/house.py --ratchet           # figures that may not rise, beside their limits
    python benchmark/house.py --record --why "a new method"    # writes new limits; a rise needs a reason

Complexity is McCabe's: one, and one for every place where a function may go two ways. Kernels are counted apart: they
are loops that Cython compiles, and may be long. The ratchet counts, in ``src``:

    lines       lines of Python
    other       lines of every other text: templates, scripts, styles, declarations, catalogs
    text        functions whose return type is text: ``str``, perhaps None, or a list, tuple or iterator of it
    names       names of public functions that stand at the top of several modules
    importer    files that exactly one other file imports (without kernels and ``__init__``)
    chain       the deepest chain of imports at the top of modules; modules that import each other count as one
    literals    texts of 40 characters or more that are written in several places, docstrings apart
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.comprehension)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NESTED = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
TEXT = re.compile(r"(?:(?:list|tuple|Sequence|Iterator|Iterable|Collection)\[)?str(?:, \.\.\.)?\]?(?: \| None)?")
LIMITS = Path(__file__).with_name("house.toml")
LONG = 40  # characters of a text that is worth writing once


@dataclass(frozen=True)
class Function:
    place: str
    lines: int
    complexity: int
    parameters: int
    kernel: bool


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """What belongs to a function itself: not the functions and classes in it, which are counted on their own."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, NESTED):
            yield child
            yield from inside(child)


def complexity(function: ast.AST) -> int:
    total = 1
    for node in inside(function):
        if isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        elif isinstance(node, BRANCHES):
            total += 1
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.match_case):
            total += 1
    return total


def functions(root: Path) -> list[Function]:
    found = []
    for path in sorted((root / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, FUNCTIONS):
                asked = node.args
                parameters = len(asked.posonlyargs) + len(asked.args) + len(asked.kwonlyargs)
                parameters -= any(arg.arg in ("self", "cls") for arg in asked.args[:1])
                found.append(
                    Function(
                        f"{path.relative_to(root)}:{node.lineno} {node.name}",
                        (node.end_lineno or node.lineno) - node.lineno + 1,
                        complexity(node),
                        parameters,
                        "kernels" in path.parts,
                    )
                )
    return found


def modules(root: Path) -> dict[str, Path]:
    source = root / "src"
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(source.rglob("*.py"))
    }


def imported_by(root: Path) -> dict[str, set[str]]:
    """For every module the other modules that import it, at the top or inside a function."""
    known = modules(root)
    importers: dict[str, set[str]] = defaultdict(set)
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text())):
            targets: list[str] = []
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                targets = [
                    f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in known else node.module
                    for alias in node.names
                ]
            for target in targets:
                if target in known and target != name:
                    importers[target].add(name)
    return importers


def one_importer(root: Path) -> list[tuple[str, str]]:
    importers = imported_by(root)
    return [
        (name, next(iter(importers[name])))
        for name, path in modules(root).items()
        if len(importers[name]) == 1 and path.name != "__init__.py" and "kernels" not in path.parts
    ]


def other_texts(root: Path) -> list[str]:
    found = []
    for path in sorted((root / "src" / "pellucid").rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".pyc", ".so", ".c"):
            found += [
                f"{path.relative_to(root)}:{number}" for number in range(1, len(path.read_text().splitlines()) + 1)
            ]
    return found


def returning_text(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}:{node.lineno} {node.name}"
        for path in modules(root).values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, FUNCTIONS) and node.returns is not None and TEXT.fullmatch(ast.unparse(node.returns))
    ]


def names_of_several(root: Path) -> list[str]:
    places = defaultdict(list)
    for module, path in modules(root).items():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, FUNCTIONS) and not node.name.startswith("_"):
                places[node.name].append(module)
    return [f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1]


def top_imports(root: Path) -> dict[str, set[str]]:
    """For every module those that it imports when it is imported."""
    known = modules(root)
    imports: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        waiting: list[ast.stmt] = list(ast.parse(path.read_text()).body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.If | ast.Try) and "TYPE_CHECKING" not in ast.unparse(getattr(node, "test", node)):
                waiting += node.body
            targets = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                inner = [f"{node.module}.{one.name}" for one in node.names]
                targets = [one if one in known else node.module for one in inner]
            imports[name] |= {target for target in targets if target in known and target != name}
    return imports


def deepest_chain(root: Path) -> list[str]:
    """The longest way down; of modules that import each other one is on it."""
    imports = top_imports(root)
    longest: dict[str, list[str]] = {}

    def below(name: str, above: tuple[str, ...]) -> list[str]:
        if name not in longest:
            ways = [below(one, (*above, name)) for one in sorted(imports[name]) if one not in above]
            longest[name] = [name, *max(ways, key=len, default=[])]
        return longest[name]

    return max((below(name, ()) for name in imports), key=len)


def literals_of_several(root: Path) -> list[str]:
    places = defaultdict(list)
    for path in modules(root).values():
        tree = ast.parse(path.read_text())
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in alone else None
            if isinstance(text, str) and len(text) >= LONG:
                places[text].append(f"{path.relative_to(root)}:{node.lineno}")
    return [f"{text[:60]!r}: {', '.join(where)}" for text, where in sorted(places.items()) if len(where) > 1]


def python_lines(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}:{number}"
        for path in modules(root).values()
        for number in range(1, len(path.read_text().splitlines()) + 1)
    ]


RATCHET: dict[str, Callable[[Path], Sequence[object]]] = {
    "lines": python_lines,
    "other": other_texts,
    "text": returning_text,
    "names": names_of_several,
    "importer": one_importer,
    "chain": deepest_chain,
    "literals": literals_of_several,
}


def counted(root: Path) -> dict[str, int]:
    return {name: len(found(root)) for name, found in RATCHET.items()}


def limits() -> dict[str, int]:
    return tomllib.loads(LIMITS.read_text())["limits"]


def record(now: dict[str, int], why: str) -> int:
    """Write the figures as the new limits; those that rise need a reason, which is kept."""
    before, text = limits(), LIMITS.read_text()
    risen = [name for name, figure in now.items() if figure > before[name]]
    if risen and not why:
        print(f"{', '.join(f'{name} {before[name]:,} -> {now[name]:,}' for name in risen)}: say --why")
        return 1
    for name, figure in now.items():
        text = re.sub(rf"^{name} = \d+$", f"{name} = {figure}", text, flags=re.MULTILINE)
    if risen:
        rises = ", ".join(f"{name} {before[name]} to {now[name]}" for name in risen)
        text += f'\n[[rises]]\nwhat = "{rises}"\nwhy = {why!r}\n'
    LIMITS.write_text(text)
    return 0


def import_time(root: Path) -> tuple[float, float]:
    """The least of seven times in seconds: of `import pellucid`, and of that with all its public names."""
    calls = ("import pellucid", "import pellucid\nfor name in pellucid.__all__: getattr(pellucid, name)")
    best = []
    for call in calls:
        times = []
        for _ in range(7):
            began = time.perf_counter()
            environment = {"PYTHONPATH": str(root / "src"), "PATH": "/usr/bin:/bin"}
            subprocess.run([sys.executable, "-c", call], check=True, env=environment)
            times.append(time.perf_counter() - began)
        best.append(min(times))
    return best[0], best[1]


def percentile(values: Sequence[int], share: float) -> int:
    return sorted(values)[int(share * (len(values) - 1))]


def lines_of(paths: Sequence[Path]) -> int:
    return sum(len(path.read_text().splitlines()) for path in paths)


def figures(root: Path) -> dict[str, str]:
    sources, tests = (sorted((root / folder).rglob("*.py")) for folder in ("src", "tests"))
    everything = functions(root)
    plain = [function for function in everything if not function.kernel]
    lengths = [function.lines for function in everything]
    above = {most: sum(function.complexity > most for function in plain) for most in (10, 15)}
    bare, whole = import_time(root)
    return {
        "files in src, lines": f"{len(sources)}, {lines_of(sources):,}",
        "files in tests, lines": f"{len(tests)}, {lines_of(tests):,}",
        "functions, median lines, p95, longest": f"{len(lengths):,}, {statistics.median(lengths):g}, "
        f"{percentile(lengths, 0.95)}, {max(lengths)}",
        "outside kernels: functions": f"{len(plain):,}",
        "outside kernels: above complexity 10": f"{above[10]} ({above[10] / len(plain):.1%})",
        "outside kernels: above complexity 15": f"{above[15]} ({above[15] / len(plain):.1%})",
        "outside kernels: above 8 parameters": str(sum(function.parameters > 8 for function in plain)),
        "files with exactly one importer (without kernels, __init__)": str(len(one_importer(root))),
        "import pellucid, with all public names (s)": f"{bare:.2f}, {whole:.2f}",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--complex", type=int, metavar="MOST")
    parser.add_argument("--one-importer", action="store_true")
    parser.add_argument("--places", choices=RATCHET)
    parser.add_argument("--ratchet", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--why", default="")
    given = parser.parse_args()
    root = given.repo.resolve()
    if given.record:
        return record(counted(root), given.why)
    if given.places:
        print(*RATCHET[given.places](root), sep="\n")
        return 0
    if given.ratchet:
        for name, figure in counted(root).items():
            print(f"| {name} | {figure:,} | at most {limits()[name]:,} |")
        return 0
    if given.one_importer:
        for name, importer in one_importer(root):
            print(f"{name}  <-  {importer}")
    elif given.complex is not None:
        for function in sorted(functions(root), key=lambda one: -one.complexity):
            if function.complexity > given.complex and not function.kernel:
                print(f"{function.complexity:4} {function.lines:4} lines  {function.place}")
    else:
        for name, value in figures(root).items():
            print(f"| {name} | {value} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
