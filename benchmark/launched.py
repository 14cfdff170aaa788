"""Runs a program and tells what it took: seconds, CPU seconds, most memory, and how it ended, in one line of JSON.

    python benchmark/launched.py SECONDS PROGRAM [WORD ...]

A process of its own, and a small one: Linux counts as the memory of a program also what the process held that started
it, so one that a benchmark starts after making ten million rows would seem to need these too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time


def main() -> None:
    longest, *words = sys.argv[1:]
    began = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ends, stopped = began + float(longest), False
    while True:
        number, status, used = os.wait4(process.pid, os.WNOHANG)
        if number:
            process.returncode = os.waitstatus_to_exitcode(status)
            code = None if stopped else process.returncode
            took = {"seconds": time.monotonic() - began, "cpu": used.ru_utime + used.ru_stime}
            print(json.dumps({**took, "megabytes": used.ru_maxrss / 1024, "code": code}))
            return
        if time.monotonic() > ends and not stopped:
            process.kill()
            stopped = True
        time.sleep(0.01)


if __name__ == "__main__":
    main()
