"""Evaluation and the small parts around it: receptive field, parameters, state, targets."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from graphtm import GraphBatch, GraphTMError, codes
from graphtm.engines import class_targets, initial_state, label_targets, sparse_targets, value_targets
from graphtm.engines.random import Purpose, code_draws
from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.targets import ALWAYS
from graphtm.model import MachineParams, MachineState


def within(edges, node, hops):
    """Nodes from which at most that many edges lead to a node."""
    reached = {node}
    for _ in range(hops):
        reached |= {u for u, v, _ in edges if v in reached}
    return reached


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_receptive_field(depth, seed):
    """Truth at a node depends only on nodes within D - 1 hops."""
    rng = np.random.default_rng(seed)
    n_nodes, n_symbols, n_clauses = 9, 6, 12
    edges = [tuple(edge) for edge in rng.integers(0, [n_nodes, n_nodes, 2], (10, 3)).tolist()]
    params = MachineParams(
        n_outputs=1,
        n_clauses=n_clauses,
        hypervector_size=n_symbols,
        message_code=codes.random(n_clauses, 16, 2, code_draws(seed, Purpose.CLAUSE_CODE), distinct=False),
        depth=depth,
    )
    start = initial_state(params)
    # few literals: a team of many would never hold, and nothing would be tested
    shares = [0.1] + [0.02] * (depth - 1)
    automata = tuple(
        np.where(rng.random(layer.shape) < share, 128, layer).astype(np.uint8)
        for share, layer in zip(shares, start.automata, strict=True)
    )
    engine = ReferenceEngine()
    engine.load(params, MachineState(automata, start.weights))

    def truth(properties):
        columns = tuple(np.array(edges).T)
        batch = GraphBatch.from_arrays([n_nodes], properties, edges=columns, edge_types=range(2))
        return engine.node_outputs(engine.prepare(codes.encode(batch, codes.one_hot(n_symbols))))

    before = rng.random((n_nodes, n_symbols)) < 0.5
    for node in range(n_nodes):
        near = within(edges, node, depth - 1)
        after = rng.random((n_nodes, n_symbols)) < 0.5
        after[list(near)] = before[list(near)]
        assert np.array_equal(truth(before)[node], truth(after)[node])


def test_the_field_is_as_wide_as_that():
    """A message really travels D - 1 hops: along a chain, the last node knows of the first."""
    for depth in (1, 2, 3, 4):
        params = MachineParams(
            n_outputs=1, n_clauses=depth, hypervector_size=1, depth=depth, message_code=codes.one_hot(depth)
        )
        automata = [np.full((depth, 2 * params.layer_size(layer)), 127, np.uint8) for layer in range(depth)]
        automata[0][0, 0] = 128
        for layer in range(1, depth):
            automata[layer][layer, layer - 1] = 128  # clause l at layer l: my neighbour satisfies clause l - 1
        engine = ReferenceEngine()
        engine.load(params, MachineState(tuple(automata), np.ones((1, depth), np.int32)))
        for first in (True, False):
            properties = np.zeros((depth, 1), bool)
            properties[0] = first
            chain = np.arange(depth - 1)
            batch = GraphBatch.from_arrays([depth], properties, edges=(chain, chain + 1))
            outputs = engine.node_outputs(engine.prepare(codes.encode(batch, codes.one_hot(1))))
            assert bool(outputs[depth - 1, depth - 1]) == first


def test_new_machines_are_empty_and_true_everywhere():
    params = MachineParams(n_outputs=2, n_clauses=3, hypervector_size=5)
    engine = ReferenceEngine()
    engine.load(params, initial_state(params))
    graphs = engine.prepare(codes.encode(GraphBatch.from_arrays([1, 2], np.zeros((3, 5), bool)), codes.one_hot(5)))
    assert engine.node_outputs(graphs).all()
    assert engine.clause_outputs(graphs).all()
    assert engine.class_sums(graphs).tolist() == [initial_state(params).weights.sum(axis=1).tolist()] * 2


def test_no_graphs_no_rows():
    params = MachineParams(n_outputs=2, n_clauses=3, hypervector_size=5)
    engine = ReferenceEngine()
    engine.load(params, initial_state(params))
    graphs = engine.prepare(codes.encode(GraphBatch.from_arrays([], np.zeros((0, 5), bool)), codes.one_hot(5)))
    assert engine.class_sums(graphs).shape == (0, 2)
    assert engine.clause_outputs(graphs).shape == (0, 3)
    assert engine.node_outputs(graphs).shape == (0, 3)


def test_graphs_of_another_size_are_refused():
    params = MachineParams(n_outputs=2, n_clauses=3, hypervector_size=5)
    engine = ReferenceEngine()
    engine.load(params, initial_state(params))
    with pytest.raises(GraphTMError, match="encoded into 5 bits for this machine; got 4"):
        engine.prepare(codes.encode(GraphBatch.from_arrays([1], np.zeros((1, 4), bool)), codes.one_hot(4)))


def test_an_engine_keeps_its_arrays_to_itself():
    params = MachineParams(n_outputs=1, n_clauses=2, hypervector_size=3)
    start = initial_state(params)
    engine = ReferenceEngine()
    engine.load(params, start)
    given_back = engine.state()
    for array in (given_back.automata[0], given_back.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 9
    assert engine.state().equals(start)
    assert not np.shares_memory(given_back.weights, engine.state().weights)


GOOD = dict(n_outputs=2, n_clauses=4, hypervector_size=8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(T=0), r"The 'T' parameter of MachineParams must be an int in the range \[1, 1073741823\]. Got 0 instead"),
        (dict(T=2**30), "'T' parameter"),
        (dict(T=1.5), "Got 1.5 instead"),
        (dict(T=True), "Got True instead"),
        (dict(n_clauses=0), "'n_clauses' parameter"),
        (dict(n_outputs=0), "'n_outputs' parameter"),
        (dict(depth=0), "'depth' parameter"),
        (dict(state_bits=9), "'state_bits' parameter"),
        (dict(state_bits=0), "'state_bits' parameter"),
        (dict(seed=-1), "'seed' parameter"),
        (dict(seed=2**64), "'seed' parameter"),
        (dict(s=0.0), r"'s' parameter of MachineParams must be a number above 0 and up to 2\^32, or 1 of them"),
        (dict(s=2.0**33), "'s' parameter"),
        (dict(s="3"), "'s' parameter"),
        (dict(s=float("nan")), "'s' parameter"),
        (dict(s=float("inf")), "'s' parameter"),
        (dict(s=(1.0, 2.0)), "'s' parameter"),
        (dict(max_included_literals=-1), "'max_included_literals' parameter"),
        (dict(negative_sampling="output"), "must be a str among {'clause', 'class'}. Got 'output' instead"),
        (dict(depth=2), "'message_code' parameter .* for 4 clauses if depth is above 1. Got None instead"),
        (dict(depth=2, message_code=codes.one_hot(3)), "Got one for 3 clauses instead"),
        (dict(n_node_types=5), "at least the number of node types.*Got 4 clauses for 5 node types"),
    ],
)
def test_wrong_parameters(change, message):
    with pytest.raises(ValueError, match=message):
        MachineParams(**{**GOOD, **change})


def test_numpy_numbers_are_numbers():
    params = MachineParams(
        n_outputs=np.int64(2), n_clauses=np.uint8(4), hypervector_size=8, T=np.int32(7), s=np.float32(2)
    )
    assert type(params.n_clauses) is int
    assert params.s_per_layer == (2.0,)
    deep = dict(GOOD, depth=2, message_code=codes.one_hot(4))
    for s in ([2, 3.0], np.array([2.0, 3.0]), (2, 3)):
        assert MachineParams(**deep, s=s).s_per_layer == (2.0, 3.0)


def test_engines_check_what_they_are_given():
    engine = ReferenceEngine()
    with pytest.raises(GraphTMError, match="No machine is loaded into the engine; call load first"):
        engine.state()
    params = MachineParams(n_outputs=2, n_clauses=4, hypervector_size=1, T=10, n_node_types=2)
    batch = GraphBatch.from_arrays([1, 1], [[1], [0]], node_types=["a", "b"])
    graphs = codes.encode(batch, codes.one_hot(1))
    with pytest.raises(GraphTMError, match="call load first"):
        engine.prepare(graphs)
    engine.load(params, initial_state(params))
    with pytest.raises(GraphTMError, match="one of the machine's 2 types; got untyped nodes"):
        engine.prepare(codes.encode(GraphBatch.from_arrays([1], [[1]]), codes.one_hot(1)))
    three = GraphBatch.from_arrays([3], [[1]] * 3, node_types=["a", "b", "c"])
    with pytest.raises(GraphTMError, match="Node types must be below 2 for this machine; got 2"):
        engine.prepare(codes.encode(three, codes.one_hot(1)))
    prepared, before = engine.prepare(graphs), engine.state()
    order = np.arange(2)
    for targets, wrong_order, message in (
        (class_targets([0, 1], 3, 10), order, "the machine's 2 outputs and T=10; got targets for 3 outputs and T=10"),
        (class_targets([0, 1], 2, 9), order, "got targets for 2 outputs and T=9"),
        (class_targets([0], 2, 10), order, "for 2 graphs; got targets for 1"),
        (class_targets([0, 1], 2, 10), np.array([0, 2]), "must be in 0..1; got values from 0 to 2"),
        (class_targets([0, 1], 2, 10), np.array([-1]), "got values from -1 to -1"),
        (class_targets([0, 1], 2, 10), np.array([0.0]), "array of int64; got a 1-d array of float64"),
    ):
        with pytest.raises(GraphTMError, match=message):
            engine.fit(prepared, targets, wrong_order)
    assert engine.state().equals(before)


def test_parameters_are_frozen_and_one_s_serves_all_layers():
    params = MachineParams(**GOOD, depth=3, s=2, message_code=codes.one_hot(4))
    assert params.s_per_layer == (2.0, 2.0, 2.0)
    assert [params.layer_size(layer) for layer in range(3)] == [8, 4, 4]
    assert MachineParams(**GOOD).message_size == 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        params.T = 5


def test_wrong_states_are_refused():
    params = MachineParams(**GOOD, state_bits=4)
    good = initial_state(params)
    good.check(params)
    layer, weights = good.automata[0], good.weights
    for state, message in (
        (MachineState((), weights), "must have 1 layers of automata; got 0"),
        (MachineState((layer[:, :3],), weights), r"layer 0 must be uint8 of shape \(4, 16\); got uint8 of \(4, 3\)"),
        (MachineState((layer.astype(int),), weights), "got int64"),
        (MachineState((layer + 100,), weights), "states must be below 16; layer 0 has 107"),
        (MachineState((layer,), weights.T), "Weights must be int32 of shape"),
        (MachineState((layer,), np.full_like(weights, -(2**31))), r"above -2\^31"),
        (MachineState((layer,), weights, -1), "step must be in"),
    ):
        with pytest.raises(GraphTMError, match=message):
            ReferenceEngine().load(params, state)


def test_gates():
    assert class_targets([0, 1], 2, 10).gates.tolist() == [ALWAYS, ALWAYS]
    assert class_targets([0], 5, 10).gates.tolist() == [2**30]
    assert class_targets([0], 5, 10, q=2.0).gates.tolist() == [2**31]
    assert class_targets([0], 1, 10).gates.tolist() == [ALWAYS]
    few, many = np.eye(2, 32, dtype=bool), np.eye(2, 33, dtype=bool)
    assert label_targets(few, 10).gates.tolist() == [ALWAYS, ALWAYS]
    assert label_targets(many, 10).gates.tolist() == [2**27, 2**27]
    assert label_targets(few, 10, q=1.0).gates.tolist() == [round(2**32 / 31)] * 2
    assert label_targets(np.zeros((1, 33), bool), 10).gates.tolist() == [int(2**32 / 33 + 0.5)]
    assert value_targets([-10, 3], 10).gates.tolist() == [ALWAYS, ALWAYS]


def test_label_targets_take_sparse_matrices():
    dense = np.array([[True, False, True], [False, False, False]])
    for matrix in (dense, sparse.csr_matrix(dense), sparse.coo_array(dense.astype(int)), dense.tolist()):
        targets = label_targets(matrix, 7)
        assert targets.ptr.tolist() == [0, 2, 2]
        assert targets.outputs.tolist() == [0, 2]
        assert targets.values.tolist() == [7, 7]
    explicit_zero = sparse.csr_matrix(([1, 0], ([0, 0], [0, 1])), shape=(1, 3))
    assert label_targets(explicit_zero, 7).outputs.tolist() == [0]


def test_weights_are_fixed_point():
    weights = class_targets([0] * 5, 2, 10, weights=[0.0, 1.0, 0.5, 1e-6, 1e300]).weights
    assert weights.tolist() == [0, 2**16, 2**15, 0, 2**48]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: class_targets([0, 2], 2, 10), r"Class numbers must be in 0\.\.1; got values from 0 to 2"),
        (lambda: class_targets([0], 2, 10, weights=[-1.0]), "finite numbers >= 0, one for each of 1 examples.*-1.0"),
        (lambda: class_targets([0], 2, 10, weights=[float("nan")]), "with nan"),
        (lambda: class_targets([0], 2, 10, weights=[1.0, 1.0]), r"got shape \(2,\)"),
        (lambda: class_targets([0.7, 1.2], 2, 10), "array of integers; got a 1-d array of float64"),
        (lambda: class_targets([0], 2, 10, q=-1), "q must be a finite number >= 0; got -1"),
        (lambda: class_targets([0], 2, 10, q=float("nan")), "q must be"),
        (lambda: value_targets([11], 10), r"Target values must be in -10\.\.10; got values from 11 to 11"),
        (lambda: value_targets(np.array([-128], np.int8), 10), "got values from -128 to -128"),
        (lambda: value_targets(np.array([-(2**63)]), 10), "Target values must be in"),
        (lambda: value_targets([0.5], 10), "array of integers"),
        (lambda: sparse_targets([0, 2], [1, 1], [5, 5], 3, 10), "ascending order, without duplicates"),
        (lambda: sparse_targets([0, 2], [1, 0], [5, 5], 3, 10), "ascending order, without duplicates"),
        (lambda: sparse_targets([0, 1], [-1], [5], 3, 10), r"Outputs must be in 0\.\.2; got values from -1"),
        (lambda: sparse_targets([0, 1], [3], [5], 3, 10), "got values from 3 to 3"),
        (lambda: sparse_targets([0, 1], [0, 1], [5, 5], 3, 10), "must increase from 0 to the number of targets"),
        (lambda: sparse_targets([0, 2, 1], [0, 1], [5, 5], 3, 10), "must increase"),
        (lambda: sparse_targets([0, 1], [0], [5, 5], 3, 10), "1 outputs, 2 values"),
    ],
)
def test_wrong_targets(make, message):
    with pytest.raises(GraphTMError, match=message):
        make()


def test_sparse_targets_may_start_again_in_the_next_example():
    targets = sparse_targets([0, 0, 2, 3, 3], [1, 4, 0], [5, -5, 2], 5, 10, silent=True)
    assert targets.n_examples == 4
    assert targets.silent


def test_sparse_targets_are_thinned_by_their_own_counts():
    given = ([0, 3, 4], [0, 1, 2, 4], [10, -10, -10, -10], 5, 10)
    assert sparse_targets(*given).gates.tolist() == [ALWAYS, ALWAYS]
    assert sparse_targets(*given, silent=True, q=1.0).gates.tolist() == [2**31, ALWAYS]
    assert sparse_targets(*given, q=1.0).gates.tolist() == [2**30, int(2**32 / 5 + 0.5)]
