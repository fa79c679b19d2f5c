"""A graph convolutional network and a GRU on the viral genomes, with the split of our experiment.

The GCN (PyTorch Geometric) reads the chain of 3-mers, which overlap; the GRU (PyTorch) every third of them, so that it
reads each nucleotide once. Times are processor time of one core. Needs ``pip install torch torch_geometric``. Appends
results to ``results/baselines.jsonl``, from which ``python -m graphtm.experiments`` takes them::

    python benchmarks/baselines/viral_neural.py --data DIR --seeds 2
    python benchmarks/baselines/viral_neural.py --generated 5000 25000 --system GCN --epochs 1
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, global_max_pool

from graphtm.experiments import Split
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.viral import MAIN, OF_GENERATED, PAPER
from graphtm.experiments.viral_sequences import NUCLEOTIDES, VIRUSES, data_of, load

K = PAPER.task["k"]
BATCH, RATE = 32, 0.003


class GCN(nn.Module):  # type: ignore[misc]
    """Two convolutions on the chain of k-mers, and the maximum over its nodes."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.symbols = nn.Embedding(4**K, width)
        self.convolutions = nn.ModuleList(GCNConv(width, width) for _ in range(2))
        self.out = nn.Linear(width, len(VIRUSES))

    def forward(self, kmers: Tensor) -> Tensor:
        n_graphs, n_nodes = kmers.shape
        node = torch.arange(n_graphs * n_nodes).reshape(n_graphs, n_nodes)
        right = torch.stack([node[:, :-1].ravel(), node[:, 1:].ravel()])
        edges = torch.cat([right, right.flip(0)], dim=1)
        hidden = self.symbols(kmers.ravel())
        for convolution in self.convolutions:
            hidden = convolution(hidden, edges).relu()
        return self.out(global_max_pool(hidden, torch.arange(n_graphs).repeat_interleave(n_nodes)))


class GRU(nn.Module):  # type: ignore[misc]
    """A GRU over k-mers that do not overlap, and the maximum over its states."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.symbols = nn.Embedding(4**K, width)
        self.reader = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, len(VIRUSES))

    def forward(self, kmers: Tensor) -> Tensor:
        states, _ = self.reader(self.symbols(kmers[:, ::K]))
        return self.out(states.amax(dim=1))


SYSTEMS: dict[str, tuple[str, str, Callable[[], nn.Module]]] = {
    "GCN": ("GCN, 2 layers of 64 (PyTorch Geometric)", "torch_geometric", GCN),
    "GRU": ("GRU of 64 on 3-mers side by side (PyTorch)", "torch", GRU),
}


def kmers_of(texts: Sequence[str]) -> Tensor:
    """Return the numbers of the k-mers at each place of sequences of one length."""
    letters = np.array([[NUCLEOTIDES.index(letter) for letter in text] for text in texts])
    windows = np.lib.stride_tricks.sliding_window_view(letters, K, axis=1)
    return torch.from_numpy(windows @ 4 ** np.arange(K))


def predicted(model: nn.Module, kmers: Tensor) -> NDArray[np.int64]:
    """Return the numbers of the viruses that a model predicts."""
    model.eval()
    with torch.no_grad():
        found = torch.cat([model(part).argmax(dim=1) for part in kmers.split(256)])
    return np.asarray(found.numpy())


def trained(make: Callable[[], nn.Module], kmers: Tensor, y: Tensor, epochs: int, seed: int) -> tuple[Any, float]:
    """Train with Adam on one core; return the model and the processor time."""
    torch.manual_seed(seed)
    model, loss = make(), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    start = time.process_time()
    for epoch in range(1, epochs + 1):
        total = 0.0
        for chosen in torch.randperm(len(y)).split(BATCH):
            optimizer.zero_grad()
            error = loss(model(kmers[chosen]), y[chosen])
            error.backward()
            optimizer.step()
            total += float(error.detach()) * len(chosen)
        seconds = time.process_time() - start
        print(f"  epoch {epoch}/{epochs}: loss {total / len(y):.4f}, {seconds:.0f} s", flush=True)
    return model, time.process_time() - start


def compare(name: str, split: Split, variant: str, options: argparse.Namespace) -> None:
    """Train a system once for each seed, and append its scores on the test set and its times."""
    system, library, make = SYSTEMS[name]
    train, test = kmers_of(split.train), kmers_of(split.test)
    number = {virus: n for n, virus in enumerate(VIRUSES)}
    y, y_test = (np.array([number[str(virus)] for virus in labels]) for labels in (split.y, split.y_test))
    scores: dict[str, list[float]] = {"accuracy": [], "macro-F1": []}
    seconds: list[float] = []
    for seed in range(options.seeds):
        print(f"{system}, {variant}, seed {seed}", flush=True)
        model, duration = trained(make, train, torch.from_numpy(y), options.epochs, seed)
        guess = predicted(model, test)
        scores["accuracy"].append(float(np.mean(guess == y_test)))
        scores["macro-F1"].append(float(f1_score(y_test, guess, average="macro")))
        seconds.append(duration)
        print(f"  accuracy {scores['accuracy'][-1]:.4f}, macro-F1 {scores['macro-F1'][-1]:.4f}", flush=True)
    if options.trial:
        return
    generated = [len(y)] if variant in OF_GENERATED.values() else None
    append_baseline(
        options.output,
        experiment="viral",
        variant=variant,
        system=system,
        version=f"{library} {version(library)}",
        seeds=range(options.seeds),
        scores=scores,
        seconds=seconds,
        result=f"the last of {options.epochs} epochs, processor time of one core",
        command=command_of("viral_neural.py", {**vars(options), "system": name, "generated": generated}),
    )


def main() -> None:
    """Compare the systems on five viruses, or on generated sequences."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder that holds viral_genomes/")
    parser.add_argument("--system", choices=[*SYSTEMS], action="append", help="may be repeated; default: all")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--generated", type=int, nargs="+", choices=[*OF_GENERATED], help="numbers of sequences")
    parser.add_argument(
        "--trial",
        action="store_true",
        help="test on training data that are left out, or on other generated sequences; record nothing",
    )
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    torch.set_num_threads(1)

    variants = [MAIN] if options.generated is None else [OF_GENERATED[n] for n in options.generated]
    genomes = load(options.data, quick=False) if options.generated is None else {}
    for variant in variants:
        task = {**PAPER.of(variant).task, "trial": options.trial}
        split = data_of(genomes, task)
        for name in options.system or SYSTEMS:
            compare(name, split, variant, options)


if __name__ == "__main__":
    main()
