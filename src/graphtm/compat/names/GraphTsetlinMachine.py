"""The old package, for processes that a script starts: they get its import path, but no modules."""  # noqa: N999

import sys

from graphtm.compat.running import install

if __name__ == "GraphTsetlinMachine":
    del sys.modules[__name__]  # it is replaced by graphtm.compat.GraphTsetlinMachine
    install()
