"""Commands on retrieval."""
