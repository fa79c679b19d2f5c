"""What users fit: estimators with scikit-learn's interface."""

from graphtm.estimators.classifier import GraphTMClassifier
from graphtm.estimators.multilabel import GraphTMMultiLabelClassifier

__all__ = ["GraphTMClassifier", "GraphTMMultiLabelClassifier"]
