"""A distributed collection compared with the same collection on one server (__main__.py)."""
