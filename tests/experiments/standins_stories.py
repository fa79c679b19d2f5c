"""Tiny stand-ins for rows of tangram pieces and for genomes, in the files of the real data."""

import numpy as np
from archives import write

from graphtm.experiments.viral_sequences import VIRUSES

ORDINALS = ("first", "second", "third", "fourth", "fifth")
PER_VIRUS, LENGTH = 30, 80


def shown(pieces):
    """Return a world as text."""
    return " ".join(f"{place}:{piece}" for place, piece in enumerate(pieces, start=1))


def story(rng):
    """Return an initial world, and utterances with the world after each."""
    pieces = list(rng.permutation(5))
    fields = [shown(pieces)]
    removed = []
    for _ in range(5):
        kind = rng.choice(["swap", "remove"] + ["add"] * bool(removed))
        if kind == "swap" and len(pieces) > 1:
            i, j = sorted(rng.choice(len(pieces), 2, replace=False))
            pieces[i], pieces[j] = pieces[j], pieces[i]
            said = f"swap the {ORDINALS[i]} and {ORDINALS[j]} figures"
        elif kind == "add" or len(pieces) < 2:
            pieces.insert(0, removed.pop())
            said = "add it back in first place"
        else:
            i = int(rng.integers(len(pieces)))
            removed.append(pieces.pop(i))
            said = f"remove the {ORDINALS[i]} figure"
        fields += [said, shown(pieces)]
    return fields


def tangrams(folder):
    """Write stories that follow from their utterances, in the files of SCONE."""
    rng = np.random.default_rng(0)
    for part, n in (("train", 80), ("test", 40)):
        lines = ["\t".join([f"{part}-{number}", *story(rng)]) for number in range(n)]
        write(folder / f"rlong-tangrams-{part}.tsv.gz", "\n".join(lines).encode() + b"\n")


def genomes(folder):
    """Write random sequences with a motif for each virus, one of them twice and one with an unknown letter."""
    rng = np.random.default_rng(0)
    lines = ["label\tsequence"]
    for virus, motif in zip(VIRUSES, ("AAAAAA", "CCCCCC", "GGGGGG", "TTTTTT", "ACACAC"), strict=True):
        texts = ["".join(rng.choice(list("ACGT"), LENGTH - 12)) for _ in range(PER_VIRUS)]
        made = [motif + text[:30] + motif + text[30:] for text in texts]
        lines += [f"{virus}\t{text}" for text in [*made, made[0], "N" + made[1][1:]]]
    write(folder / "viral_genomes.tsv", "\n".join(lines).encode() + b"\n")
