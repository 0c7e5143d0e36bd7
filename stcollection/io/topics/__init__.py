"""Formats of topics and their queries."""
