"""The section of answers in the view Collection."""
