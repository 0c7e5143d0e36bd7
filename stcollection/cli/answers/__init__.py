"""Commands on answers."""
