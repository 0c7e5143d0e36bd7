"""The view Collection: loaded files, judgments, runs, groups of answers, indexes, and the public tables."""
