"""Which words and rules decide whether texts are negative or positive, in plain words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphtm.encoders import Tokens
from graphtm.engines.trace import code_matrix, included_literals
from graphtm.estimators import GraphTMClassifier
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.foundation.display import count
from graphtm.graphs import GraphBatch

Encode: TypeAlias = Callable[[Sequence[str]], GraphBatch]
"""Returns the graphs of texts, as a machine was trained on them."""

POLARITY = ("negative", "positive")
"""Names of the classes 0 and 1."""
RULES, PHRASES, LETTERS = 3, 8, 160
"""Number of printed rules for each class, of words or phrases in a line, and of letters of a text."""


def phrase(symbol: Any) -> str:
    """Return a word, an n-gram, or a fact about one, as it is read; positions are not phrases and return "".

    Examples
    --------
    >>> from graphtm.experiments.phrases import phrase
    >>> phrase("good"), phrase((("not", "good"), ">=", 1)), phrase(("good", ">=", 2)), phrase(("position", 3))
    ('good', 'not good', 'good (2 times)', '')
    """
    if isinstance(symbol, str):
        return symbol
    if isinstance(symbol[-1], str):
        return " ".join(symbol)
    if len(symbol) < 3:
        return ""
    return phrase(symbol[0]) + (f" ({symbol[2]} times)" if symbol[2] > 1 else "")


# Single texts


def words_of(text: str) -> list[str]:
    """Return the words of a text, as :class:`~graphtm.encoders.Tokens` reads them.

    Examples
    --------
    >>> from graphtm.experiments.phrases import words_of
    >>> words_of("Not so good, isn't it?")
    ['not', 'so', 'good', "isn't", 'it']
    """
    return re.findall(Tokens().pattern, text.lower())


def effects(classifier: GraphTMClassifier, encode: Encode, texts: Sequence[str]) -> list[dict[str, float]]:
    """Return by how much each word of each text changes the votes for positive less those for negative.

    It is the difference to the votes for the text without that word, wherever it is, so that it needs no model of the
    votes: what the word adds to n-grams and prefixes goes with it.
    """
    words = [words_of(text) for text in texts]
    distinct = [list(dict.fromkeys(own)) for own in words]
    shorter = [
        " ".join(word for word in own if word != left_out)
        for own, some in zip(words, distinct, strict=True)
        for left_out in some
    ]
    votes = classifier.decision_function(encode([*texts, *shorter]))
    without = iter(votes[len(texts) :].tolist())
    return [
        {word: value - next(without) for word in some}
        for value, some in zip(votes[: len(texts)].tolist(), distinct, strict=True)
    ]


def listed(votes: Mapping[str, float], sign: int) -> str:
    """Return the words that add most to the votes of one sign, as text.

    Examples
    --------
    >>> from graphtm.experiments.phrases import listed
    >>> listed({"bad": -30, "not": 70, "film": 0, "good": 90}, 1)
    "'good' 90, 'not' 70"
    """
    best = sorted(votes.items(), key=lambda item: (-sign * item[1], item[0]))[:PHRASES]
    return ", ".join(f"{name!r} {abs(value):,.0f}" for name, value in best if sign * value > 0) or "none"


# Rules


class Rules:
    """The rules of a classifier of texts: which symbols they ask for and refuse, all in the first layer.

    A rule asks for a symbol if it includes all bits of its code. With hashed codes, it can ask for a bit that many
    symbols share; it is then described by the symbols that satisfy it. It refuses a symbol if it includes the negation
    of any bit of its code, and so all symbols that share this bit.

    Parameters
    ----------
    classifier
        A fitted classifier with the classes 0, negative, and 1, positive.
    """

    def __init__(self, classifier: GraphTMClassifier) -> None:
        model = classifier.model_
        weights = model.state.weights.astype(np.int64)
        self.votes: Int64Array = weights[1] - weights[0]
        self.max_misses: int = model.params.max_misses
        self._symbols = model.vocabulary.symbols
        self._code = code_matrix(model.symbol_code)
        self._bits = model.symbol_code.bits_per_owner
        self._includes = included_literals(model.params, model.state, 0)
        size = model.symbol_code.size
        mean = self.votes @ self._includes
        self._effects = self._code @ (mean[:size] - mean[size:])

    def bits(self, rule: int) -> tuple[BoolArray, BoolArray]:
        """Return which bits a rule asks for, and which it refuses."""
        wanted, unwanted = np.split(self._includes[[rule]].toarray()[0] > 0, 2)
        return wanted, unwanted

    def symbols(self, rule: int) -> tuple[list[int], list[int]]:
        """Return the numbers of the symbols that a rule asks for, and of those that it refuses."""
        wanted, unwanted = self.bits(rule)
        asked, refused = self._code @ wanted == self._bits, self._code @ unwanted > 0
        return np.flatnonzero(asked).tolist(), np.flatnonzero(refused).tolist()

    def satisfying(self, rule: int) -> list[int]:
        """Return the numbers of the symbols each of which satisfies the first layer of a rule on its own."""
        wanted, unwanted = self.bits(rule)
        return np.flatnonzero((self._code @ wanted == wanted.sum()) & (self._code @ unwanted == 0)).tolist()

    def strongest(self, class_: int) -> list[int]:
        """Return the rules with the most votes for a class."""
        sign = 2 * class_ - 1
        order = np.argsort(-sign * self.votes, kind="stable")[:RULES]
        return [number for number in order.tolist() if sign * self.votes[number] > 0]

    def phrases(self, graph: GraphBatch) -> dict[str, float]:
        """Return the phrases of a text, with the votes for positive of the rules that ask for them.

        Votes of rules that refuse a phrase, and votes for negative, count against it.
        """
        known = {symbol: number for number, symbol in enumerate(self._symbols)}
        packed = graph.pack()
        carried = {packed.vocabulary.symbols[number] for number in packed.properties.pairs()[1].tolist()}
        found = Counter[str]()
        for symbol in carried & known.keys():
            found[phrase(symbol)] += self._effects[known[symbol]]
        return {name: float(votes) for name, votes in found.items() if name}

    def text(self, rule: int) -> str:
        """Return the votes of a rule and the phrases that it asks for and refuses, the strongest ones first."""
        sign = 1 if self.votes[rule] > 0 else -1
        asked, refused = self.symbols(rule)
        parts = [self._asked(rule, asked, sign), self._listed("refuses", refused, -sign)]
        conditions = "; ".join(filter(None, parts)) or "no condition on words"
        return f"rule {rule}, {count(abs(int(self.votes[rule])), 'vote')}; {conditions}"

    def _asked(self, rule: int, asked: list[int], sign: int) -> str:
        """Return what a rule asks for, as text."""
        wanted, _ = self.bits(rule)
        if not asked and wanted.any():
            found = self.satisfying(rule)
            if not found:
                return f"asks for {count(int(wanted.sum()), 'bit')} that no phrase has alone"
            named = [one for one in found if phrase(self._symbols[one])]
            text = self._listed("asks for one of" if len(named) > 1 else "asks for", named, sign)
            return f"{text} or a position" if named and len(named) < len(found) else text
        rest = int(wanted.sum()) - int(np.count_nonzero(self._code[asked].sum(axis=0)))
        more = f"asks for {count(rest, 'other bit')} of codes" if rest else ""
        return "; ".join(filter(None, [self._listed("asks for", asked, sign), more]))

    def _listed(self, what: str, numbers: list[int], sign: int) -> str:
        """Return phrases as text, those with the largest effects of this sign first; nothing if there are none."""
        ordered = sorted(numbers, key=lambda one: (-sign * self._effects[one], one))
        names = [name for name in map(phrase, (self._symbols[one] for one in ordered)) if name]
        more = f", and {len(names) - PHRASES:,} more" if len(names) > PHRASES else ""
        return f"{what} {', '.join(map(repr, names[:PHRASES]))}{more}" if names else ""


def report(classifier: GraphTMClassifier, texts: Sequence[str], encode: Encode) -> str:
    """Return what decided, as text: words in some texts, the strongest rules of each class, and the first text.

    Of the first text, it has the words and the phrases that spoke for each class.
    """
    found = effects(classifier, encode, texts)
    total = Counter[str]()
    for one in found:
        total.update(one)
    lines = [
        f"Words that spoke for {name} in {count(len(texts), 'test text')}, in votes lost without them: "
        f"{listed(total, 2 * class_ - 1)}"
        for class_, name in enumerate(POLARITY)
    ]
    rules, first = Rules(classifier), encode(texts[:1])
    lines += _strongest(rules, classifier.model_.params.depth)
    votes = float(classifier.decision_function(first)[0])
    lines.append(f"A test text, {POLARITY[int(votes > 0)]} with {count(int(abs(votes)), 'vote')}: {_start(texts[0])}")
    lines += [
        f"  words that spoke for {name}: {listed(found[0], 2 * class_ - 1)}" for class_, name in enumerate(POLARITY)
    ]
    asked = rules.phrases(first)
    lines += [
        f"  phrases that rules for {name} ask for, with their votes: {listed(asked, 2 * class_ - 1)}"
        for class_, name in enumerate(POLARITY)
    ]
    return "\n".join(lines)


def _strongest(rules: Rules, depth: int) -> list[str]:
    """Return lines with the strongest rules of each class."""
    layers = f", the first of {depth} layers" if depth > 1 else ""
    misses = f", of which each may miss {rules.max_misses:,} of its conditions" if rules.max_misses else ""
    lines = []
    for class_, name in enumerate(POLARITY):
        lines.append(f"The strongest rules for {name}{layers}{misses}:")
        lines += [f"  {rules.text(number)}" for number in rules.strongest(class_)] or ["  none"]
    if any("..." in line for line in lines):
        lines.append("  Here, 'gre...' stands for words that begin with these letters and are longer.")
    return lines


def _start(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LETTERS else f"{words[:LETTERS].rpartition(' ')[0]} ..."
