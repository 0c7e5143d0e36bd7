"""Runs: named rankings of systems, in TREC's and SimpleText's formats."""
