"""Judgments by edition."""
