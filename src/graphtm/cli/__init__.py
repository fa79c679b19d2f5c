"""The command ``graphtm``."""

from __future__ import annotations

from graphtm.cli.app import main

__all__ = ["main"]
