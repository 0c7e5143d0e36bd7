"""The view Log."""
