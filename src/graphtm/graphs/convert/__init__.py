"""Graphs from other libraries and files, and back."""
