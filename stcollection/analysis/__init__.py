"""Analysis: what the scores of runs and the judgments tell when they are compared."""
