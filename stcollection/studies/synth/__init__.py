"""Synthetic queries: documents sampled, scored for standing alone as a search result, and queries generated from them."""
