"""Make the pictures of the documentation from real data.

Run ``python docs/pictures/make.py [NAME ...] [--data FOLDER] [--out FOLDER]``. The folder of the data holds ``mnist/``
and other datasets; without it they are downloaded. Names are those of the files, without ``.png``; the default is all.
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


def main() -> None:
    """Make the pictures that were asked for."""
    mpl.use("Agg")
    from matplotlib import pyplot

    sys.path.insert(0, str(HERE))
    pictures = {}
    for name in MODULES:
        pictures |= importlib.import_module(name).PICTURES
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"among {', '.join(pictures)}")
    parser.add_argument("--data", type=Path, default=None, help="folder of the datasets")
    parser.add_argument("--out", type=Path, default=HERE, help="where to write the pictures")
    given = parser.parse_args()
    for name in given.names or pictures:
        save(pictures[name](given.data), given.out / f"{name}.png")
        pyplot.close("all")


if __name__ == "__main__":
    main()
