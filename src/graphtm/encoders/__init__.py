"""Raw data to graphs: images, text, sequences, tables, relations, boards."""

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.boards import BoardGame
from graphtm.encoders.kmers import KMers
from graphtm.encoders.relations import Relations
from graphtm.encoders.tables import Table
from graphtm.encoders.tokens import Tokens

__all__ = ["BoardGame", "GraphEncoder", "KMers", "Relations", "Table", "Tokens"]
