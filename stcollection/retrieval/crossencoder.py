"""Score pairs of texts with sentence-transformers cross-encoders that are stored on this machine."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.extras import not_installed
from stcollection.vectors.model import absent, before_torch, cached_folder, check_library, stored_folder, token_limit

# Pairs per forward pass.
_BATCH = {"cpu": 32, "cuda": 256}


class PairScorer(Protocol):
    """Interface of a model for reranking. :ivar name: a sentence-transformers name or path."""

    name: str
    batch: int

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]: ...

    def describe(self) -> dict[str, Any]: ...


def document_text(title: str | None, abstract: str | None) -> str:
    """Return what a cross-encoder reads of a document."""
    return ". ".join(part for part in (title, abstract) if part is not None)


class CrossEncoder:
    """A sentence-transformers CrossEncoder in memory; :func:`load` makes one."""

    def __init__(self, model: Any, *, name: str, revision: str, batch: int | None) -> None:
        self._model = model
        self.name = name
        self.revision = revision
        self.max_tokens = token_limit(model)
        self.batch = batch or _BATCH.get(model.device.type, _BATCH["cuda"])
        self._lock = Lock()  # a tokenizer serves one thread at a time

    @property
    def device(self) -> str:
        """``cpu``, ``cuda:0``, ``mps:0``."""
        return str(self._model.device)

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
        """Return the scores of pairs (query, document), higher is better: float32[len(pairs)], in the order of the pairs."""
        with self._lock:
            scores: npt.NDArray[np.float32] = self._model.predict(
                list(pairs), batch_size=self.batch, convert_to_numpy=True, show_progress_bar=False
            )
        return scores.astype(np.float32, copy=False)

    def describe(self) -> dict[str, Any]:
        """Return the description of the model that a run records."""
        return {"model": self.name, "revision": self.revision, "max_tokens": self.max_tokens}


@cache
def load(model: str, *, batch: int | None = None, device: str | None = None, stored: bool = False) -> CrossEncoder:
    """Load a cross-encoder, once per process, without downloading anything.

    :param model: a sentence-transformers name in the local cache, or a folder.
    :param batch: pairs per forward pass. :param device: None uses a GPU if available. :param stored: as for :func:`locate`.
    :raises UnknownObject: the model is not on this machine.
    :raises BadArgument: the model is not a cross-encoder, or returns more than one score per pair.
    """
    before_torch()
    folder, revision = locate(model, stored=stored)
    _require_cross_encoder(folder, model)
    loaded = opened(folder, model, device=device)
    if loaded.num_labels != 1:
        raise BadArgument(
            f"{model!r} returns {counted(loaded.num_labels, 'score')} per pair, but ranking needs exactly 1",
            hint="Use a cross-encoder for ranking, such as cross-encoder/ms-marco-MiniLM-L6-v2.",
        )
    return CrossEncoder(loaded, name=model, revision=revision, batch=batch)


def opened(folder: Path, name: str, *, device: str | None) -> Any:
    """Open a folder as a ``sentence_transformers.CrossEncoder``. :param name: the requested name, for the message.

    :raises UnknownObject: the model cannot be read.
    """
    check_library("reranking")
    try:
        from sentence_transformers import CrossEncoder as Model
    except ModuleNotFoundError as error:
        raise not_installed(error.name or "sentence_transformers", what="reranking") from error

    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()
    try:
        return Model(str(folder), local_files_only=True, device=device)
    except (OSError, ValueError) as error:
        raise absent(name, error) from error
    finally:
        logging.enable_progress_bar()


def locate(name: str, *, stored: bool = False) -> tuple[Path, str]:
    """Return the folder of a model and its revision: the commit of a cached model, or a hash of the files of a folder.

    :param stored: the name comes from the collection; see :func:`stcollection.vectors.model.stored_folder`.
    :raises UnknownObject: the model is not on this machine, or the collection names a folder that the user does not allow.
    """
    given = Path(name).expanduser()
    folder = stored_folder(name) if stored else given if given.is_dir() else None
    if folder is not None:
        return folder, f"sha256:{fingerprint(folder)}"
    folder = cached_folder(name)
    return folder, folder.name


def fingerprint(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of a model's files, without its model card and hidden files."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and path.suffix != ".md" and not any(part.startswith(".") for part in inside.parts):
            with path.open("rb") as file:
                whole.update(f"{inside.as_posix()} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()


def _require_cross_encoder(folder: Path, name: str) -> None:
    """Refuse other models before loading them: sentence-transformers would add a head with random weights to a bi-encoder.

    A model saved by sentence-transformers states its type; one saved by transformers must have a classification head.
    """
    saved = _json(folder / "config_sentence_transformers.json").get("model_type")
    heads = _json(folder / "config.json").get("architectures") or ()
    if saved == "CrossEncoder" or (saved is None and any("SequenceClassification" in head for head in heads)):
        return
    raise BadArgument(
        f"{name!r} is not a cross-encoder: it embeds single texts and cannot score pairs",
        hint="Use a model with a ranking head, such as cross-encoder/ms-marco-MiniLM-L6-v2. "
        "For a bi-encoder, use 'stc vectors embed --model', then 'stc retrieval rerank --by vectors' or the dense systems.",
    )


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
