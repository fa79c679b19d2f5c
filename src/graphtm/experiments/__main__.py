"""``python -m graphtm.experiments``: write the page of results from the records of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphtm.errors import GraphTMError
from graphtm.experiments import NAMES, experiment, read_records
from graphtm.experiments.baselines import read_baselines
from graphtm.experiments.comparisons import comparisons
from graphtm.experiments.page import SUMMARY, results_page
from graphtm.experiments.pictures import save_picture, save_pictures, summary_picture
from graphtm.experiments.results import is_complete, presets_of, results_of


def main(
    results: Annotated[Path, typer.Option(help="Folder of the records.", file_okay=False, exists=True)] = Path(
        "results"
    ),
    page: Annotated[
        Path, typer.Option(help="File to write; pictures are written to the folder pictures beside it.", dir_okay=False)
    ] = Path("docs/results.md"),
) -> None:
    """Write the page of results, with pictures of the presets that have a complete run of each variant."""
    experiments = [experiment(name) for name in NAMES]
    pictures = page.parent / "pictures"
    try:
        for declared in experiments:
            baselines = read_baselines(results, declared.name)
            for preset in presets_of(declared) if declared.has_pictures else ():
                records = results_of(declared, preset, read_records(results, declared.name))
                if is_complete(declared, preset, records):
                    pictures.mkdir(exist_ok=True)
                    save_pictures(declared, records, pictures, f"{declared.name}_{preset}_", baselines)
        rows = comparisons(experiments, results)
        if rows:
            pictures.mkdir(exist_ok=True)
            save_picture(summary_picture(rows), pictures / SUMMARY)
        page.write_text(results_page(experiments, results, pictures), encoding="utf-8")
    except (GraphTMError, OSError) as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"Written: {page}")


if __name__ == "__main__":
    typer.run(main)
