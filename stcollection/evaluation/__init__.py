"""Evaluation: the measures of stored runs, per query and on average."""
