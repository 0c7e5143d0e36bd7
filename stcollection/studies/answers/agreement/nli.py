"""A natural language inference cross-encoder as a model of agreement: entailment supports, contradiction opposes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from stcollection.errors import BadArgument, StateError
from stcollection.retrieval.crossencoder import locate, opened
from stcollection.studies.answers.agreement.model import Relations, softmax
from stcollection.vectors.model import before_torch

_WORDS = {"support": "entail", "neutral": "neutral", "oppose": "contradict"}
THRESHOLD = 0.5


class Nli:
    """A cross-encoder with three labels in memory; created by :meth:`load`.

    A pair is scored in both directions. Support is the higher of the two entailment probabilities, because a specific answer
    entails a general one. Opposition is the mean of the two contradiction probabilities. If their sum exceeds 1, both are scaled
    to sum to 1.
    """

    def __init__(self, model: Any, *, name: str, revision: str, labels: dict[str, int]) -> None:
        self._model = model
        self.name = name
        self.revision = revision
        self.labels = labels
        self.threshold = THRESHOLD

    @classmethod
    def load(cls, name: str, *, revision: str | None = None, device: str | None = None, stored: bool = False) -> Nli:
        """Load a cross-encoder; nothing is downloaded.

        :param name: a name in the local cache, or a folder.
        :param revision: the expected revision. :param stored: the name comes from the collection.
        :raises UnknownObject: it is not on this machine.
        :raises BadArgument: it has no labels of inference.
        :raises StateError: its revision differs.
        """
        before_torch()
        folder, current = locate(name, stored=stored)
        if revision is not None and current != revision:
            raise StateError(
                f"the cross-encoder {name!r} has revision {current}, but {revision} is registered",
                hint="Register it under another name, or replace it: stc answers nli … --replace.",
                sqlstate="IR409",
            )
        config = folder / "config.json"
        labels = labels_of(json.loads(config.read_text(encoding="utf-8")) if config.is_file() else {}, name)
        return cls(opened(folder, name, device=device), name=name, revision=current, labels=labels)

    def predict(self, queries: Sequence[str], a: Sequence[str], b: Sequence[str]) -> Relations:
        """Predict the relations of pairs of answers, without the queries; the order of the two answers does not matter."""
        if not len(a):
            return Relations(np.zeros(0), np.zeros(0))
        # Use one order, whichever answer comes first, so that batches, and thus the last bits, are the same.
        ordered = [(min(pair), max(pair)) for pair in zip(a, b, strict=True)]
        forth, back = self._read(ordered), self._read([(second, first) for first, second in ordered])
        entail, contradict = self.labels["support"], self.labels["oppose"]
        support = np.maximum(forth[:, entail], back[:, entail])
        oppose = (forth[:, contradict] + back[:, contradict]) / 2
        whole = np.maximum(support + oppose, 1.0)
        return Relations(support / whole, oppose / whole)

    def _read(self, pairs: list[tuple[str, str]]) -> Any:
        """Return float64[n, labels], each row a softmax."""
        logits = self._model.predict(pairs, convert_to_numpy=True, show_progress_bar=False, apply_softmax=False)
        return softmax(logits.astype(np.float64))


def labels_of(config: dict[str, Any], name: str) -> dict[str, int]:
    """Map relations to outputs by config.json's id2label. :raises BadArgument: it does not name all three."""
    numbers = {str(label).casefold(): int(number) for number, label in (config.get("id2label") or {}).items()}
    outputs = {relation: number for relation, word in _WORDS.items() for label, number in numbers.items() if word in label}
    if len(outputs) < len(_WORDS) or len(numbers) != len(_WORDS):
        raise BadArgument(
            f"{name!r} is not a natural language inference model: its labels are {', '.join(numbers) or 'missing'}",
            hint="Use a model with entailment, neutral and contradiction in the id2label of its config.json.",
        )
    return outputs
