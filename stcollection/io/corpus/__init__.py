"""Formats of documents: one module per family, each with a function that converts the bytes of a record to a document."""
