"""Fixtures with the libraries and the project's resources, loaded once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import nltk
import pytest
import zstandard
from nltk.corpus.reader import CMUDictCorpusReader
from nltk.tokenize import sent_tokenize

from benchmarks import plain
from stcollection.complexity.resources import read_resources

Plain = Callable[[str], plain.Values]


@pytest.fixture(scope="session")
def by_the_libraries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plain]:
    """Return the reference implementation that calls the libraries text by text, with the project's resources."""
    entries = plain.pronunciations(read_resources().syllables)
    with plain.offered(tmp_path_factory.mktemp("nltk") / "data", entries):
        yield partial(plain.measure, sent_tokenize=read_resources().splitter().tokenize, cmudict=entries)


@pytest.fixture
def by_plain_nltk(data: Path, monkeypatch: pytest.MonkeyPatch) -> Plain:
    """Return the reference implementation with NLTK's own CMUdict and sentence splitter, as NLTK reads them."""
    monkeypatch.setattr(nltk.data, "path", [str(data / "nltk_data")])
    reader = CMUDictCorpusReader(nltk.data.find("corpora/cmudict.zip/cmudict/"), ["cmudict"])
    return partial(plain.measure, sent_tokenize=sent_tokenize, cmudict=reader.dict())


@pytest.fixture(scope="session")
def acmcr(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a file with every hundredth ACM-CR document: about 1,100, of which nearly 1,000 have an abstract."""
    path = tmp_path_factory.mktemp("acmcr") / "some.json"
    with (data / "acm-cr" / "acmcr.dblp-v12.json.zst").open("rb") as packed, path.open("wb") as out:
        lines = zstandard.ZstdDecompressor().stream_reader(packed)
        rest = b""
        number = 0
        while block := lines.read(1 << 20):
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                record = line.strip().strip(b",")
                if record.startswith(b"{"):
                    number += 1
                    if number % 96 == 0:
                        json.loads(record)
                        out.write(record + b"\n")
    return path
