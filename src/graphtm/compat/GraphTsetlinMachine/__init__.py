"""The modules of the package ``GraphTsetlinMachine``, under their old names."""
