"""Figures of the house: files, lines, functions, complexity, who imports whom. For whoever tidies it, before and after.

    python benchmark/house.py                     # this tree, as a table
    python benchmark/house.py --repo ../before    # another one
    python benchmark/house.py --complex 15        # the functions above that complexity, the worst first
    python benchmark/house.py --one-importer      # the files that one other file imports

Complexity is McCabe's: one, and one for every place where a function may go two ways. Kernels are counted apart: they
are loops that Cython compiles, and may be long.
"""

from __future__ import annotations

import argparse
import ast
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.comprehension)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NESTED = (*FUNCTIONS, ast.Lambda, ast.ClassDef)


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
    given = parser.parse_args()
    root = given.repo.resolve()
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
