"""Compiles the kernels: every file of src/pellucid/kernels is Python that Cython turns into C."""

import os
import platform
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = sorted(path for path in Path("src/pellucid/kernels").glob("*.py") if path.stem != "__init__")
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0", "-fno-math-errno", "-ffp-contract=off"]
if sys.platform == "linux" and platform.machine() == "x86_64":
    FLAGS.append("-march=x86-64-v2")  # any processor since 2009; brings vector minima
PROCESSORS = os.cpu_count() or 1
# What Cython puts beside every kernel that takes arrays, compiled once: otherwise the C is three times as long and
# takes four times as long to compile.
SHARED = "pellucid.kernels._shared"


class BuildKernels(build_ext):
    """Translates when something is built: reading metadata or packing the sources needs no C and no Cython."""

    def build_extensions(self) -> None:
        """Turn each kernel into C, several at a time; what compiles the C is asked for as many at a time below."""
        from Cython.Build import cythonize

        translated = cythonize(
            [Extension(kernel.name, kernel.sources) for kernel in self.extensions],
            shared_utility_qualified_name=SHARED,
            compiler_directives={
                "language_level": "3",
                "boundscheck": False,
                "wraparound": False,
                "cdivision": True,
                "initializedcheck": False,
                "freethreading_compatible": True,
            },
            build_dir="build/cython",
            nthreads=PROCESSORS,
            quiet=True,
        )
        in_c = {kernel.name: kernel for kernel in translated}
        for kernel in self.extensions:
            kernel.sources, kernel.depends = in_c[kernel.name].sources, in_c[kernel.name].depends
        super().build_extensions()

    def get_source_files(self) -> list[str]:
        """What a source distribution packs: what is shared is written by Cython."""
        return [path for path in super().get_source_files() if Path(path).stem != "_shared"]


if __name__ == "__main__":  # processes that translate import this file where they cannot be forked
    setup(
        ext_modules=[
            Extension(f"pellucid.kernels.{path.stem}", [str(path)], extra_compile_args=FLAGS)
            for path in [*KERNELS, Path("src/pellucid/kernels/_shared.c")]
        ],
        cmdclass={"build_ext": BuildKernels},
        options={"build_ext": {"parallel": PROCESSORS}},
    )
