"""Topics and their queries."""
