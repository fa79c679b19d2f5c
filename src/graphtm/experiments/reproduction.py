"""Ours with the paper's settings beside the paper's GraphTM: where the numbers of the paper are reached."""

from __future__ import annotations

from collections.abc import Sequence

from graphtm.experiments.declaration import DAGGER, Experiment, Folder
from graphtm.experiments.records import read_records
from graphtm.experiments.results import results_of, shortened
from graphtm.experiments.summary import measured, name_of
from graphtm.experiments.tables import table
from graphtm.foundation.display import count

NEAR = 0.5
"""Percentage points within which two results are called near."""


def reproduction(experiments: Sequence[Experiment], folder: Folder) -> str:
    """Return the section that says where the paper's settings reach the paper's numbers; nothing without runs.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> from graphtm.experiments.reproduction import reproduction
    >>> reproduction([experiment("mnist")], "no-such-folder")
    ''
    """
    n_near, below, missing = 0, list[tuple[float, list[str]]](), list[str]()
    for experiment in experiments:
        records = results_of(experiment, "paper", read_records(folder, experiment.name))
        for row in experiment.reported:
            if row.graphtm is None or not row.compared:
                continue
            ours, name = measured(experiment, row, records), name_of(experiment, row)
            if ours is None:
                missing.append(name)
                continue
            gain = row.points(ours.value - row.graphtm)
            if gain >= -NEAR:
                n_near += 1
                continue
            short = shortened(experiment, "paper", row.variant, records)
            below.append(
                (
                    gain,
                    [name, row.paper_text + row.mark, f"{ours.text} ({short})" if short else ours.text, f"{gain:+.2f}"],
                )
            )
    n_run = n_near + len(below)
    if not n_run:
        return ""
    text = (
        f"The paper reports its GraphTM in {count(n_run + len(missing), 'row')}. With its settings, ours are above it "
        f"or within half a point in {n_near}, and further below in {len(below)}."
    )
    if missing:
        text += f" Not run: {'; '.join(missing)}."
    parts = ["## The paper's GraphTM, and ours with the paper's settings", text]
    if below:
        header = ["row", "paper's GraphTM", "ours, paper's settings", "difference, points"]
        parts.append(table(header, [line for _, line in sorted(below, key=lambda one: one[0])]))
    if any(DAGGER in line[1] for _, line in below):
        parts.append(f"{DAGGER} On other data or with other labels; see the sections.")
    return "".join(f"{part}\n\n" for part in parts).removesuffix("\n")
