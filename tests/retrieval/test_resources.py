"""Time of a run, and the file that tirex_tracker writes around it."""

from __future__ import annotations

from pathlib import Path

import psycopg
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.retrieval.run import run
from stcollection.runs.made import metadata_of
from stcollection.runs.metadata import dump, parse, parse_file

TRACKED = """\
schema version: 0.2
tag: bm25
implementation:
  executable:
    cmd:
    - python
    - submission.py
  python:
    packages:
    - stcollection==0.3.0
  source:
    is repo: 1
    lang: null
platform:
  hardware:
    cpu:
      model: AMD EPYC
      number of cores: 2
    gpu: null
    ram: 25276 MB
resources:
  cpu:
    energy used system: 12.5 J
  runtime:
    start time: 2026-11-30T16:42:21.857371674+0000
    wallclock: 1401 ms
"""  # as version 0.2.24 writes it, with fewer measures


def test_command_and_python_store_the_time(settings: Settings, conn: psycopg.Connection) -> None:
    from tests.groups import retrieval

    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'voice assistants')")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'voice')")
    done = CliRunner().invoke(retrieval, ["run", "boolean"], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    run(conn, system="boolean", name="again")
    for name in ("boolean", "again"):
        told = metadata_of(conn, name)
        assert told["resources"].keys() == {"runtime in seconds"}
        assert 0 < told["resources"]["runtime in seconds"] < 60
        assert parse(dump(told)) == (told, [])


def test_what_tirex_tracker_writes_is_metadata(tmp_path: Path) -> None:
    (tmp_path / "ir-metadata.yml").write_text(TRACKED)
    tracked, faults = parse_file(tmp_path / "ir-metadata.yml")
    assert faults == []
    assert tracked["resources"]["cpu"] == {"energy used system": "12.5 J"}
    assert parse(dump(tracked)) == (tracked, [])
