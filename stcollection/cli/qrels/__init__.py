"""Commands on qrels."""
