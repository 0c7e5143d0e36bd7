"""Commands on db."""
