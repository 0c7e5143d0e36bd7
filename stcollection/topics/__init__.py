"""Load, describe and remove topics, their articles and their queries."""
