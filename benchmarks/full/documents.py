"""Make a collection of any size from ACM-CR: recombined texts, moved vectors.

The first 110,293 documents are ACM-CR itself. Each further copy has the same authors, venues and lengths, but other texts: each
sentence of an abstract comes from a random abstract of the same group, and each title joins the beginning and the end of two
titles. A group is the set of documents whose vectors are nearest to one of 512 sampled vectors. So the frequency of words, their
occurrence together in sentences and in subjects, and the lengths stay as in ACM-CR. The vocabulary does not grow.

References point into the same copy. A vector moves by the difference of two abstracts of its group, so that its neighbours are as
far away as those of real abstracts: median cosine .79 to the nearest, .69 to the ninth, .56 to the 99th. (Independent noise in each
dimension leaves all copies of an abstract nearer to each other than to anything else; no graph of neighbours leads out of there.)
Years are drawn so that four of them match 50 %, 5 %, 0.1 % and 0.001 % of the documents (benchmarks/filters.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import zstandard

from benchmarks.common import data

COPY = 110_293  # documents of ACM-CR, and of each further copy
GROUPS = 512
STRIDE = 10**10  # offset between the ids of two copies, larger than every id in ACM-CR
SHARES = {2000: 0.5, 2001: 0.05, 2002: 0.001, 2003: 0.00001}
OTHER_YEAR = 1990
ACM = "acm-cr"
Vectors = npt.NDArray[np.float32]
Block = tuple[npt.NDArray[np.int64], Vectors]  # ids and vectors
Record = dict[str, Any]


class Seeds:
    """The records of ACM-CR with their sentences, by group.

    :ivar records: all documents, in the order of the file. :ivar vectors: float32[n, 384] of the abstracts, length 1.
    :ivar row: the row of a document's vector, by id.
    """

    def __init__(self) -> None:
        folder = data() / ACM
        with (folder / "acmcr.dblp-v12.json.zst").open("rb") as packed:
            self.records = [orjson.loads(line) for line in lines(zstandard.ZstdDecompressor().stream_reader(packed))]
        self.vectors = np.load(folder / "abstract_v.f16.npy").astype(np.float32)
        self.vectors /= np.linalg.norm(self.vectors, axis=1, keepdims=True)
        self.row = {int(doc): row for row, doc in enumerate(np.load(folder / "abstract_ids.npy"))}
        rng = np.random.default_rng(1)
        centres = self.vectors[rng.choice(len(self.vectors), GROUPS, replace=False)]
        nearest = np.concatenate([np.argmax(block @ centres.T, axis=1) for block in np.array_split(self.vectors, 64)])
        self._order = np.argsort(nearest, kind="stable")  # rows by group
        self._first = np.searchsorted(nearest[self._order], np.arange(GROUPS + 1))
        self._nearest = nearest
        self._group = [
            int(nearest[self.row[one["id"]]]) if one["id"] in self.row else int(rng.integers(GROUPS)) for one in self.records
        ]
        self._sentences = [list(sentences(words(one))) for one in self.records]
        self._by_group: list[list[int]] = [[] for _ in range(GROUPS)]
        for place, (group, some) in enumerate(zip(self._group, self._sentences, strict=True)):
            if some:
                self._by_group[group].append(place)

    def copy(self, number: int) -> Iterator[Record]:
        """Yield the documents of one copy; 0 is ACM-CR, with drawn years."""
        rng = np.random.default_rng([2, number])
        years = np.array([*SHARES, OTHER_YEAR])[np.searchsorted(np.cumsum(list(SHARES.values())), rng.random(len(self.records)))]
        if number == 0:
            years[: len(SHARES)] = list(SHARES)  # one document of each
        chance = iter(rng.random((len(self.records), 80)))
        for place, (record, year) in enumerate(zip(self.records, years.tolist(), strict=True)):
            made = {**record, "id": record["id"] + number * STRIDE, "year": year}
            if number:
                drawn = iter(next(chance).tolist())
                pool = self._by_group[self._group[place]]
                made["references"] = [one + number * STRIDE for one in record.get("references", ())]
                made["title"] = self._title(pool, next(drawn), next(drawn), next(drawn)) or record["title"]
                if self._sentences[place]:
                    several = (self._sentences[pool[int(next(drawn, 0.5) * len(pool))]] for _ in self._sentences[place])
                    tokens = [word for some in several for word in some[int(next(drawn, 0.5) * len(some))]]
                    made["indexed_abstract"] = inverted(tokens)
            yield made

    def _title(self, pool: list[int], first: float, second: float, cut: float) -> str:
        head, tail = (self.records[pool[int(which * len(pool))]]["title"].split() for which in (first, second))
        return " ".join(head[: 1 + int(cut * len(head))] + tail[int(cut * len(tail)) + 1 :])

    def abstracts(self, number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float16]]:
        """Return the ids and vectors of the abstracts of one copy; 0 has the vectors of ACM-CR."""
        ids = np.fromiter(self.row, np.int64, len(self.row)) + number * STRIDE
        vectors = self._moved(np.arange(len(self.vectors)), np.random.default_rng([3, number])) if number else self.vectors
        return ids, vectors.astype(np.float16)

    def normalised(self, number: int) -> Block:
        """Return the ids and vectors of the abstracts of one copy as a search compares them: length 1, after rounding."""
        ids, rounded = self.abstracts(number)
        vectors = rounded.astype(np.float32)
        return ids, unit(vectors)

    def titles(self, number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float16]]:
        """Return the ids of one copy and vectors for their titles, made from random vectors of abstracts."""
        rng = np.random.default_rng([4, number])
        ids = np.array([one["id"] for one in self.records], dtype=np.int64) + number * STRIDE
        return ids, self._moved(rng.integers(len(self.vectors), size=len(ids)), rng).astype(np.float16)

    def _moved(self, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> Vectors:
        """Return the vectors of some rows, each plus the difference of two vectors of its group, normalised to length 1."""
        first, size = self._first[self._nearest[rows]], np.diff(self._first)[self._nearest[rows]]
        plus, minus = (self.vectors[self._order[first + (rng.random(len(rows)) * size).astype(np.int64)]] for _ in range(2))
        return unit(self.vectors[rows] + plus - minus)


def unit(vectors: Vectors) -> Vectors:
    """Return vectors float32[n, dim], each divided by its length."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def write(seeds: Seeds, folder: Path, number: int, first: int | None = None) -> Path:
    """Write one copy as a file of dblp's format, unless it exists.

    :param first: write only this number of its documents. :returns: the file.
    """
    file = folder / f"{number:03}.json.zst"
    if not file.exists():
        unfinished = file.with_suffix(".part")
        with unfinished.open("wb") as raw, zstandard.ZstdCompressor(level=1, threads=-1).stream_writer(raw) as out:
            out.write(b"[\n")
            for record in islice(seeds.copy(number), first):
                out.write(orjson.dumps(record) + b",\n")
            out.write(b"]\n")
        unfinished.rename(file)
    return file


def lines(stream: zstandard.ZstdDecompressionReader) -> Iterator[bytes]:
    """Yield the records of a JSON array with one record per line."""
    rest = b""
    while block := stream.read(2**20):
        *whole, rest = (rest + block).split(b"\n")
        yield from filter(None, (line.strip(b"[], \r\t") for line in whole))
    if record := rest.strip(b"[], \r\t\n"):
        yield record


def words(record: Mapping[str, Any]) -> list[str]:
    """Return the words of an abstract that is stored as an inverted index."""
    indexed = record.get("indexed_abstract")
    if not indexed:
        return []
    places = {place: word for word, several in indexed["InvertedIndex"].items() for place in several}
    return [places[place] for place in sorted(places)]


def sentences(tokens: list[str]) -> Iterator[list[str]]:
    """Yield the sentences of a text; one ends with a word that ends in '.', '?' or '!'."""
    ends = [number for number, word in enumerate(tokens, 1) if word[-1:] in ".?!"]
    for start, end in pairwise([0, *ends, *([] if ends and ends[-1] == len(tokens) else [len(tokens)])]):
        if end > start:
            yield tokens[start:end]


def inverted(tokens: list[str]) -> Record:
    """Return an abstract in dblp's format: the places of each word."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(tokens):
        places.setdefault(word, []).append(place)
    return {"IndexLength": len(tokens), "InvertedIndex": places}
