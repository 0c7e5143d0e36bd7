"""Commands on corpus."""
