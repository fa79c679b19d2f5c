"""Bytes that were cut off or changed: the library's own error, or the right result; never anything else."""

import gzip
import json
import lzma
import zipfile

import numpy as np
import pytest
from archives import binary_batch, idx, python2_batch, tar_gz, write, zipped

import graphtm as gtm

datasets = gtm.datasets
RNG = np.random.default_rng(5)
IMAGES, LABELS = RNG.integers(0, 256, (3, 28, 28), dtype=np.uint8), np.array([7, 0, 9], np.uint8)
PICTURES = RNG.integers(0, 256, (2, 32, 32, 3), dtype=np.uint8)
REVIEWS = "".join(json.dumps({"text": f"a good film, number {n}", "label": n % 2}) + "\n" for n in range(9)).encode()
RATINGS = b"".join(b"%d::%d::%d::97830%d\n" % (n, n * n, 1 + n % 5, n) for n in range(1, 30))
AMAZON = b"product_id,category,user_id,rating\n" + b"".join(b'B%d,"A, or B","U1,U2",4.2\n' % n for n in range(20))
GENOMES = b"label\tsequence\n" + b"Zika\tACGTACGTTTGACA\n" * 9
TU = {
    "A": "1, 2\n2, 1\n3, 4\n",
    "graph_indicator": "1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n1\n1\n",
}


def npz(path):
    np.savez_compressed(path, x_train=IMAGES, y_train=LABELS)


def webp(path):
    image = pytest.importorskip("PIL.Image", reason="pictures are read by Pillow")
    np.savez(path.parent / "labels.npz", y_train=np.zeros(5, np.uint8), y_test=np.zeros(1, np.uint8))
    image.fromarray(PICTURES[0]).save(path, lossless=True)


def of_tests(load):
    return lambda home: load(subset="test", data_home=home, download=False)


load_cifar = of_tests(datasets.load_cifar10)
CIFAR_TAR = {"cifar-10-batches-py/test_batch": python2_batch(PICTURES, LABELS[:2]), "readme": b"x" * 3000}
IMDB_TAR = {"aclImdb/test/pos/1_9.txt": b"good", "aclImdb/test/neg/0_1.txt": b"bad" * 400}

# Name: the file, its content or what writes it, what loads it, and whether its bytes are guarded by checksums.
FORMATS = {
    "npz": ("mnist/mnist.npz", npz, lambda home: datasets.load_mnist(data_home=home, download=False), True),
    "idx": (
        "mnist/train-images-idx3-ubyte",
        idx(IMAGES),
        lambda home: datasets.load_mnist(data_home=home, download=False),
        False,
    ),
    "idx.gz": (
        "mnist/train-images-idx3-ubyte.gz",
        idx(IMAGES),
        lambda home: datasets.load_mnist(data_home=home, download=False),
        True,
    ),
    "cifar binary": ("cifar10/test_batch.bin", binary_batch(PICTURES, LABELS[:2]), load_cifar, False),
    "cifar pickle": ("cifar10/test_batch", python2_batch(PICTURES, LABELS[:2]), load_cifar, False),
    "cifar pickle.xz": ("cifar10/test_batch.xz", python2_batch(PICTURES, LABELS[:2]), load_cifar, True),
    "cifar webp": ("cifar10/test_batch.webp", webp, load_cifar, False),
    "cifar tar": ("cifar10/cifar-10-python.tar.gz", tar_gz(CIFAR_TAR), load_cifar, True),
    "imdb tar": ("imdb/aclImdb_v1.tar.gz", tar_gz(IMDB_TAR), of_tests(datasets.load_imdb), True),
    "json lines": ("imdb/test.jsonl", REVIEWS, of_tests(datasets.load_imdb), False),
    "json lines.xz": ("imdb/test.jsonl.xz", REVIEWS, of_tests(datasets.load_imdb), True),
    "csv": ("amazon.csv", AMAZON, lambda home: datasets.load_amazon_sales(data_home=home), False),
    "csv.gz": ("amazon.csv.gz", AMAZON, lambda home: datasets.load_amazon_sales(data_home=home), True),
    "tsv": ("viral_genomes.tsv", GENOMES, lambda home: datasets.load_viral_genomes(data_home=home), False),
    "ratings": (
        "ml-1m/ratings.dat",
        RATINGS,
        lambda home: datasets.load_movielens(data_home=home, download=False),
        False,
    ),
    "ratings zip": (
        "ml-1m.zip",
        zipped({"ml-1m/ratings.dat": RATINGS}),
        lambda home: datasets.load_movielens(data_home=home, download=False),
        True,
    ),
    "users": (
        "ml-1m/users.dat",
        b"1::F::1::10::48067\n2::M::56::16::70072\n",
        lambda home: (list(datasets.load_movielens_users(data_home=home, download=False).items()),) * 2,
        False,
    ),
    "tudataset": ("T/T_A.txt", TU["A"].encode(), lambda home: datasets.load_tudataset("T", data_home=home), False),
    "tudataset zip": (
        "T.zip",
        zipped({f"T/T_{part}.txt": text for part, text in TU.items()}),
        lambda home: datasets.load_tudataset("T", data_home=home),
        True,
    ),
}


def changes(content, rng, n=60):
    """Yield what is left after cutting, and after changing one byte or a few, or one bit."""
    for end in {0, 1, len(content) // 2, len(content) - 1, *rng.integers(0, len(content), n // 4).tolist()}:
        yield content[:end]
    for number in range(n):
        changed = np.frombuffer(content, np.uint8).copy()
        # Headers are short and at either end: a third of the changes goes to each.
        low, high = ((0, min(40, len(content))), (max(0, len(content) - 80), len(content)), (0, len(content)))[
            number % 3
        ]
        places = rng.integers(low, high, 1 + number % 2)
        changed[places] = (
            changed[places] ^ (1 << rng.integers(0, 8)) if number % 4 else rng.integers(0, 256, len(places))
        )
        yield changed.tobytes()


def same(one, other):
    return all(
        np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object))
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", FORMATS)
def test_damage(tmp_path, name):
    file, content, load, guarded = FORMATS[name]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    if name.startswith("idx"):
        write(path.parent / "train-labels-idx1-ubyte", idx(LABELS))
    if name == "tudataset":
        for part in ("graph_indicator", "graph_labels", "node_labels"):
            write(path.parent / f"T_{part}.txt", TU[part])
    content(path) if callable(content) else write(path, content)
    right = load(tmp_path)
    whole = path.read_bytes()
    refused = []
    for damaged in changes(whole, np.random.default_rng(0)):
        path.write_bytes(damaged)
        try:
            got = load(tmp_path)
        except gtm.GraphTMError as error:
            refused.append(str(error))
        else:
            assert len(got[0]) == len(got[1])
            assert not guarded or same(got, right)
    assert len(refused) > 3
    assert all(path.name in message for message in refused)


def test_what_to_do_about_it(tmp_path):
    write(tmp_path / "ml-1m.zip", b"PK")
    message = (
        r"ml-1m\.zip is damaged or has another format: it has no readable .*\. Replace it with an undamaged copy\."
    )
    with pytest.raises(gtm.GraphFormatError, match=message):
        datasets.load_movielens(data_home=tmp_path)


def test_files_that_may_not_be_read_are_not_damaged(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("not yours")

    write(tmp_path / "amazon.csv", AMAZON)
    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(PermissionError, match="not yours"):
        datasets.load_amazon_sales(data_home=tmp_path)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_an_empty_packed_file_is_damaged(tmp_path, pack):
    suffix = {gzip.compress: ".gz", lzma.compress: ".xz"}[pack]
    path = tmp_path / "imdb" / f"train.jsonl{suffix}"
    write(path, b"")
    assert datasets.load_imdb(data_home=tmp_path, download=False)[0] == []
    path.write_bytes(b"")
    with pytest.raises(gtm.GraphFormatError, match=r"it cannot be decompressed \(it is empty\)"):
        datasets.load_imdb(data_home=tmp_path, download=False)


def test_labels_that_are_no_classes(tmp_path):
    path = tmp_path / "mnist.npz"
    for labels in (LABELS + 1, LABELS - 0.5, LABELS.astype(str), LABELS[:, None]):
        np.savez(path, x_train=IMAGES, y_train=labels)
        with pytest.raises(gtm.GraphFormatError, match=r"labels must be integers from 0 to 9|per label; got shapes"):
            datasets.load_mnist(data_home=tmp_path, download=False)


def test_an_encrypted_archive(tmp_path):
    path = tmp_path / "ml-1m.zip"
    write(path, zipped({"ml-1m/ratings.dat": RATINGS}))
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
    content[6] |= 1
    content[directory + 8] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(gtm.GraphFormatError, match=r"has no readable ml-1m/ratings\.dat .*password"):
        datasets.load_movielens(data_home=tmp_path)
