"""``graphtm explain``: why one sample is predicted as it is."""

from __future__ import annotations

import re
from typing import Any

import typer

from graphtm.cli.data_files import Data
from graphtm.cli.model_files import load_model
from graphtm.cli.output import Screen, named, width, write_json, write_lines
from graphtm.cli.predict import data_for
from graphtm.cli.reading import TEXT as TEXTS
from graphtm.cli.reading import Reading, Source
from graphtm.cli.rules import JSON, LATEX, MARKDOWN
from graphtm.foundation.display import bare
from graphtm.pipelines import explain as explain_sample

_MOST_NODES = 30
"""Largest graph that is printed beside its explanation."""


def explain(
    screen: Screen, model: str, source: Source, given: Reading, number: int, top: int, form: str, *, change: bool
) -> None:
    """Explain the prediction of one sample.

    Parameters
    ----------
    screen
        Where text goes.
    model
        The model file.
    source, given
        The data, and what options say of them.
    number
        Number of the sample, from 0.
    top
        Number of rules to show, 0 for all.
    form
        ``"text"``, ``"json"``, ``"markdown"`` or ``"latex"``.
    change
        Whether to search for the smallest change that changes the prediction.
    """
    loaded = load_model(model)
    data = data_for(loaded, source, given)
    number = checked_number(number, data)
    found = explain_sample(loaded.model, data.X, number)
    changed = None
    if change:
        with screen.waiting("Searching for the smallest change ..."):
            changed = str(found.smallest_change())
    if form == JSON:
        extra = {} if changed is None else {"smallest_change": changed}
        write_json({"number": number, "label": _label(data, number), **found.to_dict(), **extra})
    elif form in (MARKDOWN, LATEX):
        write_lines((_markdown if form == MARKDOWN else _latex)(found, _title(data, number), top, changed))
    else:
        screen.say(_title(data, number))
        screen.lines(_without_python(found.to_text(max_rules=top or None, width=max(40, width()))))
        if changed is not None:
            screen.say()
            screen.say(f"Smallest change: {changed}")
        _show_sample(screen, data, number, found)


def _without_python(text: str) -> str:
    """Return text without hints at methods."""
    return re.sub(r"; see \.rules\(\), or [^\n]*", "; --top shows more", text).replace("; see .rules().used()", "")


def checked_number(number: int, data: Data) -> int:
    """Return the number of a sample, counted from the start.

    Raises
    ------
    typer.BadParameter
        If there is no such sample.
    """
    if not -len(data) <= number < len(data):
        raise typer.BadParameter(
            f"It must be a number from 0 to {len(data) - 1}, since {data.name} has {len(data):,} {data.noun}s; got "
            f"{number}.",
            param_hint="-i",
        )
    return number % len(data)


def _label(data: Data, number: int) -> Any:
    if data.y is None:
        return None
    label = data.y[number]
    return label.tolist() if hasattr(label, "tolist") else label


def _title(data: Data, number: int) -> str:
    """Return what is explained: the number of the sample, its name in the file, and its label."""
    name = "" if data.ids is None or str(data.ids[number]) == str(number) else f" ({data.ids[number]})"
    label = _label(data, number)
    if label is None:
        return f"{data.noun.capitalize()} {number}{name}"
    if isinstance(label, set):
        label = ", ".join(sorted(map(named, label))) or "none"
    return f"{data.noun.capitalize()} {number}{name}; its label is {named(label)}"


def _show_sample(screen: Screen, data: Data, number: int, found: Any) -> None:
    """Print the sample itself, if it is small."""
    screen.say()
    if data.reading.kind == TEXTS:
        screen.say(f"Text: {data.X[number]}")
    elif hasattr(data.X, "columns"):
        screen.say("Row: " + ", ".join(f"{name} {value}" for name, value in data.X.iloc[number].items()))
    elif len(found.nodes) <= _MOST_NODES:
        screen.say(str(data.X[number]), indent=10)


def _sections(found: Any) -> tuple[str, list[tuple[str, str]]]:
    """Return the summary of an explanation, and what contributes most."""
    return found._summary(found.leading).rstrip(":"), list(found._contributions(found.leading))


def _markdown(found: Any, title: str, top: int, changed: str | None) -> str:
    summary, contributions = _sections(found)
    votes = [f"| {bare(name)} | {vote:+,} |" for name, vote in found.votes.items()]
    parts = [
        f"## {title}",
        f"**{found.headline}**",
        "\n".join([f"| {found._output} | votes |", "| --- | --- |", *votes]),
        f"{summary}:",
        found.rules(top=top or None).to_markdown(),
        "\n".join(f"- {name} that contribute most to {bare(found.leading)}: {text}" for name, text in contributions),
    ]
    parts += [] if changed is None else [f"Smallest change: {changed}"]
    return "\n\n".join(part for part in parts if part)


def _latex(found: Any, title: str, top: int, changed: str | None) -> str:
    summary, contributions = _sections(found)
    texts = [f"{name} that contribute most to {bare(found.leading)}: {text}" for name, text in contributions]
    texts += [] if changed is None else [f"Smallest change: {changed}"]
    items = "\n".join(f"\\item {_escaped(text)}" for text in texts)
    parts = [
        f"\\paragraph{{{_escaped(title)}}} {_escaped(found.headline)}. {_escaped(summary)}.",
        found.rules(top=top or None).to_latex(),
        f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}" if items else "",
    ]
    return "\n".join(part for part in parts if part)


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{one: f"\\{one}" for one in "&%$#_{}"},
}


def _escaped(text: str) -> str:
    """Return text for LaTeX."""
    return "".join(_LATEX.get(one, one) for one in text)
