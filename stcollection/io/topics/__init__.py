"""The formats of topics and their queries."""
