"""Names and codes that graphs share: those created with ``init_with`` have them in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import Code, one_hot, random
from graphtm.codes.schemes import Scheme
from graphtm.compat.hashing import hashed_code
from graphtm.engines.random import Purpose, code_draws
from graphtm.errors import GraphError, UnknownSymbolError
from graphtm.foundation.names import Name, listed, number_name, saved_name, shorten
from graphtm.graphs import Vocabulary


class Codebook:
    """Numbers of symbols, edge types and node types, and the code of the symbols.

    The code is drawn as soon as the symbols are known: at once if they are declared, otherwise when the first graphs
    are encoded.

    Parameters
    ----------
    symbols
        Names of the symbols, or ``None`` to collect them while graphs are built.
    size, bits
        Length of the hypervector, and number of bits per symbol.
    scheme
        How bits are chosen.
    """

    def __init__(self, symbols: Iterable[Hashable] | None, size: int, bits: int, scheme: Scheme) -> None:
        self.symbol_id: dict[Hashable, int] = {}
        self.edge_type_id: dict[Hashable, int] = {}
        self.node_type_id: dict[Hashable, int] = {}
        self.seed = drawn_seed()
        self.scheme = scheme
        self._size = size
        self._bits = 2 if scheme == "double_hashing" else bits
        self._code: Code | None = None
        self._vocabulary = Vocabulary()
        if symbols is not None:
            characters_or_keys = isinstance(symbols, str | Mapping)
            for symbol in list(symbols) if characters_or_keys else listed(symbols, "symbols"):
                self.symbol_id.setdefault(plain_name(symbol), len(self.symbol_id))
            self.fix()

    @property
    def size(self) -> int:
        """Length of the hypervector."""
        if self._code is not None:
            return self._code.size
        return len(self.symbol_id) if self.scheme == "one_hot" else self._size

    @property
    def bits(self) -> int:
        """Number of bits per symbol."""
        return 1 if self.scheme == "one_hot" else self._bits

    @property
    def code(self) -> Code:
        """The code of the symbols.

        Raises
        ------
        GraphError
            If symbols are still being collected.
        """
        if self._code is None:
            raise GraphError("Symbols have no hypervectors yet. Pass symbols to Graphs, or call encode() first.")
        return self._code

    def fix(self) -> None:
        """Draw the code, if this has not happened yet; from then on there are no new symbols."""
        if self._code is None:
            self._code = self._new_code(len(self.symbol_id))

    def _new_code(self, n_symbols: int) -> Code:
        if self.scheme == "one_hot":
            return one_hot(n_symbols)
        if self.scheme == "double_hashing":
            return hashed_code(n_symbols, self._size, distinct=True)
        draw = code_draws(self.seed, Purpose.SYMBOL_CODE)
        return random(n_symbols, self._size, self._bits, draw, distinct=True)

    @property
    def is_fixed(self) -> bool:
        """Whether the code is drawn, so that there are no new symbols."""
        return self._code is not None

    def number(self, symbol: Hashable, where: str) -> int:
        """Return the number of a symbol, a new one while symbols are being collected.

        Raises
        ------
        UnknownSymbolError
            If the symbols are fixed and this is none of them.
        """
        if symbol not in self.symbol_id and self.is_fixed:
            raise UnknownSymbolError(
                f"The symbol {symbol!r} of {where} is not one of the {len(self.symbol_id):,} symbols: "
                f"{shorten(list(self.symbol_id))}. Add it to the symbols of Graphs."
            )
        return self.symbol_id.setdefault(plain_name(symbol), len(self.symbol_id))

    def vocabulary(self, typed: bool = False) -> Vocabulary:
        """Return the names known so far; the same object as long as there are no new ones.

        Nodes have types only if there are several, or if ``typed`` is set.
        """
        types = self.node_type_id if typed or len(self.node_type_id) > 1 else {}
        kinds = (self.symbol_id, self.edge_type_id, types)
        if typed:
            return Vocabulary(*(map(_native_name, names) for names in kinds))
        last = self._vocabulary
        if list(map(len, kinds)) != list(map(len, (last.symbols, last.edge_types, last.node_types))):
            self._vocabulary = Vocabulary(*(map(_native_name, names) for names in kinds))
        return self._vocabulary


def scheme(double_hashing: bool, one_hot_encoding: bool) -> Scheme:
    """Return which scheme two flags of earlier implementations choose."""
    if double_hashing and one_hot_encoding:
        raise ValueError("double_hashing and one_hot_encoding must not both be True.")
    return "one_hot" if one_hot_encoding else "double_hashing" if double_hashing else "random"


def drawn_seed() -> int:
    """Draw a seed from NumPy's global generator, so that it follows ``numpy.random.seed``."""
    return int(np.random.randint(0, 2**64, dtype=np.uint64))  # noqa: NPY002 -- scripts seed this one


def plain_name(name: Any) -> Any:
    """Return Python's equivalent of a name from a NumPy array; the two are the same key of a dictionary."""
    return name.item() if isinstance(name, np.generic) else name


def positions_of(code: Code) -> NDArray[np.uint32]:
    """Return the bit positions of each owner of a code."""
    return code.positions.astype(np.uint32)


def _native_name(name: Any) -> Name:
    """Return a name that graphtm can save; earlier implementations allowed any hashable value."""
    if isinstance(name, float | np.floating):
        return number_name(float(name))
    try:
        return saved_name(name)
    except GraphError:
        return str(name)
