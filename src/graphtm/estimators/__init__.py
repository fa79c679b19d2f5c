"""What users fit: estimators with scikit-learn's interface."""

from graphtm.estimators.autoencoder import GraphTMAutoencoder
from graphtm.estimators.bandit import GraphTMBandit
from graphtm.estimators.classifier import GraphTMClassifier
from graphtm.estimators.multilabel import GraphTMMultiLabelClassifier
from graphtm.estimators.regressor import GraphTMRegressor
from graphtm.estimators.rule_path import RulePath, rule_path

__all__ = [
    "GraphTMAutoencoder",
    "GraphTMBandit",
    "GraphTMClassifier",
    "GraphTMMultiLabelClassifier",
    "GraphTMRegressor",
    "RulePath",
    "rule_path",
]
