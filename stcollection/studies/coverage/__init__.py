"""Topic coverage: the topics of the abstracts nearest to a text, and the number of documents in the corpus about each topic.

Data flow in one direction: :mod:`near` (the nearest abstracts and their words); :mod:`lda`, :mod:`itemsets` and :mod:`lattice`
(sets of words that represent topics); :mod:`cover` (all three, with counts over the corpus); :mod:`store` (stored under a name).
"""
