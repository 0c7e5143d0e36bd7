"""Hostile and unusual files: all line readers accept the same line ends, reject the same bytes, and limit decompression."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from stcollection.corpus.parsing import parse
from stcollection.errors import BadArgument, BadInput
from stcollection.evaluation.imported import read_families, read_output
from stcollection.io.corpus.chunks import chunks
from stcollection.io.files import blocks, lines, read_text
from stcollection.io.qrels.judgments import stream_qrels
from stcollection.io.runs import trec
from stcollection.io.runs.simpletext import read_run
from stcollection.io.streams import Source
from stcollection.io.topics.queries import read_queries
from stcollection.runs.check import check_run
from stcollection.studies.answers.files import records as answer_records
from stcollection.topics.origins import read_origins

pytestmark = pytest.mark.slow

Pack = Callable[[bytes], bytes]
PACK: dict[str, Pack] = {"gz": gzip.compress, "zst": zstandard.compress, "bz2": bz2.compress, "xz": lzma.compress}
MB = 2**20

SIMPLETEXT = {"run_id": "T_task1_x", "manual": 0, "topic_id": "q", "query_id": "q.1", "rel_score": 0.5, "passage": "a b"}


def trec_rows(path: Path) -> list[bytes]:
    return b"".join(trec.copy_rows(path)).split(b"\n")


def corpus_names(path: Path) -> list[str]:
    return [name for chunk in chunks(Source(str(path)), format=None) for name in parse(chunk, on_duplicate="skip").documents]


# Readers, each with a file of three records.
READERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "trec run": (trec_rows, "q Q0 a 1 3.0 t\nq Q0 b 2 2.0 t\nq Q0 c 3 1.0 t\n"),
    "trec run, checked": (lambda path: check_run(path).rows, "q Q0 a 1 3.0 t\nq Q0 b 2 2.0 t\nq Q0 c 3 1.0 t\n"),
    "simpletext run": (
        lambda path: [row.docno for row in read_run(path).rows],
        "[\n" + ",\n".join(json.dumps({**SIMPLETEXT, "doc_id": name}) for name in "abc") + "\n]\n",
    ),
    "run of 2022": (
        lambda path: [row.docno for row in read_run(path).rows],
        "run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage\n" + "".join(f"T_task1_x\t0\tq\tq.1\t{name}\tp\n" for name in "abc"),
    ),
    "qrels": (stream_qrels, "q 0 a 1\nq 0 b 0\nq 0 c 2\n"),
    "qrels as CSV": (stream_qrels, "query,doc,rel\nq,a,1\nq,b,0\nq,c,2\n"),
    "queries as CSV": (read_queries, "query_id;query_text\n1;a\n2;b\n3;c\n"),
    "queries as TSV": (read_queries, "1\ta\n2\tb\n3\tc\n"),
    "queries as SMART": (read_queries, ".I 1\n.W\na\n.I 2\n.W\nb\n.I 3\n.W\nc\n"),
    "topics of TREC": (read_queries, "".join(f"<top>\n<num> Number: {n}\n<title> t\n</top>\n" for n in (1, 2, 3))),
    "origins": (read_origins, "1,t5\n2,human\n3,t5\n"),
    "scores": (lambda path: read_output(path, run="r"), "map\t1\t0.1\nmap\t2\t0.2\nmap\t3\t0.3\n"),
    "families": (read_families, "system,family\na,x\nb,y\nc,z\n"),
    "answers": (lambda path: list(answer_records(path, "templates")), "one\ta\ntwo\tb\nthree\tc\n"),
    "corpus as JSON lines": (corpus_names, "".join(json.dumps({"id": name, "title": "t"}) + "\n" for name in "abc")),
    "corpus as SMART": (corpus_names, ".I 1\n.T\na\n.I 2\n.T\nb\n.I 3\n.T\nc\n"),
    "corpus as TREC": (corpus_names, "".join(f"<DOC>\n<DOCNO>{name}</DOCNO>\nx\n</DOC>\n" for name in "abc")),
}
OF_LINES = [name for name in READERS if not name.startswith("corpus")]


def mixed(text: str) -> str:
    """Alternate LF, CR LF and CR."""
    ends = iter(["\r", "\r\n", "\n"] * text.count("\n"))
    return "".join(next(ends) if sign == "\n" else sign for sign in text)


def result(reader: Callable[[Path], Any], path: Path) -> Any:
    found = reader(path)
    return list(found) if isinstance(found, Iterator) else found


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        mixed,
        lambda text: "\ufeff" + mixed(text),
        lambda text: text.rstrip("\n"),
    ],
    ids=["CR LF", "CR", "mixed", "byte order mark", "no last line end"],
)
def test_every_reader_takes_every_line_end(tmp_path: Path, name: str, change: Callable[[str], str]) -> None:
    reader, text = READERS[name]
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    wanted = result(reader, path)
    path.write_bytes(change(text).encode())
    assert result(reader, path) == wanted


def test_a_carriage_return_at_the_end_of_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\r\nb\rc\r\r\nd\r")
    for size in range(1, 12):
        monkeypatch.setattr("stcollection.io.streams._PIECE", size)
        assert list(lines(path)) == [(1, "a"), (2, "b"), (3, "c"), (5, "d")]


def test_line_ends_that_trec_eval_does_not_know_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"q Q0 a 1 3.0 t\rq Q0 b 2 2.0 t\n")
    assert any("CR alone" in fault.what and fault.note for fault in check_run(path).faults)


@pytest.mark.parametrize("name", OF_LINES)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_reader_names_utf16(tmp_path: Path, name: str, encoding: str) -> None:
    reader, text = READERS[name]
    path = tmp_path / "file"
    path.write_bytes(text.encode(encoding))
    if name == "trec run, checked":
        assert [fault.what for fault in check_run(path).faults] == [
            "UTF-16, not UTF-8; convert it, for example: iconv -f utf-16 -t utf-8"
        ]
        return
    with pytest.raises(BadInput, match=r"file:1: UTF-16, not UTF-8.*iconv"):
        result(reader, path)


@pytest.mark.parametrize("name", [name for name in OF_LINES if name not in ("trec run, checked", "answers")])
def test_every_reader_names_a_nul_byte(tmp_path: Path, name: str) -> None:
    reader, text = READERS[name]
    path = tmp_path / "file"
    path.write_bytes(text.encode() + b"q \0\n")
    with pytest.raises(BadInput, match=r"U\+0000"):
        result(reader, path)


@pytest.mark.parametrize("name", [name for name in READERS if name != "trec run, checked"])
@pytest.mark.parametrize("packed", PACK)
def test_every_reader_unpacks(tmp_path: Path, name: str, packed: str) -> None:
    reader, text = READERS[name]
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    wanted = result(reader, path)
    path.write_bytes(PACK[packed](text.encode()))
    assert result(reader, path) == wanted


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("name", OF_LINES)
def test_every_reader_stops_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, packed: str) -> None:
    reader, text = READERS[name]
    monkeypatch.setenv("STC_MAX_UNPACKED", "64kB")
    path = tmp_path / "file"
    path.write_bytes(PACK[packed](text.encode() + b"\n" * 2**17))
    if name == "trec run, checked":
        assert "unpacks to more than" in check_run(path).faults[-1].what
    else:
        with pytest.raises(BadInput, match="the file unpacks to more than 65,536 bytes") as error:
            result(reader, path)
        assert "STC_MAX_UNPACKED" in (error.value.hint or "")
    monkeypatch.setenv("STC_MAX_UNPACKED", "8 GB")
    result(reader, path)


@pytest.mark.parametrize(
    ("packed", "content"),
    [("zst", b"\0"), ("zst", b"\n"), ("zst", b"q Q0 d 1 1.0 t\n"), ("gz", b"x"), ("bz2", b"\0"), ("xz", b"\0")],
)
def test_a_small_file_that_unpacks_to_much_takes_little_memory(tmp_path: Path, packed: str, content: bytes) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(PACK[packed](content * (80 * MB // len(content))))
    tracemalloc.start()
    try:
        with pytest.raises(BadInput):
            for _ in blocks(path):
                pass
        assert tracemalloc.get_traced_memory()[1] < 60 * MB
    finally:
        tracemalloc.stop()


def test_judgments_are_read_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "many.qrels"
    path.write_text("".join(f"q 0 d{number} 1\n" for number in range(50_000)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in stream_qrels(path)) == 50_000
        assert tracemalloc.get_traced_memory()[1] < 8 * MB  # as judgments: 25 MB
    finally:
        tracemalloc.stop()


def test_a_setting_that_is_no_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(b"a"))
    monkeypatch.setenv("STC_MAX_UNPACKED", "much")
    with pytest.raises(BadArgument, match="'much', not a size"):
        read_text(path)


@pytest.mark.parametrize("packed", PACK)
def test_damaged_data_is_named(tmp_path: Path, packed: str) -> None:
    path = tmp_path / "file"
    content = PACK[packed](bytes(range(256)).replace(b"\0", b"") * 100)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(BadInput, match="truncated or damaged"):
        read_text(path)
