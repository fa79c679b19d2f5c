"""``graphtm.explain`` is both a function and a package, whatever is imported first."""

import inspect
import json
import os
import pydoc
import subprocess
import sys

import pytest

import graphtm as gtm

CALL = """
clf = gtm.GraphTMClassifier(n_clauses=2, T=5, s=2.0, depth=1, epochs=1, random_state=0, engine="reference")
graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], ["hot", "cold"])
clf.fit(graphs, ["a", "b"])
assert gtm.explain(clf, graphs, 0).votes == clf.explain(graphs[0]).votes
assert gtm.explain.Rule.__module__ == "graphtm.explain.rules"
assert callable(explain) and explain.Rule is Rule and explain is sys.modules["graphtm.explain"] is gtm.explain
assert pickle.loads(pickle.dumps(Rule)) is Rule
"""
IMPORTS = ("", "import graphtm.explain as other; other.Rule", "import graphtm.pipelines")
MORE_IMPORTS = (
    "gtm.explain",
    "import graphtm.explain",
    "import graphtm.explain.rules",
    "gtm.GraphTMClassifier",
    "from graphtm import *",
    "import importlib, graphtm.explain; importlib.reload(graphtm.explain)",
)


FORKS = """
import json, os, sys
import numba, scipy.sparse, sklearn.pipeline
for script in json.loads(sys.argv[1]):
    assert not any(name.startswith("graphtm") for name in sys.modules)
    child = os.fork()
    if not child:
        try:
            exec(script, {})
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"failed: {script}")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here; each order of imports needs one")
@pytest.mark.parametrize("imports", [IMPORTS, pytest.param(MORE_IMPORTS, marks=pytest.mark.slow)])
def test_orders_of_imports(imports):
    """Each order in a process of its own; other libraries are imported once for all of them."""
    use = f"from graphtm import explain\nfrom graphtm.explain import Rule\n{CALL}"
    scripts = [f"import pickle, sys\nimport graphtm as gtm\n{first}\n{use}" for first in imports]
    scripts.append("import sys, graphtm.explain\nassert 'graphtm.pipelines' not in sys.modules")
    done = subprocess.run([sys.executable, "-c", FORKS, json.dumps(scripts)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_help_and_signature():
    text = pydoc.plain(pydoc.render_doc(gtm.explain))
    assert "graphtm.explain(pipeline, X, i)" in text
    assert "class Explanation" in text
    assert list(inspect.signature(gtm.explain).parameters) == ["pipeline", "X", "i"]
    assert "pipeline" in pydoc.plain(pydoc.render_doc(gtm.pipelines.explain))
