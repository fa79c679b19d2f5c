"""``python -m graphtm.compat script.py args...``: run a script written for the package ``GraphTsetlinMachine``."""

from __future__ import annotations

import sys
from types import TracebackType

from graphtm.compat.running import run_script, script_path

USAGE = """\
Usage: python -m graphtm.compat SCRIPT [ARGUMENTS]...

Run a script written for the package GraphTsetlinMachine, unchanged. The script
gets the arguments that follow its name.

The environment variable GRAPHTM_ENGINE selects the engine: auto (the default),
cpu, cuda or reference.

Example: python -m graphtm.compat noisy_xor.py --epochs 5
"""


def main() -> None:
    """Run the script given on the command line."""
    if len(sys.argv) < 2:
        sys.stderr.write(USAGE)
        raise SystemExit(2)
    if sys.argv[1] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        raise SystemExit(0)
    try:
        script = str(script_path(sys.argv[1]))
    except FileNotFoundError as error:
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(2) from None

    def print_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Print an error of the script, as Python prints it, from the line of the script on."""
        inside = trace
        while inside is not None and inside.tb_frame.f_code.co_filename != script:
            inside = inside.tb_next
        if inside is None and not (isinstance(error, SyntaxError) and error.filename == script):
            inside = trace
        sys.__excepthook__(kind, error.with_traceback(inside), inside)

    sys.excepthook = print_error
    run_script(script, sys.argv[2:])


if __name__ == "__main__":
    main()
