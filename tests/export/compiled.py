"""Exported C headers, compiled into one program that evaluates graphs, for the tests of that export."""

import shutil
import subprocess

import numpy as np
import pytest

from graphtm.export import c_header_text
from graphtm.export.c_header import prefixed

CC, CXX = (next(filter(None, map(shutil.which, names)), None) for names in (["cc", "gcc", "clang"], ["c++", "g++"]))
needs_cc = pytest.mark.skipif(CC is None, reason="there is no C compiler: none of cc, gcc and clang is on the path")
needs_cxx = pytest.mark.skipif(CXX is None, reason="there is no C++ compiler: neither c++ nor g++ is on the path")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wshadow", "-Wvla", "-Wundef"]

HEAD = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *input;

static int32_t next(void)
{
    int32_t value = 0;
    if (fread(&value, sizeof value, 1, input) != 1) exit(2);
    return value;
}

static void put(int64_t value) { fwrite(&value, sizeof value, 1, stdout); }

#define READ(type, name)                                                                        \
    const int32_t n_##name = next();                                                            \
    type *name = n_##name < 0 ? NULL : (type *)malloc((size_t)n_##name * sizeof(type));         \
    for (int32_t i = 0; i < n_##name; i++) name[i] = (type)next()
"""
RUN = r"""
/* Arrays and workspace are exactly as large as needed, so that a sanitizer sees any access beyond. */
static void gtm_evaluate_all(void)
{
    for (int32_t n_graphs = next(); n_graphs > 0; n_graphs--) {
        const gtm_index n_nodes = (gtm_index)next();
        const size_t size = gtm_WORKSPACE(n_nodes) * sizeof(gtm_word) - (size_t)next();
        READ(gtm_index, property_ptr);
        READ(gtm_symbol, properties);
        READ(gtm_node_type, node_types);
        READ(gtm_index, source);
        READ(gtm_index, destination);
        READ(gtm_edge_type, edge_types);
        READ(uint8_t, readout);
        const gtm_graph graph = {n_nodes, property_ptr, properties, node_types, (gtm_index)n_source,
                                 source,  destination,  edge_types, readout};
        gtm_word *workspace = (gtm_word *)malloc(size);
        int64_t sums[gtm_N_OUTPUTS] = {0};
        put(gtm_class_sums(&graph, workspace, size, sums));
        for (int i = 0; i < gtm_N_OUTPUTS; i++) put(sums[i]);
#if gtm_MULTILABEL
        uint8_t labels[gtm_N_OUTPUTS] = {0};
        put(gtm_predict(&graph, workspace, size, labels));
        for (int i = 0; i < gtm_N_OUTPUTS; i++) put(labels[i]);
#elif gtm_REGRESSION
        double numbers[gtm_N_OUTPUTS] = {0};
        put(gtm_predict(&graph, workspace, size, numbers));
        fwrite(numbers, sizeof numbers, 1, stdout);
#else
        put(gtm_predict(&graph, workspace, size));
#endif
        free(workspace);
        free(property_ptr), free(properties), free(node_types), free(source), free(destination), free(edge_types);
        free(readout);
    }
}
"""


class Compiled:
    """A program with the headers of some machines.

    Parameters
    ----------
    folder
        Where its files are written.
    programs
        The machines by the names of their headers.
    change
        A function of the text of each header.
    """

    def __init__(self, folder, programs, *flags, change=lambda text: text, cxx=False):
        self.programs, self.folder = programs, folder
        for name, program in programs.items():
            (folder / f"{name}.h").write_text(change(c_header_text(program, name)), encoding="ascii")
        cases = "".join(f"    if (model == {place}) {name}_evaluate_all();\n" for place, name in enumerate(programs))
        parts = [HEAD, *(f'#include "{name}.h"\n{prefixed(RUN, name)}' for name in programs)]
        main = (
            "int main(int n_arguments, char **arguments)\n{\n"
            '    input = n_arguments > 1 ? fopen(arguments[1], "rb") : NULL;\n    if (input == NULL) return 1;\n'
            f"    const int32_t model = next();\n{cases}    return 0;\n}}\n"
        )
        source = folder / ("main.cpp" if cxx else "main.c")
        source.write_text("\n".join([*parts, main]))
        build(folder, source.name, *(flags or ["-O0"]), "-o", "main", cxx=cxx)

    def run(self, name, graphs):
        """Return the error codes, vote sums and predictions of a machine for raw graphs.

        Predictions are the class, or the number of labels and a column per label, or 0 and the bits of a double per
        number.
        """
        program = self.programs[name]
        (self.folder / "graphs.bin").write_bytes(_stream(list(self.programs).index(name), graphs))
        done = subprocess.run(
            [self.folder / "main", self.folder / "graphs.bin"], capture_output=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        n = len(program.outputs)
        answers = np.frombuffer(done.stdout, np.int64).reshape(
            len(graphs), 2 + n * (1 + (program.task != "classification"))
        )
        errors, sums, predicted = answers[:, 0], answers[:, 1 : 1 + n], answers[:, 1 + n :]
        assert (errors <= 0).all()
        assert (predicted[errors < 0, 0] == errors[errors < 0]).all()
        return errors, sums, predicted


def build(folder, *arguments, cxx=False):
    """Compile as C99, or as C++, with warnings as errors."""
    command = [CXX, "-std=c++11"] if cxx else [CC, "-std=c99"]
    done = subprocess.run([*command, *STRICT, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def raw_graphs(batch, rng=None):
    """Return graphs as dicts of lists, one per field of the C struct; with ``rng``, edges are in a random order."""
    packed = batch.pack()
    graphs = []
    for number in range(packed.n_graphs):
        one = packed.take(slice(number, number + 1))
        nodes, symbols = one.properties.pairs()
        ptr = np.searchsorted(nodes, np.arange(one.n_nodes + 1))
        edges = one.in_edges
        order = np.arange(edges.n_edges) if rng is None else rng.permutation(edges.n_edges)
        if rng is not None:
            symbols = np.concatenate(
                [np.zeros(0, int), *(rng.permutation(part) for part in np.split(symbols, ptr[1:-1]))]
            )
        graphs.append(
            {
                "n_nodes": one.n_nodes,
                "property_ptr": ptr.tolist(),
                "properties": symbols.astype(int).tolist(),
                "node_types": None if one.node_types is None else one.node_types.tolist(),
                "source": edges.neighbours[order].tolist(),
                "destination": edges.near_ends()[order].tolist(),
                "edge_types": edges.types[order].tolist(),
                "readout": None if one.readout is None else one.readout.astype(int).tolist(),
            }
        )
    return graphs


def _stream(model, graphs):
    numbers = [model, len(graphs)]
    for graph in graphs:
        numbers += [graph["n_nodes"], graph.get("bytes_missing", 0)]
        for field in ("property_ptr", "properties", "node_types", "source", "destination", "edge_types", "readout"):
            values = graph.get(field)
            numbers += [-1] if values is None else [len(values), *values]
    return np.array(numbers, np.int32).tobytes()
