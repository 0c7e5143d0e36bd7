"""Parse a chunk into documents and rejects, and resolve duplicates within it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import orjson

from stcollection.io.corpus.chunks import Chunk
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, Reject, storable
from stcollection.io.corpus.elements import read

OnDuplicate = Literal["skip", "replace", "error"]
FIRST_STAYS = "an earlier document has this id; the earlier one is kept"
_SHOWN = 1000  # characters of a record


@dataclass(slots=True)
class Batch:
    """The parsed records of a chunk. :param documents: by docno. :param duplicates: lines of records that repeat a docno."""

    documents: dict[str, DocumentRecord] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    duplicates: list[int] = field(default_factory=list)


def parse(chunk: Chunk, *, on_duplicate: OnDuplicate) -> Batch:
    """Parse the records of a chunk. Of several with one docno, keep the first, or the last under ``replace``."""
    batch = Batch()
    for line, record, document in read(chunk):
        if isinstance(document, RefusedRecord):
            batch.rejects.append(make_reject(line, document.docno, document.reason, record))
            continue
        first = batch.documents.setdefault(document.docno, document)
        if first is not document:
            batch.duplicates.append(line)
            if on_duplicate == "replace":
                batch.documents[document.docno] = document
            elif not _same(first, document):
                batch.rejects.append(make_reject(line, document.docno, FIRST_STAYS, record))
    return batch


def make_reject(line: int, docno: str | None, reason: str, record: bytes) -> Reject:
    excerpt = storable(record[: 4 * _SHOWN].decode("utf-8", "replace"))[:_SHOWN]
    return Reject(line, docno and storable(docno), storable(reason), excerpt)


def _same(record: DocumentRecord, other: DocumentRecord) -> bool:
    """Return True if two records are equal as JSON, even if their bytes differ."""
    return record.doc == other.doc or bool(orjson.loads(record.doc) == orjson.loads(other.doc))
