"""Encoders turn raw data into graphs: images, text, sequences, tables, relations, boards; others add to graphs."""

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.boards import BoardGame
from graphtm.encoders.images import ImagePatches
from graphtm.encoders.kmers import KMers
from graphtm.encoders.neighbourhoods import Neighbourhoods
from graphtm.encoders.relations import Relations
from graphtm.encoders.superpixels import Superpixels
from graphtm.encoders.tables import Table
from graphtm.encoders.tokens import Tokens
from graphtm.encoders.whole_graph import WholeGraph

__all__ = [
    "BoardGame",
    "GraphEncoder",
    "ImagePatches",
    "KMers",
    "Neighbourhoods",
    "Relations",
    "Superpixels",
    "Table",
    "Tokens",
    "WholeGraph",
]
