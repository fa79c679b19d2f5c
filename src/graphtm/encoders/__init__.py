"""Raw data to graphs: images, text, sequences, tables, relations, boards."""

from graphtm.encoders.base import GraphEncoder

__all__ = ["GraphEncoder"]
