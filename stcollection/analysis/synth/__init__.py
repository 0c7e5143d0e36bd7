"""Synthetic queries: made of documents, chosen to be like judged ones, judged, and measured against those that people asked."""
