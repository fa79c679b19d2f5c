"""Telling users why they wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from logging import Logger

_PATIENCE = 1.0  # seconds


@contextmanager
def announced(log: Logger, text: str) -> Iterator[None]:
    """Log a line if what is done here takes longer than a moment: compiled code may be on disk, or may not."""
    timer = threading.Timer(_PATIENCE, log.warning, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
