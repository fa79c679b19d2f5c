"""Datasets: generators with a known true rule, and loaders of published datasets."""

from graphtm.datasets.cifar import load_cifar10
from graphtm.datasets.generated import Generated, TrueRule
from graphtm.datasets.genomes import load_viral_genomes
from graphtm.datasets.hexgame import hex_boards, hex_winner
from graphtm.datasets.images import load_fashion_mnist, load_mnist
from graphtm.datasets.motifs import motif_counts, motif_graphs
from graphtm.datasets.ratings import (
    load_amazon_sales,
    load_movielens,
    load_movielens_movies,
    load_movielens_users,
)
from graphtm.datasets.scone import load_scone
from graphtm.datasets.texts import load_imdb, load_mpqa, load_yelp
from graphtm.datasets.tudataset import load_tudataset
from graphtm.datasets.words import sequences
from graphtm.datasets.xor import multivalue_xor, noisy_xor

__all__ = [
    "Generated",
    "TrueRule",
    "noisy_xor",
    "multivalue_xor",
    "sequences",
    "motif_graphs",
    "motif_counts",
    "hex_boards",
    "hex_winner",
    "load_mnist",
    "load_fashion_mnist",
    "load_cifar10",
    "load_imdb",
    "load_yelp",
    "load_mpqa",
    "load_scone",
    "load_movielens",
    "load_movielens_movies",
    "load_movielens_users",
    "load_amazon_sales",
    "load_viral_genomes",
    "load_tudataset",
]
