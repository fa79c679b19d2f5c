"""Representations to try: the recommended one and its variations, each with what it is called and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from graphtm.encoders import GraphEncoder, Table, Tokens
from graphtm.foundation.display import count
from graphtm.graphs import GraphBatch
from graphtm.pipelines.recommended import (
    Representation,
    bare_nodes,
    pipeline_with,
    recommended_representation,
    whole_graphs,
)

NODE_DEPTH = 2
"""Depth of machines that work on the graphs themselves."""
_HOPS, _NGRAMS, _BINS = (1, 2, 3), (1, 2, 3), (4, 8, 16)


@dataclass(frozen=True)
class Candidate:
    """A representation, and the parameters of the machine that go with it."""

    representation: Representation
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.representation.name

    def pipeline(self, multilabel: bool, given: Mapping[str, Any]) -> Pipeline:
        """Return the pipeline with this representation; parameters that the caller gave win."""
        return pipeline_with(self.representation, multilabel, {**self.parameters, **given})


def candidates_for(X: Any, given: Mapping[str, Any]) -> list[Candidate]:
    """Return the candidates for data, the recommended one first.

    Parameters
    ----------
    X
        Graphs, texts or a table.
    given
        Parameters of the machine that the caller has fixed.
    """
    recommended = _with_given_depth(recommended_representation(X), given)
    if isinstance(X, GraphBatch):
        others = _graph_candidates(X, recommended, given)
    else:
        others = [
            *_variations(recommended, Tokens, "ngrams", _NGRAMS),
            *_variations(recommended, Table, "bins", _BINS),
        ]
    return [Candidate(recommended), *_exact(recommended, given), *others]


def _with_given_depth(recommended: Representation, given: Mapping[str, Any]) -> Representation:
    """Return a representation whose name and reason tell the given depth, if it is one of nodes with messages."""
    if "depth" not in given or recommended.machine.get("depth", 1) == 1:
        return recommended
    depth = int(given["depth"])
    return bare_nodes(recommended.reason if depth > 1 else _about_nodes(depth), depth)


def _graph_candidates(X: GraphBatch, recommended: Representation, given: Mapping[str, Any]) -> list[Candidate]:
    if X.n_nodes == len(X):
        return []
    found = [] if recommended.encoders or not X.vocabulary.edge_types else [Candidate(whole_graphs(len(X)))]
    looks, whole = whole_graphs(len(X)).encoders
    if X.vocabulary.edge_types:
        found += [Candidate(whole_graphs(len(X), hops)) for hops in _HOPS if hops != looks.hops]
    if not X.vocabulary.symbols:  # there is nothing to see without neighbours
        return found + _nodes_with_looks(looks)
    reason = "rules can combine and count what is anywhere in a graph; neighbours do not matter"
    found.append(Candidate(Representation("whole graphs, 0 hops", (whole,), reason)))
    return found + _nodes_with_looks(looks) + _bare_nodes(X, recommended, given)


def _nodes_with_looks(looks: GraphEncoder) -> list[Candidate]:
    reason = "a rule describes a single node with its neighbours"
    return [Candidate(Representation("nodes, 1 hop", (clone(looks).set_params(hops=1),), reason))]


def _bare_nodes(X: GraphBatch, recommended: Representation, given: Mapping[str, Any]) -> list[Candidate]:
    """Return machines on the graphs themselves, with graded and with exact clauses."""
    depth = int(given.get("depth", NODE_DEPTH if X.vocabulary.edge_types else 1))
    nodes = bare_nodes(_about_nodes(depth), depth)
    if nodes.name == recommended.name:
        return []
    return [Candidate(nodes), *_exact(nodes, given)]


def _about_nodes(depth: int) -> str:
    messages = f" and messages from up to {count(depth - 1, 'edge')} away" if depth > 1 else ""
    return f"a rule describes a single node{messages}"


def _exact(representation: Representation, given: Mapping[str, Any]) -> list[Candidate]:
    """Return a representation with exact clauses, unless the caller has decided on that."""
    if "max_misses" in given:
        return []
    reason = f"{representation.reason}, and all literals of a rule must hold"
    exact = replace(representation, name=f"{representation.name}, exact", reason=reason)
    return [Candidate(exact, {"max_misses": 0})]


def _variations(
    recommended: Representation, kind: type[GraphEncoder], name: str, values: tuple[int, ...]
) -> list[Candidate]:
    """Return the recommended representation with other values of a parameter of one of its encoders."""
    encoder = _find(recommended, kind)
    if encoder is None:
        return []
    return [
        Candidate(
            replace(
                recommended,
                name=f"{recommended.name}, {name}={value}",
                encoders=_changed(recommended, encoder, **{name: value}),
            )
        )
        for value in values
        if value != getattr(encoder, name)
    ]


def _find(representation: Representation, kind: type[GraphEncoder]) -> Any:
    return next((encoder for encoder in representation.encoders if isinstance(encoder, kind)), None)


def _changed(representation: Representation, encoder: GraphEncoder, **changes: Any) -> tuple[GraphEncoder, ...]:
    return tuple(clone(one).set_params(**changes) if one is encoder else clone(one) for one in representation.encoders)
