"""The recommended pipeline: how to represent data of a kind, and which machine to use, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

from graphtm.encoders import GraphEncoder, Neighbourhoods, Table, Tokens, WholeGraph
from graphtm.encoders.base import graph_batch
from graphtm.errors import GraphError
from graphtm.estimators import GraphTMClassifier, GraphTMMultiLabelClassifier, GraphTMRegressor
from graphtm.estimators.labels import refuse_numbers
from graphtm.foundation.display import count
from graphtm.foundation.frames import is_frame
from graphtm.foundation.parameters import is_integer
from graphtm.foundation.type_names import type_of
from graphtm.graphs import Graph, GraphBatch

RARE = 5
"""Number of training graphs in which a fact must hold to be used, with enough graphs."""
ENOUGH_NODES = 100_000
"""Number of nodes whose combinations of symbols are counted."""
MANY_KINDS = 2
"""Number of combinations of symbols at nodes, for each symbol, from which on neighbourhoods are rarely equal."""
LITERALS_PER_MISS = 4
"""Limit of literals of a clause for each that it may miss."""
_ROWS = (list, tuple, np.ndarray)
MACHINE: dict[str, Any] = {"max_misses": 2}
"""Parameters of the machine. Clauses with few misses and a low limit of literals were as accurate as others on seven
sets of molecules and social networks, more accurate where a few words decide, and are easier to read."""


@dataclass(frozen=True)
class Representation:
    """A way to represent data: encoders, parameters of the machine that follows, and why."""

    name: str
    encoders: tuple[GraphEncoder, ...]
    reason: str
    machine: dict[str, Any] = field(default_factory=lambda: {"depth": 1})


def make_classifier(X: Any, y: Any = None, **parameters: Any) -> Pipeline:
    """Return the recommended pipeline for these data, not fitted.

    What is recommended depends on the kind of data and on counts, not on labels:

    - Graphs: :class:`~graphtm.encoders.Neighbourhoods` and :class:`~graphtm.encoders.WholeGraph`, so that rules speak
      of what a graph contains. If nodes carry symbols in very many combinations, such as values of several attributes,
      graphs are used as they are, with a machine of depth 2; and so are graphs of one node each, with depth 1.
    - Texts, a list of str: :class:`~graphtm.encoders.Tokens` with pairs of words, and ``WholeGraph``.
    - A table, an array or data frame: :class:`~graphtm.encoders.Table`.

    The machine has graded clauses that may miss two literals. From eight literals on, matches add no more, but mistakes
    can still add a ``NOT``: on molecules, clauses have about 20. For short rules, pass ``max_misses=0,
    max_included_literals=3`` and use ``refit``. ``T``, ``s`` and ``epochs`` are ``"auto"``.

    Parameters
    ----------
    X
        Graphs, texts or a table, to be learned from or similar to these. Only their kind and number count.
    y
        Labels. Label sets or an indicator matrix give a :class:`~graphtm.GraphTMMultiLabelClassifier`, anything else a
        :class:`~graphtm.GraphTMClassifier`.
    **parameters
        Parameters of the classifier, such as ``random_state``, ``verbose`` or ``n_clauses``.

    Returns
    -------
    Pipeline
        A :class:`sklearn.pipeline.Pipeline`. Its last step is the classifier; ``set_params`` changes any step.

    Raises
    ------
    TypeError
        If the data are of none of these kinds, or there is no such parameter.
    GraphError
        If there are no data.
    ValueError
        If ``y`` has numbers with a fraction, which are no labels: use :class:`~graphtm.GraphTMRegressor` for these.

    See Also
    --------
    graphtm.suggest : tries other representations, too, and gives reasons.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.sequences(600, random_state=0)
    >>> pipeline = gtm.make_classifier(graphs, random_state=0)
    >>> pipeline
    Pipeline(steps=[('neighbourhoods', Neighbourhoods(min_graphs=5)),
                    ('wholegraph', WholeGraph(min_graphs=5)),
                    ('graphtmclassifier',
                     GraphTMClassifier(depth=1, max_included_literals=8,
                                       max_misses=2, random_state=0))])
    >>> pipeline.fit(graphs[:400], y[:400]).score(graphs[400:], y[400:])
    1.0
    """
    refuse_numbers(y)
    return pipeline_with(recommended_representation(X), is_multilabel(y), parameters)


def pipeline_with(
    representation: Representation, multilabel: bool, parameters: dict[str, Any], *, numbers: bool = False
) -> Pipeline:
    """Return the pipeline of a representation and the recommended machine, with other parameters where given.

    With ``numbers``, it is a regressor with its own defaults: graded clauses were not better than short exact ones.
    """
    if numbers:
        regressor = GraphTMRegressor(**{**representation.machine, **parameters})
        return make_pipeline(*map(clone, representation.encoders), regressor)
    machine = GraphTMMultiLabelClassifier if multilabel else GraphTMClassifier
    own = {**MACHINE, **representation.machine, **parameters}
    if "max_included_literals" not in parameters and is_integer(own["max_misses"]):
        own["max_included_literals"] = LITERALS_PER_MISS * (own["max_misses"] or MACHINE["max_misses"])
    return make_pipeline(*map(clone, representation.encoders), machine(**own))


def recommended_representation(X: Any) -> Representation:
    """Return the recommended representation of data, from their kind and number.

    Raises
    ------
    TypeError
        If the data are neither graphs nor texts nor a table.
    GraphError
        If there are none.
    """
    if sparse.issparse(X):
        raise TypeError("Tables must be dense; got a sparse one. Write X.toarray().")
    if hasattr(X, "__len__") and not isinstance(X, str) and len(X) == 0:
        raise GraphError("At least one sample is needed to recommend a pipeline; got none.")
    if isinstance(X, GraphBatch) or _first_is(X, Graph):
        batch = graph_batch(X)
        if batch.n_nodes == len(batch):
            return Representation("nodes", (), "each graph is a single node, which needs no other encoder")
        n_symbols = len(batch.vocabulary.symbols)
        n_kinds = _kinds(batch) if batch.vocabulary.edge_types else 0
        if n_kinds < MANY_KINDS * max(1, n_symbols):
            return whole_graphs(len(batch))
        return bare_nodes(
            f"nodes carry {n_symbols} symbols in about {n_kinds:,.0f} combinations; whole neighbourhoods would rarely "
            "be equal, and messages can tell parts of them"
        )
    if _first_is(X, str):
        encoders = (Tokens(ngrams=2, position=False, edges=None), WholeGraph(min_graphs=least_graphs(len(X))))
        return Representation("whole texts", encoders, "rules can combine words and pairs of words from anywhere")
    if is_frame(X) or getattr(X, "ndim", None) == 2 or (isinstance(X, list | tuple) and _first_is(X, _ROWS)):
        return Representation("rows", (Table(),), "a row becomes one node that carries the values of all columns")
    if type(_first(X)).__module__.startswith("networkx"):
        raise TypeError("The data are networkx graphs: convert them by graphtm.from_networkx first.")
    raise TypeError(
        "The data must be graphs (a GraphBatch or a list of Graph), texts (a list of str) or a table (a 2-D array, a "
        f"list of rows or a data frame); got {_described(X)}. For other data, put an encoder of graphtm.encoders first."
    )


def whole_graphs(n: int, hops: int = 2) -> Representation:
    """Return the representation of ``n`` graphs by what they contain, with neighbours up to some hops away."""
    rare, away = least_graphs(n), count(hops, "edge")
    return Representation(
        f"whole graphs, {count(hops, 'hop')}",
        (Neighbourhoods(hops=hops, min_graphs=rare), WholeGraph(min_graphs=rare)),
        f"rules can combine what is anywhere in a graph, count it, and use neighbours up to {away} away",
    )


def bare_nodes(reason: str, depth: int = 2) -> Representation:
    """Return the representation by the graphs themselves, for a machine of some depth."""
    return Representation(f"nodes, depth {depth}", (), reason, {"depth": depth, "n_clauses": 300})


def least_graphs(n: int) -> int:
    """Return in how many of ``n`` training graphs a fact must hold: rules on rarer facts do not carry over."""
    return min(RARE, max(2, n // 50))


def _kinds(batch: GraphBatch) -> float:
    """Return in how many combinations nodes carry symbols, in the first chunks; rare ones count little.

    This is the perplexity: the number of equally frequent combinations that would be as hard to guess.
    """
    sums, n_nodes = [], 0
    numbers = np.random.default_rng(0).random(len(batch.vocabulary.symbols))
    for chunk in batch.chunks():
        packed = chunk.pack()
        nodes, symbols = packed.properties.pairs()
        # Equal sets have equal sums of one random number per symbol; different ones hardly ever.
        sums.append(np.bincount(nodes, numbers[symbols], packed.n_nodes).round(9))
        n_nodes += packed.n_nodes
        if n_nodes >= ENOUGH_NODES:
            break
    _, counts = np.unique(np.concatenate(sums), return_counts=True)
    shares = counts / counts.sum()
    return float(np.exp(-shares @ np.log(shares)))


def is_multilabel(y: Any) -> bool:
    """Return whether labels are label sets or an indicator matrix."""
    if y is None:
        return False
    if sparse.issparse(y) or getattr(y, "ndim", 1) == 2:
        return bool(y.shape[1] > 1 or sparse.issparse(y))
    return _first_is(y, (set, frozenset, *_ROWS))


def _first_is(X: Any, kind: Any) -> bool:
    """Return whether data are a sequence whose first item is of a kind."""
    # Iterating over a data frame gives the names of its columns.
    if isinstance(X, str | bytes | dict) or is_frame(X) or not (hasattr(X, "__len__") and hasattr(X, "__iter__")):
        return False
    return isinstance(next(iter(X), None), kind)


def _first(X: Any) -> Any:
    return next(iter(X), None) if isinstance(X, list | tuple) else X


def _described(X: Any) -> str:
    shape = getattr(X, "shape", None)
    if shape is not None:
        return f"{type_of(X)} of shape {tuple(shape)}"
    of = f" of {type(_first(X)).__name__!r}" if isinstance(X, list | tuple) else ""
    return f"{type_of(X)}{of}"
