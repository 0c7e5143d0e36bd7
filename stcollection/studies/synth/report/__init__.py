"""The report of a study of synthetic queries: its sections, written as HTML and Markdown."""
