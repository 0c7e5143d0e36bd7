"""The formats of runs."""
