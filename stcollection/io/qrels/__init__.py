"""The formats of judgments."""
