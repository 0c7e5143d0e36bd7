"""Commands on complexity."""
