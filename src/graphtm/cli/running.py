"""How commands end: errors as one line, warnings as one line, interruptions and closed pipes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from graphtm.cli.output import in_options, listed_lines, one_line, silence, write_lines
from graphtm.errors import GraphTMError, UnknownSymbolError

USER_ERROR, UNEXPECTED, INTERRUPTED, CLOSED_PIPE = 2, 1, 130, 141
"""Exit codes: what the user can correct, an error of the program, Ctrl-C, and a pipe that its reader closed."""
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""The base of errors in options and arguments, which is in another module in each version of Typer."""
DEBUG = "--debug"


class Commands(TyperGroup):
    """The commands, which end with one line on standard error if something is wrong."""

    def main(self, args: Sequence[str] | None = None, *others: Any, **options: Any) -> Any:
        """Run a command and exit: 0, or 2 for what the user can correct."""
        given = list(sys.argv[1:] if args is None else args)
        options_end = given.index("--") if "--" in given else len(given)
        debug = DEBUG in given[:options_end]
        given = [text for place, text in enumerate(given) if text != DEBUG or place > options_end]
        options["standalone_mode"] = False
        with _warnings_as_lines(debug):
            try:
                code = super().main(given, *others, **options)
            except Exception as error:
                if debug:
                    raise
                code = _report(error)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; Ctrl-C and a closed pipe are no errors."""
        try:
            found = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt as error:
            write_lines(f"Interrupted. {error}".rstrip(), error=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            silence(sys.stdout)
            raise typer.Exit(CLOSED_PIPE) from None
        return found


def _report(error: Exception) -> int:
    """Print an error as one line, and return the exit code."""
    if isinstance(error, _USAGE_ERROR):
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
            return USER_ERROR
        context = getattr(error, "ctx", None)
        text = _sentence(error.format_message().replace(" Value error, ", " "))  # type: ignore[attr-defined]
        hint = "" if context is None else f" See '{context.command_path} --help'."
        write_lines(f"Error: {one_line(text)}{hint}", error=True)
        return int(error.exit_code)  # type: ignore[attr-defined]
    if isinstance(error, GraphTMError | ValueError | TypeError | MemoryError | OSError):
        write_lines(f"Error: {_text_of(error)}", error=True)
        return USER_ERROR
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    write_lines(f"Error: {one_line(what)} (unexpected; {DEBUG} shows where)", error=True)
    return UNEXPECTED


def _text_of(error: Exception) -> str:
    """Return the message of an error as one line, or as a list."""
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, GraphTMError):
        reason = os.strerror(error.errno)
        return f"{reason}: {error.filename}" if error.filename is not None else f"{reason}."
    if isinstance(error, MemoryError) and not str(error):
        return "There is not enough memory."
    text = in_options(listed_lines(str(error)))
    if isinstance(error, UnknownSymbolError) and not text.startswith("Unknown node type"):  # these are never ignored
        return f"{text} To leave out names that are not in the training data, pass --unknown ignore."
    return text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


@contextmanager
def _warnings_as_lines(debug: bool) -> Iterator[None]:
    """Print each warning of the library once, as one line; hide those of other libraries, unless debugging."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = in_options(one_line(str(message)))
        if text not in shown and _issuer() != "sklearn":
            shown.add(text)
            write_lines(f"Warning: {text}", error=True)

    with warnings.catch_warnings():
        if not debug:
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", category=UserWarning)
            warnings.showwarning = show
        yield


def _issuer() -> str:
    """Return the package of the code that issues a warning; the file in a warning is that of a caller."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") == "warnings":
        frame = frame.f_back
    return str(frame.f_globals.get("__name__")).partition(".")[0]
