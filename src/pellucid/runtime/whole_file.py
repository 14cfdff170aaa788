"""Files that are there whole or not at all: written under another name beside their place, made durable, then renamed.

A link stays a link: what it leads to is replaced. One that leads nowhere is refused: a file would appear in a place
that nobody named. What is there and is no file, a device or a pipe, is refused:
a rename would put a file in its place.

A finished folder takes the place of another in one step that cannot be seen half done. On Linux ``renameat2`` with
RENAME_EXCHANGE swaps the two names at once: whoever looks sees the old folder or the new one, also when the process is
killed at any moment. File systems and systems without it get two renames, old folder aside and new folder in; between
the two the name is free, and a process killed exactly there leaves the old folder under its temporary name, from where
the next write restores it (:func:`pellucid.io.bundle.write_bundle`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pellucid.errors import OutputError, first_line

FOR_US_ALONE = 0o600
REASONS = {
    errno.ENOSPC: "the disk is full; free some space, or choose another folder",
    errno.EDQUOT: "your disk quota is used up; free some space, or choose another folder",
    errno.EFBIG: "a file would exceed the largest size that is allowed here; choose another folder or format",
    errno.EACCES: "you may not write there; choose another folder, or change its permissions",
    errno.EPERM: "you may not write there; choose another folder, or change its permissions",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOTDIR: "a part of the path is a file; choose another folder",
    errno.EEXIST: "a part of the path is a file; choose another folder",
    errno.ENAMETOOLONG: "its name is too long; choose a shorter one",
    errno.ELOOP: "its links lead in a circle; choose another one",
    errno.ENOENT: "there is no such folder; make it first",
}


def write_whole(target: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file so that nobody ever sees half of it; a private one so that nobody else ever reads it."""
    refuse_broken_link(target)
    with explained(f"{target}:"):
        resolved(target).parent.mkdir(parents=True, exist_ok=True)
    with prepared(target, [content], private=private) as put:
        put()


@contextmanager
def prepared(
    target: Path, pieces: Iterable[bytes], *, private: bool = False, called: str = ""
) -> Iterator[Callable[[], None]]:
    """Write a file beside its place, all of it and durable; give what puts it in place, which needs no more room.

    What has not been put in place by the end is removed. ``called`` is how errors name the target.
    """
    called = called or f"{target}:"
    refuse_broken_link(target, called=called)
    with explained(called):
        place = resolved(target)
        if place.exists() and not place.is_file():
            told = "{called} cannot be written: what is there is no file; choose another name"
            raise OutputError(told, called=called)
        beside = place.with_name(f".{secrets.token_hex(8)}.pellucid-unfinished")
        mode = FOR_US_ALONE if private else 0o666
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)

    def put() -> None:
        with explained(called):
            beside.replace(place)
        with suppress(OSError):  # it is in its place; that it outlives a loss of power is more than can be had here
            flush_folder(place.parent)

    try:
        with explained(called), os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        yield put
    finally:
        with suppress(OSError):
            beside.unlink()


def refuse_broken_link(target: Path, *, called: str = "") -> None:
    """Raise where the target, or a folder on the way to it, is a link to what does not exist."""
    for part in (target, *target.parents):
        try:
            part.expanduser().stat()
        except FileNotFoundError:
            if part.expanduser().is_symlink():
                where = part.expanduser().readlink()
                raise OutputError(
                    "{called} cannot be written: {part} is a link to {where}, which does not exist; "
                    "remove the link, or choose another name",
                    called=called or f"{target}:",
                    part=part,
                    where=where,
                ) from None
        except (OSError, RuntimeError, ValueError):  # whoever writes there says what is wrong with it
            return
        else:
            return


@contextmanager
def explained(called: str) -> Iterator[None]:
    """Errors of the system about a target as one line with the way out."""
    try:
        yield
    except OSError as wrong:
        raise OutputError(
            "{called} cannot be written: {reason_of}", called=called, reason_of=reason_of(wrong)
        ) from None


def resolved(target: str | Path) -> Path:
    """The place itself, behind symbolic links and ``~``; OSError where links lead in a circle or nobody has that home.

    >>> resolved("/tmp/../tmp/x").name
    'x'
    """
    try:
        return Path(target).expanduser().resolve()
    except RuntimeError as wrong:  # a loop of links (up to Python 3.12), or ~nobody
        looping = "loop" in str(wrong).lower()
        code = errno.ELOOP if looping else errno.ENOENT
        raise OSError(code, os.strerror(code)) from None
    except ValueError:  # a null character
        raise OSError(errno.EINVAL, "the name has a character that no file name has") from None


def reason_of(error: Exception) -> str:
    """What the system has against it, and the way out."""
    code = code_of(error)
    text = error.strerror if isinstance(error, OSError) and error.strerror else first_line(error)
    return REASONS.get(code, f"{text or 'the system does not say why'}; choose another folder")


def code_of(error: Exception) -> int:
    """The system's error number; polars gives it only in its message."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    match = re.search(r"\(os error (\d+)\)", str(error))
    return int(match[1]) if match else 0


def flush_folder(folder: Path) -> None:
    """Make the names in a folder durable, as far as the system allows."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:  # some network file systems refuse it for folders
        if error.errno not in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTTY):
            raise
    finally:
        os.close(descriptor)


AT_FDCWD = -100
RENAME_EXCHANGE = 2
NOT_SUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTTY}


def exchange(one: Path, other: Path) -> bool:
    """Swap the names of two folders at once; False, with nothing done, where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:  # an old C library
        return False
    if rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in NOT_SUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(other))


def flush_file(path: Path) -> None:
    """Make the contents of a file durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
