"""Evaluation: measures of stored runs, per query and averaged."""
