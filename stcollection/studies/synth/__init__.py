"""Synthetic queries: sample documents, score how well they stand alone as search results, and generate queries from them."""
