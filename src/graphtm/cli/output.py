"""What commands print: results on standard output, progress and notes on standard error."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

OPTIONS = {
    "n_clauses": "--clauses",
    "max_misses": "--max-misses",
    "max_included_literals": "--max-included-literals",
    "random_state": "--seed",
    "n_jobs": "--n-jobs",
    "n_rules": "--rules",
    **{name: f"--{name}" for name in ("depth", "T", "s", "epochs", "engine", "ignore", "bins", "separator")},
}
"""Options of the command line for parameters of functions."""
_PARAMETER = re.compile(r"The '(\w+)' parameter of \w+")
_LISTED = re.compile(r"\b(ignore|edge_type)=\[([^\]]*)\]")
_GIVEN = re.compile(r"\b(edge_type|label|bins|separator)=('[^']*'|\w+)")
_COLUMN = re.compile(r"\bpass (graph|node|source|destination|type)=NAME")
_BINS = re.compile(r"\bbins=\{'([^']*)': (\d+)\}")
_FOR_PYTHON = (" of the converters", " Of a pipeline, pass the whole: bins=pipeline.")
"""Parts of messages that make no sense on the command line."""
_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class Screen:
    """Where text goes: results to standard output, notes to standard error.

    Parameters
    ----------
    quiet
        Whether to print nothing but errors, warnings and what was asked for.
    for_machines
        Whether standard output is for JSON only.
    goes_on
        Whether to go on if the reader closes standard output; :meth:`finish` says so then.
    """

    quiet: bool = False
    for_machines: bool = False
    goes_on: bool = False
    _is_closed: list[bool] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Print a note on standard error."""
        if not self.quiet:
            write_lines(wrapped(text), error=True)

    def say(self, text: str = "", *, indent: int = 4, first: int = 0) -> None:
        """Print text for people on standard output; long lines are wrapped, with an indent from the second on."""
        if not (self.quiet or self.for_machines):
            self._write("\n".join(wrapped(line, indent, first) for line in text.split("\n")))

    def lines(self, text: str) -> None:
        """Print text for people on standard output as it is."""
        if not (self.quiet or self.for_machines):
            self._write(text)

    def _write(self, text: str) -> None:
        try:
            write_lines(text)
            sys.stdout.flush()  # so that other programs see it at once
        except BrokenPipeError:
            if not self.goes_on:
                raise
            silence(sys.stdout)
            self._is_closed.append(True)

    def finish(self) -> None:
        """Raise ``BrokenPipeError`` if standard output was closed."""
        if self._is_closed:
            raise BrokenPipeError

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """Show a spinner on standard error if it is a terminal."""
        if self.quiet or not self.shows_progress:
            yield
            return
        with Console(stderr=True).status(text):
            yield

    @property
    def shows_progress(self) -> bool:
        """Whether progress is shown: only a terminal can overwrite lines."""
        return not self.quiet and sys.stderr.isatty()


def write_lines(text: str, *, error: bool = False) -> None:
    """Write text and the end of the line."""
    if not error:
        sys.stdout.write(f"{text}\n")
        return
    try:
        sys.stderr.write(f"{text}\n")
    except BrokenPipeError:  # nobody reads notes, which is no reason to stop
        silence(sys.stderr)


def silence(stream: Any) -> None:
    """Let Python discard what it could not write, so that it does not complain when it exits."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_json(value: Any) -> None:
    """Write one JSON object to standard output."""
    write_lines(json.dumps(plain(value), ensure_ascii=False, indent=2))


def width() -> int:
    """Return the number of columns that text may use: those of the terminal, at most 120."""
    return min(Console().width, 120)


def wrapped(text: str, indent: int = 4, first: int = 0) -> str:
    """Return a line as lines that fit, later ones with an indent."""
    from graphtm.explain.explanation_text import wrapped_text

    return wrapped_text(text, width(), " " * first, " " * indent)


def plain(value: Any) -> Any:
    """Return a value as JSON can write it: names that are keys become text, tuples lists, NumPy values Python's."""
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else named(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(one) for one in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        return plain(value.tolist())
    return value


def named(value: Any) -> str:
    """Return a class, a label or the name of a node as text, without quotes."""
    if isinstance(value, tuple):
        from graphtm.foundation.display import bare

        return bare(value)
    return str(value)


def label_text(value: Any) -> str:
    r"""Return a class or label as text in one line; what has line breaks, quotes or spaces around it is quoted.

    Examples
    --------
    >>> print(label_text("toxic"), label_text("a\nb"), label_text(3))
    toxic 'a\nb' 3
    """
    text = named(value)
    plain_text = text.isprintable() and text == text.strip() and text and not {"'", '"'}.intersection(text)
    return text if plain_text or isinstance(value, tuple) else repr(text)


def one_line(text: str) -> str:
    """Return a message as one line."""
    return " ".join(text.split())


def listed_lines(text: str) -> str:
    """Return a message as one line, or a list of problems as one line for each."""
    return "\n- ".join(map(one_line, text.split("\n- ")))


def in_options(text: str) -> str:
    """Return a message of the library with options of the command line where it names parameters of functions."""

    def listed(match: re.Match[str]) -> str:
        option = "--" + match[1].replace("_", "-")
        return " ".join(f"{option} {_shell_word(name)}" for name in _QUOTED.findall(match[2])) or f"{option} NAME"

    def given(match: re.Match[str]) -> str:
        return f"--{match[1].replace('_', '-')} {_shell_word(match[2].strip(chr(39)))}"

    for part in _FOR_PYTHON:
        text = text.replace(part, "")
    text = _BINS.sub(lambda match: "--bins " + _shell_word(f"{match[1]}={match[2]}"), text)
    text = _PARAMETER.sub(lambda match: OPTIONS.get(match[1], match[0]), text)
    text = _COLUMN.sub(r"pass --column \1=NAME", text)
    return _GIVEN.sub(given, _LISTED.sub(listed, text))


def _shell_word(name: str) -> str:
    """Return a name as a shell takes it."""
    return name if re.fullmatch(r"[\w.=-]+", name) else f"'{name}'"
