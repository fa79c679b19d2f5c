"""Numbers as names: cuts that divide them into bins, and the symbols and edge types that say which cuts are reached.

With the cuts 0.5, 1 and 2, a node with the charge 0.7 has the symbol ``("charge", ">=", "0.5")``, printed
``charge>=0.5``: one symbol for each cut that it reaches. An edge has one type, so its type is the bin:
``("length", "in", "[0.5, 1)")``. The cuts can be read from the names, so a batch, a graph file and a model keep them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, quantile_cuts
from graphtm.foundation.names import Name, is_missing, number_name, shorten
from graphtm.foundation.parameters import is_integer, is_number, nearest
from graphtm.graphs.other_values import Values
from graphtm.graphs.vocabulary import Vocabulary

DEGREE = "degree"
"""The first part of the names of degree symbols."""

Owner = Literal["node", "edge"]
_INTERVAL = re.compile(r"< (?P<below>\S+)|\[(?P<low>\S+), (?P<high>\S+)\)|>= (?P<least>\S+)")


@dataclass(frozen=True)
class Cuts:
    """The cuts of an attribute.

    Parameters
    ----------
    name
        Name of the attribute.
    values
        The cuts, ascending.
    """

    name: Name
    values: NDArray[np.float64]

    def symbols(self) -> list[Name]:
        """Return the symbols of nodes, one per cut."""
        return [(self.name, ">=", number_name(cut)) for cut in self.values.tolist()]

    def intervals(self) -> list[Name]:
        """Return the types of edges, one per bin."""
        texts = [str(number_name(cut)) for cut in self.values.tolist()]
        if not texts:
            return [(self.name, "in", "any")]
        between = [f"[{low}, {high})" for low, high in pairwise(texts)]
        return [(self.name, "in", text) for text in (f"< {texts[0]}", *between, f">= {texts[-1]}")]

    def bins(self, numbers: NDArray[np.float64]) -> Int64Array:
        """Return the number of cuts that each number reaches, or -1 if it is missing."""
        return np.where(np.isnan(numbers), -1, np.searchsorted(self.values, numbers, side="right"))

    def pairs(self, numbers: NDArray[np.float64]) -> tuple[Int64Array, Int64Array]:
        """Return the rows of numbers, and the indices of the cuts that they reach."""
        counts = np.maximum(self.bins(numbers), 0)
        ends = np.cumsum(counts)
        return np.repeat(np.arange(len(counts)), counts), np.arange(counts.sum()) - np.repeat(ends - counts, counts)


@dataclass(frozen=True)
class Numbers:
    """The values of an attribute, all of which are numbers or missing (NaN); ``real`` if some are floats."""

    values: NDArray[np.float64]
    real: bool

    @classmethod
    def read(cls, values: Iterable[object]) -> Numbers | None:
        """Return values as numbers, or None if one is neither a number nor missing."""
        found, real = [], False
        for value in values:
            if is_missing(value):
                found.append(np.nan)
            elif is_number(value):
                real = real or isinstance(value, float | np.floating)
                found.append(float(value))
            else:
                return None
        return cls(np.array(found, np.float64), real)


class Binning:
    """The parameter ``bins`` of a converter.

    Parameters
    ----------
    bins
        A number of bins; a mapping from attributes to numbers of bins or to cuts; a training batch, its vocabulary, or
        a pipeline, encoder or estimator fitted to it; or None.
    function
        Name of the converter, for error messages.

    Raises
    ------
    TypeError, ValueError
        If it is none of these.
    """

    def __init__(self, bins: Any, function: str) -> None:
        self._function = function
        # The attributes that are used, in order of appearance.
        self._asked: dict[Owner, dict[Name, None]] = {"node": {}, "edge": {}}
        self._number: int | None = None
        self._given: dict[Owner, dict[Name, Any]] = {"node": {}, "edge": {}}
        vocabulary = _training_vocabulary(bins)
        self._named, self._trained = isinstance(bins, Mapping), vocabulary is not None
        if vocabulary is not None:
            self._given = {"node": node_cuts(vocabulary), "edge": edge_cuts(vocabulary)}
        elif self._named:
            found = {name: self._checked(value, f" for {name!r}") for name, value in bins.items()}
            self._given = {"node": found, "edge": found}
        elif bins is not None:
            if not is_integer(bins):
                self._refuse(bins, "")
            self._number = self._checked(bins, "")

    def _checked(self, value: Any, of: str) -> Any:
        """Return a number of bins, or cuts as an array."""
        if is_integer(value):
            if value < 2:
                self._refuse(value, of)
            return int(value)
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            self._refuse(value, of)
        cuts = list(value)
        if not cuts or not all(is_number(cut) and np.isfinite(cut) for cut in cuts) or np.any(np.diff(cuts) <= 0):
            self._refuse(value, of)
        return np.array(cuts, np.float64)

    def _refuse(self, value: Any, of: str) -> None:
        raise ValueError(
            f"The 'bins' parameter of {self._function} must be a number of bins of at least 2, a mapping from "
            "attributes to numbers of bins or to lists of ascending cuts, a training batch, its vocabulary, a fitted "
            f"pipeline, encoder or estimator of graphtm, or None. Got {value!r:.60}{of} instead."
        )

    @property
    def is_none(self) -> bool:
        """Whether nothing is divided into bins."""
        return self._number is None and not self._named and not self._trained

    @property
    def counts(self) -> bool:
        """Whether a number of bins is given, for all attributes or for some, so that cuts are quantiles."""
        return self._number is not None or any(isinstance(given, int) for given in self._given["node"].values())

    def asks(self, name: Name, owner: Owner) -> bool:
        """Return whether an attribute must be divided into bins, so that all its values must be numbers."""
        return name in self._given[owner]

    def divides(self, what: str, name: Name) -> bool:
        """Return whether an attribute of ``"nodes"`` or ``"edges"`` must be divided into bins."""
        return any(what == f"{owner}s" and name in given for owner, given in self._given.items())

    def cuts(
        self, name: Name, owner: Owner, numbers: Numbers | None, values: Callable[[], Values | None] = lambda: None
    ) -> Cuts | None:
        """Return the cuts of an attribute, or None if it is not divided into bins.

        With a number of bins for all attributes, those with floats are divided. Integers stay names, unless the
        attribute is named, since they are often codes.

        Parameters
        ----------
        name, owner
            The attribute, and whether nodes or edges have it.
        numbers
            Its values, or None if not all of them are numbers.
        values
            Returns its values, if they are not all numbers.

        Raises
        ------
        GraphError
            If the attribute is to be divided, but has other values than numbers, or infinite ones; or if it has floats
            and the training batch has no cuts for it.
        """
        self._asked[owner][name] = None
        asked = self.asks(name, owner)
        if self._trained and not asked and numbers is not None and numbers.real:
            if not np.isnan(numbers.values).all():
                raise GraphError(
                    f"Floats must be divided into the bins of the training batch; it has no cuts for the {owner} "
                    f"attribute {name!r}, whose values were all missing or no floats there. Ignore the attribute, or "
                    "convert whole numbers to integers. Of a pipeline, pass the whole: bins=pipeline."
                )
            return Cuts(name, np.zeros(0))
        if not asked and self._number is not None and numbers is None:
            self._refuse_mistakes(name, owner, values())
        if not asked and (self._number is None or numbers is None or not numbers.real):
            return None
        if numbers is None:
            found = values()
            others = "other values" if found is None else found.others()
            if others is None:
                others, advice = "text", "Convert it to numbers first."
            else:
                advice = "Remove it from bins." if self._named else "In the training batch it has numbers."
            raise GraphError(
                f"Only numbers can be divided into bins; the {owner} attribute {name!r} has {others}. {advice}"
            )
        given: Any = self._given[owner][name] if asked else self._number
        if isinstance(given, np.ndarray):
            return Cuts(name, given)
        present = numbers.values[~np.isnan(numbers.values)]
        if not np.isfinite(present).all():
            raise GraphError(
                f"Numbers must be finite to be divided into bins; the {owner} attribute {name!r} has infinite ones."
            )
        return Cuts(name, quantile_cuts(present, given))

    def _refuse_mistakes(self, name: Name, owner: Owner, values: Values | None) -> None:
        """Refuse numbers with a few other values, which would all become names."""
        others = values.others() if values is not None and values.look_like_numbers() else None
        if others is not None:
            raise GraphError(
                f"All values of an attribute must be numbers to divide it into bins; the {owner} attribute {name!r} "
                f"has {others}. Correct what is wrong or leave it empty; or name the attributes to divide if these "
                "values are names, as in bins={'charge': 4}."
            )

    def refuse_unknown(self) -> None:
        """Refuse cuts of attributes that do not exist, or are not used; to be called at the end."""
        asked = {**self._asked["node"], **self._asked["edge"]}
        strange = [name for name in self._given["node"] if self._named and name not in asked]
        if strange:
            raise ValueError(
                f"The 'bins' parameter of {self._function} must have names of attributes that are used: "
                f"{shorten(list(asked), 20) or 'there are none'}. Got {shorten(strange)} instead."
            )

    def unused(self, owner: Owner) -> list[Name]:
        """Return the attributes of nodes or edges that are divided in the training batch but not used so far."""
        given = self._given[owner].items() if self._trained else ()
        return [name for name, cuts in given if name not in self._asked[owner] and not _are_degrees(name, cuts)]

    def refuse_unused(self, owner: Owner, names: Iterable[Name]) -> None:
        """Refuse that attributes of the training batch are not used, probably since they have other names here."""
        lost = list(names)
        if not lost:
            return
        used = list(self._asked[owner])
        hint = nearest(str(lost[0]), [name for name in used if isinstance(name, str)])
        raise GraphError(
            f"Attributes with cuts in the training batch must be there in later graphs; it has cuts for {lost[0]!r}, "
            f"but the {owner}s have no such attribute{f', only {shorten(used, 10)}' if used else ''}."
            f"{hint} Name it as in the training batch, or add it with missing "
            "values. Of a pipeline, pass the whole: bins=pipeline."
        )


def _training_vocabulary(bins: Any) -> Vocabulary | None:
    """Return the vocabulary of training graphs; None if ``bins`` is neither such graphs nor fitted to them.

    Pipelines, encoders and estimators are known by their attributes, since this room cannot import them.
    """
    while isinstance(steps := getattr(bins, "steps", None), list) and steps:
        bins = steps[0][1]  # of a pipeline: the first step gets the graphs themselves
    held = [(bins, "_input_vocabulary"), (bins, "vocabulary_"), (getattr(bins, "model_", bins), "vocabulary")]
    found = [bins, *(getattr(holder, attribute, None) for holder, attribute in held)]
    return next((vocabulary for vocabulary in found if isinstance(vocabulary, Vocabulary)), None)


def _are_degrees(name: Name, cuts: NDArray[np.float64]) -> bool:
    """Whether cuts are those of ``GraphBatch.with_degrees``, which no attribute has."""
    return name == DEGREE and np.array_equal(cuts, np.arange(1, len(cuts) + 1))


def node_cuts(vocabulary: Vocabulary) -> dict[Name, NDArray[np.float64]]:
    """Return the cuts in the symbols of a vocabulary, by attribute.

    Examples
    --------
    >>> node_cuts(Vocabulary(["C", ("charge", ">=", "0.5"), ("charge", ">=", 2)]))
    {'charge': array([0.5, 2. ])}
    """
    found: dict[Name, set[float]] = {}
    for symbol in vocabulary.symbols:
        if isinstance(symbol, tuple) and len(symbol) == 3 and symbol[1] == ">=":
            cut = _number(symbol[2])
            if cut is not None:
                found.setdefault(symbol[0], set()).add(cut)
    return {name: np.array(sorted(cuts)) for name, cuts in found.items()}


def edge_cuts(vocabulary: Vocabulary) -> dict[Name, NDArray[np.float64]]:
    """Return the cuts in the edge types of a vocabulary, by attribute."""
    found: dict[Name, set[float]] = {}
    waiting: list[Name] = list(vocabulary.edge_types)
    while waiting:
        part = waiting.pop()
        if not isinstance(part, tuple):
            continue
        if len(part) == 3 and part[1] == "in" and isinstance(part[2], str):
            match = _INTERVAL.fullmatch(part[2])
            ends = [] if match is None else [_number(text) for text in match.groups() if text is not None]
            if part[2] == "any" or (ends and None not in ends):
                found.setdefault(part[0], set()).update(end for end in ends if end is not None)
        else:
            waiting += part
    return {name: np.array(sorted(cuts)) for name, cuts in found.items()}


def _number(text: object) -> float | None:
    if isinstance(text, bool) or not isinstance(text, int | str):
        return None
    try:
        number = float(text)
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def missing_name(name: Name) -> Name:
    """Return the symbol, or the part of an edge type, for a missing value of an attribute."""
    return (name, "is", "missing")
