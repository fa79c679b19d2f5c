"""``graphtm rules``: the learned rules, for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from graphtm.cli.legend import legend
from graphtm.cli.model_files import Loaded, load_model
from graphtm.cli.output import Screen, label_text, named, write_json, write_lines
from graphtm.explain import RuleSet
from graphtm.explain.rule_text import USED_TITLE, number_text
from graphtm.foundation.display import count, plural

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
        _show(screen, loaded, found, chosen, unroll)


def _with_formulas(found: RuleSet, unroll: bool) -> list[tuple[dict[str, Any], Any]]:
    formulas: list[Any] = found.unroll() if unroll else []
    listed = found.to_dict()
    return list(zip(listed, [*formulas, *[None] * (len(listed) - len(formulas))], strict=True))


def _show(screen: Screen, loaded: Loaded, found: RuleSet, chosen: Any, unroll: bool) -> None:
    everything = len(loaded.estimator.rules())
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
    for line in legend(loaded, found, unrolled=unroll):
        screen.say(line, indent=0)


def what_rules_do(found: RuleSet) -> str:
    """Return what the numbers of rules are for, as text."""
    names = ", ".join(map(label_text, found.outputs[:_HEADINGS]))
    more = f", ... ({len(found.outputs):,} in all)" if len(found.outputs) > _HEADINGS else ""
    if found.scale is None:
        return f"votes for [{names}{more}]"
    starts = ", ".join(map(number_text, found.scale.intercepts[:_HEADINGS].tolist()))
    return f"each adds to [{names}{more}], which starts at [{starts}{', ...' * bool(more)}]"


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
