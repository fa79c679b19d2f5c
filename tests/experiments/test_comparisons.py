"""Ours and the best competitors: which system counts, which settings, and in what order."""

import dataclasses
from pathlib import Path

import pytest
from experiments.parity import PARITY, PRESET, runs

from graphtm.experiments import NAMES, Preset, Reported, experiment
from graphtm.experiments.baselines import append_baseline, read_baselines, runs_on
from graphtm.experiments.comparisons import best_competitor, comparisons
from graphtm.experiments.declaration import NOT_IN_PAPER, TRAINING_SECONDS
from graphtm.experiments.page import SUMMARY, section, summary
from graphtm.experiments.paper_systems import systems_of_paper
from graphtm.experiments.pictures import clause_curves, save_pictures, summary_picture
from graphtm.experiments.records import append
from graphtm.experiments.reproduction import reproduction
from graphtm.experiments.summary import seconds_text

RESULTS = Path(__file__).parents[2] / "results"


@pytest.fixture(scope="module")
def record():
    """Return a run of the paper's preset."""
    (found,) = runs(variants=("",))
    return found


def at(record, accuracy, **changes):
    scores = {"accuracy": [accuracy] * len(record.seconds)}
    return dataclasses.replace(record, final={"accuracy": accuracy}, scores=scores, **changes)


def add_run(folder, system, *scores, metric="accuracy", **told):
    told = dict(experiment="parity", system=system, result="the last", command=f"python {system}.py", **told)
    append_baseline(folder, scores={metric: list(scores)}, seconds=[1.0] * len(scores), **told)


ROW, DEEP = PARITY.reported


def test_the_better_of_the_paper_and_our_runs_is_the_competitor(tmp_path):
    assert best_competitor(PARITY, ROW, []).full_text == "95.00 (other, paper)"
    assert best_competitor(PARITY, DEEP, []) is None
    add_run(tmp_path, "SVM", 0.9, 0.92)
    add_run(tmp_path, "forest", 0.94)
    assert best_competitor(PARITY, ROW, read_baselines(tmp_path, "parity")).name == "other"
    add_run(tmp_path, "GNN", 0.95, 0.97)
    found = best_competitor(PARITY, ROW, read_baselines(tmp_path, "parity"))
    assert (found.full_text, found.value) == ("96.00 ± 1.41 (GNN, our run)", pytest.approx(96))
    add_run(tmp_path, "GNN", 0.4, variant="deep")
    add_run(tmp_path, "SVM", 0.99, metric="AUC")
    runs_of_all = read_baselines(tmp_path, "parity")
    assert best_competitor(PARITY, DEEP, runs_of_all).full_text == "40.00 (GNN, our run)"
    assert best_competitor(PARITY, ROW, runs_of_all) == found


def test_systems_on_the_same_data_are_competitors_of_all_rows(tmp_path, record):
    """A system has been run on one row of those with the same data; a run of the row itself comes before it."""
    alike = dataclasses.replace(PARITY, same_data=[("", "deep")])
    add_run(tmp_path, "SVM", 0.97)
    add_run(tmp_path, "GNN", 0.9, variant="deep")
    add_run(tmp_path, "GNN", 0.8)
    found = read_baselines(tmp_path, "parity")
    assert [best_competitor(alike, row, found).full_text for row in (ROW, DEEP)] == ["97.00 (SVM, our run)"] * 2
    assert best_competitor(PARITY, DEEP, found).full_text == "90.00 (GNN, our run)"
    page = section(alike, [at(record, 0.95, variant="deep", parameters={**PRESET.of("deep").parameters})], found)
    assert "| deep | - | - | **97.00 (SVM)** | 95.00 |" in page
    assert "Deep: 2.00 points below SVM in our run with the paper's settings." in page
    assert "|  | 97.00 | 80.00 |\n| deep | 97.00 | 90.00 |" in page
    assert page.count("| SVM | all |") == page.count("| GNN | all |") == 1


def test_rows_with_the_same_data_have_the_same_competitors():
    """Depths of the same texts and genomes are compared with the same systems, whichever row these were run for."""
    best = {}
    for name in NAMES:
        declared, baselines = experiment(name), read_baselines(RESULTS, name)
        rows = {(row.variant, row.metric): row for row in declared.reported}
        for (variant, metric), row in rows.items():
            for other in (rows.get((same, metric), row) for same in declared.with_same_data(variant)):
                assert (row.best, row.best_spread, row.best_name) == (other.best, other.best_spread, other.best_name)
                assert systems_of_paper(declared, row) == systems_of_paper(declared, other)
                systems = [{one.system for one in runs_on(declared, own, baselines)} for own in (row, other)]
                assert systems[0] == systems[1]
                competitor = best_competitor(declared, row, baselines)
                assert competitor == best_competitor(declared, other, baselines)
            best[name, variant, metric] = "" if competitor is None else competitor.name
    for name in ("imdb", "yelp", "mpqa"):
        assert best[name, "depth 1", "accuracy"] == best[name, "depth 2", "accuracy"] == "linear SVM on n-grams"
    assert best["viral", "five viruses, depth 1", "accuracy"].startswith("GCN, 2 layers")


def test_competitors_with_other_data_are_marked(record, tmp_path):
    """Those that we have run had our data, also where the paper's had others."""
    pytest.importorskip("matplotlib")
    rows = [dataclasses.replace(ROW, differs="other numbers"), dataclasses.replace(DEEP, best=50.0, best_name="kNN")]
    marked = dataclasses.replace(PARITY, reported=rows)
    append(at(record, 0.9), tmp_path)
    deep = {**PRESET.of("deep").parameters, "epochs": 2}
    append(at(record, 0.4, variant="deep", parameters=deep, changes={"epochs": 2}), tmp_path)
    found = comparisons([marked], tmp_path)
    page = summary(found)
    others = "In 1 other row, marked †, the paper's competitor had other data or labels; there, ours are above or equal"
    far = "They are more than half a point above in 0, and more than half a point below in 1"
    assert f"Of 1 row with a competitor on the same data and labels, ours are above or equal in 0. {far}; " in page
    assert f"{others} in 0." in page
    assert "| parity | 90.00 | paper | 95.00 (other, paper) † | -5.00 |" in page
    assert "| 50.00 (kNN, paper) | -10.00 |" in page
    assert "\n\n† parity, other: other numbers.\n" in page
    figure = summary_picture(found)
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["parity", "parity: deep (2 of 3 epochs)"]
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["below; competitor of the paper", "below; competitor of the paper, other data or labels"]
    hollow = {line.get_label(): line.get_markerfacecolor() == "white" for line in ax.get_lines()}
    assert [hollow[text] for text in texts] == [False, True]
    add_run(tmp_path, "SVM", 0.96)
    page = summary(comparisons([marked], tmp_path))
    assert "Of 2 rows with a competitor on the same data and labels, ours are above or equal in 0. They" in page
    assert "†" not in page


def test_results_of_the_paper_with_other_data_are_marked_in_sections(record, tmp_path):
    marked = dataclasses.replace(PARITY, reported=[dataclasses.replace(ROW, differs="other numbers")])
    page = section(marked, [at(record, 0.95)])
    assert "| 90.00 ± 1.00 † | **95.00 (other) †** | 95.00 |" in page
    how = "5.00 points above the paper's GraphTM † and equal to the paper's other † with the paper's settings"
    assert f"\n\nAccuracy: {how}.\n\n† In the paper: other numbers.\n\n" in page
    add_run(tmp_path, "SVM", 0.97)
    assert "| **97.00 (SVM)** |" in section(marked, [at(record, 0.95)], read_baselines(tmp_path, "parity"))


# The paper's settings


def test_where_the_paper_is_reproduced(record, tmp_path):
    rows = [Reported(90.0), Reported(80.0, variant="deep", differs="other numbers"), Reported(50.0, variant="wide")]
    reported = [*rows, Reported(10.0, metric=TRAINING_SECONDS, percent=False, compared=False)]
    experiments = [dataclasses.replace(PARITY, reported=reported)]
    append(at(record, 0.896), tmp_path)
    short = {**PRESET.of("deep").parameters, "epochs": 2}
    append(at(record, 0.7, variant="deep", parameters=short, changes={"epochs": 2}), tmp_path)
    append(at(record, 0.9, preset="best", variant="wide"), tmp_path)  # of other settings
    page = reproduction(experiments, tmp_path)
    said = "The paper reports its GraphTM in 3 rows. With its settings, ours are above it or within half a point in 1"
    assert f"\n\n{said}, and further below in 1. Not run: parity: wide.\n\n" in page
    assert "| parity: deep | 80.00 † | 70.00 (2 of 3 epochs) | -10.00 |\n\n† On other data or with other labels" in page
    assert page.count("| parity") == 1
    append(at(record, 0.894), tmp_path)
    assert "| parity | 90.00 | 89.40 | -0.60 |" in reproduction(experiments, tmp_path)


def test_systems_are_not_compared_by_counts(tmp_path, record):
    """Fewer rules or seconds are no better score."""
    count = Reported(5.0, best=7.0, best_name="other", metric="rules", percent=False, digits=0, compared=False)
    add_run(tmp_path, "SVM", 9, metric="rules")
    found = read_baselines(tmp_path, "parity")
    assert best_competitor(PARITY, count, found) is None
    counted = dataclasses.replace(PARITY, reported=[count])
    page = section(counted, [dataclasses.replace(record, final={"rules": 6})], found)
    assert "| rules | 5 | 7 (other) | - | 6 |" in page
    assert "Rules:" not in page


def test_seconds_of_training_are_those_of_all_epochs(record):
    row = Reported(84.4, metric=TRAINING_SECONDS, percent=False, digits=1, compared=False)
    page = section(dataclasses.replace(PARITY, reported=[row]), [dataclasses.replace(record, seconds=[1.0, 2.0, 3.5])])
    assert "| seconds of training | 84.4 | - | 6.5 |" in page


def test_the_largest_gain_comes_first(record, tmp_path):
    """The best settings count if they were run, whichever score is better; rows without a competitor do not."""
    best = PRESET.with_changes({"T": 9})
    both = dataclasses.replace(PARITY, presets={"paper": PRESET, "best": best})
    other = dataclasses.replace(both, name="other", reported=[Reported(best=0.9, best_name="kNN", percent=False)])
    short = {**record.parameters, "epochs": 2}
    append(at(record, 0.99), tmp_path)
    append(at(record, 0.98, preset="best", parameters={**record.parameters, "T": 9}), tmp_path)
    append(at(record, 0.5, variant="deep", parameters={**PRESET.of("deep").parameters}), tmp_path)
    append(at(record, 0.8, experiment="other", parameters=short, changes={"epochs": 2}), tmp_path)
    first, second = comparisons([other, both], tmp_path)
    assert (first.name, first.ours.preset, first.gain) == ("parity", "best", pytest.approx(3))
    assert (second.name, second.ours.short, second.gain) == ("other", "2 of 3 epochs", pytest.approx(-10))
    add_run(tmp_path, "SVM", 0.99)
    second, first = comparisons([both, other], tmp_path)[::-1]
    assert first.gain == pytest.approx(-1)
    page = summary([first, second], tmp_path)
    assert "Of 2 rows with a competitor on the same data and labels, ours are above or equal in 0. " in page
    assert "| parity | 98.00 | best | 99.00 (SVM, our run) | -1.00 |" in page
    assert "| other | 0.8000 | paper (2 of 3 epochs) | 0.9000 (kNN, paper) | -10.00 |" in page
    assert "![" not in page
    (tmp_path / SUMMARY).touch()
    assert f"](pictures/{SUMMARY})" in summary([first, second], tmp_path)


def test_the_picture_has_a_line_for_each_row(record, tmp_path):
    pytest.importorskip("matplotlib")
    append(at(record, 0.9), tmp_path)
    add_run(tmp_path, "GNN, 2 layers", 0.8, variant="deep")
    append(at(record, 0.95, variant="deep", parameters={**PRESET.of("deep").parameters}), tmp_path)
    figure = summary_picture(comparisons([PARITY], tmp_path))
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["parity: deep", "parity"]
    (right,) = ax.child_axes
    assert [text.get_text() for text in right.get_yticklabels()] == ["GNN", "other"]
    assert [text.get_text() for text in ax.texts] == ["+15.00", "-5.00"]
    assert ax.yaxis_inverted()


def test_curves_show_the_accuracy_beside_the_papers(record):
    """Other metrics of the same variants, such as F1, are not taken for it; a single seed has no spread."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    f1 = Reported(70.0, variant="deep", metric="F1")
    several = dataclasses.replace(PARITY, reported=[*PARITY.reported, f1])
    deep = dataclasses.replace(record, variant="deep", final={"accuracy": 0.6, "F1": 0.2})
    figure = clause_curves(several, [at(record, 0.5), deep], {"all": {4: "", 8: "deep"}})
    (ax,) = figure.axes
    ours, papers, legend = (line for line in ax.get_lines() if line.get_marker() in ("o", "."))
    assert (list(ours.get_xdata()), list(ours.get_ydata())) == ([4, 8], [50.0, 60.0])
    assert (list(papers.get_xdata()), list(papers.get_ydata())) == ([4], [90.0])
    assert (legend.get_label(), ax.get_ylabel()) == ("GraphTM, paper", "accuracy, %")
    pyplot.close(figure)


def test_axes_of_pictures_have_no_offset(record, tmp_path):
    """99.98 is written in full, not as -0.02 beside a +1e2 in the corner."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    drawn = []

    def figure_of():
        return pyplot.subplots()[0]

    def draw(records):
        figure, ax = pyplot.subplots()
        ax.plot([1, 2], [100.0, 99.98])
        drawn.append(ax)
        return {"curve": figure}

    (path,) = save_pictures(dataclasses.replace(PARITY, draw=draw), [record], tmp_path)
    assert path.name == "parity-curve.png"
    assert drawn[0].yaxis.get_major_formatter().get_offset() == ""
    assert save_pictures(dataclasses.replace(PARITY, draw=None), [record], tmp_path) == []
    both = dataclasses.replace(PARITY, draw=draw, draw_beside=lambda records, baselines: {baselines[0]: figure_of()})
    paths = save_pictures(both, [record], tmp_path, baselines=["SVM"])
    assert [path.name for path in paths] == ["parity-curve.png", "parity-SVM.png"]
    pyplot.close("all")


# Sentences


def test_what_falls_short_is_said(record, tmp_path):
    add_run(tmp_path, "SVM", 0.96)
    page = section(PARITY, [at(record, 0.95)], read_baselines(tmp_path, "parity"))
    how = "5.00 points above the paper's GraphTM, equal to the paper's other and 1.00 points below SVM in our run"
    assert f"\n\nAccuracy: {how} with the paper's settings.\n\nNot run yet: deep.\n\n" in page


def test_what_the_papers_settings_lack_is_said_beside_the_best(record):
    """The best settings are compared, but where the paper's do not reach its numbers, this is not hidden."""
    best = PRESET.with_changes({"T": 9})
    rows = [Reported(90.0), Reported(80.0, variant="deep")]
    both = dataclasses.replace(PARITY, presets={"paper": PRESET, "best": best}, reported=rows)
    ours = at(record, 0.98, preset="best", parameters={**record.parameters, "T": 9})
    page = section(both, [ours, at(record, 0.85)])
    above = "Accuracy: 8.00 points above the paper's GraphTM with the best settings"
    below = "5.00 points below the paper's GraphTM with the paper's settings"
    assert f"{above}; {below}." in page
    assert f"{above}." in section(both, [ours, at(record, 0.9)])
    assert "Not run with" not in page
    assert "\n\nNot run with the paper's settings.\n\n" in section(dataclasses.replace(both, reported=rows[:1]), [ours])
    deep = at(ours, 0.9, variant="deep", parameters={**PRESET.of("deep").parameters, "T": 9})
    assert "\n\nNot run with the paper's settings: deep.\n\n" in section(both, [ours, at(record, 0.85), deep])
    assert section(both, [at(record, 0.85)]).count("below the paper's GraphTM") == 1
    short = {**record.parameters, "epochs": 2}
    page = section(both, [ours, at(record, 0.85, parameters=short, changes={"epochs": 2})])
    assert f"{above}; {below} after 2 of 3 epochs." in page
    names = [f"row {number}" for number in range(5)]
    many = dataclasses.replace(both, reported=[Reported(90.0, variant=name) for name in names])
    runs = [at(ours, 0.98, variant=name) for name in names]
    runs += [at(record, 0.88 + number / 100, variant=name) for number, name in enumerate(names)]
    lead = "In 5 of 5 rows, ours are above or equal to the paper's GraphTM and competitors."
    one, two = (
        f"- Row {row}: {2 - row}.00 points below the paper's GraphTM with the paper's settings." for row in (0, 1)
    )
    assert f"{lead} Where ours or the paper's settings fall short:\n\n{one}\n{two}\n\n|" in section(many, runs)
    page = section(dataclasses.replace(many, reported=many.reported[:2]), runs)
    assert f"- Row 0: 8.00 points above the paper's GraphTM with the best settings; {one[9:]}\n- " in page


def test_presets_without_a_run_are_named(record):
    more = dataclasses.replace(PARITY, presets={**PARITY.presets, "wide": PRESET.with_changes({"n_clauses": 8})})
    assert "\n\nPresets without a run: `wide`.\n\n" in section(more, [at(record, 0.9)])
    wide = at(record, 0.9, preset="wide", parameters={**record.parameters, "n_clauses": 8})
    assert "Presets without a run" not in section(more, [at(record, 0.9), wide])


def test_seconds_of_an_epoch_are_those_of_variants(record):
    one, other = at(record, 0.9, seconds=[9.0, 1.0, 2.0]), at(record, 0.9, variant="deep", seconds=[7.0, 50.0, 6.0])
    assert seconds_text([one]) == seconds_text([one, one]) == "2"
    assert seconds_text([one, other]) == "2 to 7"


def test_of_many_rows_those_that_fall_short_are_told(record):
    names = [f"row {number}" for number in range(12)]
    many = dataclasses.replace(PARITY, reported=[Reported(50.0, variant=name) for name in names])
    page = section(many, [at(record, 0.4 if name == "row 3" else 0.6, variant=name) for name in names[:10]])
    lead = "In 9 of 10 rows, ours are above or equal to the paper's GraphTM and competitors. The others:"
    below = "10.00 points below the paper's GraphTM with the paper's settings."
    assert f"\n\n{lead}\n\n- Row 3: {below}\n\nNot run yet" in page
    assert "Row 4" not in page
    assert "Not run yet: row 10, row 11." in page
    page = section(many, [at(record, 0.6, variant="row 0")])
    assert "Not run yet: 11 of 12 variants." in page
    assert "Not run" not in section(many, [])


def test_experiments_that_the_paper_does_not_have(record, tmp_path):
    """They have no columns of the paper; their presets have titles, and their runs are folds."""
    presets = {
        "paper": dataclasses.replace(PRESET, title="plain machine"),
        "best": Preset({**PRESET.machine, "T": 9}, PRESET.task, title="other machine"),
    }
    new = dict(section=NOT_IN_PAPER, reported=[Reported()], presets=presets, repeats="fold")
    add_run(tmp_path, "SVM", 0.5, 0.5)
    found = read_baselines(tmp_path, "parity")
    page = section(dataclasses.replace(PARITY, **new), [at(record, 0.6), at(record, 0.6, seed=1)], found)
    assert "`graphtm reproduce parity`; not in the paper." in page
    assert "| best other, our runs | ours, plain machine | ours, other machine |\n| --- | --- | --- | --- |" in page
    assert "| **50.00 ± 0.00 (SVM)** | 60.00 ± 0.00 | - |" in page
    assert "Accuracy: 10.00 points above SVM in our run with the plain machine." in page
    assert page.count("2 folds") == 2
    rows = [Reported(variant=name) for name in map(str, range(6))]
    for row in rows:
        add_run(tmp_path, "SVM", 0.5, variant=row.variant)
    many = dataclasses.replace(PARITY, **{**new, "reported": rows})
    page = section(many, [at(record, 0.6, variant=row.variant) for row in rows], read_baselines(tmp_path, "parity"))
    assert "In 6 of 6 rows, ours are above or equal to the best competitors.\n\n" in page
