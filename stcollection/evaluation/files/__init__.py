"""Score run files against a file of judgments, without a collection.

The files are read and ranked here; the SQL functions that score stored runs compute the measures
(sql/evaluation/score_incoming.sql).
"""
