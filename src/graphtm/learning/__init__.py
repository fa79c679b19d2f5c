"""How it learns: epochs over an engine."""

from graphtm.learning.machine import EpochRecord, Machine

__all__ = ["EpochRecord", "Machine"]
