"""Formats of judgments."""
