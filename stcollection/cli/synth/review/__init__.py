"""Commands on reviews."""
