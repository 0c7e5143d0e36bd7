"""Topic coverage: what the abstracts near a text are about, and how many documents of the whole corpus are about it.

Data flows one way: :mod:`near` (the nearest abstracts and their words), :mod:`lda`, :mod:`itemsets` and :mod:`lattice` (sets of
words that stand for topics), :mod:`cover` (the three together, counted over the corpus), :mod:`store` (kept under a name).
"""
