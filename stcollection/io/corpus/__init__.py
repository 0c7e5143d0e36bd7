"""The formats of documents: one module a family, each a function from the bytes of a record to a document."""

from __future__ import annotations

from collections.abc import Callable

from stcollection.io.corpus import dblp, elasticsearch, jsonl, smart, trec
from stcollection.io.corpus.documents import Document

Parser = Callable[[bytes, int], Document]

PARSERS: dict[str, Parser] = {
    "dblp-v10": dblp.parse,
    "dblp-v11": dblp.parse,
    "dblp-v12": dblp.parse,
    "dblp-v13": dblp.parse,
    "dblp-v14": dblp.parse,
    "elasticsearch": elasticsearch.parse,
    "jsonl": jsonl.parse,
    "trec": trec.parse,
    "smart": smart.parse,
}
FORMATS = tuple(PARSERS)
