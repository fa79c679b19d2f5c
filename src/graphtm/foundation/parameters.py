"""Declaration and validation of the parameters of machines, estimators and encoders.

Dataclasses declare a parameter by :func:`parameter`, with its default, its check and its documentation; constructor,
validation and docstring are derived from that. Other classes use :class:`ParameterChecks`. Error messages have the
form that scikit-learn uses.
"""

from __future__ import annotations

import difflib
import inspect
import math
import secrets
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, field, fields
from numbers import Integral
from typing import Any, NoReturn, TypeAlias, TypeGuard, TypeVar

import numpy as np

Check: TypeAlias = "Callable[[ParameterChecks, str], None]"
Class = TypeVar("Class", bound=type)

_WIDTH = 112


def parameter(
    check: Check,
    doc: str,
    *,
    default: Any = MISSING,
    plain: Callable[[Any], Any] = lambda value: value,
    before: Any = MISSING,
) -> Any:
    """Declare a parameter of a dataclass.

    Parameters
    ----------
    check
        Function that refuses invalid values: one of the functions below, such as ``integer(1, 8)``.
    doc
        Description in the docstring.
    default
        Default value; a parameter without one is required.
    plain
        Function that converts a valid value to plain Python, for instance NumPy integers to ``int``.
    before
        For a machine parameter that is newer than the file format: its value in files that do not have it.
    """
    metadata = {"check": check, "doc": doc, "plain": plain}
    return field(default=default, metadata=metadata if before is MISSING else {**metadata, "before": before})


def parameters_of(cls: type) -> dict[str, Field[Any]]:
    """Return the parameters that a dataclass declares, by name."""
    return {one.name: one for one in fields(cls) if "check" in one.metadata}


def plain_value(owner: Any, name: str) -> Any:
    """Return the value of a declared parameter as plain Python."""
    return parameters_of(type(owner))[name].metadata["plain"](getattr(owner, name))


def documented(cls: Class) -> Class:
    """Insert the descriptions of the parameters into the docstring of the class, in place of ``{parameters}``."""
    entries = []
    for name, one in parameters_of(cls).items():
        text = textwrap.fill(" ".join(one.metadata["doc"].split()), _WIDTH, break_on_hyphens=False)
        entries.append(f"{name}\n{textwrap.indent(text, '    ')}")
    listed = textwrap.indent("\n".join(entries), "    ")
    cls.__doc__ = str(cls.__doc__).replace("    {parameters}", listed)
    return cls


class ParameterChecks:
    """Checks the attributes of an object; all error messages have the same form."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def value(self, name: str) -> Any:
        """Return an attribute."""
        return getattr(self.owner, name)

    def declared(self) -> None:
        """Check all declared parameters of the class, in order."""
        for name, one in parameters_of(type(self.owner)).items():
            one.metadata["check"](self, name)

    def refuse(self, name: str, rule: str) -> NoReturn:
        """Raise the error for an invalid attribute."""
        owner = type(self.owner).__name__
        raise ValueError(f"The {name!r} parameter of {owner} must be {rule}. Got {self.value(name)!r} instead.")

    def integer(self, name: str, low: int, high: int, *, optional: bool = False) -> None:
        """Require an integer in a closed range, or ``None`` if it is optional."""
        value = self.value(name)
        if value is None and optional:
            return
        if not is_integer(value) or not low <= value <= high:
            self.refuse(name, f"an int in the range [{low}, {high}]" + (" or None" if optional else ""))

    def positive(self, name: str, *, optional: bool = False) -> None:
        """Require a finite number above 0, or ``None`` if it is optional."""
        value = self.value(name)
        if not (value is None and optional) and not _is_positive(value):
            self.refuse(name, "a finite number above 0" + (" or None" if optional else ""))

    def number(self, name: str, low: float, high: float) -> None:
        """Require a number in a closed range."""
        value = self.value(name)
        if not is_number(value) or not low <= value <= high:
            self.refuse(name, f"a number in the range [{low:g}, {high:g}]")

    def one_of(self, name: str, choices: Iterable[str], *, optional: bool = False) -> None:
        """Require one of the given strings, or ``None`` if it is optional."""
        choices, value = tuple(choices), self.value(name)
        if value is None and optional:
            return
        if not isinstance(value, str) or value not in choices:
            self.refuse(name, f"a str among {{{', '.join(map(repr, choices))}}}" + (" or None" if optional else ""))

    def jobs(self, name: str = "n_jobs") -> None:
        """Require a number of threads or processes, as scikit-learn defines it."""
        value = self.value(name)
        if value is not None and (not is_integer(value) or value == 0):
            self.refuse(name, "an int above 0, -1 for all processors, -2 for all but one, and so on, or None")

    def boolean(self, name: str) -> None:
        """Require a Boolean."""
        if not isinstance(self.value(name), bool | np.bool_):
            self.refuse(name, "a bool")

    def fraction(self, name: str) -> None:
        """Require a number between 0 and 1, or ``None``."""
        value = self.value(name)
        if value is not None and not (is_number(value) and 0 < value < 1):
            self.refuse(name, "a number between 0 and 1, both excluded, or None")

    def seed(self, name: str = "random_state") -> None:
        """Require a seed, a NumPy random generator, or ``None``."""
        value = self.value(name)
        if not (value is None or isinstance(value, np.random.RandomState | np.random.Generator)):
            self.integer(name, 0, 2**64 - 1)

    def verbosity(self, name: str = "verbose") -> None:
        """Require a Boolean or a small integer."""
        if not isinstance(self.value(name), bool):
            self.integer(name, 0, 100)


def integer(low: int, high: int, *, optional: bool = False) -> Check:
    """Return the check of :meth:`ParameterChecks.integer`."""
    return lambda checks, name: checks.integer(name, low, high, optional=optional)


def one_of(*choices: str) -> Check:
    """Return the check of :meth:`ParameterChecks.one_of`."""
    return lambda checks, name: checks.one_of(name, choices)


def whole(value: Any) -> int | None:
    """Return an integer of any type as ``int``; ``None`` stays ``None``."""
    return None if value is None else int(value)


def check_at_least(parameter: str, owner: str, value: object, least: int, *, optional: bool = True) -> None:
    """Require an int of at least ``least``, or ``None`` if it is optional.

    Raises
    ------
    ValueError
        If the value is anything else.
    """
    if value is None and optional:
        return
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        or_none = " or None" if optional else ""
        raise ValueError(
            f"The {parameter!r} parameter of {owner} must be an int of at least {least}{or_none}. Got {value!r} "
            "instead."
        )


def seed_from(random_state: Any) -> int:
    """Return a 64-bit seed: the given integer, a draw from the NumPy generator, or, for ``None``, a random one."""
    if random_state is None:
        return secrets.randbits(64)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**64, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**64, dtype=np.uint64))
    return int(random_state)


def unknown_parameters(cls: type, args: Sequence[Any], given: Iterable[str]) -> None:
    """Refuse arguments that the constructor of a class does not have, and suggest a similar name.

    Raises
    ------
    TypeError
        If a parameter is unknown, or not given by name.
    """
    signature = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
    kinds = [one.kind for one in signature.values()][1:]
    if args and all(kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD) for kind in kinds):
        raise TypeError(f"{cls.__name__} takes keyword arguments only; got {args[0]!r} without a name.")
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return  # a subclass that hands on what it is given
    for name in given:
        if name not in signature:
            raise TypeError(f"{cls.__name__} has no parameter {name!r}.{nearest(name, signature)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question for error texts that names the most similar of known names; empty if none is similar.

    Examples
    --------
    >>> from graphtm.foundation.parameters import nearest
    >>> nearest("epoch", ["epochs", "depth"]), nearest("cat", ["epochs", "depth"])
    (" Did you mean 'epochs'?", '')
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def is_integer(value: object) -> bool:
    """Return whether a value is an integer and not a Boolean."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_weight(value: object) -> bool:
    """Return whether a value is a finite number of at least 0."""
    return is_number(value) and bool(0 <= value < math.inf)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number and not a Boolean."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _is_positive(value: object) -> bool:
    return is_number(value) and bool(0 < value < math.inf)
