"""Cross-encoders of one layer with random weights, which sentence-transformers reads like any other."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def save(folder: Path, words: Iterable[str], *, labels: dict[int, str] | None = None, seed: int = 1) -> Path:
    """Save a BERT for sequence classification that reads some words. :param labels: None: one score."""
    transformers, torch = (importlib.import_module(name) for name in ("transformers", "torch"))
    torch.manual_seed(seed)
    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(words)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    labels = {0: "score"} if labels is None else labels
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        id2label=labels,
        label2id={label: number for number, label in labels.items()},
        initializer_range=1.0,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(str(folder))
    transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(str(folder))
    return folder


def predicted(folder: Path, query: str, texts: Sequence[str]) -> list[float]:
    """Return the scores of texts by sentence-transformers alone, one pair at a time."""
    oracle: Any = importlib.import_module("sentence_transformers").CrossEncoder(str(folder), local_files_only=True)
    scores = oracle.predict([(query, text) for text in texts], batch_size=1, show_progress_bar=False)
    return [float(score) for score in scores]
