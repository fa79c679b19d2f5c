"""The interface of an earlier implementation, the package ``GraphTsetlinMachine``, for existing scripts.

Import from ``graphtm.compat.GraphTsetlinMachine.graphs`` and ``.tm`` instead; or call :func:`install`, after which the
old imports work; or run unmodified scripts with ``python -m graphtm.compat script.py``.
"""

from graphtm.compat.running import install, run_script

__all__ = ["install", "run_script"]
