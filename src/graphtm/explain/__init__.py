"""What a machine has learned, in the names of the data: rules, and explanations of single predictions."""

from graphtm.explain.base_explanation import FiredClause
from graphtm.explain.changes import Change, Edit, LabelChange, Searched
from graphtm.explain.clauses import Clauses
from graphtm.explain.evaluation import evaluate, matches
from graphtm.explain.explanation import Explanation, LabelExplanation
from graphtm.explain.formulas import Formula, Formulas
from graphtm.explain.literals import Literal, Message
from graphtm.explain.meanings import Meaning
from graphtm.explain.measures import Measures
from graphtm.explain.metrics import Fidelity, Recovery, edge_patterns, fidelity, recovery, sparsity, top_nodes
from graphtm.explain.rule_sets import RuleSet, rules_of
from graphtm.explain.rules import Rule
from graphtm.explain.scores import Scores
from graphtm.explain.tables import ClauseTable
from graphtm.explain.witness import Arrival, Condition, Step, Witness

__all__ = [
    "Arrival",
    "Change",
    "ClauseTable",
    "Clauses",
    "Condition",
    "Edit",
    "Explanation",
    "Fidelity",
    "FiredClause",
    "Formula",
    "Formulas",
    "LabelChange",
    "LabelExplanation",
    "Literal",
    "Meaning",
    "Measures",
    "Message",
    "Recovery",
    "Rule",
    "RuleSet",
    "Scores",
    "Searched",
    "Step",
    "Witness",
    "edge_patterns",
    "evaluate",
    "fidelity",
    "matches",
    "recovery",
    "rules_of",
    "sparsity",
    "top_nodes",
]
