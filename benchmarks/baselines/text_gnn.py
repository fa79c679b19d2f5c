"""A graph neural network on the words of texts, with the split of our experiments.

A node for each word, with a learned embedding, and edges to the words up to a distance on both sides; two graph
convolutions, then the mean and the maximum over words. Needs ``pip install torch torch_geometric``. Appends results to
``results/baselines.jsonl``, from which ``python -m graphtm.experiments`` takes them::

    python benchmarks/baselines/text_gnn.py imdb --data DIR --seeds 2
    python benchmarks/baselines/text_gnn.py imdb --data DIR --holdout 5000 --epochs 10     # a trial on training data
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.nn import SAGEConv, global_max_pool, global_mean_pool

from graphtm.encoders import Tokens
from graphtm.experiments import Split, experiment
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY
from graphtm.experiments.mpqa import NEW
from graphtm.experiments.sentiment import DEPTH_2, is_new
from graphtm.graphs import GraphBatch

WIDTH, BATCH, RATE, DROPOUT = 64, 32, 0.001, 0.5


class TextGNN(nn.Module):  # type: ignore[misc]
    """Two convolutions on the graph of words, then the mean and the maximum over its nodes."""

    def __init__(self, n_words: int) -> None:
        super().__init__()
        self.words = nn.Embedding(n_words + 1, WIDTH)  # the last one is of texts without known words
        self.convolutions = nn.ModuleList(SAGEConv(WIDTH, WIDTH) for _ in range(2))
        self.drop = nn.Dropout(DROPOUT)
        self.out = nn.Linear(2 * WIDTH, 2)

    def forward(self, graphs: GraphBatch) -> Tensor:
        words, edges, text = arrays(graphs)
        hidden = self.drop(self.words(words))
        for convolution in self.convolutions:
            hidden = self.drop(convolution(hidden, edges).relu())
        pooled = torch.cat([global_mean_pool(hidden, text), global_max_pool(hidden, text)], dim=1)
        return self.out(pooled)


def arrays(graphs: GraphBatch) -> tuple[Tensor, Tensor, Tensor]:
    """Return the words of nodes, the edges, and the text of each node."""
    packed = graphs.pack()
    nodes, symbols = packed.properties.pairs()
    words = np.full(packed.n_nodes, len(packed.vocabulary.symbols))
    words[nodes] = symbols
    text = np.repeat(np.arange(len(graphs)), packed.node_counts)
    sources = packed.out_edges.near_ends()
    targets = packed.node_ptr[:-1][text[sources]] + packed.out_edges.neighbours
    return torch.from_numpy(words), torch.from_numpy(np.stack([sources, targets])), torch.from_numpy(text)


def predicted(model: nn.Module, graphs: GraphBatch) -> NDArray[np.int64]:
    """Return the classes that a model predicts."""
    model.eval()
    with torch.no_grad():
        found = [model(graphs[start : start + 256]).argmax(dim=1) for start in range(0, len(graphs), 256)]
    return np.asarray(torch.cat(found).numpy())


def trained(
    train: GraphBatch, split: Split, test: GraphBatch, epochs: int, seed: int
) -> tuple[NDArray[np.bool_], float]:
    """Train with Adam; return which test texts are right after the last epoch, and the processor time of training."""
    torch.manual_seed(seed)
    model, loss = TextGNN(len(train.vocabulary.symbols)), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    y, seconds = torch.from_numpy(split.y), 0.0
    right = np.zeros(len(split.y_test), dtype=np.bool_)
    for epoch in range(1, epochs + 1):
        model.train()
        start = time.process_time()
        for chosen in torch.randperm(len(y)).split(BATCH):
            optimizer.zero_grad()
            loss(model(train[chosen.numpy()]), y[chosen]).backward()
            optimizer.step()
        seconds += time.process_time() - start
        right = predicted(model, test) == split.y_test
        print(f"epoch {epoch}/{epochs}: {100 * right.mean():.2f} %, {seconds / epoch:.1f} s per epoch", flush=True)
    return right, seconds


def main() -> None:
    """Train once for each seed, and append the results of the last epochs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["imdb", "yelp", "mpqa"])
    parser.add_argument("--data", help="folder that holds imdb/, yelp_reviews_stars/, mpqa/")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--window", type=int, default=2, help="largest distance of an edge")
    parser.add_argument("--min-count", type=int, default=2, help="occurrences of a word in the training texts")
    parser.add_argument("--max-length", type=int, default=400, help="words of a text that are used")
    parser.add_argument("--train-size", type=int, help="use so many training texts; the result is not recorded")
    parser.add_argument("--holdout", type=int, help="test on so many training texts; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    torch.set_num_threads(1)

    split = experiment(options.name).load(options.data, False)
    split = split.held_out(options.holdout) if options.holdout else split
    split = split.first(options.train_size) if options.train_size else split
    words = Tokens(
        window=options.window, position=False, min_count=options.min_count, max_length=options.max_length
    ).fit(split.train)
    train, test = words.transform(split.train), words.transform(split.test)
    scores: dict[str, list[float]] = {ACCURACY: []}
    times: Sequence[float] = []
    for seed in range(options.seeds):
        right, seconds = trained(train, split, test, options.epochs, seed)
        scores[ACCURACY].append(float(right.mean()))
        times = [*times, seconds]
        if options.name == "mpqa":
            scores.setdefault(NEW, []).append(float(right[is_new(split)].mean()))
    if options.train_size or options.holdout:
        return
    append_baseline(
        options.output,
        experiment=options.name,
        variant=DEPTH_2,
        system=f"GNN, 2 SAGE layers of {WIDTH}, window {options.window}",
        version=f"PyTorch Geometric {version('torch_geometric')}",
        seeds=range(options.seeds),
        scores=scores,
        seconds=times,
        result=f"the last of {options.epochs} epochs, processor time of one core",
        command=command_of("text_gnn.py", vars(options)),
    )


if __name__ == "__main__":
    main()
