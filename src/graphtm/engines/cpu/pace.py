"""How many threads pay, found out by trying.

Threads meet at every layer of every example, so they pay only if an example is long enough and if no other process
takes one of the cores: the others would wait for it. Both are found out by measuring; results do not depend on it.
"""

from __future__ import annotations

import time

_TOO_SHORT = 30e-6  # seconds an example takes below which threads are not tried
_TRUSTED = 1e-3  # seconds a run must take for its pace to be believed
_TRIAL = 10e-3
_RUN = 0.1
_BETWEEN_TRIALS = (0.05, 0.5)  # the first ones of threads soon: they may have had bad luck


class Pace:
    """Plans runs of examples: on how many threads, how many at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seconds: dict[int, float] = {}  # per example, by threads
        self._first = 4
        self._next_trial = 0.0
        self._wait = _BETWEEN_TRIALS[0]

    def plan(self, left: int) -> tuple[int, int]:
        """Return threads and examples of the next run, given how many examples are left."""
        alone = self._seconds.get(1)
        if alone is None:
            return 1, min(left, self._first)
        if self._most == 1 or alone < _TOO_SHORT:
            return 1, min(left, self._in(_RUN, 1))
        if self._most not in self._seconds:
            return self._most, min(left, self._in(_TRIAL, 1))
        best, other = sorted((1, self._most), key=lambda n: self._seconds[n])
        if time.perf_counter() >= self._next_trial:
            return other, min(left, self._in(_TRIAL, other))
        return best, min(left, self._in(_RUN, best))

    def note(self, n_threads: int, examples: int, seconds: float) -> None:
        """Take note of a run."""
        if n_threads not in self._seconds and seconds < _TRUSTED and n_threads == 1:
            self._first *= 4
            return
        if not examples:
            return
        best = min(self._seconds, key=lambda n: self._seconds[n]) if self._seconds else 1
        self._seconds[n_threads] = seconds / examples
        if n_threads != best:
            # A trial of examples that take long is itself long; it may take a twentieth of the time.
            wait = _BETWEEN_TRIALS[1] if n_threads == 1 else self._wait
            self._next_trial = time.perf_counter() + max(wait, 20 * (seconds - _TRIAL))
            self._wait = min(2 * self._wait, _BETWEEN_TRIALS[1])

    @property
    def example_seconds(self) -> float:
        """How long an example takes at most, as far as known."""
        return max(self._seconds.values(), default=0.0)

    def _in(self, seconds: float, n_threads: int) -> int:
        return max(1, int(seconds / self._seconds[n_threads]))
