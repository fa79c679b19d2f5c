"""MNIST as disconnected patches: without edges, the machine is a convolutional one."""

from __future__ import annotations

from graphtm.datasets import load_mnist
from graphtm.encoders import ImagePatches
from graphtm.experiments.declaration import Experiment, Folder, Preset, Reported, Split
from graphtm.experiments.running import Run

PAPER = Preset(
    machine=dict(
        n_clauses=2500,
        T=3125,
        s=10.0,
        depth=1,
        symbol_encoding="random",
        hypervector_size=128,
        symbol_bits=2,
        epochs=30,
    ),
    task=dict(patch_size=10, threshold=76),
    quick=dict(n_clauses=200, T=250, epochs=3),
)
# Thermometers of the position let a clause ask for a part of the image, not for one row.
BEST = Preset(
    machine=dict(
        n_clauses=2500,
        T=25_000,
        s=500.0,
        depth=1,
        symbol_encoding="one_hot",
        max_misses=9,
        max_included_literals=45,
        epochs=30,
    ),
    task=dict(patch_size=10, threshold=76, position="thermometer"),
    quick=dict(n_clauses=200, T=2000, s=100.0, epochs=3),
)


def load(data_home: Folder | None, quick: bool) -> Split:
    """Return the images and their digits."""
    split = Split.load(load_mnist, data_home)
    return split.first(2000, 1000) if quick else split


def train_and_test(run: Run) -> None:
    """Train on patches of binary images."""
    images: Split = run.data
    encoder = ImagePatches(**run.task()).fit(images.train)
    train, test = encoder.transform(images.train), encoder.transform(images.test)
    for seed in run.seeds:
        run.fit((train, images.y), (test, images.y_test), seed=seed, encoders=[encoder])


EXPERIMENT = Experiment(
    name="mnist",
    title="MNIST, disconnected patches",
    section="Disconnected Nodes",
    reported=[Reported(98.42, 0.05, best=98.93, best_spread=0.02, best_name="CoTM")],
    presets={"paper": PAPER, "best": BEST},
    load=load,
    run=train_and_test,
    last_epochs=5,
    note="The paper states neither its threshold, 76 of 255 here, nor the number of bits of a symbol, two here. The "
    "CoTM of tmu was not run: an epoch of it takes more than 20 minutes on a core.",
)
