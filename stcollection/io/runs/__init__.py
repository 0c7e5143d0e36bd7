"""Formats of runs."""
