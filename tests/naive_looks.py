"""Looks and parts of nodes by loops, from the documentation of ``Neighbourhoods``; imports nothing from the package."""

import re
from collections import Counter

BONDS = {"plain": "-", "single": "-", "double": "=", "triple": "#", "aromatic": "~"}
LEVELS = (1, 2, 3, 4, 6, 8)


def text(name):
    """Return a symbol or type as text."""
    if isinstance(name, str):
        escaped = re.sub(r"""([\\()\[\]{},:|=<>&*#~'+!-]|^ | \Z)""", r"\\\1", name)
        return f"'{escaped}'" if name.isdigit() or name in ("", "True", "False", "None") else escaped
    if not isinstance(name, tuple):
        return str(name)
    if comparison(name):
        return f"[{comparison(name)}]"
    if len(name) == 3 and name[1:] == ("is", "missing"):
        return f"[{text(name[0])} is missing]"
    if len(name) == 3 and name[1] == "in" and isinstance(name[2], str):
        interval = re.sub(r"[-+.\w]+", "0", name[2])
        if interval in ("[0, 0)", "< 0", ">= 0") or name[2] == "any":
            return f"[{text(name[0])} {name[2]}]" if name[2][0] in "<>" else f"[{text(name[0])} in {name[2]}]"
    return f"[{text(name[0])},]" if len(name) == 1 else f"[{','.join(map(text, name))}]"


def comparison(name):
    """Return a tuple as text without its brackets, or None."""
    if len(name) == 2 and sum(isinstance(part, tuple) for part in name) < 2:
        return f"{text(name[0])}={value(name[1])}"
    if len(name) == 3 and name[1] in (">=", "<=", ">", "<", "!="):
        return f"{text(name[0])}{name[1]}{value(name[2])}"
    return None


def value(name):
    is_float = isinstance(name, str) and re.fullmatch(r"-?\d+\.\d+|-?\d+(\.\d+)?e[+-]\d+", name)
    return name if is_float else text(name)


def member(name):
    """Return a symbol as text among others in braces."""
    return (comparison(name) if isinstance(name, tuple) else None) or text(name)


def cut_of(symbol):
    """Return the attribute, as text, and the number of a symbol such as ``("charge", ">=", "0.5")``, or None."""
    if isinstance(symbol, tuple) and len(symbol) == 3 and symbol[1] == ">=" and type(symbol[2]) in (int, str):
        try:
            return repr(symbol[0]), float(symbol[2])
        except ValueError:
            return None
    return None


class NaiveLooks:
    """All looks and parts of every node of graphs, by name.

    A graph is ``(nodes, edges)``: a list of ``(type, symbols)`` and a list of ``(source, destination, type)``.
    """

    def __init__(self, graphs, hops):
        self.hops = hops
        symbols = [symbol for nodes, _ in graphs for _, own in nodes for symbol in own]
        self.by_degree = not symbols and all(kind is None for nodes, _ in graphs for kind, _ in nodes)
        heads = {symbol[0] if isinstance(symbol, tuple) and len(symbol) == 2 else None for symbol in symbols}
        self.headless = len(heads) == 1 and None not in heads
        self.cuts = {cut_of(symbol) for symbol in symbols} - {None}
        self.edge_types = {kind for _, edges in graphs for _, _, kind in edges}

    def edge(self, kind, direction):
        line = BONDS.get(kind)
        if line is None or (kind == "single" and "plain" in self.edge_types):
            line, label = "-", f"{text(kind)}:" if isinstance(kind, str | tuple) else f"[{text(kind)}]:"
        else:
            label = ""
        return {"both": line, "out": f"{line}>", "in": f"<{line}"}[direction] + label

    def neighbours(self, node, edges):
        """Return pairs of the text of an edge and a neighbour; an edge and its reverse are one."""
        out = Counter((target, kind) for source, target, kind in edges if source == node)
        into = Counter((source, kind) for source, target, kind in edges if target == node)
        both = out & into
        found = []
        for direction, ends in (("both", both), ("out", out - both), ("in", into - both)):
            found += [(self.edge(kind, direction), other) for other, kind in ends.elements()]
        return found

    def own(self, node, graph):
        nodes, edges = graph
        kind, symbols = nodes[node]
        if self.by_degree:
            return f"deg{len(self.neighbours(node, edges))}"
        symbols = [symbol[1] for symbol in symbols] if self.headless else list(symbols)
        shown = [(symbol, mark) for symbol in symbols if (mark := self.mark(symbol, symbols)) is not None]
        words = "{" + ",".join(sorted(member(symbol) + mark for symbol, mark in shown)) + "}"
        if len(shown) == 1:
            words = f"[{words[1:-1]}]" if isinstance(shown[0][0], tuple) and comparison(shown[0][0]) else words[1:-1]
        if kind is None:
            return words
        return f"{text(kind)}|{words}" if symbols else text(kind)

    def mark(self, symbol, symbols):
        """Return what is written after a symbol of a node; None if it is a cut that a higher one stands for."""
        cut = cut_of(symbol)
        if cut is None or cut not in self.cuts:
            return ""
        attribute, number = cut
        own = {cut_of(other)[1] for other in symbols if (cut_of(other) or [None])[0] == attribute}
        if own != {other for name, other in self.cuts if name == attribute and other <= max(own)}:
            return "!"
        return "" if number == max(own) else None

    def look(self, node, graph, hops):
        if not hops:
            return self.own(node, graph)
        seen = Counter(edge + self.look(other, graph, hops - 1) for edge, other in self.neighbours(node, graph[1]))
        inside = [f"{name}*{n}" if n >= 3 else ",".join([name] * n) for name, n in sorted(seen.items())]
        return f"{self.own(node, graph)}({','.join(inside)})"

    def names(self, node, graph, parts):
        """Return all names of a node, without its own symbols."""
        edges = graph[1]
        around = self.neighbours(node, edges)
        own, kinds = self.own(node, graph), Counter(edge + self.own(other, graph) for edge, other in around)
        names = {self.look(node, graph, hop) for hop in range(1, self.hops + 1) if hop == 1 or around}
        if self.by_degree or graph[0][node][0] is not None or len(graph[0][node][1]) != 1:
            names.add(own)
        if "counts" in parts:
            names |= {f"{own}: {kind}>={k}" for kind, n in kinds.items() for k in LEVELS if n >= k}
        if "pairs" in parts:
            names |= {f"{own}: {one} & {other}" for one in kinds for other in kinds if one < other}
        for edge, other in around:
            beyond = self.neighbours(other, edges)
            if "degrees" in parts:
                names.add(f"{own}: {edge}{self.own(other, graph)} of degree {len(beyond)}")
            if "paths" in parts:
                names |= {
                    f"{own}{edge}{self.own(other, graph)}{onward}{self.own(last, graph)}"
                    for onward, last in beyond
                    if last != node
                }
        return names

    def between(self, node, other, edge, edges):
        """Return the edges that make a neighbour, given the text of its edge."""
        found = set()
        for start, end, there in ((node, other, ("both", "out")), (other, node, ("both", "in"))):
            found |= {one for one in edges if one[:2] == (start, end) and edge in [self.edge(one[2], d) for d in there]}
        return found

    def edges(self, node, graph, parts):
        """Return the distinct edges that each name of a node is about."""
        edges = graph[1]
        around = [(edge, other, self.between(node, other, edge, edges)) for edge, other in self.neighbours(node, edges)]
        own, found = self.own(node, graph), {}
        near, reached = {node}, set()
        if self.by_degree:
            found[own] = {edge for edge in edges if node in edge[:2]}
        for hop in range(1, self.hops + 1):
            reached |= {edge for edge in edges if near & set(edge[:2])}
            near |= {end for edge in reached for end in edge[:2]}
            found[self.look(node, graph, hop)] = set(reached)
        ends = {}
        for edge, other, crossed in around:
            ends.setdefault(edge + self.own(other, graph), set()).update(crossed)
            beyond = self.neighbours(other, edges)
            if "degrees" in parts:
                name = f"{own}: {edge}{self.own(other, graph)} of degree {len(beyond)}"
                found.setdefault(name, set()).update(crossed)
            for onward, last in beyond:
                if "paths" in parts and last != node:
                    name = f"{own}{edge}{self.own(other, graph)}{onward}{self.own(last, graph)}"
                    found.setdefault(name, set()).update(crossed, self.between(other, last, onward, edges))
        if "counts" in parts:
            found |= {f"{own}: {kind}>={k}": crossed for kind, crossed in ends.items() for k in LEVELS}
        if "pairs" in parts:
            found |= {f"{own}: {one} & {other}": ends[one] | ends[other] for one in ends for other in ends}
        return found
