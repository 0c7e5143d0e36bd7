"""The text of the documents and its indexes: words by GIN, ranking by BM25."""
