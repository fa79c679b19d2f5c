"""Viruses: beginnings without duplicates, splits, generated sequences, scores and pictures."""

import dataclasses

import numpy as np
import pytest
from shared import shared_data

from graphtm.experiments import experiment, reproduce
from graphtm.experiments.running import Options, Run
from graphtm.experiments.viral import BEST, CELLS, DEPTH_1, MAIN, OF_GENERATED, PAPER, draw, measure
from graphtm.experiments.viral_sequences import (
    VIRUSES,
    data_of,
    distinct,
    encoded,
    generated,
    load,
    split_of,
    transitions,
)

VIRAL = experiment("viral")
TASK = PAPER.of(MAIN).task


def random_genomes(counts, length=40):
    """Return different random sequences, so many of each virus."""
    rng = np.random.default_rng(0)
    return {
        virus: ["".join(rng.choice(list("ACGT"), length)) for _ in range(n)]
        for virus, n in zip(VIRUSES, counts, strict=True)
    }


def counts(y):
    return [int(np.sum(y == virus)) for virus in VIRUSES]


# Beginnings and splits


def test_beginnings_are_distinct():
    """Same beginnings count once; unknown letters count only in the beginning; short sequences are left out."""
    texts = ["ACGTAA", "ACGTCC", "TTTTNN", "NTTTTT", "ACG", "GGGG", "acgtaa"]
    assert distinct(texts, 4) == ["ACGT", "TTTT", "GGGG"]
    assert distinct(texts, 6) == ["ACGTAA", "ACGTCC"]


def test_no_beginning_is_in_both_parts():
    """Genomes that differ only after the cut would be, if duplicates were removed before it or after the split."""
    genomes = {
        virus: [text + end for text in texts for end in "ACGT"] for virus, texts in random_genomes([25] * 5).items()
    }
    split = split_of(genomes, {**TASK, "length": 40})
    assert len(split.train) == len(set(split.train)) == 100
    assert len(split.test) == len(set(split.test)) == 25
    assert not set(split.train) & set(split.test)
    of = {text: virus for virus, texts in random_genomes([25] * 5).items() for text in texts}
    assert [of[text] for text in (*split.train, *split.test)] == [*split.y, *split.y_test]


def test_splits_are_stratified():
    genomes = random_genomes([100, 50, 40, 30, 20])
    task = {**TASK, "length": 40}
    split = split_of(genomes, task)
    assert counts(split.y) == [80, 40, 32, 24, 16]
    assert counts(split.y_test) == [20, 10, 8, 6, 4]
    fewer = split_of(genomes, {**task, "samples": 48})
    assert counts(fewer.y) == [20, 10, 8, 6, 4]
    assert set(fewer.train) < set(split.train)
    assert fewer.test == split.test
    assert split_of(genomes, {**task, "samples": 1000}).train == split.train


def test_trials_never_see_the_test_set():
    genomes = random_genomes([100, 50, 40, 30, 20])
    task = {**TASK, "length": 40}
    split, trial = split_of(genomes, task), split_of(genomes, {**task, "trial": True})
    assert sorted(trial.train + trial.test) == sorted(split.train)
    assert not set(trial.train) & set(trial.test)
    assert len(trial.test) == pytest.approx(len(split.train) / 5, abs=1)


def test_trials_generate_other_sequences():
    task = {**TASK, "generated": 50, "length": 30}
    split, trial = data_of({}, task), data_of({}, {**task, "trial": True})
    assert trial.train == split.train
    assert len(trial.test) == len(split.test)
    assert not set(trial.test) & set(split.test)


def test_a_holdout_is_a_trial(data):
    """Genomes are cut to a length before they are split, so that the frame cannot hold out some of them."""
    message = r"The data of viral cannot be cut by train_size and holdout\. Use --set trial=True to test on other data"
    with pytest.raises(ValueError, match=message):
        reproduce("viral", data_home=data, quick=True, holdout=5)


def test_the_first_viruses_of_the_list():
    split = split_of(random_genomes([10] * 5), {**TASK, "viruses": (0, 1), "length": 40})
    assert counts(split.y) == [8, 8, 0, 0, 0]


def test_the_real_genomes():
    """The numbers of distinct beginnings, and that no two viruses share one."""
    genomes = load(shared_data("viral_genomes"), False)
    expected = {
        500: [1873, 398, 1559, 121, 4390],
        1000: [2249, 566, 2052, 133, 3155],
        2000: [246, 815, 419, 123, 1613],
        6000: [0, 1163, 386, 98, 0],
    }
    assert {n: [len(distinct(genomes[virus], n)) for virus in VIRUSES] for n in expected} == expected
    split = split_of(genomes, TASK)
    assert (len(split.y), len(split.y_test)) == (6672, 1669)
    assert len({*split.train, *split.test}) == 6672 + 1669


def test_near_duplicates_cross_the_split():
    """What the note of the experiment says."""
    split = split_of(load(shared_data("viral_genomes"), False), TASK)
    train, test = (
        np.frombuffer("".join(texts).encode(), np.uint8).reshape(len(texts), 500) for texts in (split.train, split.test)
    )
    same = sum((test == letter).astype(np.float32) @ (train == letter).T.astype(np.float32) for letter in b"ACGT")
    differing = 500 - same.max(axis=1)
    assert np.mean(differing <= 1) == pytest.approx(0.311, abs=0.0005)
    assert np.mean(differing <= 5) == pytest.approx(0.680, abs=0.0005)


# Generated sequences


def test_generated_sequences_follow_their_frequencies():
    """Of 200,000 pairs of each virus, so that frequencies are within 0.01 of what is declared."""
    texts, y = generated(2000, seed=3, length=501)
    assert counts(y) == [400] * 5
    letters = np.array([list(text) for text in texts])
    for virus, frequencies in zip(VIRUSES, transitions(), strict=True):
        own = letters[y == virus]
        for before, expected in zip("ACGT", frequencies, strict=True):
            after = own[:, 1:][own[:, :-1] == before]
            assert [np.mean(after == letter) for letter in "ACGT"] == pytest.approx(expected.tolist(), abs=0.01)
        assert [np.mean(own[:, 0] == letter) for letter in "ACGT"] == pytest.approx([0.25] * 4, abs=0.08)


def test_generated_sequences_are_reproducible():
    first, y = generated(10, seed=1, length=30)
    again, same = generated(10, seed=1, length=30)
    assert (first, y.tolist()) == (again, same.tolist())
    assert not set(first) & set(generated(10, seed=2, length=30)[0])
    split = data_of({}, {**TASK, "generated": 10, "length": 30})
    assert split.train == first
    assert counts(split.y_test) == [1, 1, 0, 0, 0]
    assert not set(split.train) & set(split.test)


def test_frequencies_differ_between_viruses():
    assert transitions().sum(axis=2) == pytest.approx(np.ones((5, 4)))
    assert len({tuple(rows.ravel()) for rows in transitions()}) == 5


# Graphs


def test_chains_of_the_paper():
    split = split_of(random_genomes([10] * 5), {**TASK, "length": 40})
    train, test = encoded(split, TASK)
    assert (len(train), len(test)) == (40, 10)
    assert len(train.vocabulary.symbols) == 64
    graph = test[0]
    assert "".join(graph.properties(node)[0][0] for node in graph.nodes) == split.test[0][:38]
    assert set(train.vocabulary.edge_types) == {"left", "right"}


def test_facts_are_learned_from_training_sequences_only():
    """What only test sequences have is unknown."""
    split = split_of(random_genomes([10] * 5), {**TASK, "length": 40})
    split = dataclasses.replace(split, train=["ACGT" * 10] * 40, test=["ACGT" * 5 + "TTTT" * 5] * 10)
    train, test = encoded(split, {**TASK, "k": 4, "counts": (1, 8)})
    facts = {"ACGT", "CGTA", "GTAC", "TACG"}
    assert {fact[0] for fact in train.vocabulary.symbols} == facts
    assert list(test.vocabulary.symbols) == list(train.vocabulary.symbols)
    assert {fact for fact in test[0].properties(test[0].nodes[0]) if fact[2] == 8} == set()


# Scores, settings and pictures


def test_macro_f1_by_hand():
    """Two of three A and one of one B are found; an A is taken for a B: F1 is 4/5 and 2/3."""

    class Guess:
        def predict(self, graphs):
            return np.array(["A", "A", "B", "B"])

    scores = measure(None, np.array(["A", "A", "A", "B"]))(Guess())
    assert scores == {"accuracy": 0.75, "macro-F1": pytest.approx((4 / 5 + 2 / 3) / 2)}


def test_settings_of_the_paper():
    """The table of hyperparameters has T = 2,000 for all cells; lengths have 20 epochs."""
    for (classes, n), name in CELLS.items():
        settings = PAPER.of(name)
        assert (settings.machine["n_clauses"], settings.machine["T"], settings.machine["epochs"]) == (n, 2000, 10)
        assert settings.task["viruses"] == tuple(range(classes))
        assert BEST.of(name).machine["T"] == 20 * n
    main, flat = PAPER.of(MAIN), PAPER.of(DEPTH_1)
    assert (main.machine["n_clauses"], main.machine["T"], main.machine["depth"]) == (2000, 2000, 2)
    assert flat.parameters == {**main.parameters, "depth": 1}
    long = PAPER.of("6,000 nucleotides")
    assert (long.machine["epochs"], long.task["length"]) == (20, 6000)
    assert [VIRUSES[number] for number in long.task["viruses"]] == ["SARS-CoV-2", "Dengue virus", "Zika virus"]
    assert PAPER.of("2,000 samples").task["samples"] == 2000
    assert [PAPER.of(name).task["generated"] for name in OF_GENERATED.values()] == [
        5000,
        10_000,
        15_000,
        20_000,
        25_000,
    ]


def test_rows_with_the_same_data():
    """Depth and k-mers do not change the samples."""
    data = ("viruses", "length", "samples", "generated")
    for preset in (PAPER, BEST):
        tasks = {name: [preset.of(name).task[key] for key in data] for name in VIRAL.variants}
        assert all(tasks[name] == tasks[names[0]] for names in VIRAL.same_data for name in names)


def test_the_table_of_the_paper():
    reported = {row.variant: row.graphtm for row in VIRAL.reported if row.metric == "accuracy"}
    assert len(CELLS) == 15
    assert [reported[f"{n} viruses, 700 clauses"] for n in (2, 3, 4, 5)] == [100.0, 96.80, 91.96, 92.72]
    assert [reported[f"5 viruses, {n} clauses"] for n in ("500", "1,000")] == [90.52, 93.85]
    assert (reported[MAIN], reported[DEPTH_1]) == (95.14, 59.81)
    assert (reported["1,000 nucleotides"], reported["6,000 nucleotides"]) == (95.88, 92.99)


def test_motifs_are_found(data, tmp_path):
    """Each virus of the stand-in has a motif; both scores are recorded, and pictures are drawn of what was measured."""
    (record,) = reproduce(
        "viral",
        preset="best",
        variants=("3 viruses, 500 clauses",),
        data_home=data,
        quick=True,
        n_jobs=1,
    )
    assert record.final["accuracy"] > 0.85
    assert record.final["macro-F1"] == pytest.approx(record.final["accuracy"], abs=0.1)
    assert list(draw([record])) == ["clauses"]


def fake_records():
    """Return records of all variants but one, without training."""
    run = Run(VIRAL, Options(preset="best", seeds=1), None)
    for n, variant in enumerate(run.variants[:-1]):
        for seed in (0, 1):
            value = 0.5 + n / 100 + seed / 10
            run.record({"accuracy": [value]}, seconds=[10.0 * n, 2.0], seed=seed, sizes=(6672, 1669), variant=variant)
    return run.records


def test_pictures():
    """Points are means over seeds; what was not measured is left out."""
    records = fake_records()
    pictures = draw(records)
    assert list(pictures) == ["clauses", "samples", "length", "generated"]
    accuracy, seconds = pictures["generated"].axes
    numbers = [PAPER.of(name).task["generated"] for name in OF_GENERATED.values()]
    assert accuracy.lines[0].get_xdata().tolist() == numbers[:-1]
    place = [one.variant for one in records[::2]].index("5,000 generated")
    assert accuracy.lines[0].get_ydata()[0] == pytest.approx(100 * (0.55 + place / 100))
    assert seconds.lines[0].get_ydata()[0] == pytest.approx(10 * place + 2)
    assert pictures["samples"].axes[0].lines[0].get_xdata().tolist() == [1000, 2000, 4000, 6672]
    assert accuracy.get_ylabel() == "accuracy, %"
    assert seconds.get_ylabel() == "seconds of training"
    assert draw([]) == {}
