"""Codes of symbols and clauses, and encoding of graphs into the bits that engines read."""

from graphtm.codes.choice import Encoding, message_code, symbol_code
from graphtm.codes.encode import EncodedBatch, encode
from graphtm.codes.report import (
    MessageCollisions,
    SymbolCollisions,
    message_collisions,
    symbol_collisions,
    warn_if_too_small,
)
from graphtm.codes.schemes import SCHEMES, Code, Draw, double_hashing, one_hot, random

__all__ = [
    "SCHEMES",
    "Code",
    "Draw",
    "EncodedBatch",
    "Encoding",
    "MessageCollisions",
    "SymbolCollisions",
    "double_hashing",
    "encode",
    "message_code",
    "message_collisions",
    "one_hot",
    "random",
    "symbol_code",
    "symbol_collisions",
    "warn_if_too_small",
]
