"""Sphinx configuration."""

import graphtm

project = "graphtm"
author = "The graphtm developers"
release = graphtm.__version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
html_theme = "furo"
exclude_patterns = ["_build"]
numpydoc_show_class_members = False
autodoc_typehints = "none"
myst_heading_anchors = 3
