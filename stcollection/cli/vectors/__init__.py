"""Commands on vectors."""
