"""``python -m graphtm.compat script.py args...``: run a script written for the package ``GraphTsetlinMachine``."""

from __future__ import annotations

import sys

from graphtm.compat.running import run_script

USAGE = """\
Usage: python -m graphtm.compat SCRIPT [ARGUMENTS]...

Run a script written for the package GraphTsetlinMachine, unchanged.

The environment variable GRAPHTM_ENGINE selects the engine; the default is auto."""


def main() -> None:
    """Run the script given on the command line."""
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.stdout.write(f"{USAGE}\n")
        raise SystemExit(0 if len(sys.argv) > 1 else 2)
    try:
        script, *arguments = sys.argv[1:]
        run_script(script, arguments)
    except FileNotFoundError as error:
        if error.errno is not None:
            raise  # of the script itself
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
