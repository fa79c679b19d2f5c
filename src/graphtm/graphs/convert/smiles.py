"""Graphs of molecules from SMILES."""

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
    """Convert SMILES to a batch of molecules, using RDKit.

    Heavy atoms become nodes, in the order of the SMILES; a bond becomes two edges, one in each direction.
    Stereochemistry, isotopes and atom maps are ignored.

    Parameters
    ----------
    smiles
        List of SMILES strings, one per molecule.
    atoms
        Whether to add the element as a symbol, such as ``("element", "C")``.
    bonds
        Whether to use the bond type as edge type: ``"single"``, ``"double"``, ``"triple"``, ``"aromatic"``, or
        another bond type of RDKit in lower case, such as ``"dative"``. If not, all edges are ``"plain"``.
    rings
        Whether to add ``"in ring"`` and the sizes of the smallest rings of the atom, such as ``("ring", 6)``.
    charges
        Whether to add a nonzero formal charge, such as ``("charge", -1)``.
    hydrogens
        Whether to add the number of hydrogens, such as ``("hydrogens", 0)``.
    aromatic
        Whether to add ``"aromatic"`` to aromatic atoms and to use aromatic bonds. If not, aromatic rings have
        alternating single and double bonds.

    Raises
    ------
    GraphError
        If a SMILES cannot be read or has no atoms. The message has its index and text.
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
      0: element=C, hydrogens=3
          single -> 1
      1: element=O, hydrogens=1
          single -> 0
    >>> graphs[1].properties(0)
    (('element', 'N'), ('charge', 1), ('hydrogens', 4))
    >>> gtm.from_smiles(["CO", "C1CC"])
    Traceback (most recent call last):
        ...
    graphtm.errors.GraphError: RDKit cannot read SMILES 1, 'C1CC': invalid syntax. Check symbols, brackets, branches
    and ring closures.
    """
    if isinstance(smiles, str | bytes):
        raise TypeError(f"The 'smiles' parameter of from_smiles must be a list of strings. Write [{smiles!r}] for one.")
    refuse_set(smiles, "'smiles' parameter of from_smiles")
    chemistry, base = (
        require("rdkit.Chem", "from_smiles", "molecules"),
        require("rdkit.rdBase", "from_smiles", "molecules"),
    )
    reader = _Reader(atoms, bonds, rings, charges, hydrogens, aromatic)
    # RDKit also logs its errors to stderr.
    with base.BlockLogs():
        for number, text in enumerate(smiles):
            molecule = _molecule(chemistry, text, number)
            if not aromatic:
                chemistry.Kekulize(molecule, clearAromaticFlags=True)
            reader.read(molecule)
    return reader.batch()


def _molecule(chemistry: Any, text: object, number: int) -> Any:
    """Return the RDKit molecule of a SMILES."""
    if not isinstance(text, str):
        raise TypeError(f"A SMILES must be a string; SMILES {number} is {text!r} of type {type(text).__name__!r}.")
    molecule = chemistry.MolFromSmiles(text)
    if molecule is not None and molecule.GetNumAtoms():
        return molecule
    if molecule is not None:
        raise GraphError(f"A molecule must have at least one atom; SMILES {number}, {text!r}, has none.")
    unchecked = chemistry.MolFromSmiles(text, sanitize=False)
    problems = (
        [] if unchecked is None else [problem.Message() for problem in chemistry.DetectChemistryProblems(unchecked)]
    )
    reason = f"{problems[0].rstrip('.')}." if problems else "invalid syntax."
    advice = "Correct or remove it." if problems else "Check symbols, brackets, branches and ring closures."
    raise GraphError(f"RDKit cannot read SMILES {number}, {text!r}: {reason} {advice}")


class _Reader:
    """Collects atoms and bonds of molecules; atoms of the same kind share one list of symbols."""

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
        """Return the index of a kind of atom."""
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
        # Both directions of a bond are adjacent, so that edges stay ordered by molecule.
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
    """Return the sort key of a symbol in the vocabulary."""
    kind, value = symbol if isinstance(symbol, tuple) else (symbol, "")
    place = ("element", "charge", "hydrogens", "aromatic", "in ring", "ring").index(kind)
    return (place, value, 0) if isinstance(value, str) else (place, "", value)
