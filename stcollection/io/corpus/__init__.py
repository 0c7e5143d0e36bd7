"""The formats of documents: one module a family, each with a function from the bytes of a record to a document."""
