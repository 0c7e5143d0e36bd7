"""Code shared by benchmarks: temporary collections, paired rounds, and printing of results."""

from __future__ import annotations

import io
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from stcollection.corpus.load import load
from stcollection.db.collections import collections, create, drop
from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings, read_settings

REPOSITORY = Path(__file__).resolve().parents[1]


def data() -> Path:
    """Return the folder of real collections (CONTRIBUTING.md)."""
    folder = Path(os.environ.get("STC_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        raise SystemExit(f"the real collections are not in {folder}; set STC_TEST_DATA to their folder")
    return folder


@contextmanager
def server() -> Iterator[Settings]:
    """Yield the server of STC_DSN, or an embedded one in build/bench, which is stopped at the end."""
    settings = read_settings()
    if settings.embedded:
        settings = replace(settings, home=REPOSITORY / "build" / "bench")
    try:
        yield settings
    finally:
        if settings.embedded:
            EmbeddedServer(settings.home).stop()


@contextmanager
def collection(server: Settings, name: str, *, keep: bool = False) -> Iterator[Settings]:
    """Yield a new, empty collection, which is dropped at the end unless ``keep``. :func:`exists` finds a kept one."""
    settings = replace(server, db=name)
    if exists(server, name):
        drop(settings)
    create(settings)
    try:
        yield settings
    finally:
        if not keep:
            drop(settings)


def exists(server: Settings, name: str) -> bool:
    return name in {one.name for one in collections(server)}


def dsn(settings: Settings) -> str:
    return conninfo(settings)


@dataclass(frozen=True)
class Pair:
    """Median seconds of ours and of the peer over paired rounds, and the median of the ratios of each round."""

    ours: float
    peer: float
    ratio: float


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def paired(ours: Callable[[], object], peer: Callable[[], object], *, rounds: int = 5, warm: int = 1) -> Pair:
    """Run ours and the peer alternately, A B B A …, so that changes in the machine's speed affect both."""
    for _ in range(warm):
        ours()
        peer()
    a: list[float] = []
    b: list[float] = []
    for number in range(rounds):
        for which in ("ab", "ba")[number % 2]:
            (a if which == "a" else b).append(timed(ours if which == "a" else peer))
    return Pair(statistics.median(a), statistics.median(b), statistics.median(x / y for x, y in zip(a, b, strict=True)))


class Result(NamedTuple):
    """A measured figure: ours, the peer's, our value divided by the peer's, and the goal."""

    what: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    goal: str = ""


TOLD: list[Result] = []  # everything that tell printed


def medians(searches: Mapping[str, Callable[[Any], object]], queries: Iterable[Any], *, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each search for each query: the median of rounds, in which the order of searches alternates."""
    times: dict[str, list[float]] = {name: [] for name in searches}
    for query in queries:
        each: dict[str, list[float]] = {name: [] for name in searches}
        for turn in range(rounds):
            for name in list(searches)[:: 1 if turn % 2 else -1]:
                each[name].append(1000 * timed(partial(searches[name], query)))
        for name, some in each.items():
            times[name].append(statistics.median(some))
    return times


def tell(what: str, ours: str, peer: str = "", ratio: float | None = None, wanted: str = "") -> None:
    """Print one result: our value, the peer's value, their ratio, and the goal."""
    TOLD.append(Result(what.strip(), ours, peer, ratio, wanted))
    print(f"{what:<58} {ours:>16} {peer:>22} {'' if ratio is None else f'{ratio:8.2f} ×':>11}  {wanted}", flush=True)


def records(number: int, every: int) -> Iterator[str]:
    """Yield ``number`` records of ACM-CR with an abstract, every ``every``-th one."""
    with (data() / "acm-cr" / "acmcr.dblp-v12.json.zst").open("rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")
        found = 0
        for line in lines:
            record = line.strip().strip(",")
            if '"indexed_abstract"' in record and record.startswith("{"):
                if found % every == 0:
                    yield record
                found += 1
                if found == number * every:
                    return


def put(where: str, lines: Iterator[str]) -> None:
    """Load records into a collection. :param where: its connection string."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "some.json"
        file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
        load(where, [str(file)])
