"""Sets of rules: selection, measures, tables and export to text, Markdown, LaTeX and data frames."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from graphtm.errors import GraphTMError
from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula
from graphtm.explain.measures import Measures, measure, members_of
from graphtm.explain.paper_forms import trace_table, truth_table
from graphtm.explain.rule_text import (
    FULL_STRENGTH,
    NEEDED,
    USED_TITLE,
    all_votes,
    amount_text,
    are_graded,
    conditions_text,
    graded_header,
    number_text,
    rule_latex,
    rules_table,
)
from graphtm.explain.rules import Rule, names_edge_type, names_symbol, rule_of, weight_for
from graphtm.explain.tables import ClauseTable
from graphtm.foundation.calling import require
from graphtm.foundation.display import bare, count
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import check_at_least
from graphtm.graphs import Graph
from graphtm.model import Model, VoteScale

SortKey: TypeAlias = Literal["weight", "clause", "length", "support", "precision"]
MOST_USED = 20
"""Maximum number of clauses that text lists because messages refer to them."""


class RuleSet(Sequence[Rule]):
    """A sequence of rules. ``print`` shows one rule per line.

    Graded rules count their literals, see :class:`Rule`. Tables give their votes at strength 1, and their full
    strength, the largest that they can have.

    A pickled set keeps the machine, a single pickled :class:`Rule` does not.

    Parameters
    ----------
    rules
        Rules of the set.
    outputs
        Names of the outputs: the classes or labels.
    clauses
        All clauses of the machine, which messages refer to; ``None`` for rules built by hand.
    simplify
        Whether the rules are simplified; clauses that messages refer to are then simplified too.
    scale
        For rules of a regressor, what votes mean.
    noun
        The word for an output, such as class or label.

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
        scale: VoteScale | None = None,
        noun: str = "class",
    ) -> None:
        self._rules = tuple(rules)
        self.outputs = tuple(outputs)
        self.clauses = clauses
        self.simplify = simplify
        self.scale = scale
        self.noun = noun

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
        return RuleSet(rules, self.outputs, self.clauses, simplify=self.simplify, scale=self.scale, noun=self.noun)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Give the rules their machine back, which they are pickled without."""
        self.__dict__.update(state)
        if self.clauses is not None:
            self._rules = tuple(replace(rule, machine=self.clauses) for rule in self._rules)

    # Selection

    def filter(
        self,
        class_: Any = None,
        *,
        layer: int | None = None,
        symbol: Any = None,
        edge_type: Any = None,
        min_weight: int | None = None,
    ) -> RuleSet:
        """Return the rules that meet all conditions given, in the same order.

        Parameters
        ----------
        class_
            Class that the rule must vote for.
        layer
            Layer in which the rule must have a literal.
        symbol
            Symbol that a literal of layer 0 must name, negated or not.
        edge_type
            Edge type that a message literal must name, negated or not.
        min_weight
            Minimum vote for ``class_``; without a class, the minimum absolute vote for any class. For graded rules,
            the vote at strength 1.

        Raises
        ------
        ValueError
            If the class or layer does not exist.
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
            if weight_for(rule, number) >= least
            and (layer is None or (layer < len(rule.layers) and rule.layers[layer]))
            and (symbol is None or names_symbol(rule, symbol))
            and (edge_type is None or names_edge_type(rule, edge_type))
        )

    def sort(self, by: SortKey = "weight", class_: Any = None) -> RuleSet:
        """Return the rules sorted; ties are sorted by clause number.

        Parameters
        ----------
        by
            ``"weight"``: strongest vote first. ``"clause"``: by number. ``"length"``: fewest literals first.
            ``"support"``, ``"precision"``: largest first, see :meth:`measured`. The votes of graded rules are those at
            strength 1.
        class_
            Class whose votes or precision to sort by. Default: for ``"weight"`` the strongest vote, for or against; for
            ``"precision"`` the class that each rule votes for most.

        Raises
        ------
        ValueError
            If ``by`` is not one of these, or the class does not exist.
        GraphTMError
            If the rules have not been measured.
        """
        number = None if class_ is None else self._number(class_)
        keys: dict[str, Callable[[Rule], float]] = {
            "weight": lambda rule: -weight_for(rule, number),
            "clause": lambda rule: rule.clause,
            "length": lambda rule: len(rule.literals),
            "support": lambda rule: -_measures(rule).support,
            "precision": lambda rule: -_precision(rule, number),
        }
        if by not in keys:
            raise ValueError(f"The 'by' parameter of sort must be one of {sorted(keys)}. Got {by!r} instead.")
        return self._with(sorted(self, key=lambda rule: (keys[by](rule), rule.clause)))

    def measured(self, truth: ArrayLike, y: ArrayLike | None = None) -> RuleSet:
        """Return the rules with their support on the graphs given and, if labels are given, precision and recall.

        A graded rule counts as true for a graph if its strength is above 0.

        Parameters
        ----------
        truth
            Clause outputs, (graphs, clauses): ``clf.transform(graphs)``. Strengths if clauses are graded.
        y
            Label of each graph, or a Boolean matrix, (graphs, outputs).

        Raises
        ------
        ValueError
            If the shapes do not match the rules and each other.
        """
        table = np.asarray(truth)
        n_clauses = max((rule.clause for rule in self), default=-1) + 1
        if table.ndim != 2 or table.dtype not in (np.bool_, np.uint8) or table.shape[1] < n_clauses:
            raise ValueError(
                "The 'truth' parameter of measured must be an array of Booleans, or of strengths (uint8), with a row "
                f"per graph and a column per clause (at least {n_clauses}). Got {table.dtype} of shape {table.shape} "
                "instead. Write rules.measured(clf.transform(graphs), y)."
            )
        members = None if y is None else members_of(y, self.outputs, len(table))
        return self._with(replace(rule, measures=measure(table[:, rule.clause] > 0, members)) for rule in self)

    def rule(self, clause: int) -> Rule:
        """Return the rule of any clause of the machine, whether it is in the set or not.

        Parameters
        ----------
        clause
            Clause number.

        Raises
        ------
        ValueError
            If the machine has no such clause.
        """
        number = clause if self.clauses is None else self.clauses.checked(clause)
        for rule in self:
            if number in (rule.clause, *rule.equal):
                return rule
        return rule_of(self._machine(), [number], self.outputs, simplify=self.simplify, values=values_of(self.scale))

    def used(self) -> tuple[Rule, ...]:
        """Return the clauses that messages refer to, directly or through each other, and that are not in the set.

        They have no votes, and only the layers that messages depend on: those below the layer at which a message
        arrives. Text, Markdown, LaTeX and plain data list them after the rules.

        Messages of graded clauses are sent only where all literals hold. That is not what the rules of the set say, so
        the clauses are listed even if they are in the set, as an AND.
        """
        clauses = self.clauses
        if clauses is None:
            return ()
        listed = set() if clauses.max_misses else {rule.clause for rule in self}
        found = clauses.senders((rule.layers for rule in self), simplify=self.simplify)
        return tuple(
            Rule(
                clause,
                clauses.literals(clause, simplify=self.simplify)[: layer + 1],
                weights=(),
                outputs=(),
                node_type=clauses.node_type(clause),
            )
            for clause, layer in found.items()
            if clause not in listed
        )

    # Output

    def unroll(self, *, simplify: bool = True) -> list[Formula]:
        """Return every rule as a formula, see :meth:`Rule.unroll`; the formulas share their parts."""
        return self._machine().unroll((rule.clause for rule in self), simplify=simplify)

    def traceability(self, places: Mapping[Any, int] | None = None) -> ClauseTable:
        """Return the paper's traceability table: the components of every rule, and the origin of its messages.

        Parameters
        ----------
        places
            For chains: for each edge type, the offset of the neighbour that sends messages over it; default as in
            :meth:`Formula.chain`. Neighbours over other edge types are named by the type.
        """
        return trace_table(self, self._machine(), places)

    def truth_table(self, graph: Graph) -> ClauseTable:
        """Return the paper's truth table: at which nodes of a graph each rule is true, or its strength if graded."""
        return truth_table(self, self._machine(), graph)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rules as plain data, followed by the clauses of :meth:`used`, marked as ``used``."""
        listed = [rule.to_dict() | {"used": False} for rule in self]
        return listed + [rule.to_dict() | {"used": True} for rule in self.used()]

    def to_frame(self) -> Any:
        """Return the rules as a ``pandas.DataFrame``: one row per rule, votes and measures in columns.

        For graded rules there are also the number of literals needed and the full strength.

        Raises
        ------
        MissingLibraryError
            If pandas is not installed.
        """
        rows = []
        for rule in self:
            row: dict[str, Any] = {"clause": rule.clause, "rule": conditions_text(rule), "class": rule.class_}
            row |= {"node_type": rule.node_type, "literals": len(rule.literals), "equal": len(rule.equal)}
            row |= {NEEDED: rule.n_needed, FULL_STRENGTH: rule.full_strength} if are_graded(self) else {}
            row |= dict(zip(self._headers(), rule.amounts, strict=True))
            if rule.measures is not None:
                row |= {"support": rule.measures.support, "coverage": rule.measures.coverage}
                named = zip(self.outputs, rule.measures.precision, rule.measures.recall, strict=False)
                for name, precision, recall in named:
                    row |= {f"precision for {bare(name)}": precision, f"recall for {bare(name)}": recall}
            rows.append(row)
        return require("pandas", "RuleSet.to_frame", "frames").DataFrame(rows)

    def to_markdown(self, *, unroll: bool = False) -> str:
        """Return the rules as a Markdown table, followed by the clauses of :meth:`used`.

        Parameters
        ----------
        unroll
            Whether to write out messages, as :meth:`unroll` does; clauses of :meth:`used` are not needed then.
        """
        graded, votes = are_graded(self), self._headers()
        header = ("clause", "rule", *(graded_header(FULL_STRENGTH, votes) if graded else votes))
        strengths = [[str(rule.full_strength)] if graded else [] for rule in self]
        texts = [str(formula) for formula in self.unroll()] if unroll else [conditions_text(rule) for rule in self]
        rows = [
            (f"C{rule.clause}", text, *strength, *map(str if self.scale is None else amount_text, rule.amounts))
            for rule, text, strength in zip(self, texts, strengths, strict=True)
        ]
        blank = [""] * (len(header) - 2)
        used = () if unroll else self.used()
        rows += [(f"C{rule.clause} (used)", conditions_text(rule), *blank) for rule in used]
        return ClauseTable(header, tuple(rows)).to_markdown()

    def to_latex(self, *, unroll: bool = False) -> str:
        """Return the rules in the paper's notation, in an ``align*`` environment, followed by those of :meth:`used`.

        Parameters
        ----------
        unroll
            As for :meth:`to_markdown`.
        """
        if not self:
            return ""  # LaTeX rejects an empty align*.
        if unroll:
            formulas = [formula.to_latex() for formula in self.unroll()]
            return _aligned(rule_latex(rule, body=formula) for rule, formula in zip(self, formulas, strict=True))
        # A graded rule and its clause up to a layer, which messages mean, differ; the layer tells them apart.
        used = [rule_latex(rule, len(rule.layers) - 1 if are_graded(self) else None) for rule in self.used()]
        return _aligned([*map(rule_latex, self), *used])

    def __str__(self) -> str:
        votes = ", ".join(bare(output) for output in self.outputs[:10])
        more = f", ... ({len(self.outputs):,} in all)" if len(self.outputs) > 10 else ""
        used = self.used()
        what = f"votes for [{votes}{more}]"
        if self.scale is not None:
            starts = ", ".join(number_text(start) for start in self.scale.intercepts[:10].tolist())
            what = f"each adds to [{votes}{more}], which starts at [{starts}{', ...' * bool(more)}]"
        lines = [f"{count(len(self), 'rule')}; {what}", *map(str, self)]
        lines += [USED_TITLE, *map(str, used[:MOST_USED])] if used else []
        if len(used) > MOST_USED:
            lines.append(f"... and {len(used) - MOST_USED:,} more; see .used()")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        used = self.used()
        below = f"<p>{USED_TITLE}</p>{rules_table(used, ())}" if used else ""
        return f"<p>{count(len(self), 'rule')}</p>{rules_table(self, self.outputs)}{below}"

    def __repr__(self) -> str:
        return f"RuleSet({count(len(self), 'rule')})"

    def _headers(self) -> list[str]:
        return all_votes(self.outputs, adds=self.scale is not None)

    def _number(self, class_: Any) -> int:
        if class_ not in self.outputs:
            raise ValueError(f"The {self.noun} must be one of [{shorten(self.outputs)}]; got {class_!r}.")
        return self.outputs.index(class_)

    def _machine(self) -> Clauses:
        if self.clauses is None:
            raise GraphTMError(
                "These rules were built by hand and have no machine, which is needed to look up other clauses and to "
                "trace messages. Use the rules of an estimator, `clf.rules()`."
            )
        return self.clauses


def rules_of(
    model: Model,
    outputs: Sequence[Hashable],
    *,
    simplify: bool = False,
    scale: VoteScale | None = None,
    noun: str = "class",
) -> RuleSet:
    """Return the clauses of a machine as rules.

    Parameters
    ----------
    model
        The model.
    outputs
        Names of its outputs.
    simplify
        Whether to merge equivalent clauses, drop those that are never true or never vote, and remove redundant
        literals. Class sums stay the same. Every literal of a graded clause counts, so only those that hold at all
        nodes or at none are removed.
    scale
        For a regressor, what votes mean.
    noun
        The word for an output, such as class or label.
    """
    clauses = Clauses(model)
    groups = clauses.equivalent() if simplify else [[clause] for clause in range(clauses.n_clauses)]
    values = values_of(scale)
    rules = (rule_of(clauses, members, tuple(outputs), simplify=simplify, values=values) for members in groups)
    voting = (rule for rule in rules if any(rule.weights) or not simplify)
    return RuleSet(voting, outputs, clauses, simplify=simplify, scale=scale, noun=noun)


def values_of(scale: VoteScale | None) -> tuple[float, ...]:
    """Return what one vote is worth for each output, for rules."""
    return () if scale is None else tuple(scale.values.tolist())


def _aligned(rules: Iterable[str]) -> str:
    lines = " \\\\\n".join(f"&{rule}" for rule in rules)
    return f"\\begin{{align*}}\n{lines}\n\\end{{align*}}"


def _measures(rule: Rule) -> Measures:
    if rule.measures is None:
        raise GraphTMError("Rules must be measured first; write rules.measured(clf.transform(graphs), y).")
    return rule.measures


def _precision(rule: Rule, output: int | None) -> float:
    """Return the precision for an output, by default the one voted for most; -1 if the rule is never true."""
    precision = _measures(rule).precision
    if not precision:
        raise GraphTMError("Rules must be measured with labels first; write rules.measured(clf.transform(graphs), y).")
    share = precision[rule.outputs.index(rule.class_) if output is None else output]
    return -1.0 if share is None else share
