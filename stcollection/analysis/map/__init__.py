"""A map of the documents: their vectors in two dimensions, in clusters named by their words.

:mod:`sample` reads the vectors, :mod:`layout` places and groups them, :mod:`naming` names the groups, :mod:`store` keeps the map.
"""
