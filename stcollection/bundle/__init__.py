"""Make a bundle from a collection, and open it in a database."""
