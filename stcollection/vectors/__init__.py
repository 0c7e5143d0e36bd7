"""Embeddings of titles, abstracts and queries, and their indexes."""
