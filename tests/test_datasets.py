"""Generated data: the labels are what the rule says."""

import numpy as np
import pytest

from graphtm.datasets import make_sequences


@pytest.mark.parametrize(("length", "run"), [(5, 3), (4, 1), (6, 6)])
def test_labels_follow_the_rule(length, run):
    graphs, y = make_sequences(300, length=length, run=run, random_state=0)
    for graph, label in zip(graphs, y, strict=True):
        word = "".join(graph.properties(node)[0] for node in range(length))
        assert ("A" * run in word) == bool(label)
        assert {(source, destination, kind) for source, destination, kind in graph.edges} == {
            *((n, n + 1, "right") for n in range(length - 1)),
            *((n + 1, n, "left") for n in range(length - 1)),
        }
    assert y.mean() > 0.25


def test_noise_and_seed():
    clean, noisy = make_sequences(5000, random_state=1)[1], make_sequences(5000, noise=0.1, random_state=1)[1]
    assert 0.08 < np.mean(clean != noisy) < 0.12
    assert make_sequences(50, random_state=2)[0] == make_sequences(50, random_state=2)[0]
    assert make_sequences(50, random_state=2)[0] != make_sequences(50, random_state=3)[0]


@pytest.mark.parametrize(
    ("arguments", "message"), [(dict(run=6), r"range \[1, 5\]"), (dict(noise=2), r"range \[0, 1\]")]
)
def test_wrong_parameters(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_sequences(10, **arguments)
