"""Pictures of explanations: scores, witnesses, message flows and hypervectors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from graphtm.explain.base_explanation import BaseExplanation
from graphtm.explain.explanation_text import numbers_of
from graphtm.explain.hypervectors import Hypervectors, hypervectors
from graphtm.explain.message_flow import MessageFlow, message_flow
from graphtm.explain.rule_text import MOST_LETTERS, MOST_LITERALS, conditions_text
from graphtm.explain.witness import Witness
from graphtm.foundation.display import bare, cut
from graphtm.foundation.names import Name
from graphtm.plots.drawing import node_lines
from graphtm.plots.graphs import draw_graph
from graphtm.plots.witnesses import draw_witness


class PlottedExplanation(BaseExplanation):
    """An explanation that can be drawn."""

    def plot(
        self,
        class_: Any = None,
        against: Any = None,
        *,
        clause: int | None = None,
        node: Hashable = None,
        ax: Any = None,
        layout: str | ArrayLike = "auto",
        max_symbols: int = 3,
        seed: int = 0,
        node_text: str | Sequence[str] | None = None,
        highlight: Iterable[Hashable] | None = None,
        highlight_edges: Iterable[Any] | Mapping[Any, str] | None = None,
        title: str | None = None,
    ) -> Any:
        """Draw the graph with the scores of its nodes and edges, or with the witness of a clause.

        What contributes to the class is orange, what votes against it is blue. Boxes have the symbols of a node and its
        score. The higher the score of an edge, the wider the band under it. See :func:`graphtm.plots.draw_graph`.

        With ``clause``, the nodes and edges that make it true are highlighted instead, and all else is pale. The node
        at which it is true has the thickest border, messages are arrows with the number of the clause that sends them;
        see :func:`graphtm.plots.draw_witness`. After ``WholeGraph`` these are the nodes that make its facts true, and
        the edges that the facts are about.

        Parameters
        ----------
        class_, against
            As for :meth:`scores`.
        clause, node
            A clause that is true for the graph, and the name of a node; as for :meth:`witness`.
        ax, layout, max_symbols, seed
            As for :func:`graphtm.plots.draw_graph`.
        node_text
            As for :func:`graphtm.plots.draw_graph`; with ``clause``, a list of strings. Default: names and symbols, or
            symbols only if names are positions or the graph is a single node.
        highlight, highlight_edges
            As for :func:`graphtm.plots.draw_graph`, for pictures of scores.
        title
            Text above the graph. Default: the vote sum, or the clause.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        MissingLibraryError
            If matplotlib is not installed.
        ValueError
            If the clause is not true there, or both a class and a clause are given.
        """
        options: dict[str, Any] = {"ax": ax, "layout": layout, "max_symbols": max_symbols, "seed": seed}
        if clause is not None:
            others = {"class_": class_, "against": against}
            others |= {"highlight": highlight, "highlight_edges": highlight_edges}
            given = [name for name, value in others.items() if value is not None]
            if given:
                raise ValueError(
                    f"The {given[0]!r} parameter of plot must be None if 'clause' is given: the picture shows the "
                    f"witness of the clause, not scores. Got {others[given[0]]!r}."
                )
            return self._draw_witness(self.witness(clause, node), title=title, node_text=node_text, **options)
        if node is not None:
            raise ValueError(f"The 'node' parameter of plot must be None unless 'clause' is given. Got {node!r}.")
        picture = self._picture(self._number(class_), None if against is None else self._number(against))
        if node_text is not None:
            picture["node_text"] = node_text
        if title is not None:
            picture["title"] = title
        return draw_graph(self.graph, highlight=highlight, highlight_edges=highlight_edges, **options, **picture)

    def _picture(self, number: int, other: int | None) -> dict[str, Any]:
        """Return the scores and the title of a picture."""
        name, vote = _short(self.classes[number]), int(self.trace.votes[number])
        if other is not None:
            name = f"{name} against {_short(self.classes[other])}"
            vote -= int(self.trace.votes[other])
        scores = self.scores(self.classes[number], None if other is None else self.classes[other])
        parts = f" = nodes {scores.nodes.sum():+,.2f}, graph as a whole {scores.whole:+,.2f}" if scores.whole else ""
        title = f"Votes for {name}: {vote:+,}{parts}"
        # Positions are in the layout already, and a single node needs no name.
        plain = len(self.nodes) == 1 or any(isinstance(name, tuple) for name in self.nodes)
        text = "auto" if plain else "both"
        return {"node_text": text, "node_scores": scores.nodes, "edge_scores": scores.edges, "title": title}

    # Clauses

    def _draw_witness(self, witness: Witness, *, title: str | None = None, **options: Any) -> Any:
        """Draw a witness on the graph."""
        title = self._clause_title(witness) if title is None else title
        return draw_witness(self.graph, witness.to_dict(), title=title, **options)

    def _clause_title(self, witness: Witness) -> str:
        """Return a clause and the node at which it is true, in words."""
        where = f"{self._truth_text(witness)}{self._place_text(witness.node)}"
        return f"C{witness.clause} {where}: {self._short_rule(witness.clause)}"

    def _short_rule(self, clause: int) -> str:
        return conditions_text(self.rule(clause, simplify=False), MOST_LITERALS, longest=MOST_LETTERS)

    def _place_text(self, node: Hashable) -> str:
        """Return where a clause is true, in words."""
        return f" at {cut(self._node_text(node), MOST_LETTERS)}"

    def _truth_text(self, witness: Witness) -> str:
        return f"has strength {witness.strength} of {witness.max_misses + 1}" if self._graded else "is true"

    def message_flow(self, clause: int, node: Hashable = None) -> MessageFlow:
        """Return how a clause becomes true at a node, layer by layer: the clauses it listens to, and their messages.

        It has all messages that satisfy a condition, where :meth:`witness` follows the first ones. ``plot()`` draws it.
        Nodes are those of the graph that the machine sees.

        Parameters
        ----------
        clause, node
            As for :meth:`witness`.

        Returns
        -------
        MessageFlow
            ``parts`` and ``messages``; ``plot()``; ``to_dict()``.

        Raises
        ------
        ValueError
            If the clause is not true there.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs, y = gtm.datasets.noisy_xor(500, random_state=0)
        >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=5, random_state=0).fit(graphs, y)
        >>> ex = clf.explain(graphs[0])
        >>> print(ex.message_flow(4))
        C4 is true at 0: 1 AND plain:C4 AND plain:C5 AND NOT plain:C7
          layer 0
            C5: 1 AND NOT 0   needed at 1
            C4: 1   needed at 0, 1
          layer 1
            C4: plain:C4 AND plain:C5 AND NOT plain:C7   needed at 0
            message of C4 to C4: 1 -plain-> 0
            message of C5 to C4: 1 -plain-> 0
        """
        witness = self.witness(clause, node)
        place = self._place_of(witness.node)
        graph = self._packed.graph(0)
        texts = tuple("\n".join(node_lines(name, graph.properties(name), 2)) for name in self._packed.names_of(0))
        return message_flow(
            self._clauses,
            self._witnesses,
            self.trace,
            witness.clause,
            place,
            tuple(self._packed.names_of(0)),
            texts,
            self._clause_title(witness),
        )

    def _place_of(self, node: Hashable) -> int:
        """Return the number of a node of the graph that the machine sees."""
        return int(numbers_of([node], self._packed.names_of(0), "node")[0])

    def hypervectors(self, clause: int | None = None, nodes: Iterable[Hashable] | None = None) -> Hypervectors:
        """Return the hypervectors and inboxes of the nodes, bit by bit, as in the paper's tables.

        Parameters
        ----------
        clause
            Number of a clause, for the bits that it includes and the nodes at which it holds. Default: none.
        nodes
            Names of the nodes. Default: all. They are those of the graph that the machine sees.

        Returns
        -------
        Hypervectors
            ``str()`` and ``table()`` have all bits; ``plot()`` draws them.

        Raises
        ------
        ValueError
            If there is no such clause or node.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs, y = gtm.datasets.noisy_xor(500, random_state=0)
        >>> clf = gtm.GraphTMClassifier(n_clauses=3, T=10, s=3.0, epochs=5, random_state=0).fit(graphs, y)
        >>> print(clf.explain(graphs[0]).hypervectors(1))
        node  symbols  H^0    C1^0  H^1      C1^1
        0     1        01 10  1     111 000  1
        1     1        01 10  1     111 000  1
        """
        number = None if clause is None else self._clauses.checked(clause)
        names = self._packed.names_of(0)
        chosen = list(range(len(names))) if nodes is None else numbers_of(nodes, names, "node").tolist()
        graph = self._packed.graph(0)
        shown: list[Name] = [names[place] for place in chosen]
        title = ""
        if number is not None:
            title = f"C{number}: {self._short_rule(number)}"
        return hypervectors(
            self._clauses,
            self._witnesses,
            self.trace,
            number,
            chosen,
            shown,
            [graph.properties(name) for name in shown],
            title,
        )


def _short(name: Name) -> str:
    """Return a name for a title."""
    return cut(bare(name), MOST_LETTERS)
