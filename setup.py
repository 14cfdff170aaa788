"""Compiles the kernels: every file of src/pellucid/kernels is Python that Cython turns into C."""

import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNELS = sorted(path for path in Path("src/pellucid/kernels").glob("*.py") if path.stem != "__init__")
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-ffp-contract=off"]
if sys.platform == "linux" and platform.machine() == "x86_64":
    FLAGS.append("-march=x86-64-v2")  # any processor since 2009; brings vector minima

setup(
    ext_modules=cythonize(
        [Extension(f"pellucid.kernels.{path.stem}", [str(path)], extra_compile_args=FLAGS) for path in KERNELS],
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "freethreading_compatible": True,
        },
        build_dir="build/cython",
        quiet=True,
    ),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
