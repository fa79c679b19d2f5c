"""What users fit: estimators with scikit-learn's interface."""

from graphtm.estimators.classifier import GraphTMClassifier
from graphtm.estimators.files import load

__all__ = ["GraphTMClassifier", "load"]
