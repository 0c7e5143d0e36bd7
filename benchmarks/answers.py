"""Load answer verification data: 10,000 queries with 8 documents each and 200,000 labelled pairs, compared with a simple loop.

The peer is a minimal script: json.loads, splitting at tabs, dictionaries from texts to keys, and one COPY per table into tables
with the same columns and keys, in one transaction. It checks nothing. Ours is the command's function: it counts duplicates,
contradictions, unknown URLs and malformed lines (the data has some of each), and stores their locations.
"""

from __future__ import annotations

import csv
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import count, groupby
from pathlib import Path

import numpy as np
import psycopg

from benchmarks.common import collection, dsn, paired, server, tell
from stcollection.db.sessions import pinned
from stcollection.studies.answers.agreement.model import AgreementModel
from stcollection.studies.answers.agreement.relate import labelled, train
from stcollection.studies.answers.agreement.store import load as restored
from stcollection.studies.answers.clusters import AnswerPairs
from stcollection.studies.answers.expected import expected
from stcollection.studies.answers.load import SAMPLE, find, load

ROUNDS = 2
QUERIES, DOCUMENTS, PAIRS = 10_000, 8, 200_000
_SIGNS = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]
_TABLES = """
CREATE TABLE plain_queries (id integer PRIMARY KEY, place integer, text text COLLATE "C" UNIQUE);
CREATE TABLE plain_documents (id bigint PRIMARY KEY, query integer REFERENCES plain_queries, place integer, doc_id text COLLATE "C",
                              url text COLLATE "C", title text, text text, UNIQUE (query, doc_id));
CREATE TABLE plain_answers (id bigint PRIMARY KEY, query integer REFERENCES plain_queries,
                            document bigint REFERENCES plain_documents, url text COLLATE "C", text text,
                            digest uuid GENERATED ALWAYS AS (md5(text)::uuid) STORED,
                            UNIQUE (query, url, digest));
CREATE INDEX ON plain_answers (document);
CREATE TABLE plain_pairs (a bigint REFERENCES plain_answers, b bigint REFERENCES plain_answers,
                          query integer REFERENCES plain_queries, label smallint, PRIMARY KEY (a, b));
CREATE INDEX ON plain_pairs (b);
CREATE INDEX ON plain_pairs (query);
CREATE TABLE plain_gold (document bigint PRIMARY KEY REFERENCES plain_documents, query integer REFERENCES plain_queries);
CREATE INDEX ON plain_gold (query);
"""


def generate(folder: Path, *, queries: int, pairs: int, seed: int = 1) -> None:
    """Write a train split of this size: texts of about 400 Chinese characters, answers of about 30, with three possible stances."""
    chance = random.Random(seed)
    with (
        (folder / "train_query_doc.json").open("w", encoding="utf-8") as documents,
        (folder / "train_answer_nli_data.tsv").open("w", encoding="utf-8") as labels,
        (folder / "train_label.tsv").open("w", encoding="utf-8") as gold,
    ):
        for number in range(queries):
            query = f"{_words(chance, 12)}{number}吗"
            answers, docs = [], []
            for place in range(DOCUMENTS):
                url = f"https://www.example.org/{number}/{place}.html"
                for _ in range(1 if place else 2):
                    answers.append((url, _words(chance, chance.randint(8, 50)), chance.choice("yyn")))
                text = "。".join([_words(chance, chance.randint(100, 400)), *(text for at, text, _ in answers if at == url)])
                docs.append({"title": _words(chance, 15), "url": url, "doc_text": text, "doc_id": f"{number}-{place}"})
            documents.write(json.dumps({"query": query, "docs": docs}, ensure_ascii=False) + "\n")
            both = [(one, two) for i, one in enumerate(answers) for two in answers[i + 1 :]]
            for one, two in chance.sample(both, pairs * (number + 1) // queries - pairs * number // queries):
                labels.write("\t".join((query, *one[:2], *two[:2], str(int(one[2] == two[2])))) + "\n")
            agreed = sorted({url.rsplit("/", 1)[1].split(".")[0] for url, _, stand in answers if stand == "y"})
            gold.write(f"{query}\t{','.join(f'{number}-{place}' for place in agreed)}\n")


def flaws(folder: Path) -> None:
    """Add one faulty line per hundred labels: swapped duplicates, contradictions, unknown URLs, missing columns."""
    path = folder / "train_answer_nli_data.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    wrong = []
    for number, line in enumerate(lines[::100]):
        query, url1, one, url2, two, label = line.split("\t")
        wrong.append(
            "\t".join(
                (
                    (query, url2, two, url1, one, label),
                    (query, url1, one, url2, two, "10"[int(label)]),
                    (query, "https://elsewhere.example/", one, url2, two, label),
                    (query, url1, one, label),
                )[number % 4]
            )
        )
    with path.open("a", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in wrong)


def _words(chance: random.Random, number: int) -> str:
    return "".join(chance.choices(_SIGNS, k=number))


def plain(where: str, folder: Path) -> None:
    """The peer: no checks, no staging tables, keys in dictionaries."""
    csv.field_size_limit(sys.maxsize)
    with psycopg.connect(where) as conn:
        conn.execute("DROP TABLE IF EXISTS plain_gold, plain_pairs, plain_answers, plain_documents, plain_queries")
        conn.execute(_TABLES.encode())
        queries: dict[str, int] = {}
        documents: dict[tuple[int, str], int] = {}
        addresses: dict[tuple[int, str], int] = {}
        rows = []
        for line in (folder / "train_query_doc.json").open(encoding="utf-8"):
            record = json.loads(line)
            query = queries.setdefault(record["query"], len(queries) + 1)
            for place, doc in enumerate(record["docs"], start=1):
                key = documents[query, doc["doc_id"]] = addresses[query, doc["url"]] = len(documents) + 1
                rows.append((key, query, place, doc["doc_id"], doc["url"], doc["title"], doc["doc_text"]))
        _copy(conn, "plain_queries (text, id, place)", ((text, key, key) for text, key in queries.items()))
        _copy(conn, "plain_documents", iter(rows))
        answers: dict[tuple[int, str, str], int] = {}
        pairs = []
        with (folder / "train_answer_nli_data.tsv").open(encoding="utf-8", newline="") as file:
            for text, url1, one, url2, two, label in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                query = queries[text]
                a, b = (answers.setdefault((query, *side), len(answers) + 1) for side in ((url1, one), (url2, two)))
                pairs.append((min(a, b), max(a, b), query, label))
        _copy(
            conn,
            "plain_answers (id, query, document, url, text)",
            ((key, query, addresses[query, url], url, text) for (query, url, text), key in answers.items()),
        )
        _copy(conn, "plain_pairs", iter(pairs))
        with (folder / "train_label.tsv").open(encoding="utf-8", newline="") as file:
            gold = [
                (documents[queries[text], doc_id], queries[text])
                for text, told in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                for doc_id in told.split(",")
                if doc_id
            ]
        _copy(conn, "plain_gold", iter(gold))


def _copy(conn: psycopg.Connection, table: str, rows: Iterator[tuple[object, ...]]) -> None:
    with conn.cursor().copy(f"COPY {table} FROM STDIN".encode()) as copy:
        for row in rows:
            copy.write_row(row)


def a_query(conn: psycopg.Connection) -> list[float]:
    """Return the seconds for each query of the sample's test split, with the model in memory: predict pairs, cluster, select."""
    for split, files in find(SAMPLE).items():
        load(conn, set="sample", split=split, files=files)
    train(conn, "bench", set="sample")
    model = restored(conn, "bench")
    assert isinstance(model, AgreementModel)
    taken = []
    for _, group in groupby(labelled(conn, set="sample", split="test"), key=lambda pair: pair.query_id):
        pairs = list(group)
        answers = {key: place for place, key in enumerate(sorted({key for one in pairs for key in (one.a, one.b)}))}
        started = time.perf_counter()
        told = model.predict([one.query for one in pairs], [one.text_a for one in pairs], [one.text_b for one in pairs])
        a, b = (np.array([answers[getattr(one, side)] for one in pairs]) for side in ("a", "b"))
        graph = AnswerPairs(len(answers), a, b, told.support, told.oppose, np.zeros(len(pairs), dtype=np.bool_))
        expected(graph, np.arange(len(answers)), threshold=0.5)
        taken.append(time.perf_counter() - started)
    return taken


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        tempfile.TemporaryDirectory() as flawed_name,
        server() as at,
        collection(at, "bench_answers") as settings,
        psycopg.connect(pinned(dsn(settings)), autocommit=True) as conn,
    ):
        folder, flawed = Path(name), Path(flawed_name)
        generate(folder, queries=QUERIES, pairs=PAIRS)
        generate(flawed, queries=QUERIES, pairs=PAIRS)
        flaws(flawed)
        number = count()

        def ours(from_folder: Path) -> None:
            conn.execute("TRUNCATE stc.answer_sets, stc.answer_models CASCADE")
            load(conn, set=f"bench{next(number)}", split="train", files=find(from_folder)["train"])

        same = paired(partial(ours, folder), partial(plain, dsn(settings), folder), rounds=ROUNDS, warm=0)
        print(conn.execute("SELECT queries, documents, answers, pairs FROM answer_overview").fetchone())
        tell(
            "10,000 × 8 documents, 200,000 pairs; simple loop",
            f"{same.ours:.1f} s",
            f"{same.peer:.1f} s",
            same.ratio,
            "under 60 s",
        )
        taken = [1000 * one for one in a_query(conn)]
        print(f"one query of the sample: median {statistics.median(taken):.1f} ms, maximum {max(taken):.1f} ms (goal: under 50 ms)")
        wrong = paired(partial(ours, flawed), partial(ours, folder), rounds=1, warm=0)
        tell("with 2,000 faulty lines, and without", f"{wrong.ours:.1f} s", f"{wrong.peer:.1f} s", wrong.ratio)
        ours(flawed)
        for row in conn.execute(
            "SELECT kind, lines, stored, duplicates, contradictory, unknown, rejects FROM stc_all.answer_ledger"
        ):
            print(*row)


if __name__ == "__main__":
    main()
