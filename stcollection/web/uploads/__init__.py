"""Uploaded files: received, checked, previewed and stored, for the page and for programs."""
