"""Embed ACM-CR's abstracts in memory and into PostgreSQL, compared with SentenceTransformer.encode.

The peer uses its defaults: single precision, 32 texts per forward pass, all texts in one call. Each round times all variants in
turn, starting with a different one, so that changes in the machine's speed affect all. Ratios are medians over the rounds;
cosines are to the peer's vectors. "Database only" uses an encoder that takes no time: it shows the cost of reading and storing
without overlap, which limits the useful speed of a GPU.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import psycopg

from benchmarks.common import collection, dsn, put, records, server, tell, timed
from stcollection.vectors.embed import embed
from stcollection.vectors.model import DEFAULT_NAME, Embedder, EncoderOptions, Vectors, _locate, load

TEXTS, EVERY, ROUNDS = 600, 150, 3
MANY = 20_000  # documents for the database-only variant


class Instant:
    """An encoder that takes no time: it returns the same vector for each text."""

    name, short, dim, batch = DEFAULT_NAME, "minilm", 384, 64
    max_tokens: int | None = 256
    revision: str | None = None

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return np.full((len(texts), self.dim), self.dim**-0.5, dtype=np.float32)


def main() -> None:
    with server() as at, collection(at, "bench_embedding") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        put(dsn(settings), records(TEXTS, EVERY))
        texts = [text for (text,) in conn.execute("SELECT abstract FROM dblp_text ORDER BY id")]
        load()  # before torch is imported, since it configures how OpenMP threads wait
        from sentence_transformers import SentenceTransformer

        bare = SentenceTransformer(str(_locate(DEFAULT_NAME)[0]), local_files_only=True)
        ours = encoders(bare.device.type)
        chosen = load()

        def stored() -> None:
            conn.execute("TRUNCATE dblp_v")
            embed(conn, model=chosen, fields=["abstract"])

        ways: dict[str, Callable[[], Any]] = {
            "plain": lambda: bare.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        }
        ways |= {name: partial(one.encode, texts) for name, one in ours.items()}
        ways["into PostgreSQL"] = stored
        seconds, made = rounds(ways)
        plain = statistics.median(seconds["plain"])
        tell(f"SentenceTransformer.encode, {len(texts)} abstracts, {bare.device.type}", "", f"{len(texts) / plain:,.1f} /s")
        for name, one in ours.items():
            cosine = float((made[name] * made["plain"]).sum(axis=1).min())
            ratio = statistics.median(a / b for a, b in zip(seconds["plain"], seconds[name], strict=True))
            wanted = "at least 2" if one is chosen and one.precision == "bf16" else ""
            tell(f"{name}, cosine at least {cosine:.6f}: speed", rate(texts, seconds[name]), "", ratio, wanted)
        added = statistics.median(a / b for a, b in zip(seconds["into PostgreSQL"], seconds[chosen.made_by], strict=True))
        tell(
            f"{chosen.made_by} into PostgreSQL: time compared with in memory",
            rate(texts, seconds["into PostgreSQL"]),
            "",
            added,
            "at most 1.10",
        )
    with server() as at, collection(at, "bench_embedding") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        database(conn, dsn(settings), statistics.median(seconds[chosen.made_by]) / len(texts))


def encoders(device: str) -> dict[str, Embedder]:
    """Return our encoders available on this machine, by their names in the registry."""
    made = [load(options=EncoderOptions(precision="fp32")), load()]
    if device == "cpu" and importlib.util.find_spec("openvino") is not None:
        made.append(load(options=EncoderOptions(backend="openvino")))
    return {one.made_by: one for one in made}


def rounds(ways: dict[str, Callable[[], Any]]) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Return the seconds of each variant by round, and the last result of each."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    made: dict[str, Any] = {}
    names = list(ways)
    for number in range(ROUNDS):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            started = time.perf_counter()
            made[name] = ways[name]()
            seconds[name].append(time.perf_counter() - started)
    return seconds, made


def database(conn: psycopg.Connection, where: str, encoding: float) -> None:
    """Time reading and storing only. :param encoding: seconds per text of the chosen encoder."""
    put(where, records(MANY, 1))
    [(documents,)] = conn.execute("SELECT count(*) FROM dblp_text").fetchall()
    spent = []
    for _ in range(ROUNDS):
        conn.execute("TRUNCATE dblp_v")
        spent.append(timed(lambda: embed(conn, model=Instant(), fields=["abstract"])) / documents)
    cost = statistics.median(spent)
    tell(f"database only, {documents:,} abstracts: time compared with encoding", f"{1 / cost:,.0f} /s", "", cost / encoding)


def rate(texts: Sequence[str], seconds: Sequence[float]) -> str:
    return f"{len(texts) / statistics.median(seconds):,.1f} /s"


if __name__ == "__main__":
    main()
