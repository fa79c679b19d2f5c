"""``graphtm explain``: why one sample is predicted as it is."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from graphtm.cli.data_files import Data
from graphtm.cli.model_files import Loaded, check_target, load_model, refusing_unknown
from graphtm.cli.output import Screen, label_text, named, width, write_json, write_lines
from graphtm.cli.predict import data_for
from graphtm.cli.reading import TEXT as TEXTS
from graphtm.cli.reading import Reading, Source
from graphtm.cli.rules import JSON, LATEX, MARKDOWN, the_class
from graphtm.explain.literals import latex_text
from graphtm.explain.rule_text import number_text
from graphtm.foundation.calling import require
from graphtm.foundation.container import atomic_write
from graphtm.foundation.display import bare, count
from graphtm.pipelines import explain as explain_sample
from graphtm.plots.drawing import name_text

_MOST_NODES = 30
"""Largest graph that is printed beside its explanation."""
PICTURES = (".png", ".svg", ".pdf")
"""Suffixes of pictures."""
_RESOLUTION = 150


def explain(
    screen: Screen,
    model: str,
    source: Source,
    given: Reading,
    number: int,
    top: int,
    form: str,
    *,
    change: bool,
    at_least: float | None = None,
    at_most: float | None = None,
    node: str | None = None,
    mask: str | None = None,
    plot: str | None = None,
    unknown: str | None = None,
    engine: str | None = None,
    n_jobs: int | None = None,
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
    at_least, at_most
        Of a model that predicts numbers: the number that the smallest change is to reach, or None.
    node, mask
        Of an auto-encoder: the node whose symbols are expected, and its symbol to mask, or None.
    plot
        File for a picture of the graph with its scores, or None.
    unknown, engine, n_jobs
        As for ``predict``.
    """
    if plot is not None:
        check_picture(plot, [("MODEL", Path(model)), *source.files()])
    loaded = load_model(model, engine, n_jobs)
    reach = _reach(loaded, change, at_least, at_most)
    if unknown is not None:
        loaded.estimator.set_params(unknown=unknown)
    data = data_for(loaded, source, given)
    number = checked_number(number, data)
    with refusing_unknown(unknown):
        found = _of_node(loaded, data, number, node, mask)
    changed = None
    if reach is not None:
        with screen.waiting("Searching for the smallest change ..."):
            changed = str(found.smallest_change(**reach))
    if form == JSON:
        extra = {} if changed is None else {"smallest_change": changed}
        write_json({"number": number, "label": _label(data, number), **found.to_dict(), **extra})
    elif form in (MARKDOWN, LATEX):
        write_lines((_markdown if form == MARKDOWN else _latex)(found, _title(data, number), top or None, changed))
    else:
        screen.say(_title(data, number))
        screen.lines(found.to_text(max_rules=top or None, width=max(40, width()), more="--top 0 shows all"))
        if changed is not None:
            screen.say()
            screen.say(f"Smallest change: {changed}")
        _show_sample(screen, data, number, found)
    if plot is not None:
        _draw(plot, found, is_text=data.reading.kind == TEXTS)
        screen.note(f"Picture written to {plot}")
        scores = found.scores()
        if scores.whole > 0 >= scores.nodes.max(initial=0.0) and not loaded.is_regressor:
            screen.note(
                f"No node votes for {bare(found.leading)}: the votes come from the graph as a whole, mostly from facts "
                "that are absent. Short models have fewer of these: graphtm fit --max-misses 0 --rules 20 --prune."
            )


def _of_node(loaded: Loaded, data: Data, number: int, node: str | None, mask: str | None) -> Any:
    """Return the explanation of a sample, or of a node of it."""
    if not loaded.is_autoencoder:
        for given, option in ((node, "--node"), (mask, "--mask")):
            if given is not None:
                raise typer.BadParameter("It has no effect: the model is no auto-encoder.", param_hint=option)
        return explain_sample(loaded.model, data.X, number)
    names = list(data.X[number].nodes)
    chosen = next((one for one in names if named(one) == node), None)
    if chosen is None and (node is not None or len(names) > 1):
        shown = ", ".join(map(named, names[:_MOST_NODES]))
        raise typer.BadParameter(
            f"It must name the node whose symbols are expected, one of: {shown}.", param_hint="--node"
        )
    symbol = None if mask is None else the_class(mask, loaded.estimator.symbols_, "--mask", loaded.noun)
    return loaded.estimator.explain(data.X[number : number + 1], names[0] if chosen is None else chosen, symbol)


def _reach(loaded: Loaded, change: bool, at_least: float | None, at_most: float | None) -> dict[str, Any] | None:
    """Return what the smallest change is to reach, as arguments of ``smallest_change``; None to search for none."""
    given = {name: value for name, value in (("at_least", at_least), ("at_most", at_most)) if value is not None}
    if loaded.is_regressor and change and not given:
        raise typer.BadParameter(
            "The model predicts numbers: say which to reach, by --at-least or --at-most.", param_hint="--change"
        )
    if given and not loaded.is_regressor:
        raise typer.BadParameter(
            "The model predicts no numbers; pass --change.", param_hint=f"--{next(iter(given)).replace('_', '-')}"
        )
    return given if change or given else None


def check_picture(path: str, inputs: Iterable[tuple[str, Path]]) -> None:
    """Check that a picture can be drawn and written, before anything else is done.

    Raises
    ------
    typer.BadParameter
        If the suffix is none of ``PICTURES``, the file is one of the inputs, or it cannot be written.
    MissingLibraryError
        If matplotlib is not installed.
    """
    if Path(path).suffix.lower() not in PICTURES:
        raise typer.BadParameter(
            f"A picture must be a file that ends in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}; got {path}.",
            param_hint="--plot",
        )
    check_target(path, "--plot", inputs=inputs, streams=True)
    # A picture in a file needs no window, also where one could be opened.
    require("matplotlib", "--plot", "plots").use("Agg")


def _draw(path: str, found: Any, *, is_text: bool) -> None:
    """Draw an explanation, and write the picture."""
    pyplot = require("matplotlib.pyplot", "--plot", "plots")
    options: dict[str, Any] = {}
    if is_text:
        words = [found.graph.properties(node) for node in found.nodes]
        # The first symbol of a word is the word; others are its position and n-grams.
        options = {"layout": "text", "node_text": [name_text(symbols[0]) if symbols else "" for symbols in words]}
    suffix = Path(path).suffix.lower()
    date = {".svg": "Date", ".pdf": "CreationDate"}.get(suffix)
    # Without the date and random names, the same command writes the same file.
    with pyplot.rc_context({"svg.hashsalt": "graphtm"}):
        figure = found.plot(**options).figure
        content = io.BytesIO()
        figure.savefig(content, format=suffix[1:], dpi=_RESOLUTION, metadata={} if date is None else {date: None})
        pyplot.close(figure)
    try:
        with atomic_write(Path(path), streams=True) as file:
            file.write(content.getvalue())
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(f"The picture cannot be written to {path}: {reason}.") from error


def _markdown(found: Any, title: str, top: int | None, changed: str | None) -> str:
    below = "" if changed is None else f"\n\nSmallest change: {changed}"
    return f"## {title}\n\n{found.to_markdown(max_rules=top)}{below}"


def _latex(found: Any, title: str, top: int | None, changed: str | None) -> str:
    below = "" if changed is None else f"\n\nSmallest change: {latex_text(changed)}"
    return f"\\paragraph{{{latex_text(title)}}} {found.to_latex(max_rules=top)}{below}"


def checked_number(number: int, data: Data) -> int:
    """Return the number of a sample, counted from the start.

    Raises
    ------
    typer.BadParameter
        If there is no such sample.
    """
    if not -len(data) <= number < len(data):
        raise typer.BadParameter(
            f"It must be a number from 0 to {len(data) - 1}, since {data.name} has {count(len(data), data.noun)}; got "
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
    if data.of_numbers:
        text = number_text(label)
    else:
        text = ", ".join(sorted(map(label_text, label))) or "none" if isinstance(label, set) else label_text(label)
    return f"{data.noun.capitalize()} {number}{name}; its label is {text}"


def _show_sample(screen: Screen, data: Data, number: int, found: Any) -> None:
    """Print the sample itself, if it is small."""
    screen.say()
    if data.reading.kind == TEXTS:
        screen.say(f"Text: {data.X[number]}")
    elif hasattr(data.X, "columns"):
        screen.say("Row: " + ", ".join(f"{name} {value}" for name, value in data.X.iloc[number].items()))
    elif len(found.nodes) <= _MOST_NODES:
        screen.say(str(data.X[number]), indent=10)
