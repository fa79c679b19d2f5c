"""Tiny stand-ins for the data of experiments, in the files of the real data."""

import numpy as np
from archives import binary_batch, idx, write
from experiments.standins_graphs import tu
from experiments.standins_ratings import films, many_films, sales
from experiments.standins_stories import genomes, tangrams
from experiments.standins_texts import imdb, mpqa, yelp

from graphtm.bench import drawn_digits

N_TRAIN, N_TEST = 300, 100


def digits(folder):
    """Write drawn digits in the four files of MNIST and of Fashion-MNIST."""
    images, y = drawn_digits(N_TRAIN + N_TEST, seed=0)
    images, y = images.astype(np.uint8) * np.uint8(255), y.astype(np.uint8)
    for part, chosen in (("train", slice(N_TRAIN)), ("t10k", slice(N_TRAIN, None))):
        write(folder / f"{part}-images-idx3-ubyte.gz", idx(images[chosen]))
        write(folder / f"{part}-labels-idx1-ubyte.gz", idx(y[chosen]))


def photos(folder):
    """Write coloured squares in the six binary batches of CIFAR-10; the class is the colour."""
    rng = np.random.default_rng(0)
    for name, n in [*((f"data_batch_{number}", N_TRAIN // 5) for number in range(1, 6)), ("test_batch", N_TEST)]:
        y = rng.integers(0, 10, n).astype(np.uint8)
        images = rng.integers(0, 60, (n, 32, 32, 3), dtype=np.uint8)
        images[:, 8:24, 8:24] = np.stack([25 * y, 250 - 25 * y, y % 2 * 200], axis=1)[:, None, None]
        write(folder / f"{name}.bin", binary_batch(images, y))


def stand_in(data):
    """Write all stand-ins into a data folder, and return it."""
    digits(data / "mnist")
    digits(data / "fashion_mnist")
    photos(data / "cifar10")
    imdb(data / "imdb")
    yelp(data / "yelp_reviews_stars")
    mpqa(data / "mpqa")
    tangrams(data / "scone")
    sales(data / "amazon_sales")
    many_films(data / "movielens1m")
    films(data / "movielens100k")
    genomes(data / "viral_genomes")
    tu(data / "tu")
    return data
