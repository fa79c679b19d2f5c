"""The pipeline that ``graphtm fit`` trains, and why it was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline

from graphtm.cli.data_files import Data
from graphtm.cli.output import OPTIONS, Screen
from graphtm.cli.reading import CSV, GRAPHS
from graphtm.encoders import Table, WholeGraph
from graphtm.estimators import GraphTMAutoencoder
from graphtm.foundation.display import count
from graphtm.pipelines.recommended import Representation, bare_nodes, pipeline_with, recommended_representation
from graphtm.search.candidates import Candidate
from graphtm.search.reasons import parameter_reasons, parameters_of


@dataclass(frozen=True)
class Choice:
    """A pipeline, not fitted, with reasons.

    Parameters
    ----------
    pipeline
        The pipeline.
    representation
        How it represents the data.
    given
        Parameters that the user gave.
    parameters, reasons
        Parameters with their values, and a sentence for each.
    """

    pipeline: Pipeline
    representation: Representation
    given: Mapping[str, Any]
    parameters: Mapping[str, Any]
    reasons: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.representation.name

    def to_dict(self) -> dict[str, Any]:
        """Return what was chosen as plain data."""
        return {
            "representation": self.name,
            "reason": self.representation.reason,
            "encoders": [type(step).__name__ for step in self.pipeline[:-1]],
            "parameters": dict(self.parameters),
            "reasons": dict(self.reasons),
        }


def choose(data: Data, given: Mapping[str, Any], *, plain: bool) -> Choice:
    """Return the recommended pipeline for data, with the parameters that the user gave.

    Parameters
    ----------
    data
        The data.
    given
        Parameters of the machine.
    plain
        Whether the machine works on the graphs as they are.
    """
    depth = int(given.get("depth", 2))
    representation = bare_nodes("asked for by --plain", depth) if plain else recommended_representation(data.X)
    if not plain and not representation.encoders and "depth" in given:
        representation = bare_nodes(representation.reason, depth)
    machine = {name: value for name, value in given.items() if name != "bins"}
    pipeline = pipeline_with(representation, data.reading.multilabel, machine, numbers=data.of_numbers)
    if "bins" in given:
        for step in pipeline[:-1]:
            if isinstance(step, Table):
                step.set_params(bins=given["bins"])
    parameters = parameters_of(pipeline, len(data))
    reasons = parameter_reasons(Candidate(representation), parameters, data.X, len(data), numbers=data.of_numbers)
    if any(isinstance(step, Table) for step in pipeline[:-1]):
        reasons["bins"] = "Numbers are divided at quantiles, and a row says which limits it reaches."
    reasons |= {name: f"Given by {OPTIONS.get(name, name)}." for name in given}
    known = {name: reasons[name] for name in parameters if name in reasons}
    return Choice(pipeline, representation, given, parameters, known)


def choose_bare(machine: Any, data: Data, given: Mapping[str, Any]) -> Choice:
    """Return an auto-encoder or a bandit with the parameters that the user gave; both take graphs as they are."""
    is_autoencoder = isinstance(machine, GraphTMAutoencoder)
    reason = (
        "the symbols of a node are expected from those around it"
        if is_autoencoder
        else "a bandit takes graphs as they are, so that it can decide on one at a time"
    )
    representation = bare_nodes(reason, int(machine.depth))
    n = int(machine.n_contexts) * len(data.X.vocabulary.symbols) if is_autoencoder else len(data)
    pipeline = make_pipeline(machine)
    parameters = parameters_of(pipeline, n)
    reasons = parameter_reasons(Candidate(representation), parameters, data.X, n, numbers=True)
    if not parameters["max_misses"]:
        reasons["max_misses"] = "Clauses are exact: all of their literals must hold."
    if is_autoencoder:
        examples = f"{n:,} examples, {int(machine.n_contexts):,} for each symbol"
        reasons["s"] = f"Chosen for {examples}, and {'graded' if parameters['max_misses'] else 'exact'} clauses."
        reasons["epochs"] = f"Each goes through {examples}."
    reasons |= {name: f"Given by {OPTIONS.get(name, name)}." for name in given}
    known = {name: reasons[name] for name in parameters if name in reasons}
    return Choice(pipeline, representation, given, parameters, known)


def show_choice(screen: Screen, choice: Choice) -> None:
    """Print what was chosen, and why."""
    screen.say(f"Representation: {choice.name}. Why: {choice.representation.reason}.")
    names = [name for name in choice.parameters if name in choice.reasons]
    for name in names:
        value = choice.parameters[name]
        shown = ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
        setting = f"{OPTIONS[name]} {shown}" if name in OPTIONS else f"{name} = {shown}"
        screen.say(f"{setting}: {choice.reasons[name]}", first=2, indent=6)
    last = choice.pipeline[-1]
    if last.depth > 1 and any(isinstance(step, WholeGraph) for step in choice.pipeline[:-1]):
        screen.note(
            "Note: --depth has no use here, since each graph becomes one node with facts about the graph. Add --plain "
            "to train on the graphs as they are, with messages between nodes."
        )


def describe(data: Data) -> str:
    """Return what was read, in one sentence."""
    counted = count(len(data), data.noun)
    text = f"{counted} from {data.name} ({data.format})"
    if data.reading.kind == GRAPHS:
        batch = data.X
        parts = [count(batch.n_nodes, "node"), count(len(batch.vocabulary.symbols), "symbol")]
        parts.append(count(len(batch.vocabulary.edge_types), "edge type"))
        text += f": {', '.join(parts)}"
        if data.format == CSV and not data.reading.edges:
            missing = "edges.csv" if Path(data.name).is_dir() else "--edges"
            text += f". Note: no {missing}: graphs have no edges"
    elif hasattr(data.X, "columns"):
        text += f": {count(len(data.X.columns), 'column')}"
    return text
