"""Version of the library; files and exports name it."""

__version__ = "0.1.0.dev0"
