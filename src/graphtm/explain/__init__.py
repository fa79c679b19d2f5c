"""What was learned, in the user's names."""

from graphtm.explain.changes import Change, Edit, Searched
from graphtm.explain.explanation import Explanation, FiredClause
from graphtm.explain.metrics import Fidelity, Recovery, edge_patterns, fidelity, recovery, sparsity, top_nodes
from graphtm.explain.rules import Literal, Message, Rule, RuleSet, rules_of
from graphtm.explain.scores import Scores
from graphtm.explain.witness import Arrival, Condition, Step, Witness

__all__ = [
    "Arrival",
    "Change",
    "Condition",
    "Edit",
    "Explanation",
    "Fidelity",
    "FiredClause",
    "Literal",
    "Message",
    "Recovery",
    "Rule",
    "RuleSet",
    "Scores",
    "Searched",
    "Step",
    "Witness",
    "edge_patterns",
    "fidelity",
    "recovery",
    "rules_of",
    "sparsity",
    "top_nodes",
]
