"""The paper's tables and figures, and where each is on the page of results or elsewhere in the documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphtm.experiments.declaration import Experiment
from graphtm.experiments.tables import table


@dataclass(frozen=True)
class Item:
    """Tables or figures of the paper.

    Parameters
    ----------
    what
        What they show.
    experiments
        Names of the experiments that repeat them.
    text
        What else is to be said, or where they are instead.
    """

    what: str
    experiments: Sequence[str] = ()
    text: str = ""


ITEMS = (
    Item("figure: elimination", ["elimination"], "the paper's is a drawing without numbers"),
    Item(
        "tables: clauses and where they are true, BAAAE",
        ["sequence"],
        "`graphtm reproduce sequence` prints both for our clauses",
    ),
    Item("figure: from images to graphs", text="[patches](encoders-images.md#patches)"),
    Item("table: MNIST, Fashion-MNIST, CIFAR-10", ["mnist", "fashion_mnist", "cifar10"]),
    Item(
        "figure: active clauses on two images",
        text="[heat maps](pictures.md#heat-maps-of-images), from the models of `--models`",
    ),
    Item("table: superpixels", ["superpixels"]),
    Item("figure: graph of a sentence", text="a drawing"),
    Item(
        "table: sentiment polarity", ["imdb", "yelp", "mpqa"], "the GNN and the standard TM are beside it or below it"
    ),
    Item("figure: graph of actions", text="a drawing"),
    Item("table: action coreference", ["tangram"]),
    Item("figure: graph of customer, product and category", text="a drawing"),
    Item("table: ratings under noise", ["amazon"], "with the two total times of the text"),
    Item("tables: viral genomes, neural networks, clauses and classes", ["viral"]),
    Item("figure: viral genomes, samples and length", ["viral"], "times of testing are not measured"),
    Item("figure: multivalue noisy XOR", ["multivalue_xor"], "the paper gives no numbers"),
    Item(
        "appendix, figures and tables: automata, feedback, updates, hypervectors",
        text="[what a machine computes](semantics.md)",
    ),
    Item(
        "appendix, tables: clauses and where they are true, three layers",
        ["sequence3"],
        "`graphtm reproduce sequence3` prints both for our clauses",
    ),
    Item("appendix, tables: hyperparameters", text="the presets `paper` in the modules of `graphtm.experiments`"),
    Item("appendix, table: lists of films", ["movielens"]),
)
"""Tables and figures in the order of the paper."""


def items_table(experiments: Sequence[Experiment]) -> str:
    """Return the table of the paper's tables and figures, with links to the sections of these experiments.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> from graphtm.experiments.paper_items import items_table
    >>> print(items_table([experiment("superpixels")]))
    | in the paper | here |
    | --- | --- |
    ...
    | table: superpixels | [MNIST, graphs of superpixels](#mnist-graphs-of-superpixels) |
    ...
    """
    titles = {experiment.name: experiment.title for experiment in experiments}
    return table(["in the paper", "here"], [[item.what, _where(item, titles)] for item in ITEMS])


def _where(item: Item, titles: Mapping[str, str]) -> str:
    links = [f"[{titles[name]}](#{anchor(titles[name])})" for name in item.experiments if name in titles]
    return "; ".join(filter(None, ["<br>".join(links), item.text])) or "-"


def anchor(title: str) -> str:
    """Return the anchor of a heading.

    Examples
    --------
    >>> from graphtm.experiments.paper_items import anchor
    >>> anchor("Three A's in a row")
    'three-as-in-a-row'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
