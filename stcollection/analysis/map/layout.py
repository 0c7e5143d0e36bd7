"""Place vectors in two dimensions, and group them."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

DIMENSIONS = 50  # kept for t-SNE and k-means, as van der Maaten & Hinton (JMLR 9, 2008) do
PERPLEXITY = 30.0  # scikit-learn's default
_FEW = 5  # t-SNE of fewer documents shows nothing; the first two components do


def reduce_vectors(vectors: Vectors, *, seed: int) -> Vectors:
    """Return the first principal components: float32[n, at most 50]."""
    from sklearn.decomposition import PCA

    most = min(DIMENSIONS, *vectors.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # equal vectors have no variance to divide by
        reduced = PCA(n_components=most, random_state=seed).fit_transform(vectors)
    return np.asarray(reduced, dtype=np.float32)


def place_documents(reduced: Vectors, *, seed: int) -> Vectors:
    """Return float32[n, 2] by t-SNE (van der Maaten & Hinton, JMLR 9, 2008); the same input and seed give the same places.

    Fewer than five documents, or equal vectors, are placed by their first two components.
    """
    from sklearn.manifold import TSNE

    n = len(reduced)
    if n < _FEW or not np.ptp(reduced, axis=0).max() > 1e-6:
        return np.pad(reduced, ((0, 0), (0, max(0, 2 - reduced.shape[1]))))[:, :2]
    model = TSNE(perplexity=min(PERPLEXITY, (n - 1) / 3), init="pca" if reduced.shape[1] > 1 else "random", random_state=seed)
    return np.asarray(model.fit_transform(reduced), dtype=np.float32)


def group_documents(reduced: Vectors, *, clusters: int, seed: int) -> npt.NDArray[np.int64]:
    """Return int64[n], the cluster of each document by k-means, numbered from 0 by size, the largest first.

    There are fewer clusters if fewer vectors are different.
    """
    from sklearn.cluster import KMeans

    count = min(clusters, len(np.unique(reduced.round(5), axis=0)))
    labels = KMeans(n_clusters=count, n_init=4, random_state=seed).fit(reduced).labels_
    sizes = np.bincount(labels, minlength=count)
    rank = np.empty(count, dtype=np.int64)
    rank[np.lexsort((np.arange(count), -sizes))] = np.arange(count)
    return np.asarray(rank[labels], dtype=np.int64)
