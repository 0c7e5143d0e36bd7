"""The registry of formats: examples, messages, and adding a format."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from stcollection.cli.formats import command as formats
from stcollection.cli.options.formats import FormatName
from stcollection.errors import BadArgument, BadInput
from stcollection.io import registry
from stcollection.io.corpus.chunks import chunks
from stcollection.io.corpus.elements import read as read_elements
from stcollection.io.corpus.head import Head
from stcollection.io.formats import CorpusFormat, Format, RunFile, RunHeader
from stcollection.io.qrels.judgments import stream_qrels
from stcollection.io.qrels.table import Columns, Table
from stcollection.io.records import DocumentRecord, Judgment, Ranked
from stcollection.io.roles import run_format
from stcollection.io.streams import Source
from stcollection.io.topics.queries import read_queries
from stcollection.runs.check import check_run
from tests.io.conftest import Write
from tools.formats import EXAMPLES

ALL = registry.formats()


def documents(path: Path) -> list[Any]:
    return [found for chunk in chunks(Source(str(path)), format=None) for *_, found in read_elements(chunk)]


def rows(path: Path) -> list[list[str]]:
    found = run_format(path).read(path, "rel", None)
    return [line.split("\t") for line in b"".join(found.rows).decode().splitlines()]


@pytest.mark.parametrize("one", ALL, ids=lambda one: f"{one.kind}-{one.name}")
def test_an_example_is_recognised_and_read(one: Format) -> None:
    path = EXAMPLES / one.example
    if isinstance(one, CorpusFormat):
        assert {chunk.format.name for chunk in chunks(Source(str(path)), format=None)} == {one.name}
        [document] = documents(path)
        assert isinstance(document, DocumentRecord)
        texts = {"title": "Voice assistants at home", "text": "We ask forty families."}
        there = (texts.get(part) if part in one.texts else None for part in ("title", "text"))
        assert (document.title, document.abstract) == tuple(there)
    elif one.kind == "topics":
        how, queries = read_queries(path)
        assert how.partition(",")[0] == one.name
        assert any("voice assistant" in query.text for query in queries)
    elif one.kind == "qrels":
        assert next(name for name in registry.QRELS if name.sniff(Table(path)) is not None) is one
        judgments = list(stream_qrels(path, relevance=1 if one.name == "ungraded" else None))
        assert len(judgments) == (3 if one.name == "time" else 2)
    else:
        assert run_format(path) is one
        assert [row[1:3] for row in rows(path)] == [["G01.1", "2100001334"], ["G01.1", "1091"]]


def test_examples_and_names_are_of_one_format_each() -> None:
    # tests/build has the recipes.
    files = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*") if path.is_file()}
    assert {name for name in files if not name.startswith("recipes/")} == {one.example for one in ALL}
    for kind in registry.KINDS:
        assert len(set(registry.names(kind))) == len(registry.names(kind))
    for one in ALL:
        assert one.fields
        assert one.recognised
        assert any(one.example.endswith(extension) for extension in one.extensions)


def test_a_stream_of_documents_is_of_one_format() -> None:
    """Formats of documents do not depend on the order of the registry."""
    for one in registry.CORPUS:
        content = (EXAMPLES / one.example).read_bytes()
        assert [other.name for other in registry.CORPUS if other.sniff(Head(content))] == [one.name]


@pytest.mark.parametrize("one", [one for one in registry.RUNS if one.write], ids=lambda one: one.name)
def test_a_run_that_is_written_is_read_again(one: Any, write: Write) -> None:
    ranking = [
        Ranked(query="q", docno="7", rank=1, rel_score=0.75, comb_score=None, passage="one" if one.passages else None, topic="t"),
        Ranked(query="q", docno="a", rank=2, rel_score=0.5, comb_score=None, passage="two" if one.passages else None, topic="t"),
    ]
    out = io.BytesIO()
    header = RunHeader(name="mine", run_id="T_task1_mine", manual=True, score="rel", rel_in_unit=True, comb_in_unit=True)
    assert one.write([ranking], out, header).ranked == 2
    path = write("run", out.getvalue())
    assert run_format(path) is one
    assert [row[1:3] for row in rows(path)] == [["q", "7"], ["q", "a"]]
    assert [row[6] for row in rows(path)] == (["one", "two"] if one.passages else [r"\N"] * 2)
    if one.name != "simpletext-2022":
        assert [float(row[4]) for row in rows(path)] == [0.75, 0.5]


@pytest.mark.parametrize("one", [one for one in registry.QRELS if one.write], ids=lambda one: one.name)
def test_judgments_that_are_written_are_read_again(one: Any, write: Write) -> None:
    judgments = [Judgment(topic="t", query="q", doc=doc, rel=rel, origin="human") for doc, rel in (("d", 2), ("e", -1))]
    for simulated in (False, True):
        out = io.BytesIO()
        assert one.write(iter(judgments), out, simulated) == 2
        found = list(stream_qrels(write("qrels", out.getvalue())))
        assert [(each.query, each.doc, each.rel) for each in found] == [("q", "d", 2), ("q", "e", -1)]
        assert [each.simulated for each in found] == [simulated and one.name == "csv"] * 2


@pytest.mark.parametrize("kind", registry.KINDS)
def test_an_unknown_format_names_the_closest_and_the_list(kind: Any) -> None:
    error = registry.unknown_format(kind, "Smrt")
    assert "'Smrt'" in error.message
    named = (error.hint or "").removeprefix("The closest names are ").partition("; ")[0].split(", ")
    assert len(named) == 3
    assert set(named) <= set(registry.names(kind))
    assert f"'stc show formats {kind}'" in (error.hint or "")


def test_a_file_of_no_known_format_names_three_and_the_list(write: Write) -> None:
    with pytest.raises(BadInput, match="unknown format") as corpus:
        documents(write("x.sgml.gz", "Dear all,\n"))
    assert "--format names one: trec, " in (corpus.value.hint or "")
    assert "'stc show formats corpus'" in (corpus.value.hint or "")
    with pytest.raises(BadInput, match="unknown topic format") as topics:
        read_queries(write("x.qry", "Dear all,\n"))
    assert "--format names one: smart, " in (topics.value.hint or "")
    with pytest.raises(BadInput, match="2 columns") as qrels:
        list(stream_qrels(write("x.qrels", "Dear all,\n")))
    assert "'stc show formats qrels'" in (qrels.value.hint or "")


def test_the_command_lists_them() -> None:
    printed = CliRunner().invoke(formats, ["--format", "json"])
    found = json.loads(printed.output)
    assert [(one["kind"], one["name"]) for one in found] == [(one.kind, one.name) for one in ALL]
    assert all(one["fields"] and one["recognised by"] and one["example"] for one in found)
    table = CliRunner().invoke(formats, ["qrels"]).output.splitlines()
    assert [line.split()[:2] for line in table[2:]] == [["qrels", name] for name in registry.names("qrels")]
    assert [line.split()[1] for line in table if line.endswith("yes")] == list(registry.names("qrels", written=True))
    assert CliRunner().invoke(formats, ["--format", "csv"]).output.count("\n") >= len(ALL) + 1


def test_an_option_takes_the_names_of_the_registry() -> None:
    option = FormatName("qrels", written=True)
    assert option.convert("csv", None, None) == "csv"
    for name in ("cacm", "cvs"):
        with pytest.raises(BadArgument, match=f"no qrels format '{name}' that can be written"):
            option.convert(name, None, None)


def test_a_format_is_added_by_one_line(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that defines the format and a line in the registry suffice."""
    slashes = dataclasses.replace(
        registry.qrels_format("cranfield"),
        name="slashes",
        sniff=lambda table: Columns(names=["query", "_", "doc"], listed=True) if table.first[1:2] == ["/"] else None,
    )
    shout = dataclasses.replace(registry.topic_format("tsv"), name="shout", sniff=lambda text: text.startswith("!"))
    monkeypatch.setattr(registry, "QRELS", (slashes, *registry.QRELS))
    monkeypatch.setattr(registry, "TOPICS", (shout, *registry.TOPICS))
    assert [(one.query, one.doc) for one in stream_qrels(write("a", "q / d\n"))] == [("q", "d")]
    assert read_queries(write("b", "!1\ttext\n"))[0] == "shout"
    assert "slashes" in CliRunner().invoke(formats, ["qrels"]).output
    assert "shout" in (registry.unknown_format("topics", "shut").hint or "")
    assert FormatName("topics").convert("shout", None, None) == "shout"


def test_a_run_format_without_a_check_of_its_own_is_checked(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = dataclasses.replace(
        registry.run_format("trec"),
        name="toy",
        sniff=lambda text: text.startswith("!"),
        read=lambda *_: RunFile(run_id=None, tag="t", manual=None, rows=iter([b"2\tq\td\t1\t2.0\t\\N\t\\N\n"])),
    )
    monkeypatch.setattr(registry, "RUNS", (toy, *registry.RUNS))
    checked = check_run(write("a", "!\n"))
    assert (checked.layout, checked.rows, checked.pairs, checked.faults) == ("toy", 1, {("q", "d"): 2}, [])
