"""Sequences to chains of k-mers, and back."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import shared_data
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import KMers
from graphtm.testing.encoders import check_encoder

sequences = st.lists(st.text("ACGTN", max_size=12), min_size=1, max_size=5)


@given(sequences, st.integers(1, 4), st.integers(1, 3), st.sampled_from(["both", "right", "left", None]), st.booleans())
def test_graphs_are_those_built_kmer_by_kmer(texts, k, stride, edges, position):
    for unknown in ("symbol", "drop"):
        graphs = KMers(k, stride, edges=edges, position=position, unknown=unknown).fit_transform(texts)
        graphs.validate()
        assert graphs.is_lazy
        for made, text in zip(graphs, texts, strict=True):
            kmers = [text[i : i + k] for i in range(0, len(text) - k + 1, stride)]
            named = [kmer if "N" not in kmer else ("unknown",) for kmer in kmers]
            expected = [{name} if isinstance(name, str) or unknown == "symbol" else set() for name in named]
            if position:
                expected = [{*symbols, ("position", place)} for place, symbols in enumerate(expected)]
            assert [set(made.properties(node)) for node in made.nodes] == (expected or [set()])
            right = {(i, i + 1, "right") for i in range(len(kmers) - 1)} if edges in ("both", "right") else set()
            left = {(i + 1, i, "left") for i in range(len(kmers) - 1)} if edges in ("both", "left") else set()
            assert set(made.edges) == right | left
            assert len(made.edges) == len(right | left)


@given(st.lists(st.text("ACGT", max_size=15), min_size=1, max_size=5), st.integers(1, 4), st.booleans())
def test_letters_come_back(texts, k, position):
    encoder = KMers(k, position=position).fit(texts)
    assert encoder.inverse_transform(encoder.transform(texts)) == [text if len(text) >= k else "" for text in texts]


def test_the_chain_is_that_of_the_sequence_task():
    graphs, _ = gtm.datasets.sequences(20, random_state=0)
    words = ["".join(graph.properties(node)[0] for node in graph.nodes) for graph in graphs]
    assert list(KMers(1, alphabet="ABCDE").fit_transform(words)) == list(graphs)


def test_letters_of_any_case_and_rna():
    encoder = KMers(2, alphabet="acgu").fit(["ACgu"])
    assert [encoder.transform(["ACgu"])[0].properties(node) for node in range(3)] == [("AC",), ("CG",), ("GU",)]
    assert encoder.transform(["AT"])[0].properties(0) == (("unknown",),)
    assert encoder.transform(["Aß"])[0].properties(0) == (("unknown",),)
    assert KMers(2, max_length=3).fit(["A"]).transform(["ACGTACGT"]).n_nodes == 2


def test_vocabulary_and_strides():
    encoder = KMers(2, stride=3, unknown="drop", edges=None).fit(["ACGTACG"])
    assert list(encoder.get_feature_names_out()[:5]) == ["AA", "AC", "AG", "AT", "CA"]
    assert len(encoder.vocabulary_.symbols) == 16
    assert encoder.transform(["ACGTACG"]).n_nodes == 2
    assert encoder.inverse_transform(encoder.transform(["ACGTACG"])) == ["AC?TA"]


def test_graphs_do_not_change_when_the_encoder_learns_again():
    encoder = KMers(2)
    graphs = encoder.fit_transform(["ACGT"])
    encoder.set_params(k=3, stride=2).fit(["ACGT"])
    assert graphs[0].properties(0) == ("AC",)
    assert pickle.loads(pickle.dumps(graphs)) == graphs
    assert graphs[[0, 0]].n_nodes == 6


def test_short_and_no_sequences():
    encoder = KMers().fit(["AC"])
    assert encoder.transform(["AC", ""]).node_counts.tolist() == [1, 1]
    assert len(encoder.transform([])) == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, r"'k' parameter of KMers must be an int in the range \[1, 10\]"),
        ({"k": 11}, r"'k' parameter of KMers must be an int in the range \[1, 10\]"),
        ({"stride": 0}, "'stride' parameter"),
        ({"alphabet": "AA"}, "'alphabet' parameter of KMers must be a str of distinct ASCII letters"),
        ({"alphabet": "Aa"}, "'alphabet' parameter"),
        ({"alphabet": ""}, "'alphabet' parameter"),
        ({"alphabet": "AC?"}, "'alphabet' parameter"),
        ({"alphabet": 4}, "'alphabet' parameter"),
        ({"position": -1}, "'position' parameter"),
        ({"edges": "up"}, "'edges' parameter of KMers must be a str among {'both', 'right', 'left'} or None. Got 'up'"),
        ({"max_length": 0}, "'max_length' parameter"),
        ({"unknown": "keep"}, "'unknown' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        KMers(**parameters).fit(["ACGT"])


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("ACGT", TypeError, r"KMers needs a list or a column of texts.*as \[text\]"),
        ([], gtm.GraphError, "needs at least one sequence"),
        (["A", ["A"]], gtm.GraphError, r"Every text must be a string; text 1 is \['A'\]"),
    ],
)
def test_bad_sequences_are_refused(texts, error, message):
    with pytest.raises(error, match=message):
        KMers().fit(texts)


def test_what_cannot_be_told_is_not_spelled():
    dropping = KMers(2, unknown="drop").fit(["ACGT"])
    assert dropping.inverse_transform(dropping.transform(["ANGT", "NNN"])) == ["??GT", "???"]
    for text in ("NN", "A", ""):
        with pytest.raises(gtm.GraphError, match=r"graph 1 is ambiguous: .* means fewer than 2 letters"):
            dropping.inverse_transform(dropping.transform(["AC", text]))
    for told in (KMers(2, unknown="drop", position=True), KMers(2, unknown="drop", position=3), KMers(2)):
        assert told.fit(["ACGT"]).inverse_transform(told.transform(["NN", "A", ""])) == ["??", "", ""]
    strict = KMers(2, unknown="error").fit(["ACGT"])
    assert strict.inverse_transform(strict.transform(["AC", "A"])) == ["AC", ""]


@pytest.mark.parametrize("unknown", ["symbol", "drop", "error"])
def test_what_every_encoder_must_do(unknown):
    bad = [["ACGT", 7]] + [["ACGT", "ACNT"]] * (unknown == "error")
    encoder = KMers(2, 2, "acg", position=2, edges="right", max_length=5, unknown=unknown)
    check_encoder(encoder, ["ACGAC", "GGG", "acgaac", ""], bad=bad)


def test_strange_letters_are_refused_by_place():
    encoder = KMers(unknown="error")
    with pytest.raises(gtm.GraphError, match=r"in the alphabet 'ACGT'; sequence 1 has 'N' at position 2"):
        encoder.fit(["ACGT", "ACNT"])
    assert not hasattr(encoder, "vocabulary_")
    with pytest.raises(NotFittedError):
        encoder.transform(["ACGT"])


def test_motifs():
    encoder = KMers(3, position=2).fit(["ACGTACGT"])
    picture = encoder.render({"ACG": 1, "AAA": -2, ("position", 0): 9})
    assert picture.tolist() == [[-1, 0, 0, 0], [-2, 1, 0, 0], [-2, 0, 1, 0]]


def test_a_pipeline_learns_a_motif():
    rng = np.random.default_rng(0)
    letters = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(1).integers(0, 4, (600, 30))]
    texts = [row.tobytes().decode() for row in letters]
    texts = [text[:10] + "GATTA" + text[15:] if rng.random() < 0.4 else text for text in texts]
    y = np.array(["GATTA" in text for text in texts])
    machine = gtm.GraphTMClassifier(n_clauses=100, T=100, s=5.0, epochs=20, max_included_literals=4, random_state=1)
    pipeline = make_pipeline(KMers(), machine).fit(texts[:400], y[:400])
    assert pipeline.score(texts[400:], y[400:]) > 0.95


def test_genomes_of_viruses():
    pandas = pytest.importorskip("pandas")
    rows = pandas.read_csv(shared_data("viral_genomes") / "viral_genomes.tsv.xz", sep="\t", nrows=300)
    graphs = KMers(max_length=500).fit_transform(rows["sequence"])
    graphs.validate()
    assert set(graphs.node_counts) == {498}
