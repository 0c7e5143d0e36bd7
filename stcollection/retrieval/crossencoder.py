"""Cross-encoders: a score for a pair of texts, by sentence-transformers, from this machine alone."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from stcollection.errors import BadArgument, UnknownObject
from stcollection.extras import not_installed

# Pairs a forward pass.
_BATCH = {"cpu": 32, "cuda": 256}


class PairScorer(Protocol):
    """What reranking needs of a model. :ivar name: a sentence-transformers name or path."""

    name: str
    batch: int

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]: ...

    def describe(self) -> dict[str, Any]: ...


class CrossEncoder:
    """A sentence-transformers CrossEncoder in memory; :func:`load` makes one."""

    def __init__(self, model: Any, *, name: str, revision: str, batch: int | None) -> None:
        self._model = model
        self.name = name
        self.revision = revision
        # Its older name is the one before sentence-transformers 6.
        self.max_tokens: int | None = model.max_seq_length if hasattr(model, "max_seq_length") else model.max_length
        self.batch = batch or _BATCH.get(model.device.type, _BATCH["cuda"])

    @property
    def device(self) -> str:
        """``cpu``, ``cuda:0``, ``mps:0``."""
        return str(self._model.device)

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
        """The scores of some pairs (query, document), higher is better; float32[len(pairs)], in the order of the pairs."""
        scores: npt.NDArray[np.float32] = self._model.predict(
            list(pairs), batch_size=self.batch, convert_to_numpy=True, show_progress_bar=False
        )
        return scores.astype(np.float32, copy=False)

    def describe(self) -> dict[str, Any]:
        """What a run records of it."""
        return {"model": self.name, "revision": self.revision, "max_tokens": self.max_tokens}


@cache
def load(model: str, *, batch: int | None = None, device: str | None = None) -> CrossEncoder:
    """Load a cross-encoder, once a process. Nothing is downloaded.

    :param model: a sentence-transformers name that is in the local cache, or a folder.
    :param batch: pairs a forward pass. :param device: None takes a GPU when there is one.
    :raises UnknownObject: the model is not on this machine.
    :raises BadArgument: it is no cross-encoder, or gives more than one score a pair.
    """
    # As for embedding (vectors/model.py): nobody asks a hub, and OpenMP's threads do not spin while they wait.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    folder, revision = locate(model)
    _require_cross_encoder(folder, model)
    loaded = opened(folder, model, device=device)
    if loaded.num_labels != 1:
        raise BadArgument(
            f"{model!r} gives {loaded.num_labels} scores a pair, not one to rank by",
            hint="Take a cross-encoder for ranking, as cross-encoder/ms-marco-MiniLM-L6-v2.",
            sqlstate="IR202",
        )
    return CrossEncoder(loaded, name=model, revision=revision, batch=batch)


def opened(folder: Path, name: str, *, device: str | None) -> Any:
    """The ``sentence_transformers.CrossEncoder`` of a folder. :param name: what it was asked for by.

    :raises UnknownObject: it cannot be read.
    """
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


def locate(name: str) -> tuple[Path, str]:
    """The folder of a model, and what tells its states apart: the commit of a cached one, a hash of the files of a folder.

    :raises UnknownObject: it is not on this machine.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder, f"sha256:{fingerprint(folder)}"
    hub: Any = importlib.import_module("huggingface_hub")
    errors: Any = importlib.import_module("huggingface_hub.errors")
    try:
        folder = Path(hub.snapshot_download(name, local_files_only=True))
    except (OSError, ValueError, errors.HFValidationError) as error:
        raise absent(name, error) from error
    return folder, folder.name


def absent(name: str, error: Exception) -> UnknownObject:
    """The error for a model that cannot be loaded here, and why."""
    return UnknownObject(
        f"the model {name!r} cannot be loaded from this machine: {(str(error).splitlines() or ['no reason given'])[0]}",
        hint=f"Nothing is downloaded here. Fetch it once by 'hf download {name}', or give the path of its folder.",
        sqlstate="IR105",
    )


def fingerprint(folder: Path) -> str:
    """SHA-256 of the files of a model, with their names; its model card and hidden files do not count."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and path.suffix != ".md" and not any(part.startswith(".") for part in inside.parts):
            with path.open("rb") as file:
                whole.update(f"{inside.as_posix()} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()


def _require_cross_encoder(folder: Path, name: str) -> None:
    """Refuse what is none, before it is loaded: sentence-transformers would put a head of random numbers on a bi-encoder.

    One saved by sentence-transformers says what it is; one saved by transformers has a head for classification.
    """
    saved = _json(folder / "config_sentence_transformers.json").get("model_type")
    heads = _json(folder / "config.json").get("architectures") or ()
    if saved == "CrossEncoder" or (saved is None and any("SequenceClassification" in head for head in heads)):
        return
    raise BadArgument(
        f"{name!r} is no cross-encoder: it embeds texts one by one and cannot score a pair",
        hint="Take one with a head for ranking, as cross-encoder/ms-marco-MiniLM-L6-v2; "
        "a bi-encoder ranks by 'stc vectors embed --model' and the dense systems.",
        sqlstate="IR202",
    )


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
