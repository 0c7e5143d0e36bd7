"""The tab on topic coverage."""
