"""Analysis: statistics of the scores of runs and of the judgments."""
