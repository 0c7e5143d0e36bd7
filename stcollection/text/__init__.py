"""Text indexes of the documents: GIN for boolean search, BM25 for ranking."""
