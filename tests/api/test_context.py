"""Contexts for a language model: the budget, whole sentences, no document twice, and the order of documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.api import context as contexts
from stcollection.api.collection import Collection
from stcollection.api.context import Context, default_tokens, sentences
from stcollection.errors import BadArgument
from stcollection.retrieval.search import FoundDocument

Line = tuple[FoundDocument, str | None]


def words(text: str) -> int:
    return len(text.split())


def line(rank: int, title: str | None = "A title", abstract: str | None = None, snippet: str | None = None) -> Line:
    facts = {"docno": f"d{rank}", "year": 2020, "venue": None, "citations": None}
    return FoundDocument(rank=rank, score=1 / rank, doc=rank, title=title, snippet=snippet, **facts), abstract  # type: ignore[arg-type]


def pack(lines: list[Line], *, tokens: int, passages: str) -> Context:
    """Pack documents with their abstracts, counting words."""
    abstracts = {document.doc: abstract for document, abstract in lines}
    return contexts.pack([document for document, _ in lines], tokens=tokens, passages=passages, count=words, abstracts=abstracts)


ABSTRACT = "The first, e.g. this one. Is it the second? The third by Smith et al. in Fig. 3 is long."


def test_sentences() -> None:
    assert sentences(ABSTRACT) == [
        "The first, e.g. this one. ",
        "Is it the second? ",
        "The third by Smith et al. in Fig. 3 is long.",
    ]
    assert sentences("No end") == ["No end"]
    assert sentences("") == []
    assert sentences('He said "no." Then 3 went. (Others too.) J. Doe et al. Stayed') == [
        'He said "no." ',
        "Then 3 went. ",
        "(Others too.) ",
        "J. Doe et al. Stayed",
    ]


@given(text=st.text(alphabet=st.sampled_from('aB .!?"()\n'), max_size=80))
def test_sentences_are_the_text(text: str) -> None:
    assert "".join(sentences(text)).strip() == text.strip()


def test_a_text_by_hand() -> None:
    lines = [
        line(1, snippet="The best one.", abstract=ABSTRACT),
        line(2, title="Whose?"),
        line(3, title=None, abstract="Only this."),
    ]
    context = pack(lines, tokens=100, passages="abstract")
    assert str(context) == f"[d1] A title. {ABSTRACT}\n\n[d2] Whose?\n\n[d3] Only this."
    assert pack(lines, tokens=100, passages="sentence").text == "[d1] A title. The best one.\n\n[d2] Whose?"
    assert [context.text[one.start : one.end] for one in context.passages] == context.text.split("\n\n")
    assert [(one.docno, one.rank, one.score) for one in context.passages] == [("d1", 1, 1.0), ("d2", 2, 0.5), ("d3", 3, 1 / 3)]
    assert context.tokens == sum(one.tokens for one in context.passages) == words(context.text)


@pytest.mark.parametrize(
    ("tokens", "ends"),
    [
        (2, None),
        (3, "A title."),
        (7, "A title."),
        (8, "this one."),
        (11, "this one."),
        (12, "the second?"),
        (23, "is long."),
        (99, "is long."),
    ],
)
def test_a_budget_cuts_between_sentences(tokens: int, ends: str | None) -> None:
    context = pack([line(1, abstract=ABSTRACT)], tokens=tokens, passages="abstract")
    assert context.tokens <= tokens
    assert context.text.endswith(ends) if ends else (context.text, context.passages) == ("", ())


@given(
    texts=st.lists(st.lists(st.sampled_from(["One two.", "Three!", "Four five six seven?"]), max_size=4).map(" ".join), max_size=6),
    tokens=st.integers(1, 60),
    passages=st.sampled_from(["sentence", "abstract"]),
)
def test_whatever_the_budget(texts: list[str], tokens: int, passages: str) -> None:
    lines = [line(rank, abstract=text, snippet=next(iter(sentences(text)), None)) for rank, text in enumerate(texts, 1)]
    context = pack(lines, tokens=tokens, passages=passages)
    assert words(context.text) == context.tokens <= tokens
    assert [one.docno for one in context.passages] == [one.docno for one, _ in lines][: len(context.passages)]
    assert all(context.text[one.start : one.end].startswith(f"[{one.docno}] A title.") for one in context.passages)
    assert all(context.text[one.start : one.end].endswith((".", "?", "!")) for one in context.passages)


def test_citations() -> None:
    context = pack([line(1), line(2)], tokens=99, passages="abstract")
    assert context.citations("So [d1], and so [d2; d9, d1]. Not (d3) nor [].") == {"d1": True, "d2": True, "d9": False}


@pytest.mark.slow
def test_errors(small: Collection) -> None:
    with pytest.raises(BadArgument, match="the budget is 0 tokens"):
        small.rag_context("voice", tokens=0, system="bm25")
    with pytest.raises(BadArgument, match="unknown passages 'page'"):
        small.rag_context("voice", passages="page", system="bm25")


def test_of_a_collection(small: Collection) -> None:
    context = small.rag_context("who hears voice assistants at night?", 3, 40, system="bm25")
    assert context.text.splitlines()[0] == "[1] Voice assistants at home. Voice assistants listen to all of it, e.g. at night."
    assert [one.rank for one in context.passages] == [1, 2, 3]
    found = small.search("who hears voice assistants at night?", "bm25", k=3)
    assert [(one.docno, one.score) for one in context.passages] == list(zip(found["docno"], found["score"], strict=True))
    assert context.tokens == default_tokens(context.text) <= 40
    assert small.rag_context("xyzzy", system="bm25").text == ""


def test_tokens_are_those_of_the_model() -> None:
    assert default_tokens("embeddings") == 4  # em ##bed ##ding ##s
    assert default_tokens("word " * 1000) == 1000  # where the model itself stops at 256
