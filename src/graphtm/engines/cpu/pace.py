"""Choice of the number of threads, by measuring.

Threads synchronise at every layer of every example, so they are faster only if an example takes long enough and no
other process uses the cores. Both are measured during training. Results do not depend on the choice.
"""

from __future__ import annotations

import time

_TOO_SHORT = 30e-6  # seconds per example below which several threads are not tried
_FIRST = 2e-3
_TRIAL = 10e-3
_RUN = 0.1
_BETWEEN_TRIALS = (0.05, 0.5)  # seconds, at first and later: a first trial may have been disturbed


class Pace:
    """Chooses the number of threads and the duration of each run of examples."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seconds: dict[int, float] = {}  # per example, by number of threads
        self._next_trial = 0.0
        self._wait = _BETWEEN_TRIALS[0]

    def plan(self) -> tuple[int, float]:
        """Return the number of threads and the seconds of the next run."""
        alone = self._seconds.get(1)
        if alone is None:
            return 1, _FIRST
        if self._most == 1 or alone < _TOO_SHORT:
            return 1, _RUN
        if self._most not in self._seconds:
            return self._most, _TRIAL
        best, other = sorted((1, self._most), key=lambda n: self._seconds[n])
        if time.perf_counter() >= self._next_trial:
            return other, _TRIAL
        return best, _RUN

    def note(self, n_threads: int, examples: int, seconds: float) -> None:
        """Record the time of a run."""
        if not examples:
            return
        best = min(self._seconds, key=lambda n: self._seconds[n]) if self._seconds else 1
        self._seconds[n_threads] = seconds / examples
        if n_threads != best:
            # Trials of slow examples are slow, too; they may take a twentieth of the time.
            wait = _BETWEEN_TRIALS[1] if n_threads == 1 else self._wait
            self._next_trial = time.perf_counter() + max(wait, 20 * (seconds - _TRIAL))
            self._wait = min(2 * self._wait, _BETWEEN_TRIALS[1])


class RestlessPace(Pace):
    """Changes the number of threads every few examples, to test that results do not depend on it."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._threads = most
        self._runs = 0

    def plan(self) -> tuple[int, float]:
        """Return all threads first, then one fewer each time; for one example, or for a second."""
        n_threads = self._threads - self._runs % self._threads
        self._runs += 1
        return n_threads, 0.0 if self._runs % 3 else 1.0
