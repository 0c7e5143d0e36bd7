"""Options and result of a map of the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from stcollection.declared import AllowedRange, Option, check_fields


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """Options of a map.

    :param documents: Number of documents; more are sampled.
    :param clusters: Number of clusters, at most 8, because colours cannot tell more apart.
    :param seed: Seed of the sample, of t-SNE and of k-means.
    :param model: Embedding model.
    """

    documents: Annotated[int, AllowedRange(ge=2, le=20_000)] = 5000
    clusters: Annotated[int, AllowedRange(ge=1, le=8)] = 8
    seed: Annotated[int, AllowedRange(ge=0, le=2**32 - 1)] = 1
    model: Annotated[str | None, Option(metavar="NAME", default="the collection's")] = None

    def __post_init__(self) -> None:
        check_fields(self)


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
