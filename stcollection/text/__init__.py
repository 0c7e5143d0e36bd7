"""The text index: GIN for words, BM25 for ranking (sql/text/)."""
