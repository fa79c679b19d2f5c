"""``graphtm export``: a trained machine as a program, and graphs as that program reads them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from graphtm.cli.model_files import Loaded, check_target, load_model, refusing_unknown
from graphtm.cli.output import Screen
from graphtm.cli.predict import data_for
from graphtm.cli.reading import Reading, Source
from graphtm.export.writing import GRAPH_SUFFIXES, SUFFIXES, c_name, checked_suffix
from graphtm.foundation.display import count, size_text


def export_machine(screen: Screen, model: str, output: str, name: str | None, unknown: str | None) -> None:
    """Write the machine of a model file as a program.

    Parameters
    ----------
    screen
        Where notes go.
    model
        The model file.
    output
        The file to write; its suffix says in which language.
    name
        What identifiers in C begin with.
    unknown
        ``"error"`` or ``"ignore"``: what the program does with names that are not in the training data. Default: as the
        model does.
    """
    target = _target(output, SUFFIXES, name, [("MODEL", Path(model))])
    loaded = _loaded(model, unknown)
    try:
        loaded.estimator.export(target, name=name)
    except OSError as error:
        raise _cannot_be_written(output, error) from error
    kind = SUFFIXES[target.suffix]
    size = size_text(target.stat().st_size)
    screen.note(f"{kind[0].upper()}{kind[1:]} written to {output} ({size}){_prefix(target, name)}")
    encoders = _encoders(loaded)
    command = "graphtm export MODEL DATA -o GRAPHS"
    if encoders:
        screen.note(f"It takes graphs that {' and '.join(encoders)} of this pipeline have made: {command} writes them.")
    else:
        screen.note(f"It takes graphs as {command} writes them.")
    if loaded.is_autoencoder:
        screen.note(
            "It says which symbols are expected in a whole graph as it is. This is not what graphtm predict prints: "
            "the symbols expected at each node, each judged while it is masked."
        )


def export_graphs(
    screen: Screen,
    model: str,
    source: Source,
    given: Reading,
    output: str,
    name: str | None,
    unknown: str | None,
) -> None:
    """Write the graphs of a file as the machine of a model sees them.

    Parameters
    ----------
    screen
        Where notes go.
    model
        The model file.
    source, given
        The data, and what options say of them.
    output
        The file to write; its suffix says in which form.
    name, unknown
        As for :func:`export_machine`.
    """
    target = _target(output, GRAPH_SUFFIXES, name, [("MODEL", Path(model)), *source.files()])
    loaded = _loaded(model, unknown)
    data = data_for(loaded, source, given)
    with refusing_unknown(unknown):
        graphs = loaded.seen(data.X)
    try:
        loaded.estimator.export(target, graphs, name=name)
    except OSError as error:
        raise _cannot_be_written(output, error) from error
    size = size_text(target.stat().st_size)
    prefix = _prefix(target, name, of_graphs=True)
    screen.note(f"{count(len(graphs), 'graph')} written to {output} ({size}){prefix}")


def _prefix(target: Path, name: str | None, *, of_graphs: bool = False) -> str:
    """Return, for C, what identifiers begin with, as the end of a note."""
    return f"; identifiers begin with {c_name(target, name, of_graphs=of_graphs)}_" if target.suffix == ".h" else ""


def _target(output: str, suffixes: dict[str, str], name: str | None, inputs: Iterable[tuple[str, Path]]) -> Path:
    checked_suffix(Path(output), suffixes, name)
    return check_target(output, inputs=inputs)


def _loaded(model: str, unknown: str | None) -> Loaded:
    loaded = load_model(model)
    if unknown is not None:
        loaded.estimator.set_params(unknown=unknown)
    return loaded


def _encoders(loaded: Loaded) -> list[str]:
    """Return the names of the steps of a pipeline before the estimator."""
    steps = getattr(loaded.model, "steps", [])
    return [type(step).__name__ for _, step in steps[:-1]]


def _cannot_be_written(output: str, error: OSError) -> OSError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return OSError(f"The export cannot be written to {output}: {reason}.")
