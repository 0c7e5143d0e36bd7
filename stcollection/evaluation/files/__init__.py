"""Score files of runs against a file of judgments, without a collection.

The files are read and ranked here; the measures are the SQL functions that score stored runs (sql/evaluation/score_incoming.sql).
"""
