"""What a table of results says, in words: a sentence for each row where ours fall short, and what was not run yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphtm.experiments.baselines import Baseline
from graphtm.experiments.comparisons import Ours, best_competitor, ours_of, short_system
from graphtm.experiments.declaration import DAGGER, NOT_IN_PAPER, Experiment, Reported
from graphtm.experiments.records import Record
from graphtm.experiments.results import shortened
from graphtm.experiments.summary import METRIC, heading, measured

SETTINGS = {"paper": "paper's settings", "best": "best settings"}
"""What the settings of presets are called, in the order of columns."""
MANY_ROWS = 4
"""Number of compared rows above which sentences are about those only that fall short."""
FEW_ROWS = 4
"""Number of rows without a run up to which they are named."""


@dataclass(frozen=True)
class Distance:
    """How far a result of ours is from that of another system, in the unit of the row."""

    row: Reported
    gain: float
    other: str

    @property
    def text(self) -> str:
        """The distance in words."""
        distance = self.row.text(abs(self.gain))
        if not distance.strip("0."):
            return f"equal to {self.other}"
        points = " points" if self.row.percent else ""
        return f"{distance}{points} {'above' if self.gain > 0 else 'below'} {self.other}"


def verdicts(experiment: Experiment, shown: Mapping[str, Sequence[Record]], baselines: Sequence[Baseline]) -> list[str]:
    """Return paragraphs and lists in Markdown that say where ours are above and below, given the results of presets.

    Each compared row has a sentence. If there are many, those that do not fall short are only counted.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> from graphtm.experiments.verdicts import verdicts
    >>> verdicts(experiment("mnist"), {}, [])
    []
    """
    compared, missing = [], []
    for row in experiment.reported:
        ours = ours_of(experiment, row, shown)
        if ours is None:
            missing.append(row.variant)
        elif row.compared and (distances := _distances(experiment, row, ours, baselines)):
            compared.append((row, ours, distances))
    many = len(compared) > MANY_ROWS
    lines = [_sentence(experiment, *one, shown, many) for one in compared]
    lines = [line for line in lines if line]
    parts = []
    if many:
        n_good = sum(all(one.gain >= 0 for one in distances) for _, _, distances in compared)
        others = "the best competitors" if experiment.section == NOT_IN_PAPER else "the paper's GraphTM and competitors"
        others += f" {DAGGER}" if any(row.differs for row, _, _ in compared) else ""
        lead = f"In {n_good} of {len(compared)} rows, ours are above or equal to {others}."
        rest = "The others" if len(lines) == len(compared) - n_good else "Where ours or the paper's settings fall short"
        parts.append(f"{lead} {rest}:" if lines else lead)
    if lines:
        parts.append("\n".join(f"- {line}" for line in lines) if many or len(lines) > 1 else lines[0])
    differences = dict.fromkeys(row.differs for row in experiment.reported if row.differs) if parts else ()
    return [
        *parts,
        *(f"{DAGGER} In the paper: {differs}." for differs in differences),
        *_missing(experiment, shown, missing),
        *_without_paper(experiment, shown),
        *_other(experiment, shown),
    ]


def title_of(experiment: Experiment, preset: str) -> str:
    """Return what the settings of a preset are called."""
    return experiment.presets[preset].title or SETTINGS.get(preset, f"`{preset}`")


def _distances(experiment: Experiment, row: Reported, ours: Ours, baselines: Sequence[Baseline]) -> list[Distance]:
    """Return the distances to the paper's GraphTM, its best other system, and the best that we have run if better."""
    others = [(_of_paper("GraphTM", row), row.graphtm), (_of_paper(row.best_name, row), row.best)]
    competitor = best_competitor(experiment, row, baselines)
    if competitor is not None and competitor.is_ours:
        others.append((f"{short_system(competitor.name)} in our run", competitor.value))
    return [Distance(row, ours.measured.value - value, name) for name, value in others if value is not None]


def _of_paper(system: str, row: Reported) -> str:
    """Return a name for a system whose result the paper reports, with a mark if its data or labels differ from ours."""
    return f"the paper's {system}{row.mark}"


def _sentence(
    experiment: Experiment,
    row: Reported,
    ours: Ours,
    distances: Sequence[Distance],
    shown: Mapping[str, Sequence[Record]],
    only_short: bool,
) -> str:
    """Return the sentence about a row; with ``only_short``, what it falls short of, or nothing."""
    told = [one.text for one in distances if one.gain < 0 or not only_short]
    clauses = [f"{_joined(told)} with the {_settings(experiment, ours.preset, ours.short)}"] if told else []
    paper = measured(experiment, row, shown.get("paper", []))
    if ours.preset != "paper" and paper is not None and row.graphtm is not None:
        below = Distance(row, paper.value - row.graphtm, _of_paper("GraphTM", row))
        if "below" in below.text:
            short = shortened(experiment, "paper", row.variant, shown["paper"])
            clauses.append(f"{below.text} with the {_settings(experiment, 'paper', short)}")
    if not clauses:
        return ""
    what = _what(experiment, row)
    sentence = f"{what[0].upper()}{what[1:]}: {'; '.join(clauses)}."
    if row.graphtm == 100 and ours.measured.n_seeds > 1:
        sentence += f" {_perfect(row, shown[ours.preset])}"
    return sentence


def _joined(parts: Sequence[str]) -> str:
    *first, last = parts
    return " and ".join(filter(None, (", ".join(first), last)))


def _settings(experiment: Experiment, preset: str, short: str) -> str:
    return title_of(experiment, preset) + (f" after {short}" if short else "")


def _what(experiment: Experiment, row: Reported) -> str:
    """Return the variant of a row, and its metric if rows have different ones."""
    metric = "" if row.variant and heading(experiment) != METRIC else row.metric
    return ", ".join(filter(None, (row.variant, metric)))


def _missing(experiment: Experiment, shown: Mapping[str, Sequence[Record]], missing: Sequence[str]) -> list[str]:
    """Return a sentence about variants without a run of the presets that are compared, if there are any."""
    elsewhere = {record.variant for records in shown.values() for record in records}
    names = [name for name in dict.fromkeys(missing) if name not in elsewhere]
    if not shown or not names:
        return []
    return [f"Not run yet: {_named(experiment, names)}."]


def _without_paper(experiment: Experiment, shown: Mapping[str, Sequence[Record]]) -> list[str]:
    """Return a sentence about variants with a run of preset best, but none of preset paper, if there are any."""
    run, paper = ({record.variant for record in shown.get(preset, [])} for preset in ("best", "paper"))
    names = [name for name in experiment.variants_of("paper") if name in run - paper]
    which = f": {_named(experiment, names)}" if any(names) else ""
    return [f"Not run with the {title_of(experiment, 'paper')}{which}."] if names else []


def _other(experiment: Experiment, shown: Mapping[str, Sequence[Record]]) -> list[str]:
    """Return a sentence about presets other than paper and best without a run, if there are any."""
    names = [f"`{name}`" for name in experiment.presets if name not in SETTINGS and name not in shown]
    return [f"Presets without a run: {', '.join(names)}."] if shown and names else []


def _named(experiment: Experiment, names: Sequence[str]) -> str:
    """Return the names of variants, if they are few, or else their number."""
    return ", ".join(names) if len(names) <= FEW_ROWS else f"{len(names)} of {len(experiment.variants)} variants"


def _perfect(row: Reported, records: Sequence[Record]) -> str:
    """Return how many runs reach what the paper reports, as a sentence."""
    rows = [record.scores for record in records if record.variant == row.variant]
    runs = [scores[row.metric] for scores in rows if row.metric in scores]
    last, some = sum(scores[-1] == 1 for scores in runs), sum(max(scores) == 1 for scores in runs)
    return f"{last} of {len(runs)} seeds reach 100 % in the last epoch, {some} in some epoch."
