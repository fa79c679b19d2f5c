"""What was learned, in the user's names."""

from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula, Formulas, evaluate
from graphtm.explain.literals import Literal, Message
from graphtm.explain.meanings import Meaning
from graphtm.explain.rule_sets import RuleSet, rules_of
from graphtm.explain.rules import Rule

__all__ = [
    "Clauses",
    "Formula",
    "Formulas",
    "Literal",
    "Meaning",
    "Message",
    "Rule",
    "RuleSet",
    "evaluate",
    "rules_of",
]
