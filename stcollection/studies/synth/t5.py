"""Sequence-to-sequence models that write queries for a passage (doc2query), by transformers, from local files only.

Words are sampled by the Gumbel-max trick: add a random number from the Gumbel distribution to the logarithm of each word's
probability, and take the largest sum. This samples from those probabilities (Maddison, Tarlow & Minka, NIPS 2014). Every query has
separate random numbers, derived from the seed, the document's name and the query's number, so the result does not depend on the
order of passages, on batches, or on where an earlier call ended. (Sums of floats can differ in their last digit between batches;
a word changes only if two sums are that close.)
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stcollection.errors import BadArgument
from stcollection.retrieval.crossencoder import locate
from stcollection.vectors.model import absent, before_torch

_BATCH = {"cpu": 32, "cuda": 256}  # queries per forward pass
MAX_INPUT = 512  # tokens of a passage
MAX_WORDS = 64  # tokens of a query


class Job(NamedTuple):
    """A passage and the numbers of the wanted queries. :param docno: its name, from which the random numbers are derived."""

    docno: str
    text: str
    numbers: Sequence[int]


class WrittenQuery(NamedTuple):
    """A generated query. :param job: index of its passage among the jobs. :param cut: the passage was truncated to MAX_INPUT."""

    job: int
    number: int
    text: str
    cut: bool


class Doc2Query:
    """A model in memory, created by :func:`load`. :ivar revision: version of its files. :ivar batch: queries per forward pass."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, revision: str, device: str, batch: int | None) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self.name = name
        self.revision = revision
        self.device = device
        self.batch = batch or _BATCH.get(device.partition(":")[0], _BATCH["cuda"])

    def write(
        self, jobs: Sequence[Job], *, seed: int, top_k: int = 10, temperature: float = 1.0, prefix: str = ""
    ) -> list[WrittenQuery]:
        """Generate queries for some passages, sorted by passage and number.

        :param seed: with docno and number it determines the random numbers.
        :param top_k: number of candidates for the next word; 0: all.
        :param temperature: above 0; below 1 favours likely words.
        :param prefix: text before each passage.
        """
        rows = [(place, number) for place, job in enumerate(jobs) for number in job.numbers]
        written: list[WrittenQuery] = []
        for start in range(0, len(rows), self.batch):
            page = rows[start : start + self.batch]
            places = sorted({place for place, _ in page})
            noise = [random_of(seed, jobs[place].docno, number) for place, number in page]
            texts, cut = self._generate(
                [prefix + jobs[place].text for place in places],
                [places.index(place) for place, _ in page],
                noise,
                top_k=top_k,
                temperature=temperature,
            )
            written += [
                WrittenQuery(place, number, text, cut[places.index(place)])
                for (place, number), text in zip(page, texts, strict=True)
            ]
        return written

    def _generate(
        self, texts: list[str], rows: list[int], noise: list[np.random.Generator], *, top_k: int, temperature: float
    ) -> tuple[list[str], list[bool]]:
        """Generate queries for some texts.

        :param rows: for each query the index of its text.
        :returns: the queries, and for each text whether it was truncated.
        """
        import torch

        outputs: Any = importlib.import_module("transformers.modeling_outputs")
        longest = min(MAX_INPUT, int(self._tokenizer.model_max_length))
        cut = [len(ids) > longest for ids in self._tokenizer(texts, verbose=False)["input_ids"]]
        inputs = self._tokenizer(texts, padding=True, truncation=True, max_length=longest, return_tensors="pt").to(self.device)
        with torch.inference_mode():
            mask = inputs["attention_mask"]
            states = self._model.get_encoder()(input_ids=inputs["input_ids"], attention_mask=mask, return_dict=True)
            index = torch.tensor(rows, device=self.device)
            tokens = self._model.generate(
                encoder_outputs=outputs.BaseModelOutput(last_hidden_state=states.last_hidden_state.index_select(0, index)),
                attention_mask=mask.index_select(0, index),
                logits_processor=[_draw(noise, top_k=top_k, temperature=temperature)],
                max_new_tokens=MAX_WORDS,
                do_sample=False,
                num_beams=1,
                num_return_sequences=1,
                temperature=None,
                top_k=None,
                top_p=None,
            )
        decoded = self._tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [" ".join(str(text).replace("\0", "\ufffd").split()) for text in decoded], cut


def random_of(seed: int, docno: str, number: int) -> np.random.Generator:
    """Return the random number generator of one query."""
    digest = hashlib.sha256(f"{seed}\n{docno}\n{number}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def _draw(noise: list[np.random.Generator], *, top_k: int, temperature: float) -> Any:
    """Return a logits processor that keeps only the sampled word of each row."""
    import torch

    def draw(_: Any, scores: Any) -> Any:
        k = min(top_k or scores.shape[-1], scores.shape[-1])
        values, words = (scores.float() / temperature).topk(k, dim=-1)
        gumbel = torch.from_numpy(np.stack([generator.gumbel(size=k) for generator in noise])).to(values)
        drawn = words.gather(-1, (values + gumbel).argmax(dim=-1, keepdim=True))
        return torch.full_like(scores, float("-inf")).scatter_(-1, drawn, 0.0)

    return draw


@cache
def load(model: str, *, batch: int | None = None, device: str | None = None) -> Doc2Query:
    """Load a sequence-to-sequence model and its tokenizer, once per process. Nothing is downloaded.

    :param model: a name in the local Hugging Face cache, or a folder.
    :param batch: queries per forward pass; None: 32 on a CPU, 256 on a GPU.
    :param device: None: a GPU if there is one.
    :raises UnknownObject: the model is not on this machine.
    :raises BadArgument: it is not a sequence-to-sequence model.
    """
    before_torch()
    folder, revision = _locate(model)
    import torch

    transformers: Any = importlib.import_module("transformers")
    logging: Any = importlib.import_module("transformers.utils.logging")
    safely = {"local_files_only": True, "trust_remote_code": False}
    where = device or ("cuda" if torch.cuda.is_available() else "cpu")
    logging.disable_progress_bar()
    try:
        config = transformers.AutoConfig.from_pretrained(str(folder), **safely)
        if not config.is_encoder_decoder:
            raise BadArgument(
                f"{model!r} is not a sequence-to-sequence model: a {config.model_type} cannot generate a text from another",
                hint="Use a model with encoder and decoder, such as doc2query/msmarco-t5-base-v1.",
            )
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **safely)
        loaded = transformers.AutoModelForSeq2SeqLM.from_pretrained(str(folder), **safely)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise absent(model, error) from error
    finally:
        logging.enable_progress_bar()
    name = str(folder.resolve()) if Path(model).expanduser().is_dir() else model
    return Doc2Query(loaded.eval().to(where), tokenizer, name=name, revision=revision, device=where, batch=batch)


def _locate(name: str) -> tuple[Path, str]:
    folder = Path(name).expanduser()
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise absent(name, OSError("the folder has no config.json"))
    return locate(name)
