"""Words with one, two or three A's in a row: three classes, four clauses of depth 3."""

from __future__ import annotations

from graphtm.datasets import sequences
from graphtm.experiments.declaration import Experiment, Preset, Reported
from graphtm.experiments.running import Run
from graphtm.experiments.sequence import SAMPLES, encoded, show_clauses

# The paper gives neither the number of words and epochs nor T, s, or a limit of literals.
PAPER = Preset(
    machine=dict(n_clauses=4, depth=3, T=32, s=3.0, max_included_literals=6, epochs=6),
    task=dict(noise=0.01, encoded="A"),
    quick=dict(epochs=2),
)


def train_and_test(run: Run) -> None:
    """Train on noisy labels, test without noise, and print the learned clauses as the paper does."""
    n, letters = SAMPLES // 10 if run.quick else SAMPLES, run.task()["encoded"]
    n_test, test_seed = run.test_set(n)
    made = sequences(n_test, task="longest", random_state=test_seed)
    test = encoded(made.graphs, letters), made.y
    for seed in run.seeds:
        made = sequences(n, task="longest", noise=run.task()["noise"], random_state=seed)
        classifier = run.fit((encoded(made.graphs, letters), made.y), test, seed=seed, score_training=True)
        if seed == run.seeds[0]:
            show_clauses(run, classifier, "BBAEE", letters)


EXPERIMENT = Experiment(
    name="sequence3",
    title="One, two or three A's in a row",
    section="GraphTM (appendix)",
    reported=[Reported(), Reported(metric="training accuracy")],
    presets={"paper": PAPER, "best": PAPER},
    run=train_and_test,
    note="The paper shows learned clauses of this task, but no accuracy, and gives neither T nor s nor the number of "
    "epochs, so these are ours.",
)
