"""Data to learn from: generators that know the true rule."""

from graphtm.datasets.sequences import make_sequences

__all__ = ["make_sequences"]
