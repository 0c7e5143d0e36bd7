"""Topics by latent Dirichlet allocation (Blei, Ng & Jordan, JMLR 3, 2003), with scikit-learn's variational inference."""

from __future__ import annotations

import numpy as np

from stcollection.counts import counted
from stcollection.errors import StateError
from stcollection.studies.coverage.near import Words

Found = tuple[tuple[str, ...], float]  # words, weight

ROUNDS = 10  # passes over the abstracts, scikit-learn's default


def topics(counts: Words, *, topics: int, words: int, seed: int) -> list[Found]:
    """Return topics with their words of greatest weight and their share of all words, greatest share first.

    The same abstracts and seed give the same topics. Weights are compared to nine digits; ties are sorted by word.

    :raises StateError: there are fewer abstracts than topics.
    """
    documents = len(counts.times)
    if documents < topics:
        raise StateError(
            f"{documents:,} {'abstract is' if documents == 1 else 'abstracts are'} too few for {counted(topics, 'topic')}",
            hint="Request fewer topics, or more documents.",
            sqlstate="IR405",
        )
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(n_components=topics, learning_method="batch", max_iter=ROUNDS, random_state=seed)
    model.fit(counts.times)
    shares = model.components_.sum(axis=1) / model.components_.sum()
    rows: list[Found] = []
    for weights, share in zip(model.components_, shares, strict=True):
        # Ties are sorted by word.
        best = sorted(range(len(weights)), key=lambda at: (-float(f"{weights[at]:.8e}"), counts.words[at].encode()))[:words]
        rows.append((tuple(counts.words[at] for at in best), float(np.round(share, 9))))
    return sorted(rows, key=lambda row: (-row[1], row[0]))
