"""Commands of the command line, run in this process, and words as graphs."""

import json
import random

from typer.testing import CliRunner

from graphtm.cli.app import app

FAST = ["--clauses", "6", "--epochs", "2"]


def run(*arguments, stdin=None):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(one) for one in arguments], input=stdin)


def succeed(*arguments, stdin=None):
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result


def refuse(*arguments, stdin=None):
    """Return the one line that a command with a user error prints."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: "), result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("Error: ").rstrip("\n")


def chain(letters, label=None):
    """Return a word as a line of JSON."""
    graph = {
        "nodes": [{"id": place, "properties": [letter]} for place, letter in enumerate(letters)],
        "edges": [{"source": place - 1, "target": place, "type": "next"} for place in range(1, len(letters))],
    }
    return json.dumps(graph if label is None else {**graph, "label": label})


def words(n, seed=0):
    """Return words, and whether they have an A."""
    rng = random.Random(seed)
    made = ["".join(rng.choice("ABC") for _ in range(3)) for _ in range(n)]
    return made, ["yes" if "A" in word else "no" for word in made]
