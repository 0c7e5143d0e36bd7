"""Explain why a run returns its documents: the clusters of a query with their support, as JSON or as text of 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import psycopg

from stcollection.analysis.columns import columns
from stcollection.counts import counted
from stcollection.declared import Option
from stcollection.errors import translate
from stcollection.studies.answers.parameters import AnswerRun

WIDTH = 80
_STEPS = {
    "only": "it is the only cluster",
    "documents": "more documents support it",
    "answers": "equally many documents, but more answers",
    "support": "equally many documents and answers, but its answers support each other more",
    "place": "equal in documents, answers and support, but its first document comes earlier",
    "id": "equal in documents, answers, support and place, but its first answer was stored earlier",
}
_ABSTAINED = {
    "no answers": "no document contains an answer",
    "too few documents": "the best answer has fewer documents than the run requires",
    "nothing found": "the run returns no document",
}


@translate()
def explanations(
    conn: psycopg.Connection, run: AnswerRun, query: Annotated[str | None, Option("QUERY")] = None
) -> Iterator[dict[str, Any]]:
    """Yield the result of answer_explanation for one query, or for all queries of the run's split, by place.

    :raises UnknownObject: the run or query does not exist.
    """
    if query is not None:
        queries = [query]
    else:
        queries = [
            text
            for (text,) in conn.execute(
                "SELECT q.text FROM stc.answer_runs r JOIN stc.answer_queries q ON q.set = r.set"
                " WHERE r.id = stc.answer_run_key(%s)"
                " ORDER BY q.place, q.id",
                [run],
            )
        ]
    return (_explanation(conn, run, text) for text in queries)


@translate()
def _explanation(conn: psycopg.Connection, run: str, query: str) -> dict[str, Any]:
    [(explanation,)] = conn.execute("SELECT stc.answer_explanation(%s, %s)", [run, query]).fetchall()
    return {name: explanation[name] for name in ORDER}


ORDER = (
    "run", "set", "split", "method", "params", "query", "returned", "gold", "score", "endorsement", "decided_by", "abstained",
    "clusters", "contradictions", "documents",
)  # fmt: skip


def as_text(explanation: Mapping[str, Any], *, clean: Callable[[str], str]) -> str:
    """Format an explanation for a terminal, WIDTH columns wide; Chinese characters take two columns.

    :param clean: function that removes terminal control characters from text.
    """
    lines = [*wrap(clean(explanation["query"]), "", "  ")]
    params = ", ".join(f"{name} {value}" for name, value in explanation["params"].items())
    lines += wrap(clean(f"run {explanation['run']}: {explanation['method']}{', ' if params else ''}{params}"), "  ", "    ")
    if explanation["returned"]:
        lines += wrap(clean("returns " + ", ".join(explanation["returned"])), "  ", "    ")
    else:
        lines += wrap(f"returns nothing: {_ABSTAINED[explanation['abstained']]}", "  ", "    ")
    if explanation["gold"] is None:
        lines.append("  gold is unknown")
    else:
        lines += wrap(clean(f"gold {', '.join(explanation['gold'])}; F1 {explanation['score']['f1']:.4f}"), "  ", "    ")
    if explanation["method"] == "expected" and explanation["returned"]:
        chances = [f"{doc['doc_id']} {doc['probability']:.2f}" for doc in explanation["documents"] if doc["returned"]]
        lines += wrap(clean("behind the most endorsed answer with probability " + ", ".join(chances)), "  ", "    ")
        lines += wrap(
            "returned: the documents with the greatest mean F1 over all groupings; the most likely grouping:", "  ", "    "
        )
    elif explanation["clusters"]:
        lines += wrap(f"cluster 1 was chosen: {_STEPS[explanation['decided_by']]}", "  ", "    ")
    elif explanation["returned"]:
        lines += wrap(
            f"the method ({clean(explanation['method'])}) does not group answers, so there are no clusters to show", "  ", "    "
        )
    for group in explanation["clusters"]:
        count = group["endorsement"]
        support = "" if group["support"] is None else f", mean support {group['support']:.2f}"
        lines += ["", f"  cluster {group['cluster']}: {counted(count, 'document')}{support}"]
        for answer in group["answers"]:
            lines += wrap(clean(answer["text"]), "    · ", "      ")
            marks = "" if answer["gold"] is None else " (gold)" if answer["gold"] else " (not gold)"
            lines += wrap(clean(f"{answer['doc_id']}{marks}  {answer['title']}  {answer['url']}"), "        ", "          ")
    if explanation["contradictions"]:
        lines += ["", "  contradictions: the strongest one between each two clusters"]
        for pair in explanation["contradictions"]:
            what = f"{pair['cluster']} and {pair['against']}" if pair["cluster"] != pair["against"] else f"within {pair['cluster']}"
            sides = " / ".join(f"{side['text']} ({side['doc_id']})" for side in (pair["a"], pair["b"]))
            lines += wrap(clean(f"{what}, {pair['oppose']:.2f}: {sides}"), "    ", "      ")
    silent = [doc["doc_id"] for doc in explanation["documents"] if doc["answers"] == 0]
    if silent:
        lines += ["", *wrap(clean("documents without an answer: " + ", ".join(silent)), "  ", "    ")]
    return "\n".join(lines)


def wrap(text: str, first: str, rest: str) -> list[str]:
    """Wrap text to lines of at most WIDTH columns, at spaces or next to wide characters; words are split only if longer than a
    line.

    :param first: prefix of the first line; ``rest``: of the others.
    """
    lines, line, used, blank = [], first, columns(first), True
    for piece in _pieces(text):
        wide = columns(piece)
        if piece == " " and blank:
            continue
        if used + wide > WIDTH and not (blank and piece != " "):
            lines.append(line.rstrip())
            line, used, blank = rest, columns(rest), True
            if piece == " ":
                continue
        for sign in piece:
            if used + columns(sign) > WIDTH:
                lines.append(line.rstrip())
                line, used = rest, columns(rest)
            line, used, blank = line + sign, used + columns(sign), False
    return lines if blank and lines else [*lines, line.rstrip()]


def _pieces(text: str) -> Iterator[str]:
    """Yield the unbreakable pieces of a text: words, wide characters, spaces."""
    word = ""
    for sign in " ".join(text.split()):
        if sign == " " or columns(sign) == 2:
            if word:
                yield word
            yield sign
            word = ""
        else:
            word += sign
    if word:
        yield word
