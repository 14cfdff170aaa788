"""Inputs that nobody would write on purpose, by the million: no traceback, no hang, no memory above ten times it.

    .venv/bin/python benchmark/fuzz.py                          # a minute
    .venv/bin/python benchmark/fuzz.py --inputs 1e6 --processes 2   # about an hour of one core
    .venv/bin/python benchmark/fuzz.py --seconds 7200 --only csv,schema --seed 3

Inputs are structured changes of the files in tests/data/fuzz, each a function of seed, kind and number, so that every
one can be made again (`--again KIND NUMBER`). Processes work on them in their memory and the first process watches
them: one input that takes too long, or ends its process, is a finding, and the next process goes on behind it. A
finding is told once per place, and what it takes to see it again is kept in `--findings`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from random import Random
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parent))

from fuzzed import KINDS, Kind, Made, turns
from workplace import Workplace

from pellucid.errors import PellucidError

LONGEST = 30.0  # seconds for one input, of the processor where the machine is busy with other things
STUCK = 600.0  # seconds for one input that does nothing at all
TO_BEGIN = 180.0  # seconds until a process has begun
TIMES = 10  # what an input may take of memory, of its own size
BESIDE = 200 * 2**20  # and the constant besides: a thread pool, a module that is imported for the first time
ROOM = 16 * 2**30  # bytes of addresses that a process may have: what wants more gets an error instead of the machine


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
    """Make one input and work on it: what came of it, and, for a finding, where and what."""
    return try_made(kind, place, kind.make(random_of(seed, kind.name, number), place))


def try_made(kind: Kind, place: Workplace, made: Made) -> tuple[str, str, str]:
    """Work on an input."""
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


def worker(names: list[str], seed: int, numbers: dict[str, int], step: int, pipe: Any) -> None:
    """Work on one input after the other, and say before each which it is and after it what came of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError, ValueError):  # not a POSIX system, or there is less already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="pellucid-fuzz-", dir=memory if memory.is_dir() else None) as folder:
        place = Workplace.made(Path(folder))
        while True:
            for name in turns(names):
                pipe.send((name, numbers[name]))
                pipe.send(try_one(KINDS[name], place, seed, numbers[name]))
                numbers[name] += step


class Member:
    """A process that works on every ``step``-th input, and the next one when it ends."""

    def __init__(self, names: list[str], seed: int, first: int, step: int) -> None:
        self.names, self.seed, self.step = names, seed, step
        self.numbers = dict.fromkeys(names, first)
        self.start()

    def start(self) -> None:
        """Begin behind what was worked on last."""
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe(duplex=False)
        given = (self.names, self.seed, dict(self.numbers), self.step, theirs)
        self.process = context.Process(target=worker, args=given, daemon=True)
        self.process.start()
        theirs.close()
        self.working: tuple[str, int] | None = None
        self.begun = False
        self.overdue: float | None = None  # what it had used of the processor when it became overdue
        self.since = time.monotonic()

    def stop(self) -> None:
        """End the process, wherever it is."""
        self.process.kill()
        self.process.join()

    def heard(self) -> Iterator[tuple[str, int, tuple[str, str, str]]]:
        """What came of an input, when its process says something or has not for too long."""
        patient = LONGEST if self.working else TO_BEGIN
        try:
            said = self.pipe.recv() if self.pipe.poll() else None
        except EOFError:
            said = ()
        if said == () or (said is None and time.monotonic() - self.since > patient and not self._waits()):
            yield from self._lost(patient if said is None else None)
        elif said is not None:
            self.since, self.begun, self.overdue = time.monotonic(), True, None
            if len(said) == 2:
                self.working = said
            elif self.working is not None:
                (name, number), self.working = self.working, None
                self.numbers[name] = number + self.step
                yield name, number, said

    def _waits(self) -> bool:
        """Whether an input that is overdue has not been worked on for that long, because others have the processor."""
        with suppress(psutil.Error):
            used = sum(psutil.Process(self.process.pid).cpu_times()[:2])
            self.overdue = used if self.overdue is None else self.overdue
            return used - self.overdue < LONGEST and time.monotonic() - self.since < STUCK
        return False

    def _lost(self, patient: float | None) -> Iterator[tuple[str, int, tuple[str, str, str]]]:
        self.stop()
        if self.working is None and not self.begun:
            raise RuntimeError("a process ends before its first input; see benchmark/fuzz.py --again csv 0")
        name, number = self.working or (self.names[0], self.numbers[self.names[0]])
        how = f"ends the process ({self.process.exitcode})" if patient is None else f"takes longer than {patient:.0f} s"
        self.numbers[name] = number + self.step
        self.start()
        yield name, number, ("found", f"{name} {how}", "")


def fuzz(names: list[str], *, seed: int, seconds: float, inputs: int, findings: Path, processes: int = 1) -> Tally:
    """Work on inputs of these kinds until the time or the number is reached."""
    os.environ["POLARS_MAX_THREADS"] = "1"  # tables are tiny: more threads only wait for each other
    tally = Tally()
    end, next_word = time.monotonic() + seconds, time.monotonic() + 60
    crew = [Member(names, seed, first, processes) for first in range(processes)]
    try:
        while time.monotonic() < end and sum(tally.done.values()) < inputs:
            wait([member.pipe for member in crew], timeout=1)
            for member in crew:
                for name, number, (answer, where, trace) in member.heard():
                    if answer != "found":
                        tally.done[name, answer] += 1
                    elif tally.find(where, name, number, trace):
                        keep(findings, name, number, seed, where, trace)
                        print(f"found: {name} {number}: {where}", flush=True)
            if time.monotonic() > next_word:
                next_word += 60
                print(tally, flush=True)
    finally:
        for member in crew:
            member.stop()
    return tally


def keep(folder: Path, kind: str, number: int, seed: int, what: str, trace: str) -> None:
    """Leave what it takes to see a finding again."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"benchmark/fuzz.py --seed {seed} --again {kind} {number}\n{what}\n{trace}\n"
    (folder / f"{kind}-{number}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")


def again(kind: str, number: int, seed: int, into: Path | None = None) -> None:
    """Work on one input in this process, and show what it is and what comes of it."""
    into = None if into is None else into.absolute()
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace.made(Path(folder))
        todo, content = KINDS[kind].make(random_of(seed, kind, number), place)
        print(todo, repr(content)[:5000])
        if into is not None and isinstance(content, bytes):  # a file of tests/data/fuzz/found
            (into / f"{kind}--{todo.replace(' ', '+')}--{number}").write_bytes(content)
        print(*try_one(KINDS[kind], place, seed, number), sep="\n")


def main() -> int:
    """The command line; ends with 1 when something was found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=None)
    options.add_argument("--inputs", type=float, default=None)
    options.add_argument("--processes", type=int, default=1)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default=",".join(KINDS))
    options.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    options.add_argument("--again", nargs=2, metavar=("KIND", "NUMBER"))
    options.add_argument("--into", type=Path, help="with --again: the folder to keep the input in")
    asked = options.parse_args()
    if asked.again:
        again(asked.again[0], int(asked.again[1]), asked.seed, asked.into)
        return 0
    seconds = asked.seconds if asked.seconds is not None else 60.0 if asked.inputs is None else float("inf")
    inputs = int(asked.inputs) if asked.inputs is not None else sys.maxsize
    how = {"seed": asked.seed, "seconds": seconds, "inputs": inputs, "processes": asked.processes}
    began = time.monotonic()
    tally = fuzz(asked.only.split(","), findings=asked.findings, **how)
    print(tally)
    print(f"{time.monotonic() - began:,.0f} s with {asked.processes} processes")
    for what, (kind, number, _) in tally.findings.items():
        print(f"{kind} {number}: {what}")
    return int(bool(tally.findings))


if __name__ == "__main__":
    sys.exit(main())
