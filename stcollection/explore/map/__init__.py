"""The view Map: documents placed by their vectors."""
