"""Sparse vectors: of texts by models with a masked-language-model head (SPLADE), and as rows for the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stcollection.errors import BadArgument
from stcollection.vectors.binary import sparse_records
from stcollection.vectors.model import AS_THE_MODEL_SAYS, EncoderOptions, Vectors, adapted, prompt, token_limit

STORAGE = "sparsevec"
MOST_TERMS = 16_000  # of a sparsevec
_PAIRS = 8_000  # of a query: pgvector's vector has up to 16,000 numbers
_BATCH = 8  # the logits of a batch have a number for each token and word of the vocabulary


@dataclass(frozen=True, kw_only=True)
class SparseRows:
    """Sparse vectors as compressed rows. :param starts: int64[n + 1]. :param terms: int32, from 0. :param weights: float32."""

    dim: int
    starts: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    weights: Vectors

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, rows: slice | npt.NDArray[Any]) -> SparseRows:
        """Return some rows, by a slice or by their numbers."""
        chosen = np.arange(len(self))[rows]
        sizes = self.sizes[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.arange(starts[-1]) - np.repeat(starts[:-1] - self.starts[chosen], sizes)
        return SparseRows(dim=self.dim, starts=starts, terms=self.terms[at], weights=self.weights[at])

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of terms of each row."""
        return np.diff(self.starts)

    def finite(self) -> npt.NDArray[np.bool_]:
        """Return for each row whether all weights are finite."""
        wrong = np.zeros(len(self), dtype=bool)
        wrong[np.repeat(np.arange(len(self)), self.sizes)[~np.isfinite(self.weights)]] = True
        return ~wrong

    def records(self, ids: npt.NDArray[np.int64], field: str | None) -> bytes:
        """Return the rows as bytes for COPY, as :func:`stcollection.vectors.binary.records`."""
        return sparse_records(ids, field, self.dim, self.starts, self.terms, self.weights)

    def pairs(self) -> list[Vectors]:
        """Return each row as pairs of a term and its weight, the form of vectors of queries (sql/vectors/sparse_vector.sql)."""
        rows = []
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            strongest = start + np.sort(np.argsort(-self.weights[start:stop], kind="stable")[:_PAIRS])
            flat = np.empty(2 * len(strongest), dtype=np.float32)
            flat[::2], flat[1::2] = self.terms[strongest], self.weights[strongest]
            rows.append(flat if len(flat) else np.zeros(2, dtype=np.float32))
        return rows


class SparseEmbedder:
    """A sparse model of sentence-transformers in memory.

    :ivar words: the vocabulary, by term; None if terms are no words. :ivar made_by: backend and precision of documents.
    """

    storage = STORAGE

    def __init__(
        self, model: Any, *, name: str, short: str, revision: str | None, options: EncoderOptions = AS_THE_MODEL_SAYS
    ) -> None:
        if options.backend != "torch":
            raise BadArgument(f"{name!r} is a sparse model, which runs with torch only", hint="Use the default backend.")
        if options.dimensions is not None or options.pooling not in (None, _pooling(model)):
            raise BadArgument(
                f"{name!r} is a sparse model, whose dimensions are words: they and their pooling cannot be changed",
                hint="Omit --dimensions and --pooling.",
            )
        from stcollection.vectors import backends  # imported late: torch takes long to load

        model = backends.pooled_first(adapted(model, replace(options, pooling=None), name=name))
        self._model = model
        self.name, self.short, self.revision = name, short, revision
        self.max_tokens = token_limit(model)
        self.batch = options.batch or _BATCH
        self.pooling = _pooling(model)
        self.query_prefix = prompt(model, "query") if options.query_prefix is None else options.query_prefix
        given = options.passage_prefix
        self.passage_prefix = prompt(model, "document", "passage", "corpus") if given is None else given
        device = model.device.type
        precision = backends.choose(options.precision, device=device, backend=options.backend)
        self.made_by = f"{options.backend} {precision}"
        self._context = partial(backends.autocast, device, precision)
        self.dim = int(model.encode_query(["dimension"], convert_to_sparse_tensor=True, show_progress_bar=False).shape[1])
        vocabulary: dict[str, int] = getattr(model.tokenizer, "get_vocab", dict)()
        self.words = (
            sorted(vocabulary, key=vocabulary.__getitem__) if sorted(vocabulary.values()) == list(range(self.dim)) else None
        )

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
        """Embed texts: as :class:`SparseRows`, or those of queries, in single precision, as pairs of terms and weights."""
        if not len(texts):
            return [] if query else SparseRows(dim=self.dim, starts=np.zeros(1, np.int64), terms=_NO_TERMS, weights=_NO_WEIGHTS)
        encode = self._model.encode_query if query else self._model.encode_document
        prefix = self.query_prefix if query else self.passage_prefix
        with nullcontext() if query else self._context():
            made = encode(list(texts), prompt=prefix, batch_size=self.batch, show_progress_bar=False, convert_to_sparse_tensor=True)
        rows = _rows(made.cpu().coalesce())
        return rows.pairs() if query else rows


def _pooling(model: Any) -> str | None:
    return next((mode for module in model if (mode := getattr(module, "pooling_strategy", None))), None)


_NO_TERMS = np.zeros(0, dtype=np.int32)
_NO_WEIGHTS = np.zeros(0, dtype=np.float32)


def _rows(made: Any) -> SparseRows:
    row, term = made.indices().numpy()
    weights = made.values().numpy().astype(np.float32)
    some = weights != 0
    starts = np.searchsorted(row[some], np.arange(made.shape[0] + 1)).astype(np.int64)
    return SparseRows(dim=int(made.shape[1]), starts=starts, terms=term[some].astype(np.int32), weights=weights[some])


def is_sparse(folder: Path) -> bool:
    """Return True if a folder contains a sparse model: its modules say so, or it is a masked language model without modules.

    :raises BadArgument: its modules say so, but the model has no masked-language-model head.
    """
    modules = folder / "modules.json"
    masked = any(name.endswith("ForMaskedLM") for name in _read(folder / "config.json").get("architectures") or ())
    if not modules.is_file():
        return masked
    kinds = [str(module.get("type")) for module in json.loads(modules.read_text("utf-8"))]
    if any(kind.endswith(".SpladePooling") for kind in kinds) and (folder / "config.json").is_file() and not masked:
        raise BadArgument(
            f"the model in {folder} has no masked-language-model head, which gives a term its weight",
            hint="Use a model that was saved with its head: 'architectures' in config.json names one ForMaskedLM.",
        )
    return any(".sparse_encoder." in kind for kind in kinds)


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}
