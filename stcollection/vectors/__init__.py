"""Embeddings of titles, abstracts and queries, and their indexes."""

from typing import Literal, get_args

# Backends that compute embeddings (backends.py), listed here so that no backend has to be imported.
Backend = Literal["torch", "openvino"]
BACKENDS: tuple[str, ...] = get_args(Backend)
Precision = Literal["auto", "fp32", "bf16"]
PRECISIONS: tuple[str, ...] = get_args(Precision)
