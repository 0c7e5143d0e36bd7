"""The study of synthetic queries as one report: its sections, and how they are written as HTML and Markdown."""
