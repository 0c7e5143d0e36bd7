"""The view Tables."""
