"""The tab on the collection's contents."""
