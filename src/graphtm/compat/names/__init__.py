"""A folder to import the old names from; see :mod:`graphtm.compat.running`."""
