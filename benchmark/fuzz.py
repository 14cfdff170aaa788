"""Inputs that nobody would write on purpose, by the million: no traceback, no hang, no memory above ten times it.

    .venv/bin/python benchmark/fuzz.py                          # a minute
    .venv/bin/python benchmark/fuzz.py --seconds 7200           # hours on request
    .venv/bin/python benchmark/fuzz.py --inputs 1e6 --only csv,schema --seed 3

Inputs are structured changes of the files in tests/data/fuzz, each a function of seed, kind and number, so that every
one can be made again (`--again KIND NUMBER`). A process works on them in its memory and the first process watches it:
one input that takes too long, or ends the process, is a finding, and the next process goes on behind it. A finding is
told once per place, and what it takes to see it again is kept in `--findings`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fuzzed import KINDS, Kind, Workplace

from pellucid.errors import PellucidError

LONGEST = 30.0  # seconds for one input, on a machine that may be busy
TIMES = 10  # what an input may take of memory, of its own size
BESIDE = 200 * 2**20  # and the constant besides: a thread pool, a module that is imported for the first time


@dataclass
class Tally:
    """What came of the inputs, by kind, and what was found."""

    done: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: dict[str, tuple[str, int, str]] = field(default_factory=dict)

    def find(self, what: str, kind: str, number: int, told: str) -> bool:
        """Note a finding; False when that place was found before."""
        self.done[kind, "found"] += 1
        if what in self.findings:
            return False
        self.findings[what] = (kind, number, told)
        return True

    def __str__(self) -> str:
        kinds = dict.fromkeys(kind for kind, _ in self.done)
        lines = [f"{'kind':<14}{'inputs':>10}{'read':>10}{'refused':>10}{'found':>8}"]
        for kind in kinds:
            counts = [self.done[kind, what] for what in ("read", "refused", "found")]
            lines.append(f"{kind:<14}{sum(counts):>10,}" + f"{counts[0]:>10,}{counts[1]:>10,}{counts[2]:>8,}")
        lines.append(f"{sum(self.done.values()):,} inputs, {len(self.findings)} different findings")
        return "\n".join(lines)


def random_of(seed: int, kind: str, number: int) -> Random:
    """The random numbers of one input."""
    return Random(f"{seed}:{kind}:{number}")


def peak_memory() -> int:
    """The most memory that this process had since :func:`forget_peak`, in bytes; 0 where the system does not tell."""
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM")), 0)


def forget_peak() -> int:
    """Begin to measure anew; gives what is in use now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return 0
    return peak_memory()


def try_one(kind: Kind, place: Workplace, seed: int, number: int) -> tuple[str, str, str]:
    """Work on one input: what came of it, and, for a finding, where and what."""
    made = kind.make(random_of(seed, kind.name, number), place)
    before = forget_peak()
    try:
        answer = kind.work(made, place)
    except PellucidError as refused:
        if "\n" in str(refused):
            return "found", f"a message of several lines: {type(refused).__name__}", str(refused)
        answer = "refused"
    except BaseException as wrong:
        if isinstance(wrong, KeyboardInterrupt):
            raise
        last = traceback.extract_tb(wrong.__traceback__)
        ours = [one for one in last if "pellucid" in one.filename] or list(last)
        where = f"{type(wrong).__name__} in {Path(ours[-1].filename).name}:{ours[-1].lineno}"
        return "found", where, "".join(traceback.format_exception(wrong))
    size = kind.size(made)
    taken = peak_memory() - before
    if taken > TIMES * size + BESIDE:
        return "found", f"{kind.name} takes {taken >> 20} MiB for {size:,} bytes", ""
    return answer, "", ""


def worker(names: list[str], seed: int, first: dict[str, int], pipe: Any, folder: str) -> None:
    """Work on one input after the other, and say before each which it is and after it what came of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    place = Workplace.made(Path(folder))
    numbers = dict(first)
    turns = [name for name in names for _ in range(KINDS[name].weight)]
    while True:
        for name in turns:
            pipe.send((name, numbers[name]))
            pipe.send(try_one(KINDS[name], place, seed, numbers[name]))
            numbers[name] += 1


def fuzz(names: list[str], *, seed: int, seconds: float, inputs: int, findings: Path, told: bool = True) -> Tally:
    """Work on inputs of these kinds until the time or the number is reached."""
    import tempfile

    tally, numbers = Tally(), dict.fromkeys(names, 0)
    end, next_word = time.monotonic() + seconds, time.monotonic() + 60
    context = get_context("spawn")
    while time.monotonic() < end and sum(tally.done.values()) < inputs:
        with tempfile.TemporaryDirectory(prefix="pellucid-fuzz-") as folder:
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=worker, args=(names, seed, numbers, theirs, folder), daemon=True)
            process.start()
            theirs.close()
            name, number, working = "", -1, False
            while time.monotonic() < end and sum(tally.done.values()) < inputs:
                patient = LONGEST if working else 120
                try:
                    said = ours.recv() if ours.poll(patient) else None
                except EOFError:
                    said = ()
                if said is None or said == ():
                    process.kill() if said is None else process.join(5)
                    what = f"{name} takes longer than {patient:.0f} s" if said is None else f"{name} ends the process"
                    if tally.find(f"{what} ({process.exitcode})", name, number, ""):
                        keep(findings, name, number, seed, what, "")
                    numbers[name] = number + 1
                    break
                if len(said) == 2:
                    (name, number), working = said, True
                    continue
                working = False
                answer, where, trace = said
                numbers[name] = number + 1
                if answer != "found":
                    tally.done[name, answer] += 1
                elif tally.find(where, name, number, trace):
                    keep(findings, name, number, seed, where, trace)
                    if told:
                        print(f"found: {name} {number}: {where}", flush=True)
                if told and time.monotonic() > next_word:
                    next_word += 60
                    print(tally, flush=True)
            process.kill()
            process.join()
    return tally


def keep(folder: Path, kind: str, number: int, seed: int, what: str, trace: str) -> None:
    """Leave what it takes to see a finding again."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"benchmark/fuzz.py --seed {seed} --again {kind} {number}\n{what}\n{trace}\n"
    (folder / f"{kind}-{number}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")


def again(kind: str, number: int, seed: int) -> None:
    """Work on one input in this process, and show what it is and what comes of it."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        place = Workplace.made(Path(folder))
        print(repr(KINDS[kind].make(random_of(seed, kind, number), place))[:5000])
        print(*try_one(KINDS[kind], place, seed, number), sep="\n")


def main() -> int:
    """The command line; ends with 1 when something was found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=None)
    options.add_argument("--inputs", type=float, default=None)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default=",".join(KINDS))
    options.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    options.add_argument("--again", nargs=2, metavar=("KIND", "NUMBER"))
    asked = options.parse_args()
    if asked.again:
        again(asked.again[0], int(asked.again[1]), asked.seed)
        return 0
    seconds = asked.seconds if asked.seconds is not None else 60.0 if asked.inputs is None else float("inf")
    inputs = int(asked.inputs) if asked.inputs is not None else sys.maxsize
    tally = fuzz(asked.only.split(","), seed=asked.seed, seconds=seconds, inputs=inputs, findings=asked.findings)
    print(tally)
    for what, (kind, number, _) in tally.findings.items():
        print(f"{kind} {number}: {what}")
    return int(bool(tally.findings))


if __name__ == "__main__":
    sys.exit(main())
