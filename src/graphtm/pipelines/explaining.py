"""Explanations of pipelines, on the user's own graph."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from graphtm.encoders import Neighbourhoods, Relations, WholeGraph
from graphtm.encoders.base import graph_batch
from graphtm.estimators.machine_estimator import MachineEstimator
from graphtm.explain import (
    Explanation,
    LabelExplanation,
    OwnGraphExplanation,
    OwnGraphLabelExplanation,
    OwnGraphRegressionExplanation,
    RegressionExplanation,
)
from graphtm.foundation.type_names import type_of
from graphtm.graphs import GraphBatch
from graphtm.pipelines.origins import EncodedOrigin
from graphtm.pipelines.samples import checked_place, one_sample


def explain(pipeline: Any, X: Any, i: int) -> Explanation | LabelExplanation | RegressionExplanation:
    """Explain the prediction of a pipeline for one sample, on the sample's own graph.

    The explanation has the votes of the machine, the clauses behind them and the symbols that these use, and shows
    which nodes and edges of the graph make them true. The graph is the one that is given to
    :class:`~graphtm.encoders.Neighbourhoods` or :class:`~graphtm.encoders.WholeGraph`, the first of them if there are
    both: the user's own graph, or what an encoder such as :class:`~graphtm.encoders.Tokens` makes of other data.
    Without these two encoders, it is the graph that the machine sees, as in ``clf.explain(graph)``.

    Parameters
    ----------
    pipeline
        A fitted :class:`sklearn.pipeline.Pipeline` whose last step is an estimator of this package, or such an
        estimator alone. Any steps that make graphs of the data can come first. ``Neighbourhoods`` and ``WholeGraph``
        must be the last steps before the estimator, in this order.
    X
        Samples, as the pipeline takes them. Only one is encoded, except with ``Relations(graph=...)``, which makes one
        graph of several rows.
    i
        Number of the sample; negative numbers count from the end.

    Returns
    -------
    Explanation, LabelExplanation or RegressionExplanation
        With ``Neighbourhoods`` or ``WholeGraph``, an :class:`~graphtm.explain.OwnGraphExplanation`,
        :class:`~graphtm.explain.OwnGraphLabelExplanation` or :class:`~graphtm.explain.OwnGraphRegressionExplanation`,
        which are explanations too.

    Raises
    ------
    TypeError
        If the pipeline or ``X`` is of another kind, or ``i`` is not an int.
    IndexError
        If there is no such sample.
    NotFittedError
        If the pipeline is not fitted.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from sklearn.pipeline import make_pipeline
    >>> molecules = gtm.from_smiles(["CCO", "CCCO", "CCN", "CCCN"] * 10, hydrogens=False, rings=False)
    >>> y = ["alcohol", "alcohol", "amine", "amine"] * 10
    >>> machine = gtm.GraphTMClassifier(n_clauses=4, T=5, s=2.0, depth=1, epochs=10, random_state=0)
    >>> pipeline = make_pipeline(gtm.encoders.WholeGraph(counts=[1, 2]), machine).fit(molecules, y)
    >>> print(gtm.explain(pipeline, molecules, 0))
    Predicted alcohol; votes: alcohol +5, amine -5
    Symbols that contribute most to alcohol, and the nodes that have them:
      (element=C)>=1 +1.75 at 0 (C), 1 (C)
      (element=C)>=2 +1.75 at 0 (C), 1 (C)
      (element=O)>=1 +1.75 at 2 (O)
    Nodes that contribute most to alcohol: 0 (C) +1.75, 1 (C) +1.75, 2 (O) +1.75
    The graph as a whole contributes -0.25 to alcohol: absent facts +1.75, all else -2.00
    Absent facts that contribute most to alcohol: NOT (element=N)>=1 +1.75
    3 of 4 clauses are true; those that vote most for or against alcohol:
      C1 (and 1 equal): (element=C)>=1 AND (element=C)>=2 AND (element=O)>=1 AND NOT (element=N)>=1   [+7, -7]
          at 0 (C), 1 (C), 2 (O)
      C0: ANY NODE   [-2, +2]   of the graph as a whole
    """
    first, encoders, estimator = _parts(pipeline)
    estimator._check_fitted()
    graph = _own_graph(first, X, i)
    if not encoders:
        return estimator.explain(graph)  # type: ignore[no-any-return]
    origin = EncodedOrigin(encoders, graph, estimator.model_.vocabulary)
    seen = estimator.explain(origin.seen)
    if isinstance(seen, RegressionExplanation):
        return OwnGraphRegressionExplanation.of(seen, origin)
    kind = OwnGraphLabelExplanation if isinstance(seen, LabelExplanation) else OwnGraphExplanation
    return kind.of(seen, origin)


def _parts(pipeline: Any) -> tuple[list[Any], list[Neighbourhoods | WholeGraph], MachineEstimator]:
    """Return the steps that make graphs of data, the encoders of graphs, and the estimator."""
    *first, (name, estimator) = named_steps(pipeline) if isinstance(pipeline, Pipeline) else [("estimator", pipeline)]
    if not isinstance(estimator, MachineEstimator):
        what = f"Step {name!r}, the last of the pipeline," if isinstance(pipeline, Pipeline) else "The pipeline"
        search = " Pass its best_estimator_." if hasattr(estimator, "best_estimator_") else ""
        raise TypeError(
            f"{what} must be an estimator of graphtm, or a Pipeline that ends with one. Got {type_of(estimator)} "
            f"instead.{search}"
        )
    encoders: list[Neighbourhoods | WholeGraph] = []
    for name, step in first:
        is_ours = isinstance(step, Neighbourhoods | WholeGraph)
        if encoders and not (is_ours and isinstance(encoders[-1], Neighbourhoods)):
            raise TypeError(
                "To be explained, a pipeline must not have other steps between Neighbourhoods, WholeGraph and the "
                f"estimator; step {name!r}, {type_of(step)}, follows {type(encoders[-1]).__name__}. Put it "
                "before them."
            )
        if is_ours:
            encoders.append(step)
    return [step for _, step in first[: len(first) - len(encoders)]], encoders, estimator


def named_steps(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline, and of pipelines in it."""
    steps: list[tuple[str, Any]] = []
    for name, step in pipeline.steps:
        if isinstance(step, Pipeline):
            steps += [(f"{name}.{inner}", one) for inner, one in named_steps(step)]
        elif not (step is None or isinstance(step, str)):
            steps.append((name, step))
    return steps


def _own_graph(steps: list[Any], X: Any, i: Any) -> GraphBatch:
    """Return the graph of one sample, as a batch."""
    grouped = any(isinstance(step, Relations) and step._plan.graph is not None for step in steps)
    data = X if grouped else one_sample(X, i)
    for step in steps:
        data = step.transform(data)
    graphs = graph_batch(data)
    if grouped:
        place = checked_place(i, len(graphs))
        return graphs[place : place + 1]
    return graphs
