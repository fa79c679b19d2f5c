"""Parameter search: suggestions from counts and short trials, and tuning with Optuna."""

from graphtm.search.suggesting import suggest
from graphtm.search.suggestion import Suggestion
from graphtm.search.trials import RepresentationTrial

__all__ = ["RepresentationTrial", "Suggestion", "suggest"]
