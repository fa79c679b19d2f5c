"""CIFAR-10 as disconnected patches: two views of each image in one graph, and its flip as another image."""

from __future__ import annotations

from graphtm.datasets import load_cifar10
from graphtm.encoders import ImagePatches
from graphtm.experiments.declaration import Experiment, Folder, Preset, Reported, Split
from graphtm.experiments.running import Run

TWO, ONE = "two views", "one view"
ADAPTIVE, COLOUR = dict(booleanise="adaptive"), dict(booleanise="colour")

# The paper's 8 x 8 patches have 1,780 symbols with these views, not 2,500. Either fills 128 bits completely.
PAPER = Preset(
    machine=dict(
        n_clauses=80_000,
        T=15_000,
        s=20.0,
        max_included_literals=32,
        depth=1,
        symbol_encoding="random",
        hypervector_size=128,
        symbol_bits=2,
        epochs=30,
    ),
    task=dict(patches=dict(patch_size=8, bins=8), views=[ADAPTIVE, COLOUR], stride=1, flips=True),
    variants={ONE: dict(views=[ADAPTIVE])},
    quick=dict(n_clauses=100, T=100, epochs=3, stride=6),
)
# The same with a bit for each symbol, which needs a larger stride to fit into memory.
ONE_HOT = Preset(
    machine=dict(n_clauses=80_000, T=15_000, s=20.0, max_included_literals=32, depth=1, epochs=30),
    task=dict(patches=dict(patch_size=8, bins=8), views=[ADAPTIVE, COLOUR], stride=2, flips=True),
    variants={ONE: dict(views=[ADAPTIVE])},
    quick=dict(n_clauses=100, T=100, epochs=3, stride=6),
)
# Patches of 22 x 22 pixels, of which a node has every third: directions in which they get brighter, and colours. Each
# clause finds the shift at which it fits best. Settings were chosen by training on 10,000 images and testing on 5,000
# others of the training set. With flips, an epoch sees each image twice.
GRADIENTS = dict(booleanise="gradients", bins=6, spacing="quantile", sigma=1.5)
BEST = Preset(
    machine=dict(
        n_clauses=2000,
        T=20_000,
        s=500.0,
        depth=1,
        symbol_encoding="one_hot",
        max_misses=9,
        max_included_literals=45,
        epochs=20,
    ),
    task=dict(
        patches=dict(patch_size=8, dilation=3, position="thermometer", join_views=True),
        views=[GRADIENTS, dict(COLOUR, bins=4)],
        stride=3,
        flips=True,
    ),
    variants={ONE: dict(views=[GRADIENTS])},
    quick=dict(n_clauses=100, T=300, s=100.0, epochs=12),
)


def load(data_home: Folder | None, quick: bool) -> Split:
    """Return the photos and their classes."""
    split = Split.load(load_cifar10, data_home)
    return split.first(300, 150) if quick else split


def train_and_test(run: Run) -> None:
    """Train on patches of one or two views of the photos and of their flips."""
    for variant in run.variants:
        task = run.task(variant)
        photos: Split = run.data.mirrored() if task["flips"] else run.data
        encoder = ImagePatches(stride=task["stride"], views=task["views"], **task["patches"]).fit(run.data.train)
        train, test = encoder.transform(photos.train), encoder.transform(photos.test)
        for seed in run.seeds:
            run.fit((train, photos.y), (test, photos.y_test), seed=seed, variant=variant, encoders=[encoder])


EXPERIMENT = Experiment(
    name="cifar10",
    title="CIFAR-10, disconnected patches",
    section="Disconnected Nodes",
    reported=[
        Reported(70.28, 0.17, best=66.42, best_spread=0.19, best_name="CoTM", variant=TWO),
        Reported(best=66.42, best_spread=0.19, best_name="CoTM", variant=ONE),
    ],
    presets={"paper": PAPER, "one_hot": ONE_HOT, "best": BEST},
    load=load,
    run=train_and_test,
    last_epochs=5,
    note="Flips double the training images, as in the paper, which does not state the number of bits of a symbol, two "
    "here. Its 128 bits are too few for its symbols, of which there are 1,780 with these views, not 2,500: nearly all "
    "bits of a patch of colours are set, and 83 % of those of an adaptive one. With the paper's settings, accuracy "
    "does not rise after the fourth epoch with two views; with one, it falls from 51.8 after six epochs to 46. The "
    "preset one_hot gives each symbol its own bit, with a stride of 2 to fit into memory; it gains 4 points and is "
    "flat as well. So the bits explain a part of the gap to the paper's number at most; the rest is unexplained. The "
    "two views of the preset best are colours and the directions in which a photo gets brighter; its one view is the "
    "latter.",
)
