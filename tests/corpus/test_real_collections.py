"""Load the real collections completely; numbers and texts of documents match their descriptions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import zstandard

from stcollection.corpus.parsing import parse
from stcollection.io.corpus.chunks import chunks
from stcollection.io.streams import Source
from tests.corpus.conftest import Load, Write, one, texts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "name", "documents", "titles", "abstracts"),
    [
        ("dblp/dblp-v12.first150.json", "dblp-v12", 150, 150, 97),
        ("dblp/toy.dblp.v12.json", "dblp-v12", 31, 31, 20),
        ("cacm/cacm.all", "smart", 3204, 3203, 1587),
        ("cranfield/cran.all.1400", "smart", 1400, 1398, 1398),
        ("npl/doc-text.trec", "trec", 11429, 0, 11429),
    ],
)
def test_a_collection(
    file: str, name: str, documents: int, titles: int, abstracts: int, conn: psycopg.Connection, data: Path, load_file: Load
) -> None:
    done = load_file(data / file)
    assert (done.format, done.documents, done.duplicates, done.rejects) == (name, documents, 0, 0)
    assert conn.execute("SELECT count(title), count(abstract), count(*) FROM dblp_text").fetchall() == [
        (titles, abstracts, documents)
    ]
    assert one(conn, "SELECT count(*) FROM dblp WHERE docno = id::text") == documents
    assert load_file(data / file).state == "already loaded"


def test_abstracts_with_holes_of_genuine_records(conn: psycopg.Connection, data: Path, load_file: Load) -> None:
    file = data / "dblp" / "dblp-v12.first150.json"
    load_file(file)
    stored = texts(conn)
    with_holes = 0
    for record in json.loads(file.read_bytes()):
        inverted = record.get("indexed_abstract")
        if inverted is None:
            assert stored[str(record["id"])][1] is None
            continue
        words = [""] * inverted["IndexLength"]
        for word, positions in inverted["InvertedIndex"].items():
            for position in positions:
                words[position] = word
        with_holes += "" in words
        assert (
            re.sub("&[a-z]+;", "", stored[str(record["id"])][1] or "").split()
            == re.sub("&[a-z]+;", "", " ".join(filter(None, words))).split()
        )
    assert with_holes == 5


@pytest.mark.slow
def test_fields_that_open_twice_in_cranfield_are_text(conn: psycopg.Connection, data: Path, load_file: Load) -> None:
    load_file(data / "cranfield" / "cran.all.1400")
    title, abstract = texts(conn)["240"]
    assert title == "a theoretical analysis of heat transfer in regions of separated flow ."
    assert "application to turbulent separations is made for a prandtl number of unity in low-speed flow" in (abstract or "")
    assert one(conn, "SELECT doc -> 'authors' FROM dblp WHERE id = 240") == [{"name": "dean r. chapman"}]
    assert {docno for docno, text in texts(conn).items() if text == (None, None)} == {"471", "995"}


@pytest.mark.long
@pytest.mark.slow
def test_acm_cr_is_read_whole(data: Path) -> None:
    documents = abstracts = 0
    for chunk in chunks(Source(str(data / "acm-cr" / "acmcr.dblp-v12.json.zst")), format=None):
        batch = parse(chunk, on_duplicate="skip")
        assert not batch.rejects
        documents += len(batch.documents)
        abstracts += sum(one.abstract is not None for one in batch.documents.values())
    assert (documents, abstracts) == (110_293, 96_448)


PEAK = """
import pathlib, re, sys
from stcollection.corpus.load import load
load(sys.argv[1], [sys.argv[2]], workers=1)
print(re.search(r"VmHWM:\\s+([0-9]+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from /proc")
def test_memory_is_flat(dsn: str, conn: psycopg.Connection, write: Write) -> None:
    """A file of twelve times the size needs no more memory, even if zstd expands one byte to 6,000."""
    peaks = []
    for name, count in (("small", 200), ("large", 2400)):
        lines = "".join(json.dumps({"docno": f"{name}{n}", "title": "T", "padding": "x" * 50_000}) + "\n" for n in range(count))
        file = write(f"{name}.zst", zstandard.compress(lines.encode()))
        done = subprocess.run([sys.executable, "-c", PEAK, dsn, str(file)], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 1024)
    assert one(conn, "SELECT count(*) FROM dblp") == 2600
    assert peaks[1] < 100
    assert peaks[1] - peaks[0] < 10
