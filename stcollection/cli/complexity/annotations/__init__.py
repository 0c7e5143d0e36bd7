"""Commands on complexity annotations."""
