"""The view Topic coverage: topics of the abstracts nearest to a text, and the documents with their words."""
