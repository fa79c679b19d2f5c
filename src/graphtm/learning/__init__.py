"""How it learns: epochs over an engine, and what can take part in them."""

from graphtm.learning.callbacks import Callback, EarlyStopping, History
from graphtm.learning.checkpoint import Checkpoint
from graphtm.learning.machine import EpochRecord, Machine
from graphtm.learning.progress import ProgressBar
from graphtm.learning.training import Training

__all__ = [
    "Callback",
    "Checkpoint",
    "EarlyStopping",
    "EpochRecord",
    "History",
    "Machine",
    "ProgressBar",
    "Training",
]
