"""Parameter search: suggestions from counts and short trials, and tuning with Optuna."""

from graphtm.search.suggesting import suggest
from graphtm.search.suggestion import Suggestion
from graphtm.search.trials import RepresentationTrial
from graphtm.search.tuning import tune
from graphtm.search.tuning_result import TuningResult, TuningTrial

__all__ = ["RepresentationTrial", "Suggestion", "TuningResult", "TuningTrial", "suggest", "tune"]
