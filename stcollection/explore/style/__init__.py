"""The view of the style sheet: its tokens and each component, for developers."""
