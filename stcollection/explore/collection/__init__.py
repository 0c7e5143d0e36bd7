"""The view Collection: what is loaded, groups of answers, and the public tables."""
