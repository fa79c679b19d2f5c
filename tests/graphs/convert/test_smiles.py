"""Molecules: what atoms and bonds become, and what is refused."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.graphs.convert.smiles import from_smiles

chemistry = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed; from_smiles is tested with it")

MOLECULES = (
    "C",
    "CCO",
    "c1ccccc1O",
    "C[N+](C)(C)C",
    "[Na+].[Cl-]",
    "C#N",
    "C1CC1C2CCCC2",
    "O=C([O-])c1ccncc1",
    "*CC",
    "c1ccc2ccccc2c1",
    "N->[Fe]",
)


@given(st.lists(st.sampled_from(MOLECULES), max_size=5))
def test_graphs_say_what_the_molecules_say(smiles):
    batch = from_smiles(smiles)
    batch.validate()
    assert len(batch) == len(smiles)
    for graph, text in zip(batch, smiles, strict=True):
        molecule = chemistry.MolFromSmiles(text)
        rings = molecule.GetRingInfo()
        assert graph.n_nodes == molecule.GetNumAtoms()
        for node, atom in enumerate(molecule.GetAtoms()):
            carried = set(graph.properties(node))
            expected = {("element", atom.GetSymbol()), ("hydrogens", atom.GetTotalNumHs())}
            expected |= {("charge", atom.GetFormalCharge())} if atom.GetFormalCharge() else set()
            expected |= {"aromatic"} if atom.GetIsAromatic() else set()
            expected |= {"in ring"} if atom.IsInRing() else set()
            expected |= {("ring", size) for size in range(3, 10) if rings.IsAtomInRingOfSize(node, size)}
            assert carried == expected
        bonds = [
            (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), str(bond.GetBondType()).lower())
            for bond in molecule.GetBonds()
        ]
        assert sorted(graph.edges) == sorted(bonds + [(end, begin, name) for begin, end, name in bonds])


# Each binds to what stands before it and to what follows.
PIECES = (
    "C", "N", "O", "S", "C(=O)", "C(C)(C)", "C(F)", "C(C#N)", "C=C", "[N+](C)(C)", "[Si](C)(C)", "C([O-])",
    "c1ccc(cc1)", "c1cnc(nc1)", "c1cc2ccccc2cc1", "C1CC(CC1)", "c1cc(oc1)",
)  # fmt: skip


def molecule_of(graph):
    """The way back: the molecule that a graph describes."""
    molecule = chemistry.RWMol()
    for node in graph:
        symbols = dict(symbol for symbol in graph.properties(node) if isinstance(symbol, tuple) and symbol[0] != "ring")
        atom = chemistry.Atom(symbols["element"])
        atom.SetFormalCharge(symbols.get("charge", 0))
        atom.SetNumExplicitHs(symbols["hydrogens"])
        atom.SetNoImplicit(True)
        atom.SetIsAromatic("aromatic" in graph.properties(node))
        molecule.AddAtom(atom)
    for source, destination, name in graph.edges:
        if source < destination:
            molecule.AddBond(source, destination, chemistry.BondType.names[name.upper()])
    chemistry.SanitizeMol(molecule)
    return molecule


@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join), min_size=1, max_size=3))
def test_round_trip(smiles):
    for graph, text in zip(from_smiles(smiles), smiles, strict=True):
        assert chemistry.MolToSmiles(molecule_of(graph)) == chemistry.CanonSmiles(text)


def test_each_part_can_be_left_out():
    everything = {
        "atoms": ("element", "O"),
        "charges": ("charge", -1),
        "hydrogens": ("hydrogens", 0),
        "rings": "in ring",
        "aromatic": "aromatic",
    }
    smiles = ["[O-]c1ccccc1"]
    whole = set(from_smiles(smiles).vocabulary.symbols)
    for option, symbol in everything.items():
        left = set(from_smiles(smiles, **{option: False}).vocabulary.symbols)
        assert symbol in whole - left
        assert left < whole
        assert whole - left <= {name for name in whole if name == symbol or name[0] in (symbol[0], "ring")}
    assert list(from_smiles(smiles, bonds=False).vocabulary.edge_types) == ["plain"]
    bare = from_smiles(smiles, **dict.fromkeys([*everything, "bonds"], False))
    assert bare[0].properties(0) == ()


def test_rings_without_aromaticity_alternate():
    types = [edge.type for edge in from_smiles(["c1ccccc1"], aromatic=False)[0].edges]
    assert sorted(types) == ["double"] * 6 + ["single"] * 6


def test_sources_of_text():
    smiles = ["CO", "N"]
    batch = from_smiles(smiles)
    assert from_smiles(iter(smiles)) == batch
    assert from_smiles([]) == gtm.GraphBatch.from_graphs([])
    assert from_smiles(["C"]).pack().n_edges == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("C1CC", "SMILES 1, 'C1CC': invalid syntax. Check symbols, brackets"),
        ("CX", "SMILES 1, 'CX': invalid syntax"),
        ("c1cc1", "SMILES 1, 'c1cc1': Can't kekulize mol"),
        ("C(C)(C)(C)(C)C", ": Explicit valence for atom # 0 C, 5, .* Correct or remove it"),
        ("", "must have at least one atom; SMILES 1, '', has none"),
    ],
)
def test_unreadable_molecules_are_refused_with_their_place(text, message, capfd):
    with pytest.raises(gtm.GraphError, match=message):
        from_smiles(["CO", text])
    assert capfd.readouterr().err == ""


def test_from_smiles_refuses(monkeypatch):
    with pytest.raises(TypeError, match=r"must be a list of strings. Write \['CO'\] for one"):
        from_smiles("CO")
    with pytest.raises(TypeError, match=r"A SMILES must be a string; SMILES 1 is nan of type 'float'"):
        from_smiles(["CO", float("nan")])
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(gtm.errors.MissingLibraryError, match=r"needs the library 'rdkit.Chem', .*graphtm\[molecules\]"):
        from_smiles(["CO"])


def test_molecules_are_no_set():
    with pytest.raises(TypeError, match=r"'smiles' parameter of from_smiles must be a list, .* Got a 'set' instead"):
        from_smiles({"CO", "CN"})
