"""The ``pellucid`` program: finds the verb, runs it, and turns what went wrong into one line and an exit code.

Exit 0: done. 1: a requirement is not met. 2: the call or the input is wrong. 3: a defect of ours, with one line; its
trace is shown with ``--debug``. 130: stopped with Ctrl-C, 143: with SIGTERM.
"""

from __future__ import annotations

import errno
import gc
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from pellucid.cli import defect
from pellucid.cli.ending import Stop, is_interruption, told_to_stop, within_limits
from pellucid.cli.memory import WAY_OUT, is_lack_of_memory
from pellucid.cli.options_of_call import with_options_of
from pellucid.cli.output import error_line, print_document
from pellucid.cli.wording import in_options
from pellucid.errors import PellucidError
from pellucid.messages import PYTHON, spoken_by
from pellucid.runtime.renamed import Renamed, current_options

# A verb's module imports polars, numpy and the methods; `pellucid --help` must not wait for them. So a verb is a module
# that is imported when it is called, and until then only the line that the list of verbs shows.
VERBS = {
    "demo": "See the whole job done on tables that come with the package.",
    "init": "Draft a schema: which column identifies, which is sensitive, how unique people are.",
    "publish": "Turn a table into a release that an informed attacker cannot break.",
    "run": "Run a job file: which table, which method, where to, what must hold.",
    "verify": "Check that a release, whoever made it, satisfies given privacy models.",
    "attack": "Say what attackers learn from a release, whoever made it: how much, of whom, why.",
    "levels": "Say how far each privacy model holds in a release, and where it is weakest.",
    "measure": "Say what a release is still good for: what it lost, how wrong counts are.",
    "compare": "Compare methods and settings: what each release costs, what it lets an attacker learn.",
    "report": "Write a report on a release, for the file or to publish beside the data.",
    "serve": "Do the whole job in a browser on this machine: choose, publish, attack, download.",
    "reproduce": "Repeat an experiment of the papers and set it beside what they report.",
    "methods": "List the methods, or explain one: what it does and what it promises.",
}

# Imported before the verb, and not from deep inside it: Python 3.11 keeps its frames in chunks of 16 KB, and what is
# imported at the end of one asks the system for the next at every call, a thousand times (2 % of the time of a start).
LIBRARIES = ("numpy", "polars", "pydantic.main")
WITHOUT_LIBRARIES = {"serve"}  # its tables are read by processes of their own

OLD_OPTIONS: dict[str, Renamed] = {}  # what is going away, see docs/versions.md

STOPPED = 130  # the exit code of a program that was stopped with Ctrl-C
TERMINATED = 143  # and with SIGTERM

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)  # a full disk, a closed output
UNHEARD = 141  # what a shell reports for a program whose reader went away
EXIT_CODES = f"Exit codes: 0 done, 2 the call or the input is wrong, {STOPPED} stopped with Ctrl-C."
OWN_CODE = f"{defect.CODE} is a defect of ours: {defect.DEBUG}, on any verb, shows its trace."

ABOUT = """Publish tables about people that stay private when the attacker knows the algorithm.

\b
Examples:
  pellucid demo
  pellucid init patients.csv
  pellucid publish patients.csv --schema patients.toml --l 2 --out out/
  pellucid levels out/
  pellucid attack out/ --population patients.csv
  pellucid methods strata

Every verb explains itself: pellucid publish --help
"""


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"pellucid {version('pellucid')}")
        raise typer.Exit


def _top(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
    _debug: Annotated[
        bool, typer.Option(defect.DEBUG, help="On any verb: show the trace of an error that is a defect of ours.")
    ] = False,
) -> None:
    """Stand for the options that come before a verb; the help text is given where this is registered."""


def _not_called() -> None:
    """Stand for a verb that was not called: it appears in the list of verbs and is not imported."""


def application(words: Sequence[str], *, called: bool = False) -> typer.Typer:
    """The program with the verbs among ``words`` imported and the other verbs listed.

    Where ``words`` are what is ``called``, a verb may leave out options that they do not name.
    """
    app = typer.Typer(
        rich_markup_mode=None,  # plain text help: it can be piped, searched and read aloud
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=ABOUT)(_top)
    for name, summary in VERBS.items():
        if name in words:
            module = import_module(f"pellucid.cli.verbs.{name}")
            of_the_call = called and inspect.signature(module.command).parameters
            verb = module.command(*([words] if of_the_call else []))
            about = _with_examples(module, verb)
            app.command(name, short_help=summary, help=about)(with_options_of(verb, words) if called else verb)
        else:
            app.command(name, short_help=summary)(_not_called)
    return app


def imported(words: Sequence[str], *, called: bool = False) -> typer.Typer:
    """The same for a process of our own: what is imported stays; looking for garbage in it is a tenth of a start."""
    # A thread of OpenBLAS that finds nothing to do spins for a tenth of a second before it sleeps, one thread per core.
    # Ours sleep at once (after 2**4 cycles) and wake when there is work, so that no figure changes.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # pydantic looks through every installed package for plugins, of which our models need none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()
    try:
        if VERBS.keys() & set(words) - WITHOUT_LIBRARIES:
            for library in LIBRARIES:
                import_module(library)
        return application(words, called=called)
    finally:
        gc.freeze()
        gc.enable()


def _with_examples(module: ModuleType, verb: Callable[..., object]) -> str:
    """The help of a verb: its docstring and its examples, each as it can be typed."""
    examples = "\n".join(f"  {line}" for example in module.EXAMPLES for line in example.splitlines())
    codes = getattr(module, "EXIT_CODES", EXIT_CODES)
    # The backspace is how typer is told to leave the lines of a paragraph alone.
    return f"{inspect.getdoc(verb)}\n\n\b\nExamples:\n{examples}\n\n{codes} {OWN_CODE}\n"


def _completion_words() -> list[str]:
    """The words that a shell asks to complete, when it does; bash and the other shells use different variables."""
    asked = [os.environ.get(variable, "") for variable in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")]
    return " ".join(asked).split()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and give its exit code; the entry point of the ``pellucid`` command."""
    words, debug = defect.without_debug(list(sys.argv[1:] if arguments is None else arguments))
    if arguments is not None:
        return _main(words, debug=debug)
    return within_limits(lambda: _main(words, debug=debug, alone=True), debug=debug)


def _main(words: Sequence[str], *, debug: bool, alone: bool = False) -> int:
    if sys.stdout is None:  # closed by the shell, as in >&-
        return _unwritten("it is closed")
    try:
        with told_to_stop(alone=alone) as stop:
            code = _run(words, stop, debug=debug, alone=alone)
            sys.stdout.flush()
            code = TERMINATED if code == STOPPED and stop.terminated else code
    except KeyboardInterrupt:  # before the verb began, or when it was done
        return _stopped()
    except OSError as wrong:
        if wrong.filename is not None or wrong.errno not in UNWRITABLE:
            return _fell_over(words, wrong, debug=debug)
        return _unwritten(os.strerror(wrong.errno).lower())
    return code


def _run(words: Sequence[str], stop: Stop, *, debug: bool, alone: bool) -> int:
    """Call the verb and give the exit code; what went wrong with the call or the input becomes one line."""
    try:
        words = current_options(words, OLD_OPTIONS, tell=lambda line: error_line(line, "note: "), refusal=PellucidError)
        completed = _completion_words()
        app = (imported if alone else application)([*words, *completed], called=not completed)
        # A verb returns nothing, or the exit code 1 when a requirement is not met; --help and Ctrl-C arrive here too.
        with spoken_by(PYTHON):  # until a verb knows that rows are counted and not people
            code = app(words or ["--help"], prog_name="pellucid", standalone_mode=False) or 0
        sys.stdout.flush()
    except BaseException as wrong:
        if not (stop.asked or is_interruption(wrong)):
            return _answer(words, wrong, debug=debug)
        code = STOPPED
    return _stopped() if code == STOPPED else int(code)


def _stopped() -> int:
    error_line("stopped; nothing is half written", label="")
    return STOPPED


def _answer(words: Sequence[str], wrong: BaseException, *, debug: bool) -> int:
    """What is said of what went wrong, and the exit code; what is no error of ours is raised on."""
    match wrong:
        case typer.TyperException():
            verb = next((word for word in words if word in VERBS), None)
            return _fail(words, _usage(wrong, words), hint=f"pellucid {verb} --help" if verb else "pellucid --help")
        case PellucidError():
            return _fail(words, in_options(wrong.message))
        case MemoryError():
            return _fail(words, f"not enough memory for this table; {WAY_OUT}")
        case BrokenPipeError():
            return _reader_left(words)
        case SystemExit() if isinstance(wrong.__context__, BrokenPipeError):  # typer met it first
            return _reader_left(words)
        case SystemExit():
            raise wrong
        case OSError():
            return _not_written(words, wrong, debug=debug)
    return _unforeseen(words, wrong, debug=debug)


def _not_written(words: Sequence[str], wrong: OSError, *, debug: bool) -> int:
    """What is said where something could not be written, or the system refused something else."""
    if wrong.errno not in UNWRITABLE:
        return _fell_over(words, wrong, debug=debug)
    if wrong.filename is None:  # stdout, most likely; main says so
        raise wrong
    return _fail(words, f"{wrong.filename} cannot be written ({os.strerror(wrong.errno).lower()}); make room")


def _unforeseen(words: Sequence[str], wrong: BaseException, *, debug: bool) -> int:
    """What is said of an error that nobody foresaw; what is no error of ours is raised on."""
    if not defect.is_defect(wrong):
        raise wrong
    if is_lack_of_memory(wrong):
        return _fail(words, f"not enough memory for this; {WAY_OUT}")
    return _fell_over(words, wrong, debug=debug)


def _reader_left(words: Sequence[str]) -> int:
    """The reader of our output, such as `head`, has seen enough: no error, and no complaint when Python closes it.

    A verdict that could not be told must not look like a pass.
    """
    sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open until the end)
    judged = "verify" in words or any(word.startswith("--max-risk") for word in words)
    return UNHEARD if judged else 0


def _unwritten(why: str) -> int:
    """Nothing can be told on stdout; what was found must not look like a pass."""
    sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open until the end)
    error_line(f"the output cannot be written ({why}); direct it to a terminal, or to a file with room")
    return 2


def _usage(wrong: typer.TyperException, words: Sequence[str]) -> str:
    """What is wrong with the call, in one sentence without its full stop."""
    message = wrong.format_message().replace("Value error, ", "").rstrip(".")
    about = re.fullmatch(r"Invalid value for '(-\S+)'(?: / '\S+')*: Input should be (.*)", message)
    if about:
        given = _given(about[1], words)
        rule = about[2].replace("a valid integer, unable to parse string as an integer", "a whole number")
        return f"{about[1]}{given}: must be {rule.replace('greater than or equal to', 'at least')}"
    if {"publish", "attack"} & set(words) and hasattr(wrong, "option_name"):
        # An option that nobody knows may be meant for a method: tell which ones the methods have.
        from pellucid.cli.parameters import known_parameters

        message += f"; parameters of the methods: {known_parameters()}"
    return message


def _given(option: str, words: Sequence[str]) -> str:
    """What was typed behind an option, with the space before it."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word == option:
            return f" {after}"
        if word.startswith(f"{option}="):
            return f" {word.removeprefix(option + '=')}"
    return ""


def _fell_over(words: Sequence[str], wrong: BaseException, *, debug: bool) -> int:
    """A mistake of ours: one line that says so, and a code that is no verdict; the trace for who asked for it."""
    if debug:
        traceback.print_exception(wrong)
    return _fail(words, defect.defect_line(wrong), code=defect.CODE)


def _without_passwords(message: str, words: Sequence[str]) -> str:
    """A message may repeat what was typed, and an address may have a password in it."""
    if not any(":" in word for word in words):
        return message
    from pellucid.io.secrets import is_address, without_password  # here: `pellucid --help` reads no tables

    typed = {part for word in words for part in (word, word.partition("=")[2] if word.startswith("-") else "")}
    for word in sorted(filter(is_address, typed), key=len, reverse=True):
        message = message.replace(word, without_password(word))
    return message


def _fail(words: Sequence[str], message: str, hint: str | None = None, code: int = 2) -> int:
    """One line on stderr; with --json also the one document on stdout that a program waits for."""
    line = " ".join(_without_passwords(message, words).split())
    error_line(f"{line} (see {hint})" if hint else line)
    if "--json" in words:
        print_document({"error": line})
    return code
