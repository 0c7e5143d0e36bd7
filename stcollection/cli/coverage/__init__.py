"""Commands on coverage."""
