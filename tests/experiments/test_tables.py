"""Tables of the page of results: commands that are as few as possible, and other systems side by side."""

import dataclasses

import pytest
from experiments.parity import PARITY, PRESET, runs

from graphtm.experiments import Reported, experiment
from graphtm.experiments.baselines import PROCESSOR_SECONDS, Baseline
from graphtm.experiments.commands import baseline_commands, run_commands
from graphtm.experiments.comparisons import best_run
from graphtm.experiments.declaration import TRAINING_SECONDS
from graphtm.experiments.paper_systems import PAPER_SYSTEMS
from graphtm.experiments.tables import WIDE, tables_of_systems

RUN = "graphtm reproduce parity --preset paper"


@pytest.fixture(scope="module")
def record():
    """Return a run of the paper's preset."""
    (found,) = runs(variants=("",))
    return found


def baseline(variant="", system="GCN", command="python gcn.py", **told):
    told = dict(scores={"accuracy": [0.5]}, seconds=[2.0], result="the last", date="then") | told
    return Baseline(experiment="parity", variant=variant, system=system, command=command, **told)


# Commands of runs


def test_runs_that_differ_only_in_variant_and_seed_are_one_command(record):
    made = [
        dataclasses.replace(
            record, variant=variant, seed=seed, command=f"{RUN} --variant '{variant}' --first-seed {seed}"
        )
        for variant in ("deep", "")
        for seed in (2, 0, 1)
    ]
    assert run_commands(PARITY, "paper", made) == [f"{RUN} --seeds 3"]
    assert run_commands(PARITY, "paper", made[:3]) == [f"{RUN} --variant deep --seeds 3"]
    several = dataclasses.replace(PARITY, seeds=3)
    assert run_commands(several, "paper", made) == [RUN]


def test_seeds_that_do_not_follow_each_other_are_several_commands(record):
    made = [dataclasses.replace(record, seed=seed, command=RUN) for seed in (5, 0, 1, 4)]
    expected = [f"{RUN} --variant '' --seeds 2", f"{RUN} --variant '' --seeds 2 --first-seed 4"]
    assert run_commands(PARITY, "paper", made) == expected


def test_variants_with_other_seeds_are_other_commands(record):
    made = [
        dataclasses.replace(record, variant=variant, seed=seed, command=RUN)
        for variant, seed in (("", 0), ("deep", 0), ("deep", 1))
    ]
    assert run_commands(PARITY, "paper", made) == [f"{RUN} --variant ''", f"{RUN} --variant deep --seeds 2"]


def test_other_options_stay(record):
    commands = [f"{RUN} --engine cuda --set 'T=5'", f"{RUN} --epochs 2 --engine cuda"]
    made = [dataclasses.replace(record, seed=seed, command=command) for seed, command in enumerate(commands)]
    assert run_commands(PARITY, "paper", made) == [
        f"{RUN} --variant '' --engine cuda --set T=5",
        f"{RUN} --variant '' --first-seed 1 --epochs 2 --engine cuda",
    ]


# Other systems


def test_names_of_sets_are_put_together():
    lines = [baseline(name, command=f"python gin.py --sets {name} --epochs 3") for name in ("A B", "C")]
    lines[0] = dataclasses.replace(lines[0], command="python gin.py --sets 'A B' --epochs 3")
    several = dataclasses.replace(PARITY, reported=[Reported(variant=name) for name in ("A B", "C", "D")])
    assert baseline_commands(several, lines) == ["python gin.py --sets 'A B' C --epochs 3"]
    lines.append(baseline("D", command="python gin.py --sets D --epochs 3"))
    assert baseline_commands(several, lines) == ["python gin.py --epochs 3"]
    lines[2] = baseline("D", command="python gin.py --sets D --epochs 4")
    assert baseline_commands(several, lines)[1] == "python gin.py --sets D --epochs 4"
    assert baseline_commands(several, [baseline(), baseline("deep")]) == ["python gcn.py"]


def test_systems_have_a_column_each():
    lines = [
        baseline("", command="python gcn.py --variants ''"),
        baseline("deep", command="python gcn.py --variants deep", seconds=[8.0]),
        baseline("deep", system="TM", command="python tm.py", version="tm 2"),
    ]
    scores, how = tables_of_systems(PARITY, lines)
    assert scores.splitlines()[0] == "| accuracy, % | GCN, our run | TM, our run |"
    assert scores.splitlines()[2:] == ["|  | 50.00 | - |", "| deep | 50.00 | 50.00 |"]
    assert how.splitlines()[2:] == [
        "| GCN | all | the last, 1 seed | - | 2 to 8 | - | `python gcn.py` |",
        "| TM, tm 2 | deep | the last, 1 seed | - | 2 | - | `python tm.py` |",
    ]


def test_scores_that_are_beside_ours_are_not_repeated():
    (how,) = tables_of_systems(PARITY, [baseline(), baseline("deep", system="TM")])
    assert how.startswith("| other systems, our runs |")
    count = Reported(metric="rules", percent=False, compared=False)
    counted = dataclasses.replace(PARITY, reported=[count], presets={"paper": PRESET, "best": PRESET})
    assert len(tables_of_systems(counted, [baseline(scores={"rules": [3]})])) == 2
    assert tables_of_systems(PARITY, []) == []


@pytest.mark.parametrize("metric", [TRAINING_SECONDS, PROCESSOR_SECONDS])
def test_the_time_of_systems_is_beside_ours(metric):
    """Where times have a row, the mean duration of the trainings is in it, and no system is the best by it."""
    row = Reported(9.0, metric=metric, percent=False, digits=1, compared=False)
    timed = dataclasses.replace(PARITY, reported=[Reported(), row])
    line = baseline(seconds=[2.0, 5.0], scores={"accuracy": [0.5, 0.5]})
    scores, _ = tables_of_systems(timed, [line])
    assert scores.splitlines()[3] == f"| {metric} | 3.5 ± 2.1 |"
    assert best_run(timed, row, [line]) is None


def test_systems_with_several_metrics_are_listed_once():
    both = dataclasses.replace(PARITY, reported=[Reported(), Reported(metric="AUC")])
    scores, how = tables_of_systems(both, [baseline(scores={"accuracy": [0.5], "AUC": [0.6]}), baseline(system="TM")])
    assert scores.splitlines()[2:] == ["| accuracy, % | 50.00 | 50.00 |", "| AUC, % | 60.00 | - |"]
    assert how.count("`python gcn.py`") == 2


# Other systems of the paper


def test_other_systems_of_the_paper_belong_to_rows():
    """The best of them on a row is the one that the row names."""
    for name, systems in PAPER_SYSTEMS.items():
        declared = experiment(name)
        for variant, metric in {key for results in systems.values() for key in results}:
            found = {one: results[variant, metric] for one, results in systems.items() if (variant, metric) in results}
            pick = min if metric == TRAINING_SECONDS else max
            best = pick(found, key=lambda system: found[system][0])
            same = declared.with_same_data(variant)
            rows = [row for row in declared.reported if row.variant in same and row.metric == metric]
            assert {(row.best_name, row.best, row.best_spread) for row in rows} == {(best, *found[best])}


def test_systems_of_the_paper_are_beside_those_that_we_have_run(monkeypatch):
    (row, _) = PARITY.reported
    systems = {f"system {n}": {(row.variant, row.metric): (80.0 + n, None)} for n in range(2)}
    monkeypatch.setitem(PAPER_SYSTEMS, "parity", systems)
    (scores,) = tables_of_systems(PARITY, [])
    assert scores.splitlines()[::2] == ["| accuracy, % | system 0, paper | system 1, paper |", "|  | 80.00 | 81.00 |"]
    scores, _ = tables_of_systems(PARITY, [baseline(), baseline("deep")])
    assert scores.splitlines()[2:] == ["|  | 80.00 | 81.00 | 50.00 |", "| deep | - | - | 50.00 |"]


def test_many_systems_have_two_tables(monkeypatch):
    row = PARITY.reported[0]
    systems = {f"system {n}": {(row.variant, row.metric): (80.0, 1.0)} for n in range(WIDE)}
    monkeypatch.setitem(PAPER_SYSTEMS, "parity", systems)
    assert len(tables_of_systems(PARITY, [])) == 1
    papers, ours, _ = tables_of_systems(PARITY, [baseline()])
    assert papers.splitlines()[2] == f"|  | {' | '.join(['80.00 ± 1.00'] * WIDE)} |"
    assert ours.splitlines()[0] == "| accuracy, % | GCN, our run |"
