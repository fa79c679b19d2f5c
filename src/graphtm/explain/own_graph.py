"""Explanations shown on the user's own graph, from which encoders made the graph that the machine sees."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from graphtm.engines import Engine
from graphtm.engines.trace import included_literals
from graphtm.explain.base_explanation import BaseExplanation
from graphtm.explain.change_search import Search
from graphtm.explain.explanation import Explanation, LabelExplanation
from graphtm.explain.explanation_plots import PlottedExplanation
from graphtm.explain.explanation_text import SHOWN, edge_text, ranked
from graphtm.explain.own_search import Origin, OwnGraphSearch
from graphtm.explain.regression_explanation import RegressionExplanation
from graphtm.explain.scores import Floats, Scores
from graphtm.explain.witness import Witness
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import bare
from graphtm.foundation.names import name_key
from graphtm.graphs import Edge, Graph, GraphBatch, PackedGraphs
from graphtm.model import Model
from graphtm.plots.witnesses import draw_evidence

Own = TypeVar("Own", bound="_OnOwnGraph")


class _OnOwnGraph(PlottedExplanation):
    """Shows an explanation on the user's own graph."""

    def __init__(
        self,
        model: Model,
        graphs: GraphBatch,
        classes: Iterable[Hashable],
        engine: Engine | None = None,
        *,
        origin: Origin,
        **more: Any,
    ) -> None:
        super().__init__(model, graphs, classes, engine, **more)
        self.origin = origin
        self.nodes = tuple(origin.graph.names_of(0))

    @classmethod
    def of(cls: type[Own], seen: BaseExplanation, origin: Origin) -> Own:
        """Return an explanation on the own graph, given one of the graph that the machine sees."""
        more = {} if seen._scale is None else {"scale": seen._scale}
        found = cls(seen.model, GraphBatch(seen._packed), seen.classes, seen._engine, origin=origin, **more)
        found._output = seen._output
        return found

    @property
    def graph(self) -> Graph:
        """The user's own graph."""
        return self.origin.graph.graph(0)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges of the user's own graph, in the order of their scores."""
        table, kinds = self.origin.graph.out_edges, self.origin.graph.vocabulary.edge_types
        rows = zip(table.near_ends().tolist(), table.neighbours.tolist(), table.types.tolist(), strict=True)
        return tuple(Edge(self.nodes[source], self.nodes[target], kinds[kind]) for source, target, kind in rows)

    def nodes_of(self, clause: int) -> tuple[Hashable, ...]:
        """Return the names of the nodes at which a clause is true; if it is graded, where it is strongest.

        After ``WholeGraph``, these are the nodes that make facts true which the clause includes.
        """
        if not self.origin.is_whole:
            return super().nodes_of(clause)
        clause = self._clauses.checked(clause)
        if not self.trace.outputs[clause]:
            return ()
        size = self.model.symbol_code.size
        includes = included_literals(self.model.params, self.model.state, 0)[[clause], :size].indices
        _, symbols = self._packed.properties.pairs()
        held = symbols[np.isin(self.model.symbol_code.positions[symbols], includes).any(axis=1)]
        return self._making(held)

    def locate(self, symbol: Hashable) -> tuple[Hashable, ...]:
        """Return the names of the nodes that make a symbol of the model true, such as a fact of ``WholeGraph``.

        Parameters
        ----------
        symbol
            A symbol of ``model.vocabulary``.

        Raises
        ------
        UnknownSymbolError
            If there is no such symbol.
        """
        return self._making(np.array([self.model.vocabulary.symbols.index(symbol)]))

    def _making(self, symbols: Int64Array) -> tuple[Hashable, ...]:
        """Return the names of the nodes that make one of these symbols true."""
        nodes, carried = self._packed.properties.pairs()
        chosen = np.isin(carried, symbols)
        _, found = self.origin.nodes_of(nodes[chosen], carried[chosen])
        return tuple(self.nodes[node] for node in np.unique(found).tolist())

    def witness(self, clause: int, node: Hashable = None) -> Witness:
        """Return the proof that a clause is true at a node, as :meth:`Explanation.witness` does.

        After ``WholeGraph``, it speaks of the single node that stands for the graph, and ``node`` is left out.
        """
        if not self.origin.is_whole:
            return super().witness(clause, node)
        if node is not None:
            raise ValueError(f"The 'node' parameter of witness must be None after WholeGraph. Got {node!r} instead.")
        clause = self._clauses.checked(clause)
        if not self.trace.outputs[clause]:
            raise ValueError(f"The clause must be true for the graph; C{clause} is not. `fired` lists those that are.")
        return self._witness_of(clause, 0)

    def _place_text(self, node: Hashable) -> str:
        """Return where a clause is true, in words; after ``WholeGraph``, that is the graph, not a node."""
        return "" if self.origin.is_whole else super()._place_text(node)

    def _draw_witness(self, witness: Witness, *, title: str | None = None, **options: Any) -> Any:
        """Draw a witness on the own graph; after ``WholeGraph``, the nodes and edges that make its facts true."""
        if not self.origin.is_whole:
            return super()._draw_witness(witness, title=title, **options)
        title = self._clause_title(witness) if title is None else title
        facts = list(
            dict.fromkeys(
                fact
                for condition in witness.steps[0].conditions
                if not (condition.missed or condition.literal.layer)
                for fact in condition.granted_by
            )
        )
        numbers = np.array([self.model.vocabulary.symbols.index(fact) for fact in facts], dtype=np.int64)
        places, nodes = self.origin.nodes_of(np.zeros(len(numbers), np.int64), numbers)
        _, edges = self.origin.edges_of(nodes, numbers[places])
        making: dict[int, list[Hashable]] = {}
        for place, node in zip(places.tolist(), nodes.tolist(), strict=True):
            making.setdefault(node, []).append(facts[place])
        held = [(self.nodes[node], found) for node, found in making.items()]
        covered = [self.edges[edge] for edge in np.unique(edges).tolist()]
        return draw_evidence(self.graph, held, covered, title=title, **options)

    def _shared(self, weights: Int64Array) -> Scores:
        """Divide votes among the nodes, edges and symbols of the own graph."""
        scores, origin = super()._shared(weights), self.origin
        table = scores.present.tocoo()
        symbols = table.col.astype(np.int64)
        places, nodes = origin.nodes_of(table.row.astype(np.int64), symbols)
        symbols, shares = symbols[places], _divided(table.data, places)
        covering, covered = origin.edges_of(nodes, symbols)
        edges = np.zeros(origin.graph.n_edges)
        np.add.at(edges, covered, _divided(shares, covering))
        np.add.at(edges, origin.edges_seen, scores.edges)
        if not origin.is_whole:
            return replace(scores, edges=edges)
        present = sparse.csr_array((shares, (nodes, symbols)), shape=(len(self.nodes), table.shape[1]))
        whole = float(scores.absences.sum()) + scores.silence + scores.existence
        return replace(scores, nodes=np.asarray(present.sum(axis=1)), edges=edges, present=present, whole=whole)

    def _scores_dict(self, scores: Scores) -> dict[str, Any]:
        return {**super()._scores_dict(scores), "whole": scores.whole}

    def _all_edits(self, promise: Floats, engine: Engine) -> Search:
        return OwnGraphSearch.of(self.model, self.origin, promise, engine)

    # Text

    def _where(self, clause: int) -> str:
        nodes = self.nodes_of(clause)
        return f"at {self._nodes_text(nodes)}" if nodes else "of the graph as a whole"

    @property
    def _shown_graph(self) -> PackedGraphs:
        return self.origin.graph

    def _contribution_lines(self, class_: Hashable) -> Iterator[str]:
        scores, title = self.scores(class_), bare(class_)
        facts, absent = self._facts(scores), self._absent(scores)
        if facts:
            yield f"Symbols that contribute most to {title}, and the nodes that have them:"
            yield from (f"  {fact}" for fact in facts)
        for kind, values in self._nodes_and_edges(scores):
            yield f"{kind} that contribute most to {title}: {values}"
        if scores.whole:
            yield f"The graph as a whole contributes {self._score_text(scores.whole)} to {title}{self._parts(scores)}"
        if absent:
            yield f"Absent facts that contribute most to {title}: {', '.join(absent)}"

    def _contributions(self, class_: Hashable) -> Iterator[tuple[str, str]]:
        scores = self.scores(class_)
        facts, absent = self._facts(scores), self._absent(scores)
        if facts:
            yield "Symbols", "; ".join(facts)
        yield from self._nodes_and_edges(scores)
        if scores.whole:
            yield "The graph as a whole", f"{self._score_text(scores.whole)}{self._parts(scores)}"
        if absent:
            yield "Absent facts", ", ".join(absent)

    def _facts(self, scores: Scores) -> list[str]:
        """Return the symbols with the largest scores, and the nodes that have these, as text.

        After ``WholeGraph`` these are the facts that hold; absent ones belong to no node.
        """
        symbols, values = self.model.vocabulary.symbols, scores.symbols
        if not self.origin.is_whole:
            values = np.append(values, scores.absences)
        texts = []
        for place in np.argsort(-np.abs(values), kind="stable")[:SHOWN].tolist():
            absent, number = divmod(place, len(symbols))
            rows = (scores.absent if absent else scores.present)[:, [number]].nonzero()[0]
            name, nodes = f"{'NOT ' * absent}{bare(symbols[number])}", [self.nodes[row] for row in rows.tolist()]
            score = self._score_text(float(values[place]))
            texts += [f"{name} {score} at {self._nodes_text(nodes)}"] * bool(values[place])
        return texts

    def _absent(self, scores: Scores) -> list[str]:
        """Return the absent facts of the graph as a whole with the largest scores, as text."""
        if not self.origin.is_whole:
            return []
        names = [f"NOT {bare(name)}" for name in self.model.vocabulary.symbols]
        return ranked(names, scores.absences, self._score_text)

    def _parts(self, scores: Scores) -> str:
        """Return what the score of the graph as a whole consists of, if this is not one thing alone."""
        absent, rest = float(scores.absences.sum()), scores.silence + scores.existence
        if min(abs(absent), abs(rest)) < self._least_score:
            return ""
        return f": absent facts {self._score_text(absent)}, all else {self._score_text(rest)}"

    def _nodes_and_edges(self, scores: Scores) -> Iterator[tuple[str, str]]:
        for title, names, values in (
            ("Nodes", list(self._text_of_nodes.values()), scores.nodes),
            ("Edges", *self._joined(scores.edges)),
        ):
            largest = ranked(names, values, self._score_text)
            if largest:
                yield title, ", ".join(largest)

    def _joined(self, scores: Floats) -> tuple[list[str], Floats]:
        """Return edges as text with their scores; both directions of an edge are one."""
        both = {name_key(tuple(edge)) for edge in self.edges}
        total: dict[Hashable, float] = {}
        texts: dict[Hashable, str] = {}
        for edge, score in zip(self.edges, scores.tolist(), strict=True):
            key, back = name_key(tuple(edge)), name_key((edge.destination, edge.source, edge.type))
            if back in texts and back != key:
                key = back
            else:
                texts[key] = edge_text(edge, self._node_text, both=back in both and back != key)
            total[key] = total.get(key, 0.0) + score
        return list(texts.values()), np.array(list(total.values()), dtype=np.float64)


class OwnGraphExplanation(_OnOwnGraph, Explanation):
    """Explanation of a classifier's prediction, shown on the user's own graph, as :func:`graphtm.explain` returns it.

    :class:`~graphtm.encoders.Neighbourhoods` and :class:`~graphtm.encoders.WholeGraph` make other graphs of the graphs
    that they are given, and the machine sees those. This explanation has the votes, rules and witnesses of the machine,
    which speak of its symbols. Nodes, edges and their scores are those of the graph that was given to the encoders.
    Everything else is as in :class:`Explanation`.

    Parameters
    ----------
    model, graphs, classes, engine
        As for :class:`Explanation`; the graph is the one that the machine sees.
    origin
        The user's own graph, and how the encoders made the machine's graph from it.

    Notes
    -----
    Scores start from those of the machine's graph, see :class:`Explanation`:

    - The score of a fact of ``WholeGraph`` that holds is divided equally among the nodes that make it true, those that
      carry the symbol it counts.
    - Absent facts, clauses without conditions and silence belong to no node. Their sum is the score of the graph as a
      whole, ``scores().whole``; ``scores().absent`` lists the facts. Node scores and ``whole`` add up to the vote sum.
    - The score of a look stays with its node. It is also divided equally among the edges that the look covers: those at
      nodes less than ``hops`` edges away, and for parts of looks those to the neighbours that the part names. These are
      added to the scores of edges that messages were carried over. Edge scores are a view of their own, and are not
      added to node scores.

    :meth:`smallest_change` edits symbols of the user's own graph and encodes it again.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from sklearn.pipeline import make_pipeline
    >>> graphs = gtm.from_smiles(["CCO", "CCCO", "CCN", "CCCN"] * 10, hydrogens=False, rings=False)
    >>> y = ["alcohol", "alcohol", "amine", "amine"] * 10
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=2.0, depth=1, epochs=10, random_state=0)
    >>> pipeline = make_pipeline(gtm.encoders.WholeGraph(counts=[1, 2]), clf).fit(graphs, y)
    >>> ex = gtm.explain(pipeline, graphs, 0)
    >>> ex.votes
    {'alcohol': 5, 'amine': -5}
    >>> scores = ex.scores("alcohol")
    >>> scores.nodes, scores.whole
    (array([1.75, 1.75, 1.75]), -0.25)
    >>> ex.locate((("element", "O"), ">=", 1))
    (2,)
    """


class OwnGraphLabelExplanation(_OnOwnGraph, LabelExplanation):
    """Explanation of a multi-label classifier's prediction, shown on the user's own graph.

    It is to :class:`LabelExplanation` what :class:`OwnGraphExplanation` is to :class:`Explanation`.

    Parameters
    ----------
    model, graphs, classes, engine, origin
        As for :class:`OwnGraphExplanation`; the outputs are the labels.
    """


class OwnGraphRegressionExplanation(_OnOwnGraph, RegressionExplanation):
    """Explanation of a regressor's prediction, shown on the user's own graph.

    It is to :class:`RegressionExplanation` what :class:`OwnGraphExplanation` is to :class:`Explanation`.

    Parameters
    ----------
    model, graphs, classes, engine, origin, scale
        As for :class:`OwnGraphExplanation` and :class:`RegressionExplanation`.
    """


def _divided(values: Floats, places: Int64Array) -> Floats:
    """Divide values equally among the parts at their places."""
    return np.asarray((values / np.maximum(1, np.bincount(places, minlength=len(values))))[places])
