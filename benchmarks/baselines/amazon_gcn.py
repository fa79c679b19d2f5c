"""A graph convolutional network on the graphs and splits of `amazon`.

Learned embeddings of 64 numbers for customers, products and categories, two graph convolutions with 128 and 64 as in
the paper, then the mean over the three nodes of a row, and Adam with its rate of 0.01. The paper's published code
predicts ratings as numbers; ours are classes, as those of the machines. Needs ``pip install torch torch_geometric``.
Appends results to ``results/baselines.jsonl``, from which ``python -m graphtm.experiments`` takes them::

    python benchmarks/baselines/amazon_gcn.py --data DIR --seeds 3
    python benchmarks/baselines/amazon_gcn.py --data DIR --variants "noise 0.2" --trial     # on training rows
"""

from __future__ import annotations

import argparse
import time
from importlib.metadata import version

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, global_mean_pool

from graphtm.experiments import Split, experiment
from graphtm.experiments.amazon_rows import graphs_of, split_of
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY
from graphtm.experiments.graph_benchmarks_data import edge_arrays
from graphtm.graphs import GraphBatch

INPUTS, HIDDEN, OUTPUTS, RATE = 64, 128, 64, 0.01


class GCN(nn.Module):  # type: ignore[misc]
    """Two convolutions on the graph of a row, then the mean over its nodes."""

    def __init__(self, n_symbols: int, n_classes: int) -> None:
        super().__init__()
        # The last one, zeros, is of names that no training row has.
        self.symbols = nn.Embedding(n_symbols + 1, INPUTS, padding_idx=n_symbols)
        self.convolutions = nn.ModuleList([GCNConv(INPUTS, HIDDEN), GCNConv(HIDDEN, OUTPUTS)])
        self.votes = nn.Linear(OUTPUTS, n_classes)

    def forward(self, graphs: GraphBatch) -> Tensor:
        packed = graphs.pack()
        owners, numbers = packed.properties.pairs()
        symbols = np.full(packed.n_nodes, len(packed.vocabulary.symbols))
        symbols[owners] = numbers
        sources, targets, _ = (torch.from_numpy(array.astype(np.int64)) for array in edge_arrays(packed))
        edges = torch.stack([sources, targets])
        hidden = self.symbols(torch.from_numpy(symbols))
        for convolution in self.convolutions:
            hidden = convolution(hidden, edges).relu()
        graph = torch.from_numpy(np.repeat(np.arange(len(graphs)), packed.node_counts))
        return self.votes(global_mean_pool(hidden, graph, len(graphs)))


def trained(split: Split, options: argparse.Namespace, seed: int) -> tuple[float, float]:
    """Return the accuracy on the test rows after the last epoch, and the processor time of training."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    train = graphs_of(split.train)
    test = graphs_of(split.test).with_vocabulary(train.vocabulary, "ignore")
    begun = time.process_time()
    classes, y = np.unique(split.y, return_inverse=True)
    model = GCN(len(train.vocabulary.symbols), len(classes))
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    loss = nn.CrossEntropyLoss()
    for _ in range(options.epochs):
        model.train()
        order = rng.permutation(len(y))
        for chosen in np.array_split(order, max(1, len(y) // options.batch)):
            optimizer.zero_grad()
            loss(model(train[chosen]), torch.from_numpy(y[chosen])).backward()
            optimizer.step()
    seconds = time.process_time() - begun
    model.eval()
    with torch.no_grad():
        found = model(test).argmax(dim=1).numpy()
    return float(np.mean(classes[found] == split.y_test)), seconds


def main() -> None:
    """Train on each variant, and append the accuracies on the test rows."""
    amazon = experiment("amazon")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder that holds amazon_sales/")
    parser.add_argument(
        "--variants",
        nargs="+",
        choices=amazon.variants,
        default=list(amazon.variants),
        metavar="NAME",
        help="default: all",
    )
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=256, help="rows of a step")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--trial", action="store_true", help="test on training rows; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    torch.set_num_threads(1)

    rows = amazon.load(options.data, False)
    for variant in options.variants:
        split = split_of(rows, {**amazon.presets["paper"].of(variant).task, "trial": options.trial})
        scores, seconds = [], []
        for seed in range(options.seeds):
            score, spent = trained(split, options, seed)
            scores.append(score)
            seconds.append(spent)
            print(f"{variant}, seed {seed}: {100 * score:.2f} %, {spent:.1f} s", flush=True)
        if options.trial:
            continue
        append_baseline(
            options.output,
            experiment=amazon.name,
            variant=variant,
            system="GCN",
            version=f"PyTorch Geometric {version('torch_geometric')}",
            seeds=range(options.seeds),
            scores={ACCURACY: scores},
            seconds=seconds,
            result=f"the last of {options.epochs} epochs, processor time of one core",
            command=command_of("amazon_gcn.py", {**vars(options), "variants": [variant]}),
        )


if __name__ == "__main__":
    main()
