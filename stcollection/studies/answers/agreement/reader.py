"""A cross-encoder that reads a query and two answers, and predicts whether the answers agree; fine-tuned by finetune.py."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.extras import load_module
from stcollection.retrieval.crossencoder import fingerprint
from stcollection.studies.answers.agreement.model import RELATIONS, Relations, relations_of, softmax
from stcollection.vectors.model import absent, before_torch

TASK = "answer agreement"
_ABOUT = "stcollection.json"
_WEIGHTS = "model.safetensors"
_BATCH = 32

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ReaderDescription:
    """The description in stcollection.json, next to the weights.

    :ivar classes: of the outputs, in order: RELATIONS, or "other" and "support" for labels 0 and 1.
    :ivar temperature: logits are divided by it (temperature scaling: Guo et al., ICML 2017).
    :ivar threshold: pairs with at least this probability of support count as supporting each other.
    :ivar tokens: longer texts are truncated.
    :ivar base: the model that training started from, with its revision.
    :ivar data: SHA-256 of the labelled pairs it was trained on.
    :ivar losses: log loss on the pairs that were held out, before training and after each epoch.
    """

    classes: tuple[str, ...]
    temperature: float
    threshold: float
    tokens: int
    base: str
    base_revision: str
    data: str
    pairs: int
    held_out: int
    seed: int
    losses: tuple[float, ...]
    task: str = TASK


class Reader:
    """A fine-tuned cross-encoder in memory; made by :func:`.finetune.finetune` or :meth:`load`.

    A pair is read in both orders; the logits are averaged, so the order of the two answers does not matter.
    """

    def __init__(self, model: Any, tokenizer: Any, *, name: str, revision: str, about: ReaderDescription) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self.name = name
        self.revision = revision
        self.about = about

    @classmethod
    def load(cls, name: str, *, revision: str | None = None, device: str | None = None) -> Reader:
        """Load a folder written by :meth:`save`. No code of the folder is run: weights are read from safetensors only.

        :raises UnknownObject: there is no such folder, or it has no weights.
        :raises BadArgument: the folder has a model of another task.
        :raises StateError: the files differ from those with this revision.
        """
        folder = Path(name)
        about = described(folder)
        current = f"sha256:{fingerprint(folder)}"
        if revision is not None and current != revision:
            raise StateError(
                f"the model in {name} has revision {current}, but {revision} is registered",
                hint="Its files have changed. Fine-tune it again: stc answers finetune MODEL SET --out FOLDER --replace.",
                sqlstate="IR409",
            )
        try:
            model, tokenizer = classifier(folder)
        except (OSError, ValueError) as error:
            raise absent(name, error) from error
        return cls(model.to(device or best_device()).eval(), tokenizer, name=name, revision=current, about=about)

    def save(self, folder: Path) -> None:
        """Write weights, tokenizer and description to a new folder."""
        with _silent():
            self._model.save_pretrained(str(folder))
            self._tokenizer.save_pretrained(str(folder))
        (folder / _ABOUT).write_text(json.dumps(asdict(self.about), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def predict(self, queries: Sequence[str], a: Sequence[str], b: Sequence[str]) -> Relations:
        """Predict the relations of pairs of answers; the order of the two answers does not matter."""
        if not len(a):
            return Relations(np.zeros(0), np.zeros(0))
        logits = logits_of(self._model, self._tokenizer, queries, a, b, tokens=self.about.tokens)
        return relations_of(softmax(logits, self.about.temperature), self.about.classes, queries, a, b)

    def describe(self) -> dict[str, Any]:
        """Return the parameters that the database stores."""
        return {"name": self.name, "revision": self.revision, **asdict(self.about)}


def described(folder: Path) -> ReaderDescription:
    """Read the description in a model's folder.

    :raises UnknownObject: there is no such folder, or it has no weights.
    :raises BadArgument: it has no description of this task.
    """
    if not (folder / _WEIGHTS).is_file():
        raise UnknownObject(
            f"there is no {_WEIGHTS} in the folder {str(folder)!r}",
            hint="Give the folder that 'stc answers finetune' wrote. Models in other formats are not loaded.",
            sqlstate="IR105",
        )
    try:
        fields = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        if fields["task"] != TASK:
            raise ValueError(f"its task is {fields['task']!r}")
        about = ReaderDescription(**{**fields, "classes": tuple(fields["classes"]), "losses": tuple(fields["losses"])})
        if "support" not in about.classes or not {*about.classes} <= {*RELATIONS, "other"}:
            raise ValueError(f"its classes are {', '.join(about.classes)}")
        return about
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadArgument(
            f"{str(folder)!r} is not a model of agreement: {str(error).splitlines()[0]}",
            hint="Make one with 'stc answers finetune'. 'stc answers nli' registers models of natural language inference.",
        ) from error


def classifier(folder: Path, **options: Any) -> tuple[Any, Any]:
    """Load a transformers model with a head for classes, and its tokenizer; see :func:`pretrained`."""
    model, tokenizer = pretrained(folder, "AutoModelForSequenceClassification", **options)
    return model, tokenizer


def pretrained(folder: Path, kind: str, **options: Any) -> tuple[Any, Any]:
    """Load a transformers model and its tokenizer, from safetensors only and without messages.

    :param kind: class of transformers that loads the model. :param options: as for ``from_pretrained``.
    :returns: the result of the class's ``from_pretrained``, and the tokenizer.
    :raises OSError: a file is missing. :raises ValueError: the model cannot be read.
    """
    before_torch()
    transformers = load_module("transformers", what="reading answers")
    with _silent():
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        model = getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, trust_remote_code=False, **options
        )
    return model, tokenizer


@contextmanager
def _silent() -> Iterator[None]:
    """Suppress the messages and progress bars of transformers."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()
        logging.set_verbosity(before)


def best_device() -> str:
    """Return ``cuda`` if there is a GPU, else ``cpu``."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def encoded(tokenizer: Any, queries: Sequence[str], a: Sequence[str], b: Sequence[str], *, tokens: int) -> Any:
    """Return a batch of inputs: the query and the first answer, then the second answer.

    The longest part is shortened first if there are more than ``tokens`` tokens.
    """
    first = [f"{query} {tokenizer.sep_token} {answer}" for query, answer in zip(queries, a, strict=True)]
    return tokenizer(first, list(b), padding=True, truncation="longest_first", max_length=tokens, return_tensors="pt")


def logits_of(model: Any, tokenizer: Any, queries: Sequence[str], a: Sequence[str], b: Sequence[str], *, tokens: int) -> Floats:
    """Return the logits of both orders, averaged: float64[n, classes]. Batches are of similar length, to reduce padding."""
    import torch

    order = np.argsort([len(q) + len(x) + len(y) for q, x, y in zip(queries, a, b, strict=True)], kind="stable")
    logits = np.zeros((len(order), model.config.num_labels))
    with torch.inference_mode():
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            batch, first, second = ([texts[i] for i in rows] for texts in (queries, a, b))
            for left, right in ((first, second), (second, first)):
                inputs = encoded(tokenizer, batch, left, right, tokens=tokens).to(model.device)
                logits[rows] += model(**inputs).logits.double().cpu().numpy() / 2
    return logits
