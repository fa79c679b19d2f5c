"""Random small machines, for the naive twin and the engines alike."""

import numpy as np
from hypothesis import strategies as st
from naive import NaiveMachine, random_code, shuffled

from graphtm import GraphBatch, codes
from graphtm.engines.base import initial_state
from graphtm.engines.random import Purpose, code_draws, epoch_order
from graphtm.engines.targets import class_targets, label_targets, sparse_targets, value_targets
from graphtm.model import MachineParams
from graphtm.testing.machines import _random_state as random_state

sizes = st.one_of(st.integers(1, 5), st.sampled_from([31, 32, 33, 63, 64, 65]))


@st.composite
def cases(draw):
    """Everything that defines a small machine, its graphs, its targets and its epochs, in plain Python."""
    depth = draw(st.integers(1, 3))
    n_clauses = draw(st.integers(1, 5))
    n_outputs = draw(st.integers(1, 4))
    T = draw(st.sampled_from([1, 2, 5, 100, 2**30 - 1]))
    n_types = draw(st.integers(0, min(3, n_clauses)))
    s = draw(st.sampled_from([0.5, 1.0, 1.002, 1.5, 2.2, 3.0, 10.0, 40.0]))
    n_edge_types = draw(st.integers(1, 3))
    H, M, bits = draw(sizes), draw(sizes), draw(st.integers(1, 2))
    graphs = [draw(graphs_of(H, n_types, n_edge_types)) for _ in range(draw(st.integers(1, 4)))]
    kind = draw(st.sampled_from(["class", "labels", "values", "sparse", "silent"]))
    outputs = st.integers(0, n_outputs - 1)
    values = st.integers(-min(T, 100), min(T, 100)) | st.sampled_from([-T, T])
    wanted = []
    for _ in graphs:
        if kind == "class":
            wanted.append({draw(outputs): T})
        elif kind == "labels":
            wanted.append(dict.fromkeys(draw(st.sets(outputs)), T))
        elif kind == "values":
            wanted.append({output: draw(values) for output in range(n_outputs)})
        else:
            wanted.append(draw(st.dictionaries(outputs, values)))
    return {
        "seed": draw(st.integers(0, 2**64 - 1)),
        "depth": depth,
        "clauses": n_clauses,
        "outputs": n_outputs,
        "H": H,
        "M": max(M, bits),
        "bits": bits,
        "T": T,
        "s": [draw(st.sampled_from([s, 2.0])) for _ in range(depth)] if draw(st.booleans()) else [s] * depth,
        "negative_sampling": draw(st.sampled_from(["clause", "class"])),
        "limit": draw(st.sampled_from([None, 0, 1, 3])),
        "m": draw(st.just(0) | st.integers(1, 20) | st.just(254)),
        "boost": draw(st.booleans()),
        "state_bits": draw(st.sampled_from([1, 2, 3, 8])),
        "K": n_types,
        "graphs": graphs,
        "kind": kind,
        "wanted": wanted,
        "q": draw(st.sampled_from([None, 0.3, 1.0, 2.0])),
        "weights": draw(
            st.none()
            | st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.5, 1e6, 1e15]), min_size=len(graphs), max_size=len(graphs))
        ),
        "epochs": draw(st.integers(1, 4)),
        "start": draw(st.none() | st.integers(0, 2**32 - 1)),
    }


@st.composite
def graphs_of(draw, H, n_types, n_edge_types):
    n_nodes = draw(st.integers(1, 4))
    nodes = st.integers(0, n_nodes - 1)
    edges = draw(st.lists(st.tuples(nodes, nodes, st.integers(0, n_edge_types - 1)), max_size=6))
    return {
        "bits": [draw(st.sets(st.integers(0, H - 1), max_size=4)) for _ in range(n_nodes)],
        "types": [draw(st.integers(0, n_types - 1)) for _ in range(n_nodes)] if n_types else None,
        "edges": edges,
        "readout": draw(st.none() | st.sets(nodes, min_size=1)),
    }


def batch_of(case):
    """The graphs as a batch; symbol k is bit k, edge type t is number t."""
    graphs = case["graphs"]
    counts = [len(graph["bits"]) for graph in graphs]
    offsets = np.cumsum([0, *counts])
    pairs = [
        (offsets[g] + n, k) for g, graph in enumerate(graphs) for n, bits in enumerate(graph["bits"]) for k in bits
    ]
    edges = [(offsets[g] + u, offsets[g] + v, t) for g, graph in enumerate(graphs) for u, v, t in graph["edges"]]
    batch = GraphBatch.from_arrays(
        counts,
        tuple(np.array(column, dtype=int) for column in (zip(*pairs, strict=True) if pairs else ((), ()))),
        symbols=range(case["H"]),
        edges=tuple(np.array(column, dtype=int) for column in (zip(*edges, strict=True) if edges else ((), (), ()))),
        edge_types=range(3),
        node_types=([t for graph in graphs for t in graph["types"]], [*"abc"][: case["K"]]) if case["K"] else None,
    )
    if any(graph["readout"] is not None for graph in graphs):
        batch = batch.with_readout(
            [
                range(count) if graph["readout"] is None else graph["readout"]
                for graph, count in zip(graphs, counts, strict=True)
            ]
        )
    return batch


def encoded_of(case):
    return codes.encode(batch_of(case), codes.one_hot(case["H"]))


def params_of(case):
    draws = code_draws(case["seed"], Purpose.CLAUSE_CODE)
    return MachineParams(
        n_outputs=case["outputs"],
        n_clauses=case["clauses"],
        hypervector_size=case["H"],
        message_code=codes.random(case["clauses"], case["M"], case["bits"], draws, distinct=False),
        depth=case["depth"],
        T=case["T"],
        s=tuple(case["s"]),
        negative_sampling=case["negative_sampling"],
        max_included_literals=case["limit"],
        max_misses=case["m"],
        boost_true_positive=case["boost"],
        state_bits=case["state_bits"],
        n_node_types=case["K"],
        seed=case["seed"],
    )


def targets_of(case):
    T, wanted, weights = case["T"], case["wanted"], case["weights"]
    if case["kind"] == "class":
        return class_targets([next(iter(one)) for one in wanted], case["outputs"], T, case["q"], weights)
    if case["kind"] == "labels":
        indicator = [[output in one for output in range(case["outputs"])] for one in wanted]
        return label_targets(indicator, T, case["q"], weights)
    if case["kind"] == "values":
        return value_targets([[one[output] for output in range(case["outputs"])] for one in wanted], T, weights)
    rows = [sorted(one.items()) for one in wanted]
    return sparse_targets(
        np.cumsum([0, *map(len, rows)]),
        np.array([output for row in rows for output, _ in row], dtype=int),
        np.array([value for row in rows for _, value in row], dtype=int),
        case["outputs"],
        T,
        silent=case["kind"] == "silent",
        q=case["q"],
        weights=weights,
    )


def start_of(case):
    """The state to begin with: a new machine's, or one that has come far."""
    params = params_of(case)
    if case["start"] is None:
        return initial_state(params)
    return random_state(np.random.default_rng(case["start"]), params)


def run_engine(engine, case):
    """Train an engine for the case's epochs; return its state and what it answers."""
    params = params_of(case)
    engine.load(params, start_of(case))
    graphs = engine.prepare(encoded_of(case))
    targets = targets_of(case)
    for epoch in range(case["epochs"]):
        engine.fit(graphs, targets, epoch_order(case["seed"], epoch, len(case["graphs"])))
    return engine.state(), engine.class_sums(graphs), engine.clause_outputs(graphs), engine.node_outputs(graphs)


def run_twin(case):
    """Train the naive twin likewise."""
    code = random_code(case["seed"], 7, case["clauses"], case["M"], case["bits"])
    machine = NaiveMachine({**case, "code": code})
    if case["start"] is not None:
        start = start_of(case)
        automata = {
            (j, d, k): int(value) for d, layer in enumerate(start.automata) for (j, k), value in np.ndenumerate(layer)
        }
        weights = {place: int(value) for place, value in np.ndenumerate(start.weights)}
        machine = NaiveMachine({**case, "code": code}, automata, weights, start.step)
    thinned = case["kind"] == "class" or (case["kind"] != "values" and case["q"] is not None)
    q = 1.0 if case["q"] is None else case["q"]
    for epoch in range(case["epochs"]):
        for example in shuffled(case["seed"], epoch, len(case["graphs"])):
            w = 1.0 if case["weights"] is None else case["weights"][example]
            machine.learn(case["graphs"][example], case["wanted"][example], case["kind"] == "silent", thinned, q, w)
    return machine


def twin_arrays(machine):
    p = machine.p
    automata = [
        np.array(
            [[machine.state[j, d, k] for k in range(2 * machine.size(d))] for j in range(p["clauses"])], dtype=np.uint8
        )
        for d in range(p["depth"])
    ]
    weights = np.array([[machine.weight[i, j] for j in range(p["clauses"])] for i in range(p["outputs"])])
    return automata, weights
