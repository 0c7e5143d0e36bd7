"""A collection as PyTerrier transformers. Needs the package pyterrier; does not start Java."""

from __future__ import annotations

from typing import Any, Protocol

import psycopg

from stcollection.api.frames import texts
from stcollection.api.iterators import Store
from stcollection.extras import load_module
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.search import search_many

load_module("pyterrier")
load_module("pandas")
import pandas as pd  # noqa: E402
import pyterrier as pt  # noqa: E402

_TEXT = ("title", "abstract")


class Searched(Protocol):
    """The collection that a transformer searches: a :class:`~stcollection.api.collection.Collection`."""

    @property
    def connection(self) -> psycopg.Connection: ...
    @property
    def name(self) -> str: ...
    def docs_store(self) -> Store: ...


class Retriever(pt.Transformer):  # type: ignore[misc]  # PyTerrier is not typed
    """Transform queries (qid, query) into rankings (qid, query, docno, score, rank), in one SQL statement per frame.

    Ranks start at 0, as in PyTerrier. Other columns of the queries are kept.

    :param depth: maximum number of documents per query; ``retriever % 100`` retrieves only 100.
    """

    def __init__(
        self,
        collection: Searched,
        *,
        system: str = "bm25",
        depth: int = 1000,
        filter: Filter | None = None,
        model: str | None = None,
    ) -> None:
        self.collection = collection
        self.system = system
        self.depth = depth
        self.filter = filter
        self.model = model

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"])
        queries = inp.reset_index(drop=True)
        found = (
            search_many(
                self.collection.connection,
                texts(queries["query"].tolist(), "query"),
                system=self.system,
                k=self.depth,
                filter=self.filter,
                model=self.model,
                names=texts(queries["qid"].tolist(), "qid"),
            )
            if len(queries)
            else []
        )
        result = queries.iloc[[place for place, *_ in found]].reset_index(drop=True)
        return result.assign(
            docno=pd.Series([docno for _, docno, _, _ in found], dtype="str"),
            score=pd.Series([score for *_, score in found], dtype="float64"),
            rank=pd.Series([place - 1 + pt.model.FIRST_RANK for _, _, place, _ in found], dtype="int64"),
        )

    def fuse_rank_cutoff(self, k: int) -> Retriever:
        """Return the retriever to which ``self % k`` compiles."""
        return Retriever(self.collection, system=self.system, depth=min(k, self.depth), filter=self.filter, model=self.model)

    def __repr__(self) -> str:
        return f"Retriever({self.collection.name!r}, system={self.system!r}, depth={self.depth})"


class TextLoader(pt.Transformer):  # type: ignore[misc]
    """Add title and abstract to the documents (docno) of a frame, in one SQL statement. Missing texts are ''."""

    def __init__(self, collection: Searched) -> None:
        self.collection = collection

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno"])
        docnos = inp["docno"].astype(str).tolist()
        known = self.collection.docs_store().get_many(docnos)
        return inp.assign(
            **{
                field: pd.Series([getattr(known.get(docno), field, "") for docno in docnos], index=inp.index, dtype="str")
                for field in _TEXT
            }
        )

    def fuse_rank_cutoff(self, k: int) -> Any:
        """Apply a rank cutoff before fetching the texts."""
        return pt.RankCutoff(k) >> self

    def __repr__(self) -> str:
        return f"TextLoader({self.collection.name!r})"
