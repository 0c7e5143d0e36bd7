"""A distributed collection beside the same collection on one server (__main__.py)."""
