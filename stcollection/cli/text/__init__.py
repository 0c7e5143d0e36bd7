"""Commands on text."""
