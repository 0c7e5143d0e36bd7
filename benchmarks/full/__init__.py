"""The collection at the size of dblp v12, measured step by step (__main__.py)."""
