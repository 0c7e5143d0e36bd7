"""Read answers as spans of a text, with an extractive question-answering model of transformers that is stored on this machine."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.errors import BadArgument, StcError
from stcollection.retrieval.crossencoder import locate
from stcollection.studies.answers.agreement.model import softmax
from stcollection.studies.answers.agreement.reader import best_device, pretrained
from stcollection.vectors.model import check_device

_TOKENS = 384  # of a window, with the query
_OVERLAP = 128  # tokens of a window that the next one repeats
_QUERY = 64  # tokens of a query; the rest is cut
_ANSWER = 64  # tokens of an answer
_BATCH = 16  # windows per forward pass
_OFFSET = ("roberta", "camembert", "longformer", "mpnet")  # their positions begin after the padding token

Floats = npt.NDArray[np.float64]


class AnswerSpan(NamedTuple):
    """An answer. :param confidence: in [0, 1], see :meth:`SpanReader.read`."""

    text: str
    confidence: float


class SpanReader:
    """An extractive question-answering model in memory; made by :meth:`load`."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, revision: str) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._takes = set(inspect.signature(model.forward).parameters)
        self.name = name
        self.revision = revision
        self.tokens = min(_TOKENS, _positions(model.config), tokenizer.model_max_length)

    @classmethod
    def load(cls, name: str, *, device: str | None = None) -> SpanReader:
        """Load a model from a folder or the local cache. No code of the folder is run: weights are read from safetensors only.

        :param device: None uses a GPU if available.
        :raises UnknownObject: it is not on this machine.
        :raises BadArgument: it is no question-answering model.
        :raises StateError: transformers is not installed, or there is no such device.
        """
        check_device(device)
        folder, revision = locate(name)
        try:
            (model, info), tokenizer = pretrained(folder, "AutoModelForQuestionAnswering", output_loading_info=True)
        except StcError:
            raise
        except Exception as error:  # transformers and safetensors raise errors of many kinds
            raise _refused(name, (str(error).splitlines() or [type(error).__name__])[0]) from error
        lacking = sorted(info["missing_keys"])
        if lacking:  # transformers would fill them with random numbers
            saved = ", ".join(getattr(model.config, "architectures", None) or ()) or "unknown"
            raise _refused(name, f"its weights lack {', '.join(lacking[:3])}; it was saved as {saved}")
        if not tokenizer.is_fast or tokenizer.pad_token is None:
            raise _refused(name, "its tokenizer has no padding token, or does not report the place of a token in the text")
        return cls(model.to(device or best_device()).eval(), tokenizer, name=name, revision=revision)

    def read(self, query: str, passages: Sequence[str]) -> list[AnswerSpan | None]:
        """Return the most confident answer of each passage to a query, or None if the model finds none.

        A long passage is read in overlapping windows. In a window, p(start) is the softmax of the start logits over the tokens of
        the passage and the token [CLS]; p(end) likewise. The confidence of a span is p(start) · p(end). It does not end before it
        starts. That of no answer is p(start) · p(end) of [CLS], the lowest of all windows. The passage's most confident span is
        returned unless no answer is more confident. This is the definition of the pipeline for question answering in transformers
        before version 5; no answer as [CLS] is from Devlin et al., NAACL 2019. Equal spans: the earlier, then the shorter one.

        A passage gets the same answer whatever passages it is read with. Confidences are rounded to 6 digits.
        """
        best: list[AnswerSpan | None] = [None] * len(passages)
        none = [np.inf] * len(passages)
        for passage, offsets, spans, silent in self._windows(query, passages):
            none[passage] = min(none[passage], silent)
            first, last = np.unravel_index(int(np.argmax(spans)), spans.shape)
            before = best[passage]
            if before is None or spans[first, last] > before.confidence:
                text = passages[passage][offsets[first][0] : offsets[last][1]].strip()
                best[passage] = AnswerSpan(text, float(spans[first, last]))
        return [
            AnswerSpan(span.text, round(span.confidence, 6)) if span and span.text and span.confidence >= silent else None
            for span, silent in zip(best, none, strict=True)
        ]

    def _windows(self, query: str, passages: Sequence[str]) -> Iterator[tuple[int, list[tuple[int, int]], Floats, float]]:
        """Yield, for each window, its passage, the tokens' places in it, the confidence of each span, and that of no answer.

        Spans are float64[tokens, tokens] by first and last token; those that are too long or end before they start have -1.
        """
        filled = [place for place, passage in enumerate(passages) if passage.strip()]
        if not filled:
            return
        query, overlap = self._fitted(query)
        encoded = self._tokenizer(
            [query] * len(filled),
            [passages[place] for place in filled],
            truncation="only_second",
            max_length=self.tokens,
            stride=overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        for window, (start, end) in enumerate(self._logits(encoded)):
            inside = np.array([part == 1 for part in encoded.sequence_ids(window)])
            ids = np.array(encoded["input_ids"][window])
            cls = np.flatnonzero(~inside & (ids == self._tokenizer.cls_token_id))[:1]  # empty if the model has no such token
            places = np.flatnonzero(inside)
            if not len(places):
                continue
            read = np.concatenate([places, cls])
            starts, ends = softmax(start[read][None])[0], softmax(end[read][None])[0]
            silent = float(starts[-1] * ends[-1]) if len(cls) else -np.inf
            spans = np.outer(starts[: len(places)], ends[: len(places)])
            length = np.arange(len(places))[None, :] - np.arange(len(places))[:, None]
            spans[(length < 0) | (length >= _ANSWER)] = -1.0
            offsets = encoded["offset_mapping"][window]
            yield filled[encoded["overflow_to_sample_mapping"][window]], [offsets[place] for place in places], spans, silent

    def _fitted(self, query: str) -> tuple[str, int]:
        """Cut a query that leaves too little of a window for the passage. :returns: the query, and the overlap of windows."""
        offsets = self._tokenizer(query, add_special_tokens=False, return_offsets_mapping=True, verbose=False)["offset_mapping"]
        most = min(_QUERY, self.tokens // 3)
        if len(offsets) > most:
            query, offsets = query[: offsets[most - 1][1]], offsets[:most]
        room = self.tokens - len(offsets) - self._tokenizer.num_special_tokens_to_add(pair=True)
        return query, min(_OVERLAP, room // 2)

    def _logits(self, encoded: Any) -> list[tuple[Floats, Floats]]:
        """Return the start and end logits of each window's tokens, without padding. Batches are of similar length."""
        import torch

        names = [name for name in encoded if name in self._takes]
        order = np.argsort([len(ids) for ids in encoded["input_ids"]], kind="stable")
        logits: list[Any] = [None] * len(order)
        with torch.inference_mode():
            for begin in range(0, len(order), _BATCH):
                rows = order[begin : begin + _BATCH]
                batch = self._tokenizer.pad({name: [encoded[name][i] for i in rows] for name in names}, return_tensors="pt")
                outputs = self._model(**batch.to(self._model.device))
                mask = batch["attention_mask"].bool().cpu().numpy()
                starts, ends = (part.double().cpu().numpy() for part in (outputs.start_logits, outputs.end_logits))
                for row, window in enumerate(rows):
                    logits[window] = starts[row][mask[row]], ends[row][mask[row]]
        return logits


def _positions(config: Any) -> int:
    """Return the number of tokens that a model has positions for."""
    most = int(getattr(config, "max_position_embeddings", None) or _TOKENS)
    shifted = any(name in str(config.model_type) for name in _OFFSET)
    return most - (config.pad_token_id or 0) - 1 if shifted else most


def _refused(name: str, reason: str) -> BadArgument:
    return BadArgument(
        f"{name!r} is not an extractive question-answering model: {reason}",
        hint="Give a folder that a transformers model for question answering was saved to, such as BertForQuestionAnswering, with"
        " its weights in safetensors and its tokenizer.",
    )
