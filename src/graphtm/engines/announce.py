"""Log messages for work that takes noticeably long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from logging import Logger

_PATIENCE = 1.0  # seconds


@contextmanager
def announced(log: Logger, text: str) -> Iterator[None]:
    """Log a line if the block takes longer than a second: compiled code may or may not be cached on disk."""
    timer = threading.Timer(_PATIENCE, log.warning, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
