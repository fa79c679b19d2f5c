"""The page of results: what the records say, and nothing else."""

import dataclasses
import json
import re
import shutil
from pathlib import Path

import pytest
import typer
from experiments.parity import PARITY, PRESET, runs

from graphtm.errors import GraphFormatError
from graphtm.experiments import NAMES, Preset, Reported, experiment, read_records, reproduce
from graphtm.experiments.__main__ import main as write_page
from graphtm.experiments.baselines import FILE, append_baseline, read_baselines
from graphtm.experiments.declaration import NOT_IN_PAPER
from graphtm.experiments.page import results_page, section
from graphtm.experiments.paper_items import ITEMS, anchor, items_table
from graphtm.experiments.records import append
from graphtm.experiments.results import is_complete, results_of
from graphtm.experiments.summary import memory_text

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def record():
    """Return a run of the paper's preset."""
    (found,) = runs(variants=("",))
    return found


def at(record, accuracy, seed=0, **changes):
    scores = {"accuracy": [accuracy] * len(record.seconds)}
    return dataclasses.replace(record, seed=seed, final={"accuracy": accuracy}, **{"scores": scores, **changes})


def test_the_page_is_what_the_records_say():
    """If this fails, write the page: python -m graphtm.experiments"""
    page = results_page([experiment(name) for name in NAMES], ROOT / "results", ROOT / "docs" / "pictures")
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == page


def test_every_experiment_of_the_paper_is_among_its_tables_and_figures():
    """Links lead to sections of the page, or to files of the documentation."""
    experiments = [experiment(name) for name in NAMES]
    named = {name for item in ITEMS for name in item.experiments}
    assert named == {one.name for one in experiments if one.section != NOT_IN_PAPER}
    text = items_table(experiments)
    headings = {anchor(one.title) for one in experiments}
    assert len(headings) == len(experiments)
    assert {*re.findall(r"\(#(.+?)\)", text)} <= headings
    for file, part in re.findall(r"\(([\w-]+\.md)#?(.*?)\)", text):
        lines = (ROOT / "docs" / file).read_text(encoding="utf-8").splitlines()
        assert not part or part in {anchor(line.lstrip("# ")) for line in lines if line.startswith("#")}
    assert "| in the paper | here |" in results_page(experiments, ROOT / "no-such-folder")


def test_every_file_of_results_belongs_to_an_experiment():
    files = {path.name for path in (ROOT / "results").glob("*.jsonl")}
    assert files <= {FILE} | {f"{name}.jsonl" for name in NAMES}
    assert not any(str(ROOT) in path.read_text() for path in (ROOT / "results").iterdir())


def test_means_over_seeds(record):
    page = section(PARITY, [at(record, 0.5), at(record, 0.7, seed=1)])
    line = [one for one in page.splitlines() if "90.00 ± 1.00" in one]
    assert line == ["|  | 90.00 ± 1.00 | **95.00 (other)** | 60.00 ± 14.14 |"]
    assert "accuracy, % |" in page
    verdict = (
        "30.00 points below the paper's GraphTM and 35.00 points below the paper's other with the paper's settings."
    )
    assert f"\n\nAccuracy: {verdict}\n\n" in page
    assert "the mean of the last 2 of 3 epochs, 2 seeds" in page
    assert record.command == "graphtm reproduce parity --preset paper --variant '' --engine reference"
    assert "`graphtm reproduce parity --preset paper --variant '' --seeds 2 --engine reference`" in page


def test_above_and_equal(record):
    page = section(PARITY, [at(record, 0.95)])
    assert "5.00 points above the paper's GraphTM and equal to the paper's other with the paper's settings." in page
    fraction = dataclasses.replace(PARITY, reported=[Reported(0.5, percent=False)])
    page = section(fraction, [at(record, 0.45)])
    assert "0.0500 below the paper's GraphTM with the paper's settings." in page


def test_seeds_that_reach_the_whole(record):
    """Where the paper reports 100 %, a mean over seeds hides how many reach it."""
    whole = dataclasses.replace(PARITY, reported=[Reported(100.0)])
    runs = [[0.5, 1.0, 1.0], [0.9, 1.0, 0.99], [0.5, 0.9, 0.9]]
    records = [at(record, scores[-1], seed, scores={"accuracy": scores}) for seed, scores in enumerate(runs)]
    sentence = "1 of 3 seeds reach 100 % in the last epoch, 2 in some epoch."
    assert sentence in section(whole, records)
    assert sentence not in section(PARITY, records)
    assert "seeds reach" not in section(whole, records[:1])


def test_the_best_settings_are_compared_if_they_were_run(record):
    """The presets are chosen on training data: the better test score must not decide which of them counts."""
    best = PRESET.with_changes({"T": 9})
    both = dataclasses.replace(PARITY, presets={"paper": PRESET, "best": best, "large": best})
    ours, large = at(record, 0.9), at(record, 0.99, preset="large", parameters={**record.parameters, "T": 9})
    page = section(both, [ours, large])
    below = "equal to the paper's GraphTM and 5.00 points below the paper's other"
    assert f"Accuracy: {below} with the paper's settings." in page
    short = {**record.parameters, "T": 9, "epochs": 2}
    worse = at(record, 0.8, preset="best", parameters=short, changes={"epochs": 2}, seconds=[1.0] * 2)
    page = section(both, [ours, large, worse])
    below = "10.00 points below the paper's GraphTM and 15.00 points below the paper's other"
    assert f"Accuracy: {below} with the best settings after 2 of 3 epochs." in page
    page = section(both, [large])
    assert "ours with" not in page


def test_nothing_was_run():
    page = section(PARITY, [])
    assert "| deep | - | - | - |" in page
    assert "command" not in page


def test_trials_and_quick_looks_are_not_shown(record):
    trial = {"n_clauses": 5}
    others = [
        at(record, 0.9, changes=trial, parameters={**record.parameters, **trial}),
        at(record, 0.9, changes={"holdout": 5}),
        at(record, 0.9, changes={"train_size": 5, "epochs": 3}),
        at(record, 0.9, quick=True),
        at(record, 0.9, preset="gone"),
        at(record, 0.9, variant="gone"),
        at(record, 0.9, changes={"epochs": 9}, parameters={**record.parameters, "epochs": 9}),
        at(record, 0.9, changes={"epochs": "auto"}, parameters={**record.parameters, "epochs": "auto"}),
        at(record, 0.9, changes={"epochs": None}, parameters={**record.parameters, "epochs": None}),
    ]
    assert results_of(PARITY, "paper", others) == []
    assert results_of(PARITY, "paper", [*others, record]) == [record]


def test_runs_of_former_presets_are_not_shown(record):
    """The preset has changed since: its name says nothing of the run."""
    changed = dataclasses.replace(PARITY, presets={name: PRESET.with_changes({"T": 5}) for name in ("paper", "best")})
    assert results_of(changed, "paper", [record]) == []
    more = Preset({**PRESET.machine, "max_misses": 1}, PRESET.task)
    assert results_of(dataclasses.replace(PARITY, presets={"paper": more, "best": more}), "paper", [record]) == []


def test_results_are_of_as_many_epochs_as_are_declared_now(record):
    """PARITY takes the mean of the last two; earlier runs may have taken another number."""
    other = at(record, 0.9, scores={"accuracy": [0.1, 0.5, 0.9]})
    (found,) = results_of(PARITY, "paper", [other])
    assert found.final == pytest.approx({"accuracy": 0.7})
    assert "| 70.00 |" in section(PARITY, [other])
    assert results_of(PARITY, "paper", [found]) == [found]


def test_the_latest_run_of_a_seed_is_shown(record):
    old, new, other = at(record, 0.1), at(record, 0.6), at(record, 0.8, seed=3)
    assert results_of(PARITY, "paper", [old, new, other]) == [new, other]


def test_variants_with_fewer_seeds_are_said(record):
    """A single run of one variant is not called three seeds because another variant has them."""
    deep = at(record, 0.5, variant="deep", parameters={**PRESET.of("deep").parameters})
    three = [at(record, 0.5, seed) for seed in range(3)]
    assert "the mean of the last 2 of 3 epochs, 1 to 3 seeds |" in section(PARITY, [*three, deep])
    assert "the mean of the last 2 of 3 epochs, 3 seeds |" in section(PARITY, three)


def test_fewer_epochs_are_said(record):
    """The longest run stands in for a complete one until there is one."""
    short = [
        at(record, final, changes={"epochs": n}, parameters={**record.parameters, "epochs": n}, seconds=[1.0] * n)
        for final, n in ((0.3, 1), (0.4, 2))
    ]
    assert "| 40.00 (2 of 3 epochs) |" in section(PARITY, short)
    whole = at(record, 0.5)
    page = section(PARITY, [whole, *short])
    assert "| 50.00 |" in page
    assert "of 3 epochs)" not in page


def test_other_presets_have_columns_if_they_were_run(record):
    large = dataclasses.replace(PRESET, machine={**PRESET.machine, "n_clauses": 9}, only=("deep",))
    best = PRESET.with_changes({"T": 9})
    several = dataclasses.replace(PARITY, presets={"paper": PRESET, "best": best, "large": large})
    assert "ours, paper's settings | ours, best settings |\n" in section(several, [])
    parameters = {**large.of("deep").parameters}
    page = section(several, [at(record, 0.5, preset="large", variant="deep", parameters=parameters)])
    assert "| ours, paper's settings | ours, best settings | ours, `large` |" in page
    assert "| deep | - | - | - | - | 50.00 |" in page


def test_elimination_is_found_as_the_note_says():
    """Depth 2 reaches 100 % from four clauses on, depth 1 does not even with 256."""
    elimination = experiment("elimination")
    results = results_of(elimination, "paper", read_records(ROOT / "results", "elimination"))
    assert is_complete(elimination, "paper", results)
    for record in results:
        n_clauses, depth = record.parameters["n_clauses"], record.parameters["depth"]
        if depth == 1 or n_clauses >= 4:
            assert (record.final["accuracy"] == 1.0) == (depth == 2)


def test_pictures_of_complete_records_are_shown(record, tmp_path):
    drawn = dataclasses.replace(PARITY, draw=lambda records: {})
    deep = {**PRESET.of("deep").parameters}
    both = [record, at(record, 0.5, variant="deep", parameters=deep)]
    for name in ("parity_paper_clauses", "parity_best_clauses", "parity-clauses"):
        (tmp_path / f"{name}.png").touch()
    shown = "![Parity, paper's settings: clauses](pictures/parity_paper_clauses.png)"
    page = section(drawn, both, pictures=tmp_path)
    assert page.count("![") == page.count(f"\n\nWith the paper's settings:\n\n{shown}\n\n") == 1
    assert "![" not in section(drawn, both)
    assert "![" not in section(drawn, both[:1], pictures=tmp_path)
    short = at(record, 0.5, variant="deep", parameters={**deep, "epochs": 2}, changes={"epochs": 2})
    assert "![" not in section(drawn, [record, short], pictures=tmp_path)


def test_other_systems_are_shown_beside_ours(tmp_path):
    """The latest result of each system is shown, in the unit of the paper; those of other experiments are not."""
    told = dict(experiment="parity", system="SVM", result="the last of 9 epochs", command="python svm.py")
    append_baseline(tmp_path, scores={"accuracy": [0.1]}, seconds=[1.0], **told)
    append_baseline(tmp_path, scores={"accuracy": [0.5, 0.7]}, seconds=[1.0, 3.0], **told)
    append_baseline(tmp_path, scores={"accuracy": [0.3]}, seconds=[1.0], **{**told, "experiment": "mnist"})
    found = read_baselines(tmp_path, "parity")
    assert [one.scores for one in found] == [{"accuracy": [0.5, 0.7]}]
    page = section(PARITY, [], found)
    row = "| SVM |  | the last of 9 epochs, 2 seeds | {} | 2 | {} | `python svm.py` |"
    assert row.format(found[0].device, memory_text(found)) in page
    assert "|  | 90.00 ± 1.00 | **95.00 (other)** | 60.00 ± 14.14 (SVM) | - |" in page
    known = dict(version="svm 1.2", seeds=[3, 4], device="abacus")
    line = append_baseline(tmp_path, scores={"accuracy": [0.5, 0.7]}, seconds=[1.0, 3.0], **told, **known)
    assert (line.seeds, line.peak_bytes > 2**20) == ([3, 4], True)
    page = section(PARITY, [], read_baselines(tmp_path, "parity"))
    assert "| SVM, svm 1.2 |  | the last of 9 epochs, 2 seeds | abacus | 2 | " in page


def test_earlier_lines_of_other_systems(tmp_path):
    """They have neither version nor seeds nor memory nor device."""
    told = dict(experiment="parity", variant="", system="SVM", result="the last", command="python svm.py", date="then")
    (tmp_path / FILE).write_text(json.dumps({**told, "scores": {"accuracy": [0.5]}, "seconds": [2.0]}))
    page = section(PARITY, [], read_baselines(tmp_path, "parity"))
    assert "| SVM |  | the last, 1 seed | - | 2 | - | `python svm.py` |" in page


def test_a_line_that_is_no_baseline(tmp_path):
    (tmp_path / FILE).write_text('{"experiment": "mnist"}\n')
    with pytest.raises(
        GraphFormatError, match=r"Line 1 of .* is not the result of another system \(missing or unknown fields: "
    ):
        read_baselines(tmp_path, "mnist")


def test_the_page_is_written(tmp_path):
    """Complete records of an experiment that draws have their picture."""
    results, page = tmp_path / "results", tmp_path / "page.md"
    results.mkdir()
    (quick,) = reproduce("sequence", quick=True, engine="cpu", n_jobs=1)
    parameters = experiment("sequence").presets["paper"].parameters
    append(dataclasses.replace(quick, quick=False, parameters=parameters), results)
    shutil.copy(ROOT / "results" / "elimination.jsonl", results)
    write_page(results, page)
    text = page.read_text()
    assert text == results_page([experiment(name) for name in NAMES], results, tmp_path / "pictures")
    assert f"`{quick.command}` |" in text
    assert (tmp_path / "pictures" / "elimination_paper_clauses.png").exists()
    assert "](pictures/elimination_paper_clauses.png)" in text


def test_a_record_that_cannot_be_read(tmp_path, capsys):
    (tmp_path / "mnist.jsonl").write_text("{}\n")
    with pytest.raises(typer.Exit) as stopped:
        write_page(tmp_path, tmp_path / "page.md")
    assert stopped.value.exit_code == 2
    assert capsys.readouterr().err.startswith("Error: Line 1 of ")
