"""Options and result of a map of the documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stcollection.errors import BadArgument

_RANGES = {"documents": (2, 20_000), "clusters": (1, 8), "seed": (0, 2**32 - 1)}


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """Options of a map.

    :param documents: maximum number of documents; a larger collection is sampled.
    :param clusters: number of clusters; 8 is the most that colours can tell apart.
    :param seed: seed of sample, t-SNE and k-means.
    :param model: short name of the embedding model; None: the collection's default.
    """

    documents: int = 5000
    clusters: int = 8
    seed: int = 1
    model: str | None = None

    def checked(self) -> MapOptions:
        """Return these options. :raises BadArgument: one is outside its range."""
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadArgument(f"{name} is {value:,}", hint=f"It must be {least:,} to {most:,}.", sqlstate="IR202")
        return self


@dataclass(frozen=True, kw_only=True)
class MapSample:
    """Documents with their vectors.

    :param total: number of documents with a vector. :param docs: int64[n], dblp.id, ascending.
    :param vectors: float32[n, dim]. :param fingerprint: SHA-256 of options, documents and vectors.
    """

    total: int
    docs: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32]
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class DocumentMap:
    """Places of documents in two dimensions.

    :param total: number of documents with a vector. :param docs: int64[n], dblp.id, ascending. :param places: float32[n, 2].
    :param clusters: int64[n], from 0, the largest cluster first. :param names: the most characteristic words of each cluster.
    """

    total: int
    docs: npt.NDArray[np.int64]
    places: npt.NDArray[np.float32]
    clusters: npt.NDArray[np.int64]
    names: tuple[str, ...]
