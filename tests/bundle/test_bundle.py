"""Bundles: equal hashes, a leaderboard equal to the last digit, seals that hold, and archives that were tampered with."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from click.testing import CliRunner, Result
from psycopg import sql

from stcollection.bundle.make import BundleOptions, make_bundle
from stcollection.bundle.open import _Loading, open_bundle
from stcollection.corpus.load import load as load_documents
from stcollection.db.backup.scratch import name_for
from stcollection.db.collections import collections
from stcollection.db.connection import connect, conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.evaluation.imported import import_scores
from stcollection.evaluation.sampled import sampled_scores
from stcollection.io.bundle import archive
from stcollection.io.bundle.description import CitationFacts
from stcollection.qrels.editions import EditionFacts, seal, verify
from stcollection.qrels.hiding import hide
from stcollection.qrels.load import import_qrels
from stcollection.qrels.preferences import import_preferences
from stcollection.qrels.subtopics import import_subtopics
from stcollection.runs.load import ImportOptions, import_runs
from stcollection.topics.excluded import exclude
from stcollection.topics.load import load as load_topics
from stcollection.topics.sets import store_set
from tests.groups import bundle

DOCUMENTS: list[dict[str, Any]] = [
    {"id": "d1", "title": "Voice assistants", "abstract": "They listen.", "license": "cc-by", "year": 2019},
    {"id": "d2", "title": "Smart speakers", "abstract": "They talk.", "license": "cc-by-nc"},
    {"id": "d3", "title": "Écoute", "abstract": "Un résumé.", "license": "cc0"},
]
QUERIES = [
    {"query_id": "q1", "query_text": "voice", "topic_id": "T1", "topic_text": "Privacy", "topic_article": "SECRET ARTICLE"},
    {"query_id": "q2", "query_text": "smart speakers", "topic_id": "T1"},
]
RUNS = {
    "bm25": "q1 Q0 d1 1 9.123456789012345 x\nq1 Q0 d2 2 3.5 x\nq2 Q0 d3 1 2 x\nq2 Q0 d2 2 1 x\nq2 Q0 d9 3 0.5 x\n",
    "Team/run é": "q1 Q0 d2 1 1 x\nq1 Q0 d1 2 1 x\nq2 Q0 d2 1 1 x\n",
}


@pytest.fixture
def filled(conn: psycopg.Connection, dsn: str, tmp_path: Path) -> psycopg.Connection:
    """A collection with three licences, two runs, a sealed, an open and a hidden edition."""

    def put(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    load_documents(dsn, [str(put("documents.jsonl", "".join(json.dumps(one) + "\n" for one in DOCUMENTS)))], workers=1)
    load_topics(conn, [put("queries.json", json.dumps(QUERIES))])
    exclude(conn, [("q2", "d1", "queries.json:2"), ("q2", "d8", "queries.json:2")])
    for number, (name, text) in enumerate(RUNS.items()):
        list(import_runs(conn, [put(f"{number}.run", text)], name=name, options=ImportOptions(team="T", family="lexical")))
    facts = EditionFacts(description="Assessed by two people", split="train", year=2024)
    import_qrels(conn, put("train.qrels", "q1 0 d1 2\nq1 0 d2 0\nq2 0 d2 1\nq2 0 d9 -1\n"), edition="train", facts=facts)
    import_subtopics(conn, put("open.txt", "q1 1 d1 1\nq1 2 d2 1\n"), edition="open")
    import_qrels(conn, put("open.qrels", "q1 0 d2 1\n"), edition="open")
    import_qrels(conn, put("secret.qrels", "q2 0 d3 2\n"), edition="secret")
    seal(conn, "train")
    seal(conn, "secret")
    hide(conn, "secret")
    return conn


@pytest.fixture
def other(settings: Settings, admin: psycopg.Connection) -> Iterator[Settings]:
    """A name for a collection to open the bundle in."""
    name = f"{settings.db}_opened"
    yield replace(settings, db=name)
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def made(filled: psycopg.Connection, tmp_path: Path) -> Path:
    path = tmp_path / "mine.zip"
    make_bundle(filled, path)
    return path


def content(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_the_same_collection_gives_the_same_bytes(filled: psycopg.Connection, tmp_path: Path) -> None:
    first = make_bundle(filled, tmp_path / "a.zip")
    filled.execute("VACUUM FULL stc.ranked_lists")
    second = make_bundle(filled, tmp_path / "b.zip")
    assert first.digest == second.digest
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    filled.execute("UPDATE stc.st1_rankings SET rel_score = 10 WHERE rel_score > 9")
    assert make_bundle(filled, tmp_path / "c.zip").digest != first.digest


def test_psql_checks_a_bundle(filled: psycopg.Connection, made: Path, other: Settings) -> None:
    """The fingerprints of bundle.json are those of hashlib, and SQL names what differs."""
    manifest = json.loads(content(made)["bundle.json"])
    texts = {one["id"]: f"{one['title']}\n{one['abstract']}" for one in DOCUMENTS}
    hashes = [hashlib.sha256(f"{doc} {sha256(text)}".encode()).digest() for doc, text in sorted(texts.items())]
    assert manifest["documents"]["sha256"] == hashlib.sha256(b"".join(hashes)).hexdigest()
    ranked = {"bm25": "q1 d1 1\nq1 d2 2\nq2 d3 1\nq2 d2 2\nq2 d9 3\n", "Team/run é": "q1 d2 1\nq1 d1 2\nq2 d2 1\n"}
    assert {one["run"]: one["sha256"] for one in manifest["runs"]} == {run: sha256(text) for run, text in ranked.items()}
    [train] = [one for one in manifest["editions"] if one["edition"] == "train"]
    assert train["sha256"] == train["fingerprint"] == hashlib.sha256(content(made)[train["files"]["qrels"]]).hexdigest()
    differences = "SELECT part, name, bundle IS NULL, here IS NULL FROM stc.bundle_differences(%s)"
    assert filled.execute(differences, [json.dumps(manifest)]).fetchall() == []
    open_bundle(other, made)
    with open_session(conninfo(other), autocommit=True) as opened:
        lacks = [("documents", "all", False, False), ("edition", "secret", False, True)]  # no text, and a hidden edition
        assert opened.execute(differences, [json.dumps(manifest)]).fetchall() == lacks
        opened.execute("DELETE FROM stc.st1_rankings WHERE rank = 3")
        opened.execute("INSERT INTO st1_runs (run) VALUES ('new')")
        changed = [("run", "bm25", False, False), ("run", "new", True, False)]
        assert opened.execute(differences, [json.dumps(manifest)]).fetchall() == lacks + changed
        with pytest.raises(psycopg.DatabaseError, match="nope"):
            opened.execute("SELECT stc.run_fingerprint('nope')")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_sha256sum_accepts_the_files(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made) as opened:
        opened.extractall(tmp_path / "out")
    done = subprocess.run(["sha256sum", "--strict", "-c", "checksums.txt"], cwd=tmp_path / "out", capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    assert archive.check(made).digest == hashlib.sha256((tmp_path / "out" / "checksums.txt").read_bytes()).hexdigest()


def test_opened_elsewhere_the_leaderboard_is_equal(made: Path, other: Settings, tmp_path: Path) -> None:
    opened = open_bundle(other, made)
    assert (opened.created, opened.differences) == (True, [])
    assert opened.means == 2 * 2 * 7  # runs, editions, measures
    with psycopg.connect(opened_dsn(other), autocommit=True) as conn:
        found = conn.execute("SELECT run, team, family, manual FROM st1_runs ORDER BY run").fetchall()
        assert sorted(found) == [("Team/run é", "T", "lexical", False), ("bm25", "T", "lexical", False)]
        seals = {one.edition: (one.intact, one.sealed is not None) for one in verify(conn)}
        assert seals == {"train": (True, True), "open": (None, False)}
        assert conn.execute("SELECT query, topic, text FROM queries ORDER BY query").fetchall() == [
            ("q1", "T1", "voice"),
            ("q2", "T1", "smart speakers"),
        ]
    again = open_bundle(other, made, existing=True)
    assert (again.created, again.differences) == (False, [])


def opened_dsn(settings: Settings) -> str:
    from stcollection.db.connection import conninfo

    return conninfo(settings)


def test_with_all_texts_the_opened_collection_gives_the_same_data(
    filled: psycopg.Connection, other: Settings, admin: psycopg.Connection, tmp_path: Path
) -> None:
    (tmp_path / "a.eval").write_text("map q1 0.25\n")
    import_scores(filled, tmp_path / "a.eval", edition="open", run="elsewhere")
    filled.execute("UPDATE st1_runs SET team = 'E', shared = NOT shared WHERE run = 'elsewhere'")
    filled.execute("SELECT stc.describe_edition('open', 'Read by one', 'test', 2023, '{\"3\": 2}')")
    store_set(filled, "first", "q1", description="One query")
    options = BundleOptions(texts=True, licences=("cc-by", "cc-by-nc", "cc0"), articles=True)
    path = tmp_path / "mine.zip"
    assert make_bundle(filled, path, options=options).texts == 3
    opened = open_bundle(other, path)
    assert opened.notes == [note for note in opened.notes if "hidden" in note]
    with psycopg.connect(opened_dsn(other), autocommit=True) as conn:
        again = make_bundle(conn, tmp_path / "again.zip", options=options)
    before, after = content(path), content(tmp_path / "again.zip")
    described = [json.loads(one["bundle.json"]) | {"collection": "", "hidden": []} for one in (before, after)]
    assert described[1] == described[0]
    own = {"bundle.json", "checksums.txt", "CITATION.cff", "README.md", "datasheet.md", "ro-crate-metadata.json"}  # names, hidden
    assert {name: text for name, text in after.items() if name not in own} == {
        name: text for name, text in before.items() if name not in own
    }
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(other.db)))
    assert open_bundle(other, tmp_path / "again.zip", digest=again.digest).differences == []
    with psycopg.connect(opened_dsn(other), autocommit=True) as conn:
        third = make_bundle(conn, tmp_path / "third.zip", options=options)
    files = [content(tmp_path / name) for name in ("again.zip", "third.zip")]
    assert [name for name in files[0] if files[0][name] != files[1].get(name)] == []
    assert third.digest == again.digest
    assert archive.check(tmp_path / "third.zip").data_digest == archive.check(tmp_path / "again.zip").data_digest


def test_texts_leave_only_with_a_licence(filled: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "mine.zip"
    make_bundle(filled, path)
    everything = b"".join(content(path).values())
    assert b"They" not in everything
    assert b"SECRET ARTICLE" not in everything
    assert make_bundle(filled, path, options=BundleOptions(texts=True)).texts == 2
    assert b"They talk" not in content(path)["documents/texts.jsonl"]
    with pytest.raises(UnknownObject, match="gpl"):
        make_bundle(filled, path, options=BundleOptions(texts=True, licences=("gpl",)))
    with pytest.raises(BadArgument, match="licences without texts"):
        make_bundle(filled, path, options=BundleOptions(licences=("cc0",)))
    filled.execute("UPDATE dblp_facts SET licence = NULL")
    with pytest.raises(BadArgument, match="no document has an open licence"):
        make_bundle(filled, path, options=BundleOptions(texts=True))


def test_a_hidden_edition_keeps_its_seal(filled: psycopg.Connection, made: Path) -> None:
    found = content(made)
    [secret] = json.loads(found["bundle.json"])["hidden"]
    assert secret["fingerprint"] == hashlib.sha256(b"q2 0 d3 2\n").hexdigest()
    assert [name for name in found if "secret" in name] == []
    assert b"d3 2" not in b"".join(found[name] for name in found if not name.startswith("runs/"))
    assert hashlib.sha256(found["qrels/train.qrels"]).hexdigest() == json.loads(found["bundle.json"])["editions"][1]["fingerprint"]


def test_a_difference_is_reported(made: Path, other: Settings, tmp_path: Path) -> None:
    files = content(made)
    text = files["scores/train.means.tsv"].decode()
    line = next(one for one in text.splitlines() if one.startswith("bm25\tnDCG@10"))
    files["scores/train.means.tsv"] = text.replace(line, "bm25\tnDCG@10\t0.123").encode()
    [one] = open_bundle(other, rewritten(files, tmp_path)).differences
    assert (one.edition, one.run, one.query, one.measure, one.stored) == ("train", "bm25", None, "nDCG@10", "0.123")
    assert one.computed == line.split("\t")[2]


def rewritten(files: dict[str, bytes], tmp_path: Path) -> Path:
    """Write files as a bundle whose checksums are right."""
    folder = tmp_path / "rewritten"
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        if name != archive.CHECKSUMS:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text)
    archive.write(folder, tmp_path / "rewritten.zip")
    return tmp_path / "rewritten.zip"


def zipped(files: list[tuple[str | zipfile.ZipInfo, bytes]], tmp_path: Path) -> Path:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in files:
            out.writestr(name, text)
    return path


Change = Callable[[dict[str, bytes]], list[tuple[str | zipfile.ZipInfo, bytes]]]


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o120777 << 16
    return entry


BAD: dict[str, tuple[Change, str]] = {
    "changed": (lambda f: [*{**f, "queries.jsonl": b"{}\n"}.items()], "queries.jsonl was changed: its SHA-256 differs"),
    "missing": (lambda f: [one for one in f.items() if one[0] != "queries.jsonl"], "the file queries.jsonl is missing"),
    "added": (lambda f: [*f.items(), ("runs/more.run", b"")], "the file runs/more.run has no checksum"),
    "upwards": (lambda f: [*f.items(), ("../../evil", b"")], "'../../evil' leads outside the bundle"),
    "absolute": (lambda f: [*f.items(), ("/etc/evil", b"")], "'/etc/evil' leads outside the bundle"),
    "backslash": (lambda f: [*f.items(), ("runs\\..\\evil", b"")], "leads outside the bundle"),
    "link": (lambda f: [*f.items(), (link("runs/x"), b"/etc/passwd")], "runs/x is a link"),
    "bomb": (lambda f: [*f.items(), ("runs/x", bytes(70_000_000))], "at most 67,108,864 are allowed"),
    "no list": (lambda f: [one for one in f.items() if one[0] != "checksums.txt"], "contains no checksums.txt"),
    "bad list": (lambda f: [*{**f, "checksums.txt": b"abc\n"}.items()], "checksums.txt is not a list of checksums"),
}


def test_a_bad_archive_is_refused(
    made: Path, other: Settings, admin: psycopg.Connection, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case, (change, message) in BAD.items():
        with subtests.test(case):
            bad = zipped(change(content(made)), tmp_path)
            with pytest.raises(BadInput, match=message.replace(".", r"\.")):
                archive.check(bad)
            with pytest.raises(BadInput, match=message.replace(".", r"\.")):
                open_bundle(other, bad)
    assert admin.execute("SELECT FROM pg_database WHERE datname = %s", [other.db]).fetchone() is None


def test_a_newer_or_malformed_or_truncated_bundle_is_refused(made: Path, tmp_path: Path) -> None:
    files = content(made)
    for manifest, message in (
        ({**json.loads(files["bundle.json"]), "format": 2}, "has format 2; this version reads formats up to 1"),
        ({"format": 1}, "does not describe a bundle"),
        ([], "does not describe a bundle"),
    ):
        with pytest.raises(BadInput, match=message):
            archive.check(rewritten({**files, "bundle.json": json.dumps(manifest).encode()}, tmp_path))
    (tmp_path / "cut.zip").write_bytes(made.read_bytes()[:-200])
    with pytest.raises(BadInput, match="not a zip file, or damaged"):
        archive.check(tmp_path / "cut.zip")
    with pytest.raises(BadArgument, match="there is no file"):
        archive.check(tmp_path / "none.zip")
    with pytest.raises(BadInput, match="the hash of the bundle is"):
        archive.check(made, digest="0" * 64)


def changed_at(manifest: Any, place: tuple[str | int, ...], value: object) -> Any:
    """Return a copy of the manifest with another value at a place; GONE removes it."""
    copied = json.loads(json.dumps(manifest))
    inner = copied
    for one in place[:-1]:
        inner = inner[one]
    if value is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return copied


GONE = object()
WRONG: dict[str, tuple[tuple[str | int, ...], object, str]] = {
    "no number of texts": (("documents", "texts"), GONE, "documents.texts is missing"),
    "negative": (("documents", "references"), -1, "documents.references is not a number"),
    "truth as number": (("queries",), True, "queries is not a number"),
    "measures": (("measures",), 7, "measures is not a list"),
    "a measure": (("measures",), ["AP", 7], r"measures\[1\] is not a name"),
    "files": (("editions", 0, "files"), ["qrels/open.qrels"], r"editions\[0\].files is not a mapping of files"),
    "a file": (("runs", 0, "files", "run"), 7, r"runs\[0\].files is not a mapping of files"),
    "a missing file": (("runs", 0, "files", "run"), "../../etc/passwd", "needs the file '../../etc/passwd', which is missing"),
    "no metadata": (("runs", 0, "files", "metadata"), GONE, "the run 'Team/run é' has no files run and metadata"),
    "one of two": (("editions", 0, "files", "means"), GONE, "the edition 'open' lacks one of the files"),
    "a run": (("runs", 1), "bm25", r"runs\[1\] is not a mapping"),
    "a name twice": (("runs", 0, "run"), "bm25", "it names the run 'bm25' twice"),
    "a file twice": (("runs", 0, "files", "run"), "runs/bm25.run", "it names the file 'runs/bm25.run' twice"),
    "NUL": (("runs", 0, "run"), "a\0b", r"runs\[0\].run is not a name"),
    "time": (("runs", 0, "made"), "yesterday", r"runs\[0\].made is not a time with a time zone"),
    "no zone": (("editions", 1, "sealed"), "2026-01-01T00:00:00", r"editions\[1\].sealed is not a time with a time zone or null"),
    "seal": (("hidden", 0, "fingerprint"), "abc", r"hidden\[0\].fingerprint is not a SHA-256"),
    "year": (("editions", 1, "year"), 10**9, r"editions\[1\].year is not a year"),
    "a set": (("sets",), [{"name": "x"}], r"sets\[0\].expression is missing"),
}


def test_a_manifest_of_another_shape_is_refused(made: Path, other: Settings, tmp_path: Path, subtests: pytest.Subtests) -> None:
    files = content(made)
    for case, (place, value, message) in WRONG.items():
        with subtests.test(case):
            manifest = changed_at(json.loads(files["bundle.json"]), place, value)
            bad = rewritten({**files, "bundle.json": json.dumps(manifest).encode()}, tmp_path)
            for read in (archive.check, partial(open_bundle, other)):
                with pytest.raises(BadInput, match=f"bundle.json does not describe a bundle: .*{message}"):
                    read(bad)


SHAPES = [
    ("queries.jsonl", b'{"query":7,"text":"x","origin":"human"}\n', "queries.jsonl, line 1: query is not a name"),
    ("topics.jsonl", b'{"topic":"T","published":"soon"}\n', "topics.jsonl, line 1: published is not a date"),
    ("documents/references.jsonl", b'{"docno":"d1"}\n', "references.jsonl, line 1: sha256 is missing"),
    ("documents/references.jsonl", b"[\n", "references.jsonl, line 1: not JSON"),
    ("scores/train.means.tsv", b"bm25\tAP\n", "train.means.tsv, line 1: 2 columns instead of 3"),
    ("scores/train.queries.tsv", b"\xff\n", "train.queries.tsv: not a table"),
]


def test_a_file_of_another_shape_is_refused(
    made: Path, other: Settings, admin: psycopg.Connection, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, text, message in SHAPES:
        with subtests.test(message), pytest.raises(BadInput, match=message):
            open_bundle(other, rewritten({**content(made), name: text}, tmp_path))
    assert admin.execute("SELECT FROM pg_database WHERE datname = %s", [other.db]).fetchone() is None


def test_an_interrupted_opening_leaves_nothing(
    made: Path, other: Settings, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_Loading, "_seal", killed)
    with pytest.raises(KeyboardInterrupt):
        open_bundle(other, made)
    assert (
        admin.execute("SELECT datname FROM pg_database WHERE datname = %s OR datname ~ '^stc_unfinished'", [other.db]).fetchall()
        == []
    )


@pytest.mark.parametrize("moment", ["COPY %", "%stc.import_qrels%", "VACUUM%"])
def test_a_killed_opening_leaves_no_collection(made: Path, other: Settings, admin: psycopg.Connection, moment: str) -> None:
    """SIGKILL while the statement runs; the same command then drops the leftover and succeeds."""
    unfinished = f"{name_for('bundle', other.db)}_%"
    there = "SELECT count(*) FROM pg_database WHERE datname LIKE %s"
    running = "SELECT FROM pg_stat_activity WHERE datname LIKE %s AND query LIKE %s AND backend_type = 'client backend'"
    command = [sys.executable, "-m", "stcollection", "load", "--as", "bundle", str(made), "--db", other.db]
    environment = {**os.environ, "STC_HOME": str(other.home), **({} if other.dsn is None else {"STC_DSN": other.dsn})}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while child.poll() is None and admin.execute(running, [unfinished, moment]).fetchone() is None:
        pass
    child.kill()
    assert (child.communicate()[1], child.returncode) == (b"", -signal.SIGKILL)
    assert admin.execute(there, [unfinished]).fetchone() == (1,)
    assert other.db not in {one.name for one in collections(other)}
    assert admin.execute(there, [other.db]).fetchone() == (0,)
    deadline = time.monotonic() + 60
    while True:  # until the server has noticed the end of the killed session
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 4:
            break
        assert time.monotonic() < deadline
    assert (done.returncode, "are equal to the last digit" in done.stdout) == (0, True), done.stderr
    assert admin.execute(there, [unfinished]).fetchone() == (0,)


def test_a_collection_that_contradicts_is_not_changed(made: Path, filled: psycopg.Connection, settings: Settings) -> None:
    filled.execute("UPDATE st1_queries SET text = 'something else' WHERE query = 'q1'")
    filled.execute("DELETE FROM st1_runs WHERE run = 'bm25'")
    with pytest.raises(BadInput, match="q1") as error:
        open_bundle(settings, made, existing=True)
    assert "new collection" in str(error.value.hint)
    assert filled.execute("SELECT count(*) FROM st1_runs WHERE run = 'bm25'").fetchone() == (0,)


def test_stored_editions_keep_their_dates_and_get_what_they_lack(
    made: Path, filled: psycopg.Connection, settings: Settings, tmp_path: Path
) -> None:
    """Into a collection where train is not sealed and open is described in other words and without its subtopics."""
    filled.execute("SELECT stc.drop_edition('train', true), stc.drop_edition('open', false)")
    (tmp_path / "some.qrels").write_text("q1 0 d1 2\n")
    import_qrels(filled, tmp_path / "some.qrels", edition="train", facts=EditionFacts(description="Ours"))
    (tmp_path / "some.qrels").write_text("q1 0 d2 1\n")
    import_qrels(filled, tmp_path / "some.qrels", edition="open")
    dates = "SELECT edition, made, sealed, description FROM qrels_editions WHERE NOT hidden ORDER BY edition"
    before = filled.execute(dates).fetchall()
    done = open_bundle(settings, made, existing=True)
    assert filled.execute(dates).fetchall() == before
    assert before[1][2:] == (None, "Ours")
    assert "the edition train is sealed in the bundle, but not here: stc publish seal train" in done.notes
    assert filled.execute("SELECT judgments FROM edition_overview WHERE edition = 'train'").fetchone() == (4,)
    assert filled.execute("SELECT subtopic_judgments FROM edition_overview WHERE edition = 'open'").fetchone() == (2,)
    assert done.differences == []


def test_a_sealed_edition_gets_scores_and_a_note_says_what_it_refuses(
    filled: psycopg.Connection, settings: Settings, tmp_path: Path
) -> None:
    filled.execute("SELECT stc.drop_edition('train', true)")
    for name, text in {"a.qrels": "q1 0 d1 2\n", "a.txt": "q1 1 d1 1\n", "a.prefs": "q1 ann 1 d1 1\nq1 ann 1 d2 2\n"}.items():
        (tmp_path / name).write_text(text)
    import_qrels(filled, tmp_path / "a.qrels", edition="full")
    import_subtopics(filled, tmp_path / "a.txt", edition="full")
    import_preferences(filled, tmp_path / "a.prefs", edition="full")
    (tmp_path / "a.eval").write_text("map q1 0.25\n")
    import_scores(filled, tmp_path / "a.eval", edition="full", run="elsewhere")
    seal(filled, "full")
    make_bundle(filled, tmp_path / "full.zip")
    filled.execute("SELECT stc.drop_edition('full', true)")
    import_qrels(filled, tmp_path / "a.qrels", edition="full")
    seal(filled, "full")
    notes = open_bundle(settings, tmp_path / "full.zip", existing=True).notes
    refused = [one for one in notes if "is not added" in one]
    assert [one.split(" is not added: ")[0] for one in refused] == [
        "full.zip/qrels/full.subtopics",
        "full.zip/qrels/full.prefs",
    ]
    assert all("has been sealed" in one for one in refused)
    assert filled.execute(
        "SELECT n.run, s.value FROM st1_scores s JOIN st1_runs n ON n.id = s.run WHERE s.edition = stc.edition_key('full')"
    ).fetchall() == [("elsewhere", 0.25)]
    filled.execute("SELECT stc.drop_edition('full', true)")
    assert [one for one in open_bundle(settings, tmp_path / "full.zip", existing=True).notes if "not added" in one] == []
    assert filled.execute("SELECT count(*) FROM qrels_preferences").fetchone() == (2,)


@pytest.mark.parametrize("sealed", [True, False])
def test_a_bundle_has_the_strata_of_samples(
    filled: psycopg.Connection, settings: Settings, tmp_path: Path, other: Settings, sealed: bool
) -> None:
    """In a new collection the estimates are the same; in one that has them, nothing changes; other strata are refused."""

    def estimates(at: Settings) -> list[Any]:
        with connect(at) as conn:
            return list(sampled_scores(conn, edition="sampled", measures="xinfAP,ipw_P@2", per_query=True))

    (tmp_path / "s.qrels").write_text("q1 0 d1 1 2\nq1 0 d2 deep -1\nq1 0 d3 deep 1\nq2 0 d2 1 0\n")
    import_qrels(filled, tmp_path / "s.qrels", edition="sampled")
    if sealed:
        seal(filled, "sampled")
    make_bundle(filled, tmp_path / "s.zip")
    open_bundle(other, tmp_path / "s.zip")
    assert estimates(other) == estimates(settings) != []
    assert [one for one in open_bundle(settings, tmp_path / "s.zip", existing=True).notes if "strata" in one] == []
    filled.execute("SELECT stc.drop_edition('sampled', true)")
    (tmp_path / "s.qrels").write_text("q1 0 d1 1 2\nq1 0 d2 1 -1\nq1 0 d3 1 1\n")
    import_qrels(filled, tmp_path / "s.qrels", edition="sampled")
    with pytest.raises(BadInput, match="the edition has another sample for query q1"):
        open_bundle(settings, tmp_path / "s.zip", existing=True)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_contradiction_is_found_before_texts_are_loaded(
    filled: psycopg.Connection, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """A contradiction that appears while the texts are loaded leaves them, and the error says so."""
    path = tmp_path / "texts.zip"
    make_bundle(filled, path, options=BundleOptions(texts=True))
    filled.execute("DELETE FROM st1_runs")

    def contradict() -> None:
        filled.execute("UPDATE st1_queries SET text = 'something else' WHERE query = 'q1'")

    def loaded(*arguments: Any, **options: Any) -> None:
        load_documents(*arguments, **options)
        contradict()

    if moment == "before":
        contradict()
    else:
        monkeypatch.setattr("stcollection.bundle.open.load_documents", loaded)
    with pytest.raises(BadInput, match="q1") as error:
        open_bundle(settings, path, existing=True)
    remain = "Documents of the bundle that were loaded before remain; nothing else was stored."
    assert str(error.value.hint).endswith("Nothing was stored." if moment == "before" else remain)
    there = filled.execute("SELECT path FROM stc.corpus_files WHERE path ~ 'texts.zip'").fetchall()
    assert there == ([] if moment == "before" else [("texts.zip/documents/texts.jsonl",)])
    assert filled.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_citations(filled: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "mine.zip"
    facts = CitationFacts(title="A collection: of é", authors=("Ada Lovelace", "Émile Borel"), doi="10.5281/zenodo.1")
    make_bundle(filled, path, facts=facts)
    cited = yaml.safe_load(content(path)["CITATION.cff"])
    assert (cited["title"], cited["type"], cited["doi"]) == ("A collection: of é", "dataset", "10.5281/zenodo.1")
    assert [one["name"] for one in cited["authors"]] == ["Ada Lovelace", "Émile Borel"]
    given = tmp_path / "CITATION.cff"
    given.write_text("cff-version: 1.2.0\ntitle: x\n")
    with pytest.raises(BadInput, match="has no message"):
        make_bundle(filled, path, facts=CitationFacts(citation=given))
    with pytest.raises(BadArgument, match="a citation file, and also a title"):
        make_bundle(filled, path, facts=CitationFacts(citation=given, title="y"))


def test_rocrate_reads_the_description(made: Path, tmp_path: Path) -> None:
    read = pytest.importorskip("rocrate.rocrate")
    with zipfile.ZipFile(made) as opened:
        opened.extractall(tmp_path / "out")
    found = read.ROCrate(tmp_path / "out")
    files = {one.id for one in found.get_entities() if one.type == "File"}
    assert files == set(content(made)) - {"checksums.txt", "ro-crate-metadata.json"}
    assert found.root_dataset["name"].startswith("The test collection ")


def test_the_commands(made: Path, other: Settings, settings: Settings, filled: psycopg.Connection, tmp_path: Path) -> None:
    out = tmp_path / "cli.zip"
    done = CliRunner().invoke(bundle, ["make", "--out", str(out)], obj=settings, catch_exceptions=False)
    assert "3 documents (0 with text), 2 editions, 2 runs" in done.output
    digest = done.stdout.splitlines()[-1].removeprefix("hash ")
    done = CliRunner().invoke(bundle, ["check", str(out), "--hash", digest], catch_exceptions=False)
    assert done.stdout.splitlines()[1] == f"hash {digest}"
    done = CliRunner().invoke(bundle, ["open", str(out), "--db", other.db], obj=settings, catch_exceptions=False)
    assert "leaderboard: 28 means and " in done.stdout
    assert "are equal to the last digit" in done.stdout


def test_a_bundle_is_opened_in_a_new_collection_unless_another_is_named(
    made: Path, filled: psycopg.Connection, other: Settings, settings: Settings, admin: psycopg.Connection
) -> None:
    """The collection that STC_DB names, here ``settings``, is never filled with the runs of others."""
    filled.execute("SELECT drop_runs('{bm25}')")
    renamed = made.with_name(f"{other.db.upper()}.{made.suffix}")
    made.rename(renamed)
    name = other.db.replace("_", "-")
    second = f"{name}-2"

    def opened(*more: str) -> Result:
        return CliRunner().invoke(bundle, ["open", str(renamed), *more], obj=settings)

    try:
        assert opened().stdout.startswith(f"created '{name}'")
        assert opened().stdout.startswith(f"created '{second}'")
        error = opened("--db", settings.db).exception
        assert isinstance(error, BadArgument)
        assert f"--into {settings.db}" in str(error.hint)
        assert opened("--db", settings.db, "--into", name).exit_code == 2
        assert filled.execute("SELECT count(*) FROM st1_runs WHERE run = 'bm25'").fetchone() == (0,)
        assert opened("--into", settings.db).stdout.startswith(f"added to {settings.db!r}")
        assert filled.execute("SELECT count(*) FROM st1_runs WHERE run = 'bm25'").fetchone() == (1,)
    finally:
        for one in (name, second):
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(one)))
