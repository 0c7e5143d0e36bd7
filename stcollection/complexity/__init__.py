"""Readability of texts, credibility of documents, and people's grades of both."""
