"""A graph isomorphism network on the ten folds of the graph benchmarks.

Nodes carry their labels and degrees, as those that our deep machines see. Five layers with batch normalization, of
which each is added up over the nodes of a graph; where edges have labels, an embedding of these is added to what
neighbours send (GINE). Adam halves its rate three times; the last of 40 epochs counts, or of 80 with fewer than 1,000
graphs. Needs ``pip install torch torch_geometric``. Appends results to ``results/baselines.jsonl``, from which
``python -m graphtm.experiments`` takes them::

    python benchmarks/baselines/tu_gin.py --data DIR
    python benchmarks/baselines/tu_gin.py --data DIR --sets MUTAG --folds 1 --trial     # on training data
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import GINConv, GINEConv, global_add_pool

from graphtm.experiments import Split
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY
from graphtm.experiments.graph_benchmarks_data import (
    N_FOLDS,
    SETS,
    edge_arrays,
    fold_of,
    load_graphs,
    with_degrees,
)
from graphtm.graphs import GraphBatch

LAYERS, RATE, DROPOUT = 5, 0.01, 0.5
FEW_GRAPHS, EPOCHS, MORE_EPOCHS = 1000, 40, 80


@dataclass(frozen=True)
class Arrays:
    """Graphs as tensors: the symbols of nodes, edges with their types, the graph of each node, number of graphs."""

    nodes: Tensor
    edges: Tensor
    types: Tensor
    graph: Tensor
    n_graphs: int

    @classmethod
    def of(cls, graphs: GraphBatch) -> Arrays:
        """Return the tensors of graphs."""
        packed = graphs.pack()
        owners, symbols = packed.properties.pairs()
        nodes = torch.zeros(packed.n_nodes, len(packed.vocabulary.symbols))
        nodes[owners.astype(np.int64), symbols.astype(np.int64)] = 1
        sources, targets, types = (torch.from_numpy(array.astype(np.int64)) for array in edge_arrays(packed))
        graph = torch.from_numpy(np.repeat(np.arange(len(graphs)), packed.node_counts))
        return cls(nodes, torch.stack([sources, targets]), types, graph, len(graphs))


def block(n_inputs: int, width: int) -> nn.Sequential:
    """Return two linear layers, each normalized."""
    return nn.Sequential(
        nn.Linear(n_inputs, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, width), nn.BatchNorm1d(width)
    )


class GIN(nn.Module):  # type: ignore[misc]
    """A graph isomorphism network that votes with the sums over nodes after each layer."""

    def __init__(self, n_symbols: int, n_types: int, n_classes: int, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(n_symbols, width)
        self.types = nn.ModuleList(nn.Embedding(n_types, width) for _ in range(LAYERS if n_types > 1 else 0))
        convolution = GINEConv if n_types > 1 else GINConv
        self.convolutions = nn.ModuleList(convolution(block(width, width), train_eps=True) for _ in range(LAYERS))
        self.votes = nn.ModuleList(nn.Linear(width, n_classes) for _ in range(LAYERS + 1))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, batch: Arrays) -> Tensor:
        hidden = self.first(batch.nodes)
        votes = self.drop(self.votes[0](global_add_pool(hidden, batch.graph, batch.n_graphs)))
        for number, convolution in enumerate(self.convolutions):
            extra = [self.types[number](batch.types)] if self.types else []
            hidden = convolution(hidden, batch.edges, *extra).relu()
            votes = votes + self.drop(self.votes[number + 1](global_add_pool(hidden, batch.graph, batch.n_graphs)))
        return votes


def trained(fold: Split, epochs: int, options: argparse.Namespace, seed: int) -> tuple[float, float]:
    """Return the accuracy on the test graphs after the last epoch, and the processor time of training."""
    torch.manual_seed(seed)
    begun = time.process_time()
    classes, y = np.unique(fold.y, return_inverse=True)
    vocabulary = fold.train.vocabulary
    model = GIN(len(vocabulary.symbols), len(vocabulary.edge_types), len(classes), options.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    slower = torch.optim.lr_scheduler.StepLR(optimizer, -(-epochs // 4), 0.5)
    loss = nn.CrossEntropyLoss()
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        model.train()
        order = rng.permutation(len(y))
        for chosen in np.array_split(order, max(1, len(y) // options.batch)):
            optimizer.zero_grad()
            loss(model(Arrays.of(fold.train[chosen])), torch.from_numpy(y[chosen])).backward()
            optimizer.step()
        slower.step()
    seconds = time.process_time() - begun
    model.eval()
    with torch.no_grad():
        found = model(Arrays.of(fold.test)).argmax(dim=1).numpy()
    return float(np.mean(classes[found] == fold.y_test)), seconds


def main() -> None:
    """Train on each fold of each set, and append the accuracies on the test graphs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder of the TU datasets, or one that holds tu/")
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="names of TU datasets; default: all seven")
    parser.add_argument("--epochs", type=int, help="default: 40, or 80 with fewer than 1,000 graphs")
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--batch", type=int, default=64, help="graphs of a step")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="run the first of ten folds; fewer are not recorded")
    parser.add_argument("--trial", action="store_true", help="test on training graphs; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name in options.sets:
        graphs, y = load_graphs(name, options.data)
        graphs = with_degrees(graphs)
        epochs = options.epochs or (MORE_EPOCHS if len(graphs) < FEW_GRAPHS else EPOCHS)
        scores, seconds = [], []
        for number in range(options.folds):
            score, spent = trained(fold_of(graphs, y, number, options.trial), epochs, options, number)
            scores.append(score)
            seconds.append(spent)
            print(f"{name}, fold {number}: {100 * score:.2f} %, {spent:.1f} s", flush=True)
        if options.trial or options.folds < N_FOLDS:
            continue
        append_baseline(
            options.output,
            experiment="graph_benchmarks",
            variant=name,
            system=f"GIN, {LAYERS} layers of {options.width}",
            version=f"PyTorch Geometric {version('torch_geometric')}",
            seeds=range(N_FOLDS),
            scores={ACCURACY: scores},
            seconds=seconds,
            result=f"the last of {epochs} epochs, processor time of one core",
            command=command_of("tu_gin.py", {**vars(options), "sets": [name], "epochs": epochs}),
        )


if __name__ == "__main__":
    main()
