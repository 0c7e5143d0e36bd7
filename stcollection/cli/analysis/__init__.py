"""Commands on analysis."""
