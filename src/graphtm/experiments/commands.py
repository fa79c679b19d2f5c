"""Commands that repeat results, as few as possible: those that differ only in variants or seeds become one."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from graphtm.experiments.baselines import Baseline
from graphtm.experiments.declaration import Experiment
from graphtm.experiments.records import Record

_BEGINNING = 5
"""Number of words of ``graphtm reproduce NAME --preset PRESET``."""
_LISTS = ("--variants", "--sets")
"""Options of other systems' scripts that take several names; without them, all are run."""


def run_commands(experiment: Experiment, preset: str, records: Sequence[Record]) -> list[str]:
    """Return the commands that repeat the runs of a preset.

    Examples
    --------
    >>> from graphtm.experiments import experiment, reproduce
    >>> from graphtm.experiments.commands import run_commands
    >>> records = [
    ...     reproduce("sequence", quick=True, engine="cpu", first_seed=seed)[0]
    ...     for seed in (1, 0)
    ... ]
    >>> run_commands(experiment("sequence"), "paper", records)
    ['graphtm reproduce sequence --preset paper --seeds 2 --engine cpu --quick']
    """
    seeds: defaultdict[tuple[str, ...], defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for record in records:
        words = _without(shlex.split(record.command), ("--variant", "--seeds", "--first-seed"))
        seeds[tuple(words)][record.variant].add(record.seed)
    return [
        shlex.join([*words[:_BEGINNING], *_variants(experiment, preset, variants), *_seeds(experiment, first, n)])
        + "".join(f" {word}" for word in map(shlex.quote, words[_BEGINNING:]))
        for words, found in seeds.items()
        for (first, n), variants in _by_seeds(found).items()
    ]


def _by_seeds(seeds: Mapping[str, set[int]]) -> dict[tuple[int, int], list[str]]:
    """Return the variants for each row of seeds: its first seed, and how many follow each other."""
    found: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for variant, numbers in seeds.items():
        for one in _rows(sorted(numbers)):
            found[one].append(variant)
    return found


def _rows(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the count of numbers that follow each other."""
    first, n = numbers[0], 0
    for number in numbers:
        if number != first + n:
            yield first, n
            first, n = number, 0
        n += 1
    yield first, n


def _variants(experiment: Experiment, preset: str, names: Sequence[str]) -> list[str]:
    every = experiment.variants_of(preset)
    if {*names} >= {*every}:
        return []
    ordered = sorted(names, key=lambda name: every.index(name) if name in every else len(every))
    return [word for name in ordered for word in ("--variant", name)]


def _seeds(experiment: Experiment, first: int, n: int) -> list[str]:
    many = [] if n == experiment.seeds else ["--seeds", str(n)]
    return many + ([] if first == 0 else ["--first-seed", str(first)])


def _without(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return words without some options and the value of each."""
    left = []
    rest = iter(words)
    for word in rest:
        if word in options:
            next(rest)
        else:
            left.append(word)
    return left


def baseline_commands(experiment: Experiment, baselines: Sequence[Baseline]) -> list[str]:
    """Return the commands that repeat results of another system: those that differ only in names of sets become one.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> from graphtm.experiments.baselines import Baseline
    >>> from graphtm.experiments.commands import baseline_commands
    >>> told = dict(experiment="amazon", system="GCN", scores={}, seconds=[], result="", date="")
    >>> lines = [
    ...     Baseline(command=f"python gcn.py --variants 'noise {noise}' --seeds 3", **told)
    ...     for noise in (0.1, 0.2)
    ... ]
    >>> baseline_commands(experiment("amazon"), lines)
    ["python gcn.py --variants 'noise 0.1' 'noise 0.2' --seeds 3"]
    """
    names: defaultdict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    for baseline in baselines:
        before, listed, after = _cut(shlex.split(baseline.command))
        option, *values = listed or [""]
        names[option, tuple(before), tuple(after)] += values
    commands = []
    for (option, begin, end), values in names.items():
        chosen = dict.fromkeys(values)
        listed = [] if not option or {*chosen} >= {*experiment.variants} else [option, *chosen]
        commands.append(shlex.join([*begin, *listed, *end]))
    return commands


def _cut(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the words before an option that takes several names, the option with these, and the words after it."""
    begin = next((place for place, word in enumerate(words) if word in _LISTS), len(words))
    end = next((place for place, word in enumerate(words) if place > begin and word.startswith("--")), len(words))
    return list(words[:begin]), list(words[begin:end]), list(words[end:])
