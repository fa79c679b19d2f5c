"""Molecules written as SMILES: atoms become nodes, bonds become edges both ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation.calling import require
from graphtm.foundation.names import Name, refuse_set
from graphtm.foundation.numbering import Numbering
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.vocabulary import PLAIN


def from_smiles(
    smiles: Iterable[str],
    *,
    atoms: bool = True,
    bonds: bool = True,
    rings: bool = True,
    charges: bool = True,
    hydrogens: bool = True,
    aromatic: bool = True,
) -> GraphBatch:
    """Convert molecules written as SMILES, read by RDKit.

    Every heavy atom is a node, numbered as in the text; every bond is two edges, one each way. Stereochemistry,
    isotopes and atom maps are left out: two molecules that differ only in these become equal graphs.

    Parameters
    ----------
    smiles
        The molecules, one string each.
    atoms
        Whether atoms carry their element, ``("element", "C")``.
    bonds
        Whether edges have the type of their bond: ``"single"``, ``"double"``, ``"triple"``, ``"aromatic"``, rarely
        another of RDKit's in small letters such as ``"dative"``. If not, all are ``"plain"``.
    rings
        Whether atoms carry ``"in ring"`` and, for each smallest ring they belong to, its size: ``("ring", 6)``.
    charges
        Whether atoms with a formal charge carry it: ``("charge", 1)``, ``("charge", -1)``.
    hydrogens
        Whether atoms carry the number of their hydrogens: ``("hydrogens", 0)``, ``("hydrogens", 1)``, ...
    aromatic
        Whether aromatic atoms carry ``"aromatic"`` and aromatic bonds are a type of their own. If not, such rings
        have alternating single and double bonds.

    Raises
    ------
    GraphError
        If a molecule cannot be read or has no atoms; the message has its place in the list and its text.
    MissingLibraryError
        If RDKit is not installed.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = gtm.from_smiles(["CO", "[NH4+]", "c1ccccc1"])
    >>> graphs
    GraphBatch(3 graphs, 9 nodes, 14 edges, 10 symbols, 2 edge types)
    >>> print(graphs[:2][0])
    Graph with 2 nodes and 2 edges
      0: ('element', 'C'), ('hydrogens', 3)
          single -> 1
      1: ('element', 'O'), ('hydrogens', 1)
          single -> 0
    >>> graphs[1].properties(0)
    (('element', 'N'), ('charge', 1), ('hydrogens', 4))
    >>> gtm.from_smiles(["CO", "C1CC"])
    Traceback (most recent call last):
        ...
    graphtm.errors.GraphError: A SMILES must be a molecule that RDKit can read; number 1, 'C1CC', is not: its syntax is
    wrong. Check symbols, brackets, branches and ring closures.
    """
    if isinstance(smiles, str | bytes):
        raise TypeError(f"The 'smiles' parameter of from_smiles must be a list of strings. Write [{smiles!r}] for one.")
    refuse_set(smiles, "'smiles' parameter of from_smiles")
    chemistry, base = (
        require("rdkit.Chem", "from_smiles", "molecules"),
        require("rdkit.rdBase", "from_smiles", "molecules"),
    )
    reader = _Reader(atoms, bonds, rings, charges, hydrogens, aromatic)
    # RDKit reports what it cannot read on the standard error stream; the error that is raised says it better.
    with base.BlockLogs():
        for number, text in enumerate(smiles):
            molecule = _molecule(chemistry, text, number)
            if not aromatic:
                chemistry.Kekulize(molecule, clearAromaticFlags=True)
            reader.read(molecule)
    return reader.batch()


def _molecule(chemistry: Any, text: object, number: int) -> Any:
    """Return RDKit's molecule, or say what is wrong with the text."""
    if not isinstance(text, str):
        raise TypeError(f"A SMILES must be a string; number {number} is {text!r} of type {type(text).__name__!r}.")
    molecule = chemistry.MolFromSmiles(text)
    if molecule is not None and molecule.GetNumAtoms():
        return molecule
    if molecule is not None:
        raise GraphError(
            f"A SMILES must have an atom, since a graph must have a node; number {number}, {text!r}, has none."
        )
    unchecked = chemistry.MolFromSmiles(text, sanitize=False)
    problems = (
        [] if unchecked is None else [problem.Message() for problem in chemistry.DetectChemistryProblems(unchecked)]
    )
    reason = f"{problems[0].rstrip('.')}." if problems else "its syntax is wrong."
    advice = "Correct or drop it." if problems else "Check symbols, brackets, branches and ring closures."
    raise GraphError(
        f"A SMILES must be a molecule that RDKit can read; number {number}, {text!r}, is not: {reason} {advice}"
    )


class _Reader:
    """Gathers atoms and bonds of many molecules; equal atoms share one list of symbols."""

    def __init__(self, atoms: bool, bonds: bool, rings: bool, charges: bool, hydrogens: bool, aromatic: bool) -> None:
        self._elements, self._bonds, self._rings = atoms, bonds, rings
        self._charges, self._hydrogens, self._aromatic = charges, hydrogens, aromatic
        self._symbols, self._types = Numbering(), Numbering()
        self._kinds: dict[tuple[Any, ...], int] = {}
        self._carried: list[list[int]] = []
        self._atoms: list[int] = []
        self._ends: list[tuple[int, int, int]] = []
        self._node_counts: list[int] = []
        self._edge_counts: list[int] = []

    def read(self, molecule: Any) -> None:
        """Add a molecule."""
        sizes: dict[int, list[int]] = {}
        for ring in molecule.GetRingInfo().AtomRings() if self._rings else ():
            for atom in ring:
                sizes.setdefault(atom, []).append(len(ring))
        for place, atom in enumerate(molecule.GetAtoms()):
            rings = tuple(sorted(set(sizes.get(place, ()))))
            self._atoms.append(
                self._kind(atom.GetSymbol(), atom.GetFormalCharge(), atom.GetTotalNumHs(), atom.GetIsAromatic(), rings)
            )
        for bond in molecule.GetBonds():
            number = self._types(bond.GetBondType().name.lower() if self._bonds else PLAIN)
            self._ends.append((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), number))
        self._node_counts.append(molecule.GetNumAtoms())
        self._edge_counts.append(molecule.GetNumBonds())

    def _kind(self, element: str, charge: int, hydrogens: int, aromatic: bool, rings: tuple[int, ...]) -> int:
        """Return the number of a kind of atom."""
        key = element, charge, hydrogens, aromatic, rings
        if key not in self._kinds:
            symbols: list[Name] = [("element", element)] if self._elements else []
            symbols += [("charge", charge)] if self._charges and charge else []
            symbols += [("hydrogens", hydrogens)] if self._hydrogens else []
            symbols += ["aromatic"] if self._aromatic and aromatic else []
            symbols += ["in ring", *(("ring", size) for size in rings)] if rings else []
            self._kinds[key] = len(self._carried)
            self._carried.append([self._symbols(symbol) for symbol in symbols])
        return self._kinds[key]

    def batch(self) -> GraphBatch:
        """Return all molecules."""
        lengths = np.array([len(symbols) for symbols in self._carried], np.int64)
        flat = np.array([symbol for symbols in self._carried for symbol in symbols], np.int64)
        starts = np.cumsum(lengths) - lengths
        kinds = np.array(self._atoms, np.int64)
        nodes = np.repeat(np.arange(len(kinds)), lengths[kinds])
        within = np.arange(len(nodes)) - np.repeat(np.cumsum(lengths[kinds]) - lengths[kinds], lengths[kinds])
        begin, end, types = np.array(self._ends, np.int64).reshape(-1, 3).T
        # Both ways of a bond side by side keep the edges listed molecule by molecule.
        edges = np.stack([begin, end], 1).reshape(-1), np.stack([end, begin], 1).reshape(-1), np.repeat(types, 2)
        found = list(self._symbols.names())
        order = sorted(range(len(found)), key=lambda symbol: _rank(found[symbol]))
        return GraphBatch.from_arrays(
            self._node_counts,
            (nodes, np.argsort(order)[flat[np.repeat(starts[kinds], lengths[kinds]) + within]]),
            [found[symbol] for symbol in order],
            edges,
            self._types.names(),
            2 * np.array(self._edge_counts, np.int64),
        )


def _rank(symbol: Name) -> tuple[int, str, int]:
    """Return a symbol's place in the vocabulary: what an atom is, then what is around it."""
    kind, value = symbol if isinstance(symbol, tuple) else (symbol, "")
    place = ("element", "charge", "hydrogens", "aromatic", "in ring", "ring").index(kind)
    return (place, value, 0) if isinstance(value, str) else (place, "", value)
