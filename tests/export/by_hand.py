"""Machines and graphs for exported C headers, small enough to be evaluated by hand."""

import numpy as np

import graphtm as gtm
from graphtm.export import Program, Term

A, B, NONE = Term((0,), ()), Term((1,), ()), Term((), ())


def program(terms, weights, **changes):
    """Return a program for nodes with the symbols A, B and C and edges of the types x, y and z."""
    fields = dict(
        task="classification",
        outputs=tuple(range(len(weights))),
        vocabulary=gtm.Vocabulary([*"ABC"], [*"xyz"]),
        hypervector_size=3,
        message_size=0 if len(terms) == 1 else 4,
        symbol_bits=((0,), (1,), (2,)),
        clause_bits=() if len(terms) == 1 else tuple((clause,) for clause in range(len(terms[0]))),
        terms=terms,
        weights=weights,
        max_misses=0,
        types_matter=False,
        ignores_unknown=False,
    )
    return Program(**{**fields, **changes})


def graph(*nodes, edges=(), **changes):
    """Return a raw graph; ``nodes`` are the numbers of their symbols, ``edges`` are source, destination and type."""
    source, destination, edge_types = ([edge[i] for edge in edges] for i in range(3))
    fields = dict(
        n_nodes=len(nodes),
        property_ptr=np.cumsum([0, *map(len, nodes)]).tolist(),
        properties=[symbol for node in nodes for symbol in node],
        source=source,
        destination=destination,
        edge_types=edge_types,
    )
    return {**fields, **changes}


_TWO_LAYERS = ((A, B), (NONE, Term((0,), ())))
"""C0 is true at A and sends bit 0; C1 is true at B if the inbox has bit 0, which edges of type x bring."""

TINY = {
    # C0 is true at A and sends bit 2; C1 to C5 are true at B if the inbox has bit 0 to 4.
    "shift": program(
        ((A, B, B, B, B, B), (NONE, *(Term((bit,), ()) for bit in range(5)))),
        ((0, 1, 10, 100, 1_000, 10_000),),
        clause_bits=((2,), *[(0,)] * 5),
        message_size=5,
        vocabulary=gtm.Vocabulary([*"ABC"], [*"tuvwxyz"]),
    ),
    "equal": program(((NONE,),), ((1,), (2,), (2,))),
    "labels": program(((A, B),), ((1, -1), (-1, 1), (0, -1)), task="multilabel"),
    "large": program(((NONE, A),), ((2**31 - 1,) * 2, (1 - 2**31,) * 2), max_misses=254),
    "typed": program(
        ((NONE, NONE),), ((1, 10),), types_matter=True, vocabulary=gtm.Vocabulary([*"ABC"], [*"xyz"], ["p", "q"])
    ),
    "strict": program(_TWO_LAYERS, ((1, 10),)),
    "ignoring": program(_TWO_LAYERS, ((1, 10),), ignores_unknown=True),
    "nameless": program(((NONE,), (NONE,)), ((7,),), vocabulary=gtm.Vocabulary(), symbol_bits=(), hypervector_size=0),
}
