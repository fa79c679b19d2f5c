"""The datasets themselves, counted; skipped with the reason where they are not at hand."""

import itertools

import numpy as np
import pytest
from shared import shared_data
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm import DatasetNotFoundError, datasets


def counts(labels):
    return dict(zip(*(array.tolist() for array in np.unique(labels, return_counts=True)), strict=True))


MNIST_TRAIN = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
MNIST_TEST = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]


def test_mnist():
    X, y = datasets.load_mnist(data_home=shared_data("mnist"), subset="all", download=False)
    assert X.shape == (70_000, 28, 28)
    assert np.bincount(y[:60_000]).tolist() == MNIST_TRAIN
    assert np.bincount(y[60_000:]).tolist() == MNIST_TEST
    assert X[:60_000].mean() == pytest.approx(33.318, abs=1e-3)


def test_fashion_mnist():
    folder = shared_data("fashion_mnist")
    X, y = datasets.load_fashion_mnist(data_home=folder.parent, download=False)
    assert X.shape == (60_000, 28, 28)
    assert np.bincount(y).tolist() == [6000] * 10
    assert X.mean() == pytest.approx(72.940, abs=1e-3)
    X, y = datasets.load_fashion_mnist(data_home=folder, subset="test", download=False)
    assert np.bincount(y).tolist() == [1000] * 10


@pytest.mark.slow
def test_cifar10():
    folder = shared_data("cifar10")
    if not (folder / "data_batch_1.webp").exists():
        with pytest.raises(DatasetNotFoundError, match=r"data_batch_1\.webp"):
            datasets.load_cifar10(data_home=folder, download=False)
        pytest.skip("the pictures of CIFAR-10 are not at hand, only the labels")
    X, y = datasets.load_cifar10(data_home=folder, download=False)
    assert X.shape == (50_000, 32, 32, 3)
    assert np.bincount(y).tolist() == [5000] * 10
    assert np.bincount(y[:10_000]).tolist() == [1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981]
    assert X[0, 0, 0].tolist() == [59, 62, 63]
    assert y[:5].tolist() == [6, 9, 9, 4, 1]
    X, y = datasets.load_cifar10(data_home=folder, subset="test", download=False)
    assert np.bincount(y).tolist() == [1000] * 10
    assert y[:5].tolist() == [3, 8, 8, 0, 6]


@pytest.mark.parametrize("subset", ["train", "test"])
def test_imdb(subset):
    X, y = datasets.load_imdb(data_home=shared_data("imdb"), subset=subset, download=False)
    assert len(X) == 25_000
    assert np.bincount(y).tolist() == [12_500, 12_500]
    assert all(X)
    assert len(set(X)) == {"train": 24_904, "test": 24_801}[subset]


def test_yelp():
    folder = shared_data("yelp_reviews_stars")
    texts, stars = datasets.load_yelp(data_home=folder, subset="all", stars=True)
    assert len(texts) == 20_000
    assert counts(stars[:10_000]) == {1: 749, 2: 927, 3: 1461, 4: 3526, 5: 3337}
    X, y = datasets.load_yelp(data_home=folder.parent, subset="all")
    polar = stars != 3
    assert list(itertools.compress(texts, polar)) == X
    assert np.array_equal(y, stars[polar] > 3)
    sizes = [len(datasets.load_yelp(data_home=folder, subset=part, stars=True)[0]) for part in ("train", "test")]
    assert sizes == [15_000, 5_000]


def test_mpqa():
    X, y = datasets.load_mpqa(data_home=shared_data("mpqa"))
    assert len(X) == 10_606
    assert counts(y) == {0: 7_294, 1: 3_312}


@pytest.mark.parametrize(
    ("domain", "sizes"),
    [("tangrams", [4_189, 199, 800]), ("scene", [3_352, 198, 1_035]), ("alchemy", [3_657, 245, 899])],
)
def test_scone(domain, sizes):
    folder = shared_data("scone")
    loaded = [datasets.load_scone(data_home=folder, subset=part, domain=domain) for part in ("train", "dev", "test")]
    assert [len(X) for X, _ in loaded] == sizes
    assert [len(y) for _, y in loaded] == sizes
    assert all(len(row["utterances"]) == len(row["worlds"]) == 5 for X, _ in loaded for row in X)
    assert len(datasets.load_scone(data_home=folder, subset="all", domain=domain)[0]) == sum(sizes)


def test_scone_as_first_published():
    X, _ = datasets.load_scone(data_home=shared_data("scone"), subset="train-orig")
    assert len(X) == 8_378
    assert {len(row["utterances"]) for row in X} == {1, 2}


def test_movielens_1m():
    folder = shared_data("movielens1m")
    X, y = datasets.load_movielens(data_home=folder, download=False)
    assert len(X) == 1_000_209
    assert len(np.unique(X["user_id"])) == 6_040
    assert len(np.unique(X["movie_id"])) == 3_706
    assert counts(y) == {1: 56_174, 2: 107_557, 3: 261_197, 4: 348_971, 5: 226_310}
    movies = datasets.load_movielens_movies(data_home=folder, download=False)
    assert len(movies) == 3_883
    assert set(np.unique(X["movie_id"]).tolist()) <= set(movies)
    assert set(datasets.load_movielens_users(data_home=folder, download=False)) == set(range(1, 6_041))


def test_movielens_100k():
    folder = shared_data("movielens100k")
    X, y = datasets.load_movielens(size="100k", data_home=folder.parent, download=False)
    assert len(X) == 100_000
    assert counts(y) == {1: 6_110, 2: 11_370, 3: 27_145, 4: 34_174, 5: 21_201}
    assert set(X["movie_id"].tolist()) == set(datasets.load_movielens_movies(size="100k", data_home=folder))
    assert set(X["user_id"].tolist()) == set(datasets.load_movielens_users(size="100k", data_home=folder))


def test_amazon_sales():
    X, y = datasets.load_amazon_sales(data_home=shared_data("amazon_sales"))
    assert len(X) == len(y) == 1_465
    assert {len(row) for row in X} == {15}
    assert len({row["product_id"] for row in X}) == 1_351
    assert len({user for row in X for user in row["user_id"].split(",")}) == 9_050
    assert np.isnan(y).sum() == 1


def test_viral_genomes():
    folder = shared_data("viral_genomes")
    X, y = datasets.load_viral_genomes(data_home=folder)
    names = ["Rotavirus", "Influenza A virus", "Dengue virus", "SARS-CoV-2", "Zika virus"]
    assert counts(y) == dict(zip(names, [5_012, 2_643, 2_423, 2_402, 168], strict=True))
    long_enough = [virus for text, virus in zip(X, y.tolist(), strict=True) if len(text) >= 1_000]
    assert counts(long_enough) == dict(zip(names, [3_400, 2_564, 2_408, 2_402, 168], strict=True))
    cut, _ = datasets.load_viral_genomes(data_home=folder, length=1_000)
    assert {len(text) for text in cut} == {1_000}
    assert len(set(cut)) == len(cut) == len({text[:1_000] for text in X if len(text) >= 1_000})


@pytest.mark.slow
def test_digits_from_raw_arrays_to_97_percent_in_two_steps():
    folder = shared_data("mnist")
    X, y = datasets.load_mnist(data_home=folder, download=False)
    X_test, y_test = datasets.load_mnist(data_home=folder, subset="test", download=False)
    machine = gtm.GraphTMClassifier(n_clauses=1000, T=1250, s=10.0, depth=1, epochs=5, random_state=0)
    pipeline = make_pipeline(gtm.encoders.ImagePatches(patch_size=10), machine)
    assert pipeline.fit(X, y).score(X_test, y_test) >= 0.97
