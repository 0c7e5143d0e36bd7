"""Compute maps of the documents, and keep them in files of the home folder.

A map of 5,000 documents takes half a minute. The file's name is the fingerprint of what the map shows, so a changed collection
gets another file. A file that cannot be read or written is ignored: the map is computed again.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import numpy as np
import psycopg

from stcollection.analysis.map.layout import group_documents, place_documents, reduce_vectors
from stcollection.analysis.map.naming import name_clusters
from stcollection.analysis.map.records import DocumentMap, MapOptions, MapSample
from stcollection.analysis.map.sample import document_texts, sample
from stcollection.db.idle import Caller, call_here
from stcollection.db.settings import Settings
from stcollection.declared import Option, declare
from stcollection.io.writing import replace_files

Tell = Callable[[str], object]
STEPS = ("principal components", "t-SNE", "clusters", "names of clusters")
_KEPT = 20  # files


def map_folder(settings: Settings) -> Path | None:
    """Return the folder of the files, None if the home folder does not exist."""
    return settings.home / "maps" if settings.home.is_dir() else None


@declare
def document_map(
    conn: psycopg.Connection,
    *,
    options: MapOptions = MapOptions(),  # noqa: B008
    folder: Path | None = None,
    again: Annotated[bool, Option(each="recompute")] = False,
    tell: Tell | None = None,
) -> DocumentMap:
    """Return a map of the documents, stored or newly computed.

    :param folder: of the files; None: compute and store nothing.
    :param again: Recompute a stored map.
    :param tell: called with the name of each step as it starts (one of STEPS).
    :raises BadArgument: an option is outside its range. :raises UnknownObject: the model does not exist.
    :raises StateError: no document has a vector.
    """
    drawn = sample(conn, options)
    kept = None if folder is None or again else load(folder, drawn)
    if kept is not None:
        return kept
    placed = compute(drawn, document_texts(conn, drawn.docs.tolist()), options, tell=tell)
    if folder is not None:
        save(folder, drawn, placed)
    return placed


def compute(
    drawn: MapSample, words: list[str], options: MapOptions, *, tell: Tell | None = None, call: Caller = call_here
) -> DocumentMap:
    """Place, group and name documents. :param words: text of each document. :param call: calls the function of each step."""
    steps = iter(STEPS)

    def step() -> None:
        if tell is not None:
            tell(next(steps))

    step()
    reduced = call(reduce_vectors, drawn.vectors, seed=options.seed)
    step()
    places = call(place_documents, reduced, seed=options.seed)
    step()
    clusters = call(group_documents, reduced, clusters=options.clusters, seed=options.seed)
    step()
    names = call(name_clusters, words, clusters)
    return DocumentMap(total=drawn.total, docs=drawn.docs, places=places, clusters=clusters, names=names)


def load(folder: Path, drawn: MapSample) -> DocumentMap | None:
    """Return the stored map of a sample, None if there is none or it is unreadable."""
    try:
        with np.load(_file(folder, drawn), allow_pickle=False) as stored:
            places, clusters, names = stored["places"], stored["clusters"], tuple(str(label) for label in stored["names"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    n = len(drawn.docs)
    if places.shape != (n, 2) or clusters.shape != (n,) or not 0 <= clusters.min() <= clusters.max() < len(names):
        return None
    return DocumentMap(total=drawn.total, docs=drawn.docs, places=places, clusters=clusters, names=names)


def save(folder: Path, drawn: MapSample, placed: DocumentMap) -> None:
    """Store a map if the folder can be written, and delete all but the newest files."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with replace_files(_file(folder, drawn)) as [part], part.open("wb") as file:
            np.savez_compressed(file, places=placed.places, clusters=placed.clusters, names=np.array(placed.names))
        for old in sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_mtime)[:-_KEPT]:
            old.unlink(missing_ok=True)


def _file(folder: Path, drawn: MapSample) -> Path:
    return folder / f"{drawn.fingerprint[:32]}.npz"
