"""Embeddings of titles, abstracts and queries, and their indexes."""

# Backends that compute embeddings (backends.py), listed here so that no backend has to be imported.
BACKENDS = ("torch", "openvino")
PRECISIONS = ("auto", "fp32", "bf16")
