"""Random graphs with everything that is legal and odd about graphs."""

from hypothesis import strategies as st

from graphtm import Graph, GraphBatch, Vocabulary

names = st.recursive(
    st.one_of(st.text(max_size=3), st.integers(-3, 3), st.booleans(), st.none(), st.integers(2**63, 2**70)),
    lambda inner: st.tuples(inner, inner) | st.tuples(),
    max_leaves=3,
)


@st.composite
def graph_lists(draw, min_size=0, max_size=6, many_symbols=False):
    """Lists of graphs: single nodes, no edges, self-loops, parallel edges, no properties, types, readouts."""
    n_symbols = draw(st.integers(60, 70)) if many_symbols else 6
    symbols = draw(st.lists(names, min_size=1, max_size=n_symbols, unique_by=repr))
    edge_types = draw(st.lists(names, min_size=1, max_size=3, unique_by=repr))
    node_types = draw(
        st.none() | st.lists(names.filter(lambda name: name is not None), min_size=1, max_size=3, unique_by=repr)
    )
    return [draw(graphs(symbols, edge_types, node_types)) for _ in range(draw(st.integers(min_size, max_size)))]


@st.composite
def graphs(draw, symbols, edge_types, node_types):
    graph = Graph()
    n_nodes = draw(st.integers(1, 6))
    named = draw(st.booleans())
    node_names = draw(st.lists(names, min_size=n_nodes, max_size=n_nodes, unique=True)) if named else range(n_nodes)
    for name in node_names:
        properties = draw(st.lists(st.sampled_from(symbols), max_size=5))
        graph.add_node(name, properties, None if node_types is None else draw(st.sampled_from(node_types)))
    nodes = st.sampled_from(graph.nodes)
    for _ in range(draw(st.integers(0, 8))):
        graph.add_edge(draw(nodes), draw(nodes), draw(st.sampled_from(edge_types)))
    if draw(st.booleans()):
        graph.set_readout(draw(st.lists(nodes, min_size=1)))
    return graph


def holds_none(graph):
    """Whether a symbol or an edge type is None, which elsewhere stands for a missing value."""
    symbols = [symbol for node in graph for symbol in graph.properties(node)]
    return any(name is None for name in [*symbols, *(edge.type for edge in graph.edges)])


def listed(batch):
    """The same graphs under many more names, so that properties are kept as lists."""
    mine = batch.vocabulary
    symbols = [*mine.symbols, *(("unused", number) for number in range(3000))]
    return batch.with_vocabulary(Vocabulary(symbols, mine.edge_types, mine.node_types))


@st.composite
def batches(draw, **arguments):
    """Graphs and the batch of them, in either layout."""
    graphs = draw(graph_lists(**arguments))
    batch = GraphBatch.from_graphs(graphs)
    return graphs, listed(batch) if draw(st.booleans()) else batch
