"""Figures drawn from records; :mod:`stcollection.figures` queries a collection for the records and draws them."""
