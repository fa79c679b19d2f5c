"""Rules of a machine, or some of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from graphtm.explain.clauses import Clauses
from graphtm.explain.rules import Rule
from graphtm.graphs.display import bare, count
from graphtm.model import Model


class RuleSet(Sequence[Rule]):
    """Rules in order; prints one a line, with the names of the classes on top."""

    def __init__(self, rules: Sequence[Rule], outputs: Sequence[Hashable]) -> None:
        self._rules = tuple(rules)
        self.outputs = tuple(outputs)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> RuleSet: ...
    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        if isinstance(index, slice):
            return RuleSet(self._rules[index], self.outputs)
        return self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def strongest(self, output: int | None = None, top: int | None = None) -> RuleSet:
        """Return the rules that vote for an output, the strongest first; for any output if none is given."""

        def strength(rule: Rule) -> int:
            return max(map(abs, rule.weights)) if output is None else rule.weights[output]

        chosen = sorted((rule for rule in self if strength(rule) > 0), key=lambda rule: (-strength(rule), rule.clause))
        return RuleSet(chosen[:top], self.outputs)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rules as plain data."""
        return [rule.to_dict() for rule in self]

    def __str__(self) -> str:
        votes = ", ".join(bare(output) for output in self.outputs[:10])
        more = f", ... ({len(self.outputs):,} in all)" if len(self.outputs) > 10 else ""
        return "\n".join([f"{count(len(self), 'rule')}; votes for [{votes}{more}]", *map(str, self)])

    def __repr__(self) -> str:
        return f"RuleSet({count(len(self), 'rule')})"


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
    clauses, weights = Clauses(model), model.state.weights
    rules = []
    for members in clauses.alike() if simplify else ([clause] for clause in range(clauses.n_clauses)):
        votes = tuple(weights[:, members].sum(axis=1, dtype=np.int64).tolist())
        if any(votes) or not simplify:
            first, *equal = members
            layers, node_type = clauses.literals(first, simplify=simplify), clauses.node_type(first)
            rules.append(Rule(first, layers, votes, tuple(outputs), node_type, tuple(equal), clauses))
    return RuleSet(rules, outputs)
