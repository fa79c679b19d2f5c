"""How it computes: the random generator and the engines."""
