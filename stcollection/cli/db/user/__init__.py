"""Commands on db user."""
