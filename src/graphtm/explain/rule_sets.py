"""Rules of a machine, or some of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from graphtm.errors import GraphTMError
from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula
from graphtm.explain.measures import measure, members_of
from graphtm.explain.notebook import rules_html
from graphtm.explain.rule_choice import measures_of, names_edge_type, names_symbol, precision_of, strength
from graphtm.explain.rule_text import USED_TITLE, conditions_text
from graphtm.explain.rules import Rule, rule_of
from graphtm.explain.tables import Table
from graphtm.explain.traceability import trace_table, truth_table
from graphtm.explain.used_clauses import used_clauses
from graphtm.foundation.calling import require
from graphtm.foundation.display import bare, count
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import check_at_least
from graphtm.graphs import Graph
from graphtm.model import Model

SortKey: TypeAlias = Literal["weight", "clause", "length", "support", "precision"]
MOST_USED = 20
"""Clauses that text lists because messages name them."""


class RuleSet(Sequence[Rule]):
    """Rules in order; prints one a line, with the names of the classes on top.

    Parameters
    ----------
    rules
        The rules.
    outputs
        Names of the outputs that they vote for: the classes.
    clauses
        All clauses of the machine, to which messages refer; ``None`` for rules made by hand.
    simplify
        Whether the rules are simplified, so that other clauses are to be shown likewise.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.noisy_xor(500, random_state=0)
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=5, random_state=0).fit(graphs, y)
    >>> rules = clf.rules().measured(clf.transform(graphs), y)
    >>> print(rules.filter(class_=1, symbol=1).sort("length")[:2].to_markdown())
    | clause | rule | votes for 0 | votes for 1 |
    | --- | --- | --- | --- |
    | C5 | 1 AND NOT 0 AND plain:C1 AND plain:C2 AND plain:C7 AND NOT plain:C0 | -11 | 12 |
    | C1 (used) | NOT 1 |  |  |
    | C2 (used) | ANY NODE |  |  |
    | C7 (used) | 0 AND NOT 1 |  |  |
    | C0 (used) | 1 AND NOT 0 |  |  |
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        outputs: Sequence[Hashable],
        clauses: Clauses | None = None,
        *,
        simplify: bool = False,
    ) -> None:
        self._rules = tuple(rules)
        self.outputs = tuple(outputs)
        self.clauses = clauses
        self.simplify = simplify

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> RuleSet: ...
    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        return self._with(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def _with(self, rules: Iterable[Rule]) -> RuleSet:
        return RuleSet(rules, self.outputs, self.clauses, simplify=self.simplify)

    # Choosing

    def filter(
        self,
        class_: Any = None,
        *,
        layer: int | None = None,
        symbol: Any = None,
        edge_type: Any = None,
        min_weight: int | None = None,
    ) -> RuleSet:
        """Return the rules that are about something, in the same order.

        Parameters
        ----------
        class_
            Only rules that vote for this class.
        layer
            Only rules with a literal of this layer.
        symbol
            Only rules one of whose own literals names this symbol, negated or not.
        edge_type
            Only rules that hear messages over edges of this type, or want none.
        min_weight
            Only rules whose vote for the class, or for or against any class, is at least so strong.

        Raises
        ------
        ValueError
            If there is no such class or layer.
        """
        number = None if class_ is None else self._number(class_)
        depth = max((len(rule.layers) for rule in self), default=0)
        check_at_least("layer", "filter", layer, 0)
        if layer is not None and layer >= depth:
            raise ValueError(f"The 'layer' parameter of filter must be one of 0..{depth - 1}. Got {layer!r} instead.")
        least = (0 if class_ is None else 1) if min_weight is None else min_weight
        return self._with(
            rule
            for rule in self
            if strength(rule, number) >= least
            and (layer is None or (layer < len(rule.layers) and rule.layers[layer]))
            and (symbol is None or names_symbol(rule, symbol))
            and (edge_type is None or names_edge_type(rule, edge_type))
        )

    def sort(self, by: SortKey = "weight", class_: Any = None) -> RuleSet:
        """Return the rules in another order; equal ones by their numbers.

        Parameters
        ----------
        by
            ``"weight"``: the strongest vote first. ``"clause"``: by number. ``"length"``: the fewest literals first.
            ``"support"``, ``"precision"``: the largest first, see :meth:`measured`.
        class_
            For ``"weight"`` and ``"precision"``: of the votes for this class, and for it; if not given, of the
            strongest votes, for or against, and for the class that a rule votes most for.

        Raises
        ------
        ValueError
            If it cannot be sorted by that, or there is no such class.
        GraphTMError
            If rules have not been measured.
        """
        number = None if class_ is None else self._number(class_)
        keys: dict[str, Callable[[Rule], float]] = {
            "weight": lambda rule: -strength(rule, number),
            "clause": lambda rule: rule.clause,
            "length": lambda rule: len(rule.literals),
            "support": lambda rule: -measures_of(rule).support,
            "precision": lambda rule: -precision_of(rule, number),
        }
        if by not in keys:
            raise ValueError(f"The 'by' parameter of sort must be one of {sorted(keys)}. Got {by!r} instead.")
        return self._with(sorted(self, key=lambda rule: (keys[by](rule), rule.clause)))

    def measured(self, truth: ArrayLike, y: ArrayLike | None = None) -> RuleSet:
        """Return the rules with their support on given graphs and, if labels are given, their precision.

        Parameters
        ----------
        truth
            Which clauses are true of which graphs, (graphs, clauses): ``clf.transform(graphs)``.
        y
            The label of each graph, or a row of Booleans for each, one per output.

        Raises
        ------
        ValueError
            If these are not of one machine and the same graphs.
        """
        table = np.asarray(truth)
        n_clauses = max((rule.clause for rule in self), default=-1) + 1
        if table.ndim != 2 or table.dtype != np.bool_ or table.shape[1] < n_clauses:
            raise ValueError(
                f"The truth of rules must be a Boolean array: a row per graph, a column per clause, {n_clauses} at "
                f"least; got {table.dtype} of shape {table.shape}. Write rules.measured(clf.transform(graphs), y)."
            )
        members = None if y is None else members_of(y, self.outputs, len(table))
        return self._with(replace(rule, measures=measure(table[:, rule.clause], members)) for rule in self)

    def rule(self, clause: int) -> Rule:
        """Return the rule of any clause of the machine, also of one that is not in the set but that messages name.

        Raises
        ------
        ValueError
            If there is no such clause.
        """
        number = clause if self.clauses is None else self.clauses.checked(clause)
        for rule in self:
            if number in (rule.clause, *rule.equal):
                return rule
        return rule_of(self._machine(), [number], self.outputs, simplify=self.simplify)

    def used(self) -> tuple[Rule, ...]:
        """Return the clauses that messages name, directly or through each other, and that are not in the set.

        Of each there is as much as messages tell of it, up to the layer below the one at which they arrive, and no
        votes. Text, Markdown, LaTeX and plain data list them after the rules.
        """
        return () if self.clauses is None else used_clauses(self, self.clauses, simplify=self.simplify)

    # Reading

    def unroll(self, *, simplify: bool = True) -> list[Formula]:
        """Return every rule as a formula, see :meth:`Rule.unroll`; parts are shared between all of them."""
        return self._machine().unroll((rule.clause for rule in self), simplify=simplify)

    def traceability(self, places: Mapping[Any, int] | None = None) -> Table:
        """Return the paper's table: components of every rule, and where the messages that they want come from.

        Parameters
        ----------
        places
            For chains: how far off the neighbour is whose message an edge type brings; if not given, as in
            :meth:`Formula.chain`. Neighbours over other edge types are named by the type.
        """
        return trace_table(self, self._machine(), places)

    def truth_table(self, graph: Graph) -> Table:
        """Return the paper's table of which rules are true at which nodes of a graph."""
        return truth_table(self, self._machine(), graph)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rules as plain data, followed by those clauses that messages name, marked as ``used``."""
        listed = [rule.to_dict() | {"used": False} for rule in self]
        return listed + [rule.to_dict() | {"used": True} for rule in self.used()]

    def to_frame(self) -> Any:
        """Return the rules as a ``pandas.DataFrame``: a row each, votes and measures in columns, and no other clauses.

        Raises
        ------
        MissingLibraryError
            If pandas is not installed.
        """
        rows = []
        for rule in self:
            row: dict[str, Any] = {"clause": rule.clause, "rule": conditions_text(rule), "class": rule.class_}
            row |= {"node_type": rule.node_type, "literals": len(rule.literals), "equal": len(rule.equal)}
            row |= {f"votes for {bare(name)}": vote for name, vote in zip(self.outputs, rule.weights, strict=True)}
            if rule.measures is not None:
                row |= {"support": rule.measures.support, "coverage": rule.measures.coverage}
                named = zip(self.outputs, rule.measures.precision, rule.measures.recall, strict=False)
                for name, precision, recall in named:
                    row |= {f"precision for {bare(name)}": precision, f"recall for {bare(name)}": recall}
            rows.append(row)
        return require("pandas", "RuleSet.to_frame", "frames").DataFrame(rows)

    def to_markdown(self) -> str:
        """Return the rules as a table in Markdown; clauses that only messages name have no votes."""
        header = ("clause", "rule", *(f"votes for {bare(output)}" for output in self.outputs))
        rows = [(f"C{rule.clause}", conditions_text(rule), *map(str, rule.weights)) for rule in self]
        blank = [""] * len(self.outputs)
        rows += [(f"C{rule.clause} (used)", conditions_text(rule), *blank) for rule in self.used()]
        return Table(header, tuple(rows)).to_markdown()

    def to_latex(self) -> str:
        """Return the rules as the paper prints them, in an ``align*`` environment, and clauses that messages name."""
        if not self:
            return ""  # LaTeX refuses an empty align*.
        lines = " \\\\\n".join(f"&{rule.to_latex()}" for rule in (*self, *self.used()))
        return f"\\begin{{align*}}\n{lines}\n\\end{{align*}}"

    def __str__(self) -> str:
        votes = ", ".join(bare(output) for output in self.outputs[:10])
        more = f", ... ({len(self.outputs):,} in all)" if len(self.outputs) > 10 else ""
        used = self.used()
        lines = [f"{count(len(self), 'rule')}; votes for [{votes}{more}]", *map(str, self)]
        lines += [USED_TITLE, *map(str, used[:MOST_USED])] if used else []
        if len(used) > MOST_USED:
            lines.append(f"... and {len(used) - MOST_USED:,} more; see .used()")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return rules_html(self)

    def __repr__(self) -> str:
        return f"RuleSet({count(len(self), 'rule')})"

    def _number(self, class_: Any) -> int:
        if class_ not in self.outputs:
            raise ValueError(f"The class must be one of [{shorten(self.outputs)}]; got {class_!r}.")
        return self.outputs.index(class_)

    def _machine(self) -> Clauses:
        if self.clauses is None:
            raise GraphTMError(
                "Rules must come from a machine to be traced, since other clauses say what their messages mean; these "
                "were made by hand. Use the rules of an estimator, `clf.rules()`."
            )
        return self.clauses


def rules_of(model: Model, outputs: Sequence[Hashable], *, simplify: bool = False) -> RuleSet:
    """Return the clauses of a machine as rules.

    Parameters
    ----------
    model
        The machine.
    outputs
        Names of its outputs.
    simplify
        Whether clauses that are true at the same nodes become one rule, which casts their votes together; clauses that
        are never true or cast no vote are left out; and literals say no more than others leave open. Class sums stay.
    """
    clauses = Clauses(model)
    groups = clauses.alike() if simplify else [[clause] for clause in range(clauses.n_clauses)]
    rules = (rule_of(clauses, members, tuple(outputs), simplify=simplify) for members in groups)
    return RuleSet((rule for rule in rules if any(rule.weights) or not simplify), outputs, clauses, simplify=simplify)
