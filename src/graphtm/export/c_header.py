"""A trained machine as a C99 header: no allocation, no recursion, floats for regression only; for microcontrollers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import accumulate, chain

from graphtm.export.c_text import array, check_identifier, name_table, signed_type, unsigned_type
from graphtm.export.program import Program
from graphtm.foundation.names import Name
from graphtm.foundation.version import __version__

_HEADER = """\
/* A trained Graph Tsetlin Machine, exported by graphtm {version}. It predicts as the trained model does.

       static gtm_word workspace[gtm_WORKSPACE(100)];   // for graphs of up to 100 nodes
       {call}   // below 0: an error

   Symbols, edge types, node types and outputs are numbers: places in the tables of names at the end of this file.
   Define gtm_NO_NAMES before this header to leave the tables out. */

#ifndef gtm_HEADER
#define gtm_HEADER

#include <stddef.h>
#include <stdint.h>

{constants}

{types}

{interface}
{data}

{machine}
#ifndef gtm_NO_NAMES"""
_SCALE = ("intercepts", "values", "lows", "highs")
_CALLS = {
    "classification": "int output = gtm_predict(&graph, workspace, sizeof workspace);",
    "multilabel": """static uint8_t labels[gtm_N_OUTPUTS];
       int n_labels = gtm_predict(&graph, workspace, sizeof workspace, labels);""",
    "regression": """double numbers[gtm_N_OUTPUTS];
       int wrong = gtm_predict(&graph, workspace, sizeof workspace, numbers);""",
}


def c_header_text(program: Program, name: str) -> str:
    """Return a program as the text of a C99 header, which is also valid C++.

    The header includes ``<stddef.h>`` and ``<stdint.h>`` only. It allocates no memory: the caller gives a workspace.
    Names occur as string literals only.

    Parameters
    ----------
    program
        The program.
    name
        What all identifiers of the header begin with.

    Raises
    ------
    ValueError
        If identifiers cannot begin with the name.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
    >>> clf = clf.fit(graphs, ["summer", "winter"] * 20)
    >>> program = gtm.export.program_of(clf.model_, "classification", clf.classes_.tolist(), ignores_unknown=False)
    >>> print(gtm.export.c_header_text(program, "season"))
    /* A trained Graph Tsetlin Machine, exported by graphtm ... */
    ...
    static const char *const season_outputs[] = {
        "summer", "winter"
    };
    ...
    """
    check_identifier(name)
    code = _HEADER.format(
        version=__version__,
        call=_CALLS[program.task],
        constants="\n".join(f"#define gtm_{key} {value}" for key, value in _constants(program).items()),
        types="\n".join(f"typedef {type_} gtm_{key};" for key, type_ in _types(program).items()),
        interface=_source("interface.h"),
        data="\n".join(_data(program)),
        machine=f"{_source('machine.h')}\n{_source(f'predict_{program.task}.h')}",
    )
    # Names come afterwards, since they could contain the prefix.
    tables = [name_table(f"{name}_{kind}", names) for kind, names in _names(program).items()]
    end = prefixed(f"\n{_source('names.h')}#endif\n\n#endif\n", name)
    return "\n".join([prefixed(code, name), *tables, end])


def prefixed(code: str, name: str) -> str:
    """Return C code in which identifiers begin with ``name_`` instead of ``gtm_``.

    Examples
    --------
    >>> prefixed("gtm_word gtm_nodes(void);", "model")
    'model_word model_nodes(void);'
    """
    return re.sub(r"\bgtm_", f"{name}_", code)


def _constants(program: Program) -> dict[str, object]:
    names = program.vocabulary
    n_symbols, n_edge_types = len(names.symbols), len(names.edge_types)
    n_planes = program.max_misses.bit_length()
    return {
        "N_OUTPUTS": len(program.outputs),
        "N_SYMBOLS": n_symbols,
        "N_EDGE_TYPES": n_edge_types,
        "N_NODE_TYPES": len(names.node_types),
        "N_CLAUSES": program.n_clauses,
        "DEPTH": program.depth,
        "MAX_MISSES": program.max_misses,
        "MULTILABEL": int(program.task == "multilabel"),
        "REGRESSION": int(program.task == "regression"),
        "TYPES_MATTER": int(program.types_matter),
        "IGNORES_UNKNOWN": int(program.ignores_unknown),
        # Compilers warn of unsigned numbers below 0.
        "IS_SYMBOL(number)": f"((number) < {n_symbols})" if n_symbols else 0,
        "IS_EDGE_TYPE(number)": f"((number) < {n_edge_types})" if n_edge_types else 0,
        "SYMBOL_BITS": "0 /* symbol k owns bit k */" if _is_plain(program) else len(program.symbol_bits[0]),
        "CLAUSE_BITS": len(program.clause_bits[0]) if program.clause_bits else 0,
        "MESSAGE_SIZE": program.message_size,
        "N_BITS": max(program.hypervector_size, program.message_size),
        "N_PLANES": f"{n_planes} /* digits of a counter of misses */",
        "START": f"{(1 << n_planes) - program.max_misses - 1} /* of the counters */",
    }


def _is_plain(program: Program) -> bool:
    """Return whether symbol k owns bit k and no other."""
    return all(bits == (number,) for number, bits in enumerate(program.symbol_bits))


def _types(program: Program) -> dict[str, str]:
    """Return the smallest integer types that hold the values."""
    names = program.vocabulary
    votes = max(sum(map(abs, row)) for row in program.weights) * (program.max_misses + 1)
    return {
        # One number more than there are names: callers can mark unknown ones.
        "symbol": unsigned_type(len(names.symbols)),
        "edge_type": unsigned_type(len(names.edge_types)),
        "node_type": unsigned_type(len(names.node_types)),
        "literal": unsigned_type(max(program.hypervector_size, program.message_size)),
        "message_bit": unsigned_type(program.message_size),
        "weight": signed_type(max(map(abs, chain.from_iterable(program.weights)))),
        "votes": "int32_t" if votes < 1 << 31 else "int64_t",
    }


def _data(program: Program) -> Iterator[str]:
    """Yield the arrays; the literals are, for each layer and clause, the bits that must be 1, then 0."""
    terms = list(chain.from_iterable(program.terms))
    lengths = [sum(term.n_literals for term in layer) for layer in program.terms]
    yield _numbers("literals", chain.from_iterable(term.ones + term.zeros for term in terms), "gtm_literal")
    yield _numbers("n_ones", [len(term.ones) for term in terms])
    yield _numbers("n_zeros", [len(term.zeros) for term in terms])
    yield _numbers("layers", list(accumulate(lengths, initial=0))[:-1])
    yield _numbers("weights", chain.from_iterable(program.weights), "gtm_weight")
    if not _is_plain(program):
        yield _numbers("symbol_bits", chain.from_iterable(program.symbol_bits), "gtm_literal")
    if program.depth > 1:
        yield _numbers("clause_bits", chain.from_iterable(program.clause_bits), "gtm_message_bit")
    for name, values in zip(_SCALE, zip(*program.meanings(), strict=True), strict=False):
        yield array(f"double gtm_{name}", map(repr, values))


def _numbers(name: str, values: Iterable[int], type_: str | None = None) -> str:
    values = list(values)
    return array(f"{type_ or unsigned_type(max(values))} gtm_{name}", values)


def _names(program: Program) -> dict[str, Iterable[Name | float]]:
    names = program.vocabulary
    return {
        "outputs": program.outputs,
        "symbols": names.symbols,
        "edge_types": names.edge_types,
        "node_types": names.node_types,
    }


def _source(name: str) -> str:
    return (files("graphtm.export") / "source" / name).read_text(encoding="utf-8")
