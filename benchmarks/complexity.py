"""Measure the readability of ACM-CR's abstracts, compared with a simple loop over NLTK with CMUdict, readability and textstat.

The simple loop is one process with loaded resources that calls the libraries for each abstract (benchmarks/plain.py); its results
equal ours. Ours is timed in two ways: one process with empty caches, and the command's function on a collection with all cores,
from starting the workers to the last commit. Each round times all variants in turn, on new abstracts.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg
import readability
import textstat
from nltk.tokenize import word_tokenize

from benchmarks import plain
from benchmarks.common import collection, dsn, put, records, server, tell, timed
from stcollection.complexity.compute import compute
from stcollection.complexity.measures import Meter
from stcollection.complexity.resources import read_resources

ROUNDS = 3
PLAIN, ALONE = 1_000, 10_000  # abstracts per round
PUBLISHED = 4_232_520  # abstracts of the track's corpus


def main() -> None:
    resources = read_resources()
    entries = plain.pronunciations(resources.syllables)
    split = resources.splitter().tokenize
    one = partial(plain.measure, sent_tokenize=split, cmudict=entries)
    with (
        tempfile.TemporaryDirectory() as folder,
        plain.offered(Path(folder) / "nltk", entries),
        server() as at,
        collection(at, "bench_complexity") as settings,
        psycopg.connect(dsn(settings), autocommit=True) as conn,
    ):
        put(dsn(settings), records(100_000, 1))
        texts = [text for (text,) in conn.execute("SELECT abstract FROM dblp_text WHERE abstract IS NOT NULL ORDER BY id")]
        one(texts[0])  # makes textstat load its resources
        rates: dict[str, list[float]] = {"plain": [], "alone": [], "stored": []}
        for number in range(ROUNDS):
            some = texts[number * PLAIN : (number + 1) * PLAIN]
            rates["plain"].append(len(some) / timed(partial(each, one, some)))
            some = texts[number * ALONE : (number + 1) * ALONE]
            meter = Meter(resources)
            rates["alone"].append(len(some) / timed(partial(measure, meter, some)))
            conn.execute("TRUNCATE stc.st1_complexity_metrics")
            rates["stored"].append(len(texts) / timed(lambda: compute(dsn(settings))))
        tell("simple loop, one process", "", f"{statistics.median(rates['plain']):,.0f} /s")
        for name, what in (
            ("alone", "ours in memory, one process"),
            ("stored", f"stc complexity compute, {len(texts):,} abstracts"),
        ):
            ratio = statistics.median(a / b for a, b in zip(rates[name], rates["plain"], strict=True))
            tell(what, f"{statistics.median(rates[name]):,.0f} /s", "", ratio, "at least 3, goal 5" if name == "stored" else "")
        minutes = PUBLISHED / statistics.median(rates["stored"]) / 60
        tell(f"at this rate, the track's {PUBLISHED:,} abstracts", f"{minutes:,.0f} minutes")
        shares(texts[:PLAIN], entries, split)


def each(one: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        one(text)


def measure(meter: Meter, texts: list[str]) -> None:
    for start in range(0, len(texts), 1_000):
        meter.measure(texts[start : start + 1_000])


def shares(texts: list[str], entries: plain.Pronunciations, split: plain.Split) -> None:
    """Print the shares of the libraries in the simple loop's time."""
    spent: Counter[str] = Counter()
    for text in texts:
        at = time.perf_counter()
        sentences = split(text)
        at = lap(spent, "NLTK, sentences", at)
        tokens = [word_tokenize(sentence, preserve_line=True) for sentence in sentences]
        at = lap(spent, "NLTK, tokens", at)
        sum(phone[-1].isdigit() for line in tokens for word in line for phone in entries.get(word.lower(), [[]])[0])
        at = lap(spent, "CMUdict", at)
        readability.getmeasures("\n".join(" ".join(line) for line in tokens), lang="en")
        at = lap(spent, "readability", at)
        textstat.flesch_kincaid_grade(text)
        textstat.flesch_reading_ease(text)
        lap(spent, "textstat", at)
    for name, seconds in spent.most_common():
        tell(f"share of the simple loop: {name}", "", f"{seconds / spent.total():.0%}")


def lap(spent: Counter[str], name: str, since: float) -> float:
    now = time.perf_counter()
    spent[name] += now - since  # type: ignore[assignment]
    return now


if __name__ == "__main__":
    main()
