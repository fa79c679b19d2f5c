"""What was learned, in the user's names."""

from graphtm.explain.rules import Literal, Message, Rule, RuleSet, rules_of

__all__ = ["Literal", "Message", "Rule", "RuleSet", "rules_of"]
