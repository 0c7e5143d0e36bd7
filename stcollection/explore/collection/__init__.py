"""The view Collection: loaded files, judgments, runs, groups of answers, and indexes."""
