"""What a machine has learned, in the names of the data: rules, and explanations of single predictions.

The package is also a function. ``graphtm.explain(pipeline, X, i)`` explains the prediction of a fitted pipeline, or of
an estimator, for sample ``i`` of ``X``, on the user's own graph. See ``help(graphtm.pipelines.explain)``.

Examples
--------
>>> import graphtm as gtm
>>> texts, y = ["a good film", "good fun", "a bad film", "bad"], ["+", "+", "-", "-"]
>>> machine = gtm.GraphTMClassifier(n_clauses=10, T=20, s=3.0, depth=1, epochs=20, random_state=0)
>>> from sklearn.pipeline import make_pipeline
>>> pipeline = make_pipeline(gtm.encoders.Tokens(position=False), machine).fit(texts, y)
>>> gtm.explain(pipeline, texts, 1).prediction
'+'
"""

import importlib
import sys
from types import ModuleType
from typing import Any

from graphtm.explain.arm_explanation import ArmExplanation
from graphtm.explain.changes import Change, Edit, LabelChange, Searched, ValueChange
from graphtm.explain.clauses import Clauses
from graphtm.explain.evaluation import evaluate, matches
from graphtm.explain.explanation import Explanation, LabelExplanation
from graphtm.explain.fired_clause import FiredClause
from graphtm.explain.formulas import Formula, Formulas
from graphtm.explain.hypervectors import Hypervectors, LayerBits
from graphtm.explain.literals import Literal, Message
from graphtm.explain.meanings import Meaning
from graphtm.explain.measures import Measures
from graphtm.explain.message_flow import FlowMessage, FlowPart, MessageFlow
from graphtm.explain.metrics import Fidelity, Recovery, edge_patterns, fidelity, recovery, sparsity, top_nodes
from graphtm.explain.own_graph import OwnGraphExplanation, OwnGraphLabelExplanation, OwnGraphRegressionExplanation
from graphtm.explain.regression_explanation import RegressionExplanation
from graphtm.explain.rule_sets import RuleSet, rules_of
from graphtm.explain.rules import Rule
from graphtm.explain.scores import Scores
from graphtm.explain.symbol_explanation import SymbolExplanation
from graphtm.explain.tables import ClauseTable
from graphtm.explain.witness import Arrival, Condition, Step, Witness

__all__ = [
    "ArmExplanation",
    "Arrival",
    "Change",
    "ClauseTable",
    "Clauses",
    "Condition",
    "Edit",
    "Explanation",
    "Fidelity",
    "FiredClause",
    "FlowMessage",
    "FlowPart",
    "Formula",
    "Formulas",
    "Hypervectors",
    "LabelChange",
    "LabelExplanation",
    "LayerBits",
    "Literal",
    "Meaning",
    "Measures",
    "Message",
    "MessageFlow",
    "OwnGraphExplanation",
    "OwnGraphLabelExplanation",
    "OwnGraphRegressionExplanation",
    "Recovery",
    "RegressionExplanation",
    "Rule",
    "RuleSet",
    "Scores",
    "Searched",
    "Step",
    "SymbolExplanation",
    "ValueChange",
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


class CallablePackage(ModuleType):
    """Makes this package a function: it has the name that users expect of :func:`graphtm.pipelines.explain`."""

    def __call__(self, pipeline: Any, X: Any, i: int) -> Explanation | LabelExplanation | RegressionExplanation:
        """Explain the prediction of a pipeline for one sample; see :func:`graphtm.pipelines.explain`."""
        # Pipelines depend on explanations, not the other way round, so they are found when they are needed.
        found: Explanation | LabelExplanation | RegressionExplanation = importlib.import_module(
            "graphtm.pipelines"
        ).explain(pipeline, X, i)
        return found


sys.modules[__name__].__class__ = CallablePackage
