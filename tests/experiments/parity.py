"""A tiny experiment with two variants."""

import numpy as np

import graphtm as gtm
from graphtm.experiments import Experiment, Preset, Reported, Run, Split
from graphtm.experiments.options import Options, data_for

PRESET = Preset(
    machine=dict(n_clauses=4, T=4, s=2.0, depth=1, epochs=3),
    task=dict(size=3),
    variants={"deep": dict(depth=2, size=4)},
    quick=dict(epochs=1, size=2),
)


def graphs_of(numbers):
    return gtm.GraphBatch.from_arrays([1] * len(numbers), [[n % 2 == 0, n % 2 == 1] for n in numbers], ["even", "odd"])


def load(data_home, quick):
    n = 20 if quick else 40
    return Split(list(range(n)), np.arange(n) % 2, list(range(n, n + 10)), np.arange(n, n + 10) % 2)


def train_and_test(run):
    data = run.data
    for variant in run.variants:
        for seed in run.seeds:
            train, test = (graphs_of(data.train), data.y), (graphs_of(data.test), data.y_test)
            run.fit(train, test, seed=seed, variant=variant)


PARITY = Experiment(
    name="parity",
    title="Parity",
    section="None",
    reported=[Reported(90.0, 1.0, best=95.0, best_name="other"), Reported(variant="deep")],
    presets={"paper": PRESET, "best": PRESET},
    load=load,
    run=train_and_test,
    last_epochs=2,
)


def runs(output=None, checkpoints=None, models=None, note=None, experiment=PARITY, **options):
    """Run the experiment above with the reference engine, and return its records."""
    chosen = Options(engine="reference", **options)
    chosen.check(experiment)
    tellers = {} if note is None else {"note": note}
    folders = dict(output=output, checkpoints=checkpoints, models=models)
    run = Run(experiment, chosen, data_for(experiment, chosen, None), **folders, **tellers)
    experiment.run(run)
    run.end()
    return run.records
