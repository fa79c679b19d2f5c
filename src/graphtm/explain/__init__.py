"""What was learned, in the user's names."""

from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula, Formulas, evaluate, matches
from graphtm.explain.literals import Literal, Message
from graphtm.explain.meanings import Meaning
from graphtm.explain.measures import Measures
from graphtm.explain.rule_sets import RuleSet, rules_of
from graphtm.explain.rules import Rule
from graphtm.explain.tables import Table

__all__ = [
    "Clauses",
    "Formula",
    "Formulas",
    "Literal",
    "Meaning",
    "Measures",
    "Message",
    "Rule",
    "RuleSet",
    "Table",
    "evaluate",
    "matches",
    "rules_of",
]
