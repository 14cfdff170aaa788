"""The compiled inner loops. Each file is Python that Cython turns into C; each has a plain definition in tests/plain.

A kernel works on integer codes, releases the GIL and keeps no state. Files ending in ``.pxd`` hold what several kernels
share: the C types, and the few functions that must be inlined.
"""
