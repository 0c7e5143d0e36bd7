"""Loading equals a count in plain Python for any files, and written files load as the same tables."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.studies.answers.load import find, load
from stcollection.studies.answers.unload import unload
from tests.examples import examples
from tests.studies.answers.answer_files import asked, doc, put, tables, write

_QUERIES, _URLS, _ANSWERS, _IDS = ("为什么", "q2", "q3"), ("u1", "u2", ""), ("是", "no", r"a\tb"), ("d1", "d2", "d3")
_texts = st.sampled_from(("a text with 是", "no", "a\tb", ""))
_docs = st.lists(st.builds(doc, st.sampled_from(_IDS), st.sampled_from(_URLS), _texts), max_size=4)
_asked = st.lists(st.tuples(st.sampled_from(_QUERIES), _docs), min_size=1, max_size=5)
_pairs = st.lists(
    st.tuples(*(st.sampled_from(values) for values in (_QUERIES, _URLS, _ANSWERS, _URLS, _ANSWERS, ("0", "1", "1", "x")))),
    min_size=1,
    max_size=12,
)
_gold = st.lists(
    st.tuples(st.sampled_from(_QUERIES), st.lists(st.sampled_from(_IDS), max_size=3, unique=True)), min_size=1, max_size=4
)
_any = examples(25)
Counts = tuple[int, int, int, int, int]  # stored, duplicates, contradictory, unknown, rejects


def counted_documents(lines: Sequence[tuple[str, list[dict[str, str]]]]) -> tuple[dict[str, dict[str, dict[str, str]]], Counts]:
    held: dict[str, dict[str, dict[str, str]]] = {}
    stored = duplicates = 0
    for query, docs in lines:
        brings = query not in held
        duplicates += not brings
        of_query = held.setdefault(query, {})
        for one in docs:
            if one["doc_id"] in of_query:
                duplicates += 1
            else:
                of_query[one["doc_id"]] = one
                brings = True
        stored += brings
    return held, (stored, duplicates, 0, 0, 0)


def counted_pairs(
    lines: Sequence[tuple[str, ...]], held: dict[str, dict[str, dict[str, str]]]
) -> tuple[dict[tuple[str, frozenset[tuple[str, str]]], int | None], Counts]:
    said: dict[tuple[str, frozenset[tuple[str, str]]], set[str]] = defaultdict(set)
    stored = duplicates = unknown = rejects = 0

    def read(query: str, url: str, text: str) -> str:
        there = [one["doc_text"] for one in held.get(query, {}).values() if one["url"] == url]
        tab = text.replace("\\t", "\t")
        return tab if any(tab in one for one in there) and not any(text in one for one in there) else text

    for query, url1, one, url2, two, label in lines:
        pair = frozenset(((url1, read(query, url1, one)), (url2, read(query, url2, two))))
        if label == "x" or len(pair) == 1:
            rejects += 1
            continue
        addresses = {doc["url"] for doc in held.get(query, {}).values()} - {""}
        unknown += not {url1, url2} <= addresses
        if label in said[query, pair]:
            duplicates += 1
        else:
            stored += 1
            said[query, pair].add(label)
    labels = {key: int(min(told)) if len(told) == 1 else None for key, told in said.items()}
    return labels, (stored, duplicates, sum(label is None for label in labels.values()), unknown, rejects)


def counted_gold(
    lines: Sequence[tuple[str, list[str]]], held: dict[str, dict[str, dict[str, str]]]
) -> tuple[set[tuple[str, str]], Counts]:
    first: dict[str, set[str]] = {}
    gold: set[tuple[str, str]] = set()
    contradicted = set()
    stored = duplicates = unknown = 0
    for query, ids in lines:
        if not held.get(query):
            unknown += 1
        elif query in first:
            duplicates += first[query] == {*ids}
            if first[query] != {*ids}:
                contradicted.add(query)
        else:
            first[query] = {*ids}
            known = {(query, doc_id) for doc_id in ids if doc_id in held[query]}
            gold |= known
            unknown += len(known) < len(ids)
            stored += bool(known) or not ids
    return gold, (stored, duplicates, len(contradicted), unknown, 0)


def ledger(conn: psycopg.Connection, *, set: str) -> dict[str, tuple[Any, ...]]:  # noqa: A002
    rows = conn.execute(
        "SELECT kind, stored, duplicates, contradictory, unknown, rejects FROM stc_all.answer_ledger WHERE set = %s", [set]
    ).fetchall()
    return {row[0]: row[1:] for row in rows}


@pytest.mark.slow
@_any
@given(documents=_asked, pairs=_pairs, gold=_gold)
def test_tables_and_ledger_equal_a_count_in_plain_python(
    conn: psycopg.Connection,
    documents: list[tuple[str, list[dict[str, str]]]],
    pairs: list[tuple[str, ...]],
    gold: list[tuple[str, list[str]]],
) -> None:
    held, of_documents = counted_documents(documents)
    labels, of_pairs = counted_pairs(pairs, held)
    answers, of_gold = counted_gold(gold, held)
    conn.execute("DELETE FROM stc.answer_sets")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        put(conn, write(folder, "documents", *(asked(query, *docs) for query, docs in documents)))
        expected = {"documents": of_documents}
        if of_pairs[0]:  # a file without a storable line is rejected: test_a_wrong_file_is_rejected_entirely
            put(conn, write(folder, "pairs", *map("\t".join, pairs)))
            expected["pairs"] = of_pairs
        if of_gold[0]:
            put(conn, write(folder, "gold", *(f"{query}\t{','.join(ids)}" for query, ids in gold)))
            expected["gold"] = of_gold
    found = tables(conn)
    assert ledger(conn, set="s") == expected
    assert {(row[0], row[2]) for row in found["documents"]} == {(query, doc_id) for query, docs in held.items() for doc_id in docs}
    assert {(row[0], frozenset(map(tuple, row[1:3]))): row[3] for row in found["pairs"]} == labels
    assert {*found["gold"]} == (answers if of_gold[0] else set())


@pytest.mark.slow
@_any
@given(documents=st.none() | _asked, pairs=_pairs, relations=_pairs, gold=_gold)
def test_written_files_load_as_the_same_tables_and_bytes(
    conn: psycopg.Connection,
    documents: list[tuple[str, list[dict[str, str]]]] | None,
    pairs: list[tuple[str, ...]],
    relations: list[tuple[str, ...]],
    gold: list[tuple[str, list[str]]],
) -> None:
    conn.execute("DELETE FROM stc.answer_sets")
    says = {"0": "neutral", "1": "support", "x": "oppose"}
    files = {
        "documents": [asked(query, *docs) for query, docs in documents or ()],
        "pairs": ["\t".join(row) for row in pairs if row[1:3] != row[3:5] and row[5] != "x"],
        "relations": ["\t".join((*row[:5], says[row[5]])) for row in relations if row[1:3] != row[3:5]],
        "gold": ["q9\t", "为什么\t"] + [f"{query}\t{','.join(ids)}" for query, ids in gold] if documents else [],
        "templates": ["为什么\twhy"],
    }
    files["documents"] += [json.dumps({"query": "q9", "docs": [doc("a\tb", "u\n1", "x")]})] if documents else []
    files["pairs"] += [r"q9	u\n1	x	u2	y	1", "为什么\tu\tx\tu\ty\t1"]
    with tempfile.TemporaryDirectory() as name:
        folder, out, again = (Path(name) / part for part in ("in", "out", "again"))
        folder.mkdir()
        put(conn, *(write(folder, kind, *lines) for kind, lines in files.items() if lines))
        unload(conn, "s", out)
        load(conn, set="again", split="dev", files=find(out)["dev"])
        assert tables(conn, set="again") == tables(conn)
        unload(conn, "again", again)
        assert {path.name: path.read_bytes() for path in again.iterdir()} == {
            path.name: path.read_bytes() for path in out.iterdir()
        }
