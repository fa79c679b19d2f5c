"""Rows of tangram pieces: what actions do to them, and what there is to say about an action."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from graphtm.datasets.scone import SconeRow

World: TypeAlias = tuple[str, ...]
SWAP, REMOVE, ADD = "swap", "remove", "add"
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


def parse(world: str) -> World:
    """Return the pieces of a world from left to right.

    Examples
    --------
    >>> from graphtm.experiments.tangram_actions import parse
    >>> parse("1:2 2:1 3:4")
    ('2', '1', '4')
    """
    return tuple(part.partition(":")[2] for part in world.split())


@dataclass(frozen=True)
class Task:
    """Utterances, and the worlds before, between and after them."""

    utterances: tuple[str, ...]
    worlds: tuple[World, ...]

    @classmethod
    def of(cls, row: SconeRow, last: str, n: int) -> Task:
        """Return the first utterances of a row, given its final world."""
        worlds = [parse(world) for world in (*row["worlds"], last)]
        return cls(row["utterances"][:n], tuple(worlds[: n + 1]))


@dataclass(frozen=True)
class Action:
    """An action: two places whose pieces are swapped, or the place where a piece is removed or added."""

    kind: str
    places: tuple[int, ...]
    pieces: frozenset[str]

    def do(self, world: World) -> World:
        """Return the world after the action.

        Examples
        --------
        >>> from graphtm.experiments.tangram_actions import Action
        >>> Action("swap", (0, 2), frozenset("ac")).do(("a", "b", "c"))
        ('c', 'b', 'a')
        """
        changed = list(world)
        if self.kind == SWAP:
            i, j = self.places
            changed[i], changed[j] = changed[j], changed[i]
        elif self.kind == REMOVE:
            del changed[self.places[0]]
        else:
            changed[self.places[0] : self.places[0]] = self.pieces
        return tuple(changed)


@dataclass(frozen=True)
class Story:
    """What has happened: worlds, the last of which is now, and the actions between them."""

    worlds: tuple[World, ...]
    actions: tuple[Action, ...] = ()

    @property
    def world(self) -> World:
        """The world now."""
        return self.worlds[-1]

    def then(self, action: Action) -> Story:
        """Return the story with one more action."""
        return Story((*self.worlds, action.do(self.world)), (*self.actions, action))

    def candidates(self) -> list[Action]:
        """Return all actions that are possible now: at most fifteen.

        Examples
        --------
        >>> from graphtm.experiments.tangram_actions import Story
        >>> len(Story((tuple("01234"),)).candidates())
        15
        """
        world = self.world
        away = sorted(set(self.worlds[0]) - set(world))
        swaps = [Action(SWAP, (i, j), frozenset((world[i], world[j]))) for i, j in combinations(range(len(world)), 2)]
        removals = [Action(REMOVE, (i,), frozenset((piece,))) for i, piece in enumerate(world)]
        additions = [Action(ADD, (i,), frozenset((piece,))) for i in range(len(world) + 1) for piece in away]
        return swaps + removals + additions

    def action_to(self, world: World) -> Action:
        """Return the action that leads to a world.

        Raises
        ------
        ValueError
            If there is none.
        """
        for action in self.candidates():
            if action.do(self.world) == world:
                return action
        raise ValueError(f"No swap, removal or addition leads from {self.world} to {world}.")


def steps(task: Task) -> Iterator[tuple[str, Story, Action]]:
    """Iterate over the utterances of a task, with the story so far and the action that is meant."""
    story = Story(task.worlds[:1])
    for utterance, world in zip(task.utterances, task.worlds[1:], strict=True):
        action = story.action_to(world)
        yield utterance, story, action
        story = story.then(action)


def words_of(utterance: str) -> set[Hashable]:
    """Return symbols for the words of an utterance, and for pairs and triples of words in a row."""
    words = _WORD.findall(utterance.lower())
    return {("says", *words[start : start + n]) for n in (1, 2, 3) for start in range(len(words) + 1 - n)}


def facts_of(story: Story, action: Action) -> set[Hashable]:
    """Return symbols for what an action would do, and how that relates to earlier actions.

    Examples
    --------
    >>> from graphtm.experiments.tangram_actions import Action, Story, facts_of
    >>> story = Story((("a", "b", "c"),))
    >>> facts = facts_of(story, Action("remove", (1,), frozenset("b")))
    >>> ("remove", "place", 2) in facts, ("middle",) in facts
    (True, True)
    >>> later = story.then(Action("remove", (1,), frozenset("b")))
    >>> ("ago", 1, "undone") in facts_of(later, Action("add", (1,), frozenset("b")))
    True
    """
    facts: set[Hashable] = {("kind", action.kind), ("size", len(story.world))}
    n = len(story.world) + (action.kind == ADD)
    for place in action.places:
        left, right = place + 1, n - place
        facts |= {("place", left), ("from right", right)}
        facts |= {(action.kind, "place", left), (action.kind, "from right", right)}
        if left == right:
            facts.add(("middle",))
    if action.kind == SWAP:
        i, j = action.places
        facts |= {("places", i + 1, j + 1), ("distance", j - i)}
        if i + j == n - 1:
            facts.add(("mirrored",))
    if action.kind == ADD:
        facts |= _of_the_added(story, action)
    after = action.do(story.world)
    for number, earlier in enumerate(story.actions):
        relations = _relations(action, earlier)
        if after == story.worlds[number]:
            relations.add("world before")
        facts |= {("step", number + 1, relation) for relation in relations}
        facts |= {("ago", len(story.actions) - number, relation) for relation in relations}
    return facts


def _of_the_added(story: Story, action: Action) -> set[Hashable]:
    """Return when and where the piece that is added was removed, and whether there are others."""
    removals: dict[str, Action] = {}  # the last one of each piece, in their order
    for earlier in story.actions:
        if earlier.kind == REMOVE:
            (gone,) = earlier.pieces
            removals.pop(gone, None)
            removals[gone] = earlier
    away = [piece for piece in removals if piece not in story.world]
    (piece,) = action.pieces
    before = removals[piece].places
    facts: set[Hashable] = {("first away", away.index(piece) + 1), ("last away", len(away) - away.index(piece))}
    facts.add(("was at place", before[0] + 1))
    if before == action.places:
        facts.add(("back in place",))
    if len(away) == 1:
        facts.add(("only one away",))
    return facts


def _relations(action: Action, earlier: Action) -> set[str]:
    """Return how an action relates to an earlier one."""
    found = {f"was {earlier.kind}"}
    if action.kind == earlier.kind:
        found.add("same kind")
    for name, mine, other in (
        ("places", frozenset(action.places), frozenset(earlier.places)),
        ("pieces", action.pieces, earlier.pieces),
    ):
        if mine == other:
            found.add(f"same {name}")
        elif mine & other:
            found.add(f"some {name}")
    if {"same kind", "same places"} <= found:
        found.add("repeated")
    kinds = (earlier.kind, action.kind)
    undoes = kinds in ((SWAP, SWAP), (ADD, REMOVE)) or (kinds == (REMOVE, ADD) and "same places" in found)
    if undoes and "same pieces" in found:
        found.add("undone")
    return found
