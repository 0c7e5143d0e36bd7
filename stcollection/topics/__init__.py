"""Load, describe and remove topics and their queries."""
