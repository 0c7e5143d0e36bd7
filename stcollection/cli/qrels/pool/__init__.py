"""Commands on pools."""
