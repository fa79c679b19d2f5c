"""Shared by all other packages: names, arrays, data frames, text, files, parameters, memory."""
