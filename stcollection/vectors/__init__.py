"""Embeddings of titles, abstracts and queries, and their indexes."""

# What can compute embeddings (backends.py), known here without loading any of it.
BACKENDS = ("torch", "openvino")
PRECISIONS = ("auto", "fp32", "bf16")
