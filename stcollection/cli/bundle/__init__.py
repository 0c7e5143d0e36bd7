"""Commands on bundle."""
