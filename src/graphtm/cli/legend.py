"""How to read rules: their signs and numbers, each explained by an example from the rules themselves."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any

from graphtm.cli.model_files import Loaded
from graphtm.encoders import Neighbourhoods, Tokens, WholeGraph
from graphtm.explain import Rule, RuleSet
from graphtm.explain.literals import Literal, Message
from graphtm.foundation.display import bare, count
from graphtm.foundation.type_names import article

_NAMES_PAGE = "docs/encoders-graphs.md"
_PLAIN_NAME = r"[^:()&\\]+"
_COUNTED = re.compile(rf"({_PLAIN_NAME}): (<-|->|-)(?:({_PLAIN_NAME}):)?({_PLAIN_NAME})>=([0-9]+)")
"""A count of neighbours, in names that need no further explanation."""
_ENDS = {"<-": "from which {edge} comes", "->": "to which {edge} goes", "-": "joined by {edge} in both directions"}


def legend(loaded: Loaded, found: RuleSet, *, unrolled: bool) -> Iterator[str]:
    """Yield the lines of a legend of rules.

    Parameters
    ----------
    loaded
        The model.
    found
        The rules that are shown.
    unrolled
        Whether messages are written out.
    """
    is_sum = found.scale is not None
    if is_sum:
        yield "A rule adds its number to the prediction if its conditions hold."
    else:
        noun = f"{article(loaded.noun)} {loaded.noun}"
        yield f"A rule votes if its conditions hold. A vote above 0 is for {noun}, one below 0 against it."
    merged = next((rule for rule in found if rule.equal), None)
    if merged is not None:
        name = f"C{merged.clause} (and {len(merged.equal):,} equal)"
        clauses = count(len(merged.equal) + 1, "clause")
        numbers = "the number is the sum of theirs" if is_sum else "votes are the sums of theirs"
        yield f'"{name}": {clauses} with the same conditions; {numbers}.'
    if any(rule.max_misses for rule in found):
        verb = "adds it" if is_sum else "votes"
        yield f'"at least 4 of: ..." {verb} if four of the conditions hold, and once more for each further one.'
    shown = [*found] if unrolled else [*found, *found.used()]
    yield from _about_symbols(loaded, [owner for rule in shown for owner in _owners(rule)])
    if not unrolled:
        yield from _about_messages(found)


def _owners(rule: Rule) -> Iterator[Hashable]:
    """Yield the symbols of a rule."""
    for literal in rule.layers[0]:
        yield from literal.owners[:1]


def _about_symbols(loaded: Loaded, symbols: list[Any]) -> Iterator[str]:
    """Yield what facts about graphs and names of neighbourhoods mean, if there are any among symbols."""
    encoders = [step for _, step in getattr(loaded.model, "steps", [])[:-1]]
    kinds = set(map(type, encoders))
    if WholeGraph in kinds:
        facts = [one for one in symbols if isinstance(one, tuple) and len(one) == 3 and one[1] == ">="]
        symbols = [one[0] for one in facts]
        part, whole = ("word", "text") if Tokens in kinds else ("node", "graph")
        # A number above 1 is not taken for a part of the name.
        for symbol, _, least in sorted(facts, key=lambda one: one[2] < 2)[:1]:
            verb = "carries" if least == 1 else "carry"
            nodes = count(least, part)
            yield f'"{bare((symbol, ">=", least))}": at least {nodes} of the {whole} {verb} {bare(symbol)}.'
    looks = next((step for step in encoders if isinstance(step, Neighbourhoods)), None)
    if looks is None:
        return
    made = set(list(looks.vocabulary_.symbols)[len(looks._known) :])
    named = [one for one in symbols if one in made]
    counted = next(filter(None, map(_COUNTED.fullmatch, named)), None)
    if counted is not None:
        node, arrow, kind, other, least = counted.groups()
        edge = "an edge" if kind is None else f"an edge of type {kind}"
        neighbours = count(int(least), f"neighbour {other}") if least == "1" else f"{least} neighbours {other}"
        ends = _ENDS[arrow].format(edge=edge)
        yield f'"{counted[0]}": a node {node} with at least {neighbours}, {ends}. More on such names: {_NAMES_PAGE}'
    elif named:
        yield f'"{bare(named[0])}": what a node looks like with its neighbours; see {_NAMES_PAGE}'


def _about_messages(found: RuleSet) -> Iterator[str]:
    """Yield what a message means, with one of those in the rules."""
    literals = [literal for rule in found for layer in rule.layers[1:] for literal in layer]
    messages = [(one.layer, owner) for one in literals for owner in one.owners[:1] if isinstance(owner, Message)]
    for layer, message in sorted(messages, key=lambda one: one[0])[:1]:
        text = Literal(layer, False, (message,)).text()
        yield (
            f'"{text}": an edge of type {bare(message.edge_type)} comes from a node where C{message.clause} holds, as '
            "far as the layer below. --unroll writes this out."
        )
