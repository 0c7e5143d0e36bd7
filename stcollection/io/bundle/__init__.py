"""Bundles: zip archives of a collection that can be cited, checked and exported without a database."""
