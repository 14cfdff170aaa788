"""The program, run again and again by a process that forks: Python and its libraries are loaded once.

Each run is a process of its own that can be killed, given less than it needs, or made to fail at its n-th call of the
system. Polars starts its threads when it is first used, which here is in the forked process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVER = r"""
import errno, json, os, sys, resource, traceback
from pellucid.cli.program import main, application
application(["publish", "run", "compare", "report", "levels", "attack"])

def drawing():
    '''Load what pages and pictures need, before the first process that makes some: it takes longer than they do.'''
    from pellucid.reports.page import check_installed
    check_installed()

def comparing():
    '''And bundle the program inside the page of a comparison, in a process of its own since that starts threads.'''
    drawing()
    import vl_convert
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(write, "w", encoding="utf-8") as file:
            file.write(vl_convert.javascript_bundle())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as file:
        bundle = file.read()
    os.waitpid(child, 0)
    real = vl_convert.javascript_bundle
    def once(*given, **named):
        return real(*given, **named) if given or named else bundle
    vl_convert.javascript_bundle = once

LOADING = {"report": drawing, "compare": comparing}
CHANGING = ("fsync", "rename", "replace", "mkdir", "open", "fdopen", "unlink", "rmdir", "chmod")

def without_rights():
    '''Give up what root may do to files of any mode: from then on permissions count for it as for everybody.'''
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    rights = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable, twice
    assert libc.capget(header, rights) == 0
    for field in range(3):
        rights[field] &= ~0b1111  # chown, dac_override, dac_read_search, fowner
    assert libc.capset(header, rights) == 0

def failing(at, code):
    '''Let the at-th call that changes something on the disk fail; calls that clear up afterwards work.

    Without a code the process is killed instead of making the call.
    '''
    calls = [0]
    def met():
        calls[0] += 1
        if calls[0] != at:
            return
        if code is None:
            os.kill(os.getpid(), 9)
        raise OSError(code, os.strerror(code))
    def wrapped(name, real):
        def call(*given, **named):
            reads = name == "open" and not (given[1] if len(given) > 1 else named.get("flags", 0)) & os.O_CREAT
            if not reads:
                met()
            return real(*given, **named)
        return call
    for name in CHANGING[:6]:
        setattr(os, name, wrapped(name, getattr(os, name)))
    from pellucid.io import bundle
    bundle.exchange = wrapped("exchange", bundle.exchange)  # a call of the system that Python does not have
    return calls

for line in sys.stdin:
    asked = json.loads(line)
    for verb in {words[0] for words in asked["calls"]} & LOADING.keys():
        LOADING.pop(verb)()
    child = os.fork()
    if child:
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)
        continue
    code = 99
    try:
        os.chdir(asked["folder"])
        for number, name in ((1, "stdout"), (2, "stderr")):
            target = os.open(asked["folder"] + "." + name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(target, number)
        if asked.get("without_rights"):
            without_rights()
        if "file_size" in asked:
            resource.setrlimit(resource.RLIMIT_FSIZE, (asked["file_size"],) * 2)
        if "fail_at" in asked:
            calls = failing(asked["fail_at"], asked.get("errno"))
        again = True
        while again:
            for words in asked["calls"]:
                code = main(words)
            again = asked.get("forever", False)
        sys.stdout.flush()
        if "fail_at" in asked and calls[0] < asked["fail_at"]:
            code += 100  # there was no such call
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(code)
"""


@dataclass
class Run:
    """A process that works now."""

    forks: Forks
    pid: int

    def kill(self) -> int:
        """Kill it at once; gives its exit code, minus the signal."""
        with suppress(ProcessLookupError):  # it has ended by itself
            os.kill(self.pid, signal.SIGKILL)
        return self.wait()

    def wait(self) -> int:
        """The exit code of a process that ended."""
        return int(json.loads(self.forks.line()))


@dataclass
class Forks:
    """The process that forks, and the folder that its children work in."""

    process: subprocess.Popen[str]
    folder: Path

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def start(self, *calls: Sequence[str], **how: Any) -> Run:
        """Call the program with these words, one call after the other."""
        asked = {"calls": [list(words) for words in calls], "folder": str(self.folder)} | how
        assert self.process.stdin is not None
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        return Run(self, int(self.line()))

    def run(self, *words: str, **how: Any) -> int:
        """Call the program and give its exit code."""
        return self.start(words, **how).wait()

    @property
    def err(self) -> str:
        """What the last process said on stderr."""
        return Path(f"{self.folder}.stderr").read_text(encoding="utf-8", errors="replace")

    @property
    def errors(self) -> list[str]:
        """The errors that the last process told."""
        return [line for line in self.err.splitlines() if line.startswith("error: ")]


@contextmanager
def forks(folder: Path) -> Iterator[Forks]:
    """A process that forks, whose children work in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-W", "ignore", "-c", SERVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        yield Forks(process, folder)
        assert process.stdin is not None
        process.stdin.close()


def contents(path: Path) -> Any:
    """What a file or a folder holds; None where there is nothing."""
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    return path.read_bytes() if path.exists() else None


def leftovers(folder: Path) -> list[str]:
    """Names that only we give, for the time of a write."""
    return sorted(path.name for path in folder.iterdir() if "pellucid" in path.name)


def others_may_read(path: Path) -> bool:
    """Whether somebody else may read a file."""
    return bool(path.stat().st_mode & 0o077)
