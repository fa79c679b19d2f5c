"""Make the pictures of the documentation from real data.

Run ``python docs/pictures/make.py [NAME ...] [--data FOLDER] [--models FOLDER] [--out FOLDER]``. The folder of the data
holds ``mnist/`` and other datasets; without it they are downloaded. The folder of the models holds what ``graphtm
reproduce NAME --preset best --models FOLDER`` has saved for ``mnist`` and ``fashion_mnist``, for the heat maps; without
it small machines are trained. Names are those of the files, without ``.png``; the default is all.
"""

from __future__ import annotations

import argparse
import importlib
import io
import sys
from pathlib import Path

import matplotlib as mpl

HERE = Path(__file__).resolve().parent
MODULES = ("images", "graphs")
"""Modules of this folder, each with a dict ``PICTURES``: functions from the folder of data to a figure, by name."""
DPI, COLOURS, MOST_BYTES = 120, 256, 60_000


def save(figure: mpl.figure.Figure, path: Path) -> None:
    """Write a figure as a PNG, with a palette if it would be large."""
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=DPI, format="png")
    picture = Image.open(buffer).convert("RGB")
    if buffer.tell() > MOST_BYTES:
        picture = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)


def saved(models: Path, experiment: str) -> Path:
    """Return the first file of an experiment's best model, or end with an error."""
    found = sorted(models.glob(f"{experiment}-best*.gtm"))
    if not found:
        raise SystemExit(
            f"The folder {models} must hold a file {experiment}-best*.gtm. Make one with: graphtm reproduce "
            f"{experiment} --preset best --models {models}"
        )
    return found[0]


def main() -> None:
    """Make the pictures that were asked for."""
    mpl.use("Agg")
    from matplotlib import pyplot

    sys.path.insert(0, str(HERE))
    pictures = {}
    for name in MODULES:
        pictures |= importlib.import_module(name).PICTURES
    of_models = importlib.import_module("images").OF_MODELS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"among {', '.join(pictures)}")
    parser.add_argument("--data", type=Path, default=None, help="folder of the datasets")
    parser.add_argument("--models", type=Path, default=None, help="folder of saved models, for the heat maps")
    parser.add_argument("--out", type=Path, default=HERE, help="where to write the pictures")
    given = parser.parse_args()
    names = given.names or list(pictures)
    wanted = [] if given.models is None else [name for name in names if name in of_models]
    files = {name: saved(given.models, of_models[name]) for name in wanted}
    for name in names:
        figure = pictures[name](given.data, files[name]) if name in files else pictures[name](given.data)
        save(figure, given.out / f"{name}.png")
        pyplot.close("all")


if __name__ == "__main__":
    main()
