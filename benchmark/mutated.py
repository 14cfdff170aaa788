"""A pytest plugin: one module is imported with a mutant in it (see ``mutants.py``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

from mutants import MUTANTS

MUTANT = MUTANTS[int(os.environ["PELLUCID_MUTANT"])]
MODULE = MUTANT.module


class Mutated(SourceFileLoader):
    """Reads the source, and no bytecode that was kept of it."""

    def get_data(self, path: str) -> bytes:
        data = super().get_data(path)
        return MUTANT.applied(data.decode()).encode() if path == self.path else data

    def path_stats(self, path: str) -> dict[str, float]:
        raise OSError(path)


class Finder(MetaPathFinder):
    """Finds the one module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = Mutated(fullname, spec.origin)
        return spec


assert MODULE not in sys.modules, f"{MODULE} is imported already, so that nothing would be changed in it"
sys.meta_path.insert(0, Finder())
