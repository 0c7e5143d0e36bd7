"""The tab with a map of the documents."""
