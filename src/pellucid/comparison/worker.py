"""A process that fills cells: it reads tasks from its input and writes what it found to its output, until both end.

Attacks are Python and hold the interpreter's lock, so cells run in processes of their own. They are started by
:mod:`pellucid.runtime.python_process` rather than by multiprocessing, which would run the caller's script again.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from typing import IO, Any

from pellucid.comparison.cell import fill
from pellucid.comparison.workers import failed


def serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """First the table and the question, then methods, one after the other."""
    table, question, threads = pickle.load(tasks)
    while True:
        try:
            method = pickle.load(tasks)
        except EOFError:
            return
        try:
            answer: Any = fill(table, method, question, threads=threads)
        except Exception as bug:  # of ours, or no memory was left: the caller decides what to do
            answer = failed(bug)
        pickle.dump(answer, answers)
        answers.flush()


def main() -> None:
    """Serve on standard input and output; whatever prints goes to standard error instead."""
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr
    warnings.simplefilter("ignore")
    try:
        serve(sys.stdin.buffer, answers)
    except (KeyboardInterrupt, BrokenPipeError, EOFError):  # whoever asked is gone
        sys.stderr = None  # nothing to say on the way out
        sys.exit(1)


if __name__ == "__main__":
    main()
