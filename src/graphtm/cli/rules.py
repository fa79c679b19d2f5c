"""``graphtm rules``: the learned rules, for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from graphtm.cli.model_files import load_model
from graphtm.cli.output import Screen, label_text, named, write_json, write_lines
from graphtm.explain import RuleSet
from graphtm.explain.rule_text import USED_TITLE, number_text
from graphtm.foundation.display import count, plural, with_article

TEXT, JSON, MARKDOWN, LATEX = "text", "json", "markdown", "latex"
_HEADINGS = 10
"""Number of classes that are listed."""


def rules(screen: Screen, model: str, class_: str | None, top: int, form: str, *, unroll: bool) -> None:
    """Print the rules of a model.

    Parameters
    ----------
    screen
        Where text goes.
    model
        The model file.
    class_
        Class or label that the rules must vote for.
    top
        Number of rules, 0 for all.
    form
        ``"text"``, ``"json"``, ``"markdown"`` or ``"latex"``.
    unroll
        Whether to replace messages by what their senders satisfy.
    """
    loaded = load_model(model)
    classes = loaded.estimator._output_names()
    chosen = None if class_ is None else the_class(class_, classes, "--class", loaded.noun)
    found = loaded.estimator.rules(chosen, top or None)
    if form == JSON:
        listed = [
            one | ({"formula": str(formula)} if formula is not None else {})
            for one, formula in _with_formulas(found, unroll)
        ]
        scale = {} if found.scale is None else {"scale": found.scale.to_json()}
        write_json({"model": model, "classes": classes, "class": chosen, **scale, "rules": listed})
    elif form == MARKDOWN:
        write_lines(found.to_markdown(unroll=unroll))
    elif form == LATEX:
        write_lines(found.to_latex(unroll=unroll))
    else:
        _show(screen, found, chosen, len(loaded.estimator.rules()), unroll, loaded.noun)


def _with_formulas(found: RuleSet, unroll: bool) -> list[tuple[dict[str, Any], Any]]:
    formulas: list[Any] = found.unroll() if unroll else []
    listed = found.to_dict()
    return list(zip(listed, [*formulas, *[None] * (len(listed) - len(formulas))], strict=True))


def _show(screen: Screen, found: RuleSet, chosen: Any, everything: int, unroll: bool, noun: str) -> None:
    of = "" if chosen is None else f" for {label_text(chosen)}"
    if len(found) < everything:
        screen.say(f"The strongest {count(len(found), 'rule')}{of}, of {everything:,}; {what_rules_do(found)}")
    else:
        screen.say(f"{count(len(found), 'rule')}; {what_rules_do(found)}")
    screen.say()
    formulas: Sequence[Any] = found.unroll() if unroll else [None] * len(found)
    for rule, formula in zip(found, formulas, strict=True):
        screen.say(str(rule))
        if formula is not None:
            screen.say(f"= {formula}", first=4, indent=6)
    used = () if unroll else found.used()
    if used:
        screen.say()
        screen.say(USED_TITLE)
        for rule in used:
            screen.say(str(rule))
    screen.say()
    has_messages = not unroll and any(any(rule.layers[1:]) for rule in found)
    for line in _legend(found, has_messages, noun):
        screen.say(line, indent=0)


def what_rules_do(found: RuleSet) -> str:
    """Return what the numbers of rules are for, as text."""
    names = ", ".join(map(label_text, found.outputs[:_HEADINGS]))
    more = f", ... ({len(found.outputs):,} in all)" if len(found.outputs) > _HEADINGS else ""
    if found.scale is None:
        return f"votes for [{names}{more}]"
    starts = ", ".join(map(number_text, found.scale.intercepts[:_HEADINGS].tolist()))
    return f"each adds to [{names}{more}], which starts at [{starts}{', ...' * bool(more)}]"


def _legend(found: RuleSet, has_messages: bool, noun: str) -> list[str]:
    """Return how to read the rules."""
    lines = [
        f"A rule votes if its conditions hold. A vote above 0 is for {with_article(noun)}, one below 0 against it."
    ]
    verb = "votes"
    if found.scale is not None:
        lines = ["A rule adds its number to the prediction if its conditions hold."]
        verb = "adds it"
    if any(rule.max_misses for rule in found):
        lines.append(
            f'"at least 4 of: ..." {verb} if four of the conditions hold, and once more for each further one that does.'
        )
    if has_messages:
        lines.append(
            '"double:C5": an edge of type double comes from a node where C5 holds, as far as the layer below. '
            "--unroll writes this out."
        )
    return lines


def the_class(text: str, classes: Sequence[Any], option: str, noun: str) -> Any:
    """Return the class, or whatever ``noun`` says, that a text names.

    Raises
    ------
    typer.BadParameter
        If there is none.
    """
    found = next((one for one in classes if named(one) == text), None)
    if found is None:
        shown = ", ".join(map(label_text, classes[:_HEADINGS])) + (", ..." if len(classes) > _HEADINGS else "")
        raise typer.BadParameter(
            f"There is no {noun} {text!r}. {plural(noun).capitalize()} of the model: {shown}.", param_hint=option
        )
    return found
