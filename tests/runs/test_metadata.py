"""Metadata of runs: import, check and export of ir_metadata."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytrec_eval
import yaml
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.io.files import read_text
from stcollection.runs.check import check_run
from stcollection.runs.load import ImportOptions, import_runs
from stcollection.runs.made import known, metadata_of, store
from stcollection.runs.metadata import as_header, dump, in_header, parse, sidecar
from stcollection.runs.schema import SECTIONS
from tests.groups import runs

pytestmark = pytest.mark.slow

RUN = "q Q0 d1 1 2.0 tag\nq Q0 d2 2 1.0 tag\n"
# All six components, with the names in the checklists of the schema.
WHOLE = """\
schema-version: 0.1
run-version: 1.0
tag: mine
platform:
  hardware:
    cpu:
      model: Some CPU @ 3.50GHz
      number of cores: 16
    ram: 32 GB
  operating system:
    kernel: 6.10
  software:
    libraries:
      python:
      - numpy==1.15.4
    retrieval toolkit:
    - a toolkit==0.3.0
research goal:
  venue:
    name: CLEF
    year: 2024
  evaluation:
    reported measures:
    - map
    - P_10
    significance test:
    - name: t-test
      correction method: bonferroni
implementation:
  executable:
    cmd: 'make run: all'
  source:
    lang:
    - python
    commit: 0123456
method:
  automatic: false
  indexing:
    stemmer: none
  retrieval:
  - name: bm25
    b: 0.4
    k1: 0.9
  - name: reranker
    reranks: bm25
actor:
  name: Jo
  team: ours
  fields:
  - ir
data:
  test collection:
    name: dblp
  training data:
  - name: other
"""


def whole() -> dict[str, Any]:
    found, faults = parse(WHOLE)
    assert faults == []
    return found


def test_the_whole_schema_is_read_and_written() -> None:
    found = whole()
    expected = yaml.safe_load(WHOLE)
    expected["platform"]["operating system"]["kernel"] = "6.10"
    expected["implementation"]["source"]["commit"] = "0123456"  # YAML 1.1 reads an octal number
    assert found == expected
    shuffled = json.loads(json.dumps(found, sort_keys=True))
    assert parse(dump(shuffled)) == (found, [])
    assert [line.split(":")[0] for line in dump(shuffled).splitlines() if not line.startswith((" ", "-"))] == [
        "schema-version",
        "run-version",
        "tag",
        "platform",
        "research goal",
        "implementation",
        "method",
        "actor",
        "data",
    ]


FAULTS: list[tuple[str, int, str]] = [
    ("tag: x\nactors: me\n", 2, "unknown section 'actors'"),
    ("tag: x\nTag: y\n", 2, "'Tag' is repeated"),
    ("tag:\n- x\n", 2, "'tag' is a sequence, not a scalar"),
    ("actor: Jo\n", 1, "'actor' is the scalar 'Jo', not a mapping"),
    ("method:\n  automatic: perhaps\n", 2, "'automatic' is the scalar 'perhaps', not true or false"),
    ("method:\n  retrieval: bm25\n", 2, "not a sequence of mappings"),
    ("actor:\n  fields: ir\n", 2, "not a sequence of scalars"),
    ("platform: &a {}\ndata: *a\n", 2, "an alias"),
    ("tag: !!python/object/apply:os.system [echo]\n", 1, "has the type"),
    ("tag: !!binary aGk=\n", 1, "has the type"),
    ("tag: x\n  y: z\n", 2, "not YAML"),
    ("tag: [x\n", 2, "not YAML"),
    ("tag: x\n---\ntag: y\n", 2, "not YAML"),
    ("- x\n", 1, "not a mapping of sections"),
    ("", 1, "not a mapping of sections"),
    ("tag: x\nactor: {name: \"a\\0b\"}\n", 2, "U+0000"),
    ("tag: x\nactor: \x07\n", 2, "a character that YAML does not allow"),
    ("actor: {? [a] : b}\n", 1, "a name that is not text"),
    ("resources: " + "[" * 5000, 1, "nested more than 20 levels deep"),
    ("tag: " + "x" * 300_000, 1, "300,005 characters"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "what"), FAULTS)
def test_faults_by_line(conn: psycopg.Connection, tmp_path: Path, text: str, line: int, what: str) -> None:
    faults = parse(text)[1]
    assert [(fault.line, what in fault.what) for fault in faults] == [(line, True)], faults
    run = tmp_path / "mine.run"
    run.write_text(RUN)
    (tmp_path / "mine.yml").write_text(text)
    with pytest.raises(BadInput, match=rf"mine\.yml:{line}: metadata: "):
        list(import_runs(conn, [run]))
    assert conn.execute("SELECT (SELECT count(*) FROM st1_runs), (SELECT count(*) FROM dblp)").fetchone() == (0, 0)


def test_a_bomb_of_aliases_does_not_go_off() -> None:
    text = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
    _, faults = parse("resources:\n" + "".join(f"  {line}\n" for line in text.splitlines()))
    assert "an alias" in faults[0].what
    assert faults[0].line == 3


def test_in_the_head_of_a_run(conn: psycopg.Connection, tmp_path: Path) -> None:
    run = tmp_path / "mine.run"
    run.write_text(as_header(whole()) + RUN)
    assert run.read_text().startswith("# ir_metadata.start\n# schema-version: 0.1\n")
    assert in_header(run) == (whole(), [])
    assert check_run(run).bad == 0
    [done] = import_runs(conn, [run])
    assert conn.execute("SELECT metadata, team, manual FROM st1_runs").fetchone() == (whole(), "ours", True)
    assert done.counts.ranked == 2

    run.write_text("# a comment\n# ir_metadata.start\n#tag: x\n#actor: Jo\n# ir_metadata.end\n" + RUN)
    assert [(fault.line, fault.note) for fault in check_run(run).faults if "metadata" in fault.what] == [(4, False)]
    with pytest.raises(BadInput, match=r"mine\.run:4: metadata: 'actor'"):
        list(import_runs(conn, [run], options=ImportOptions(replace=True)))
    run.write_text("# ir_metadata.start\n# tag: x\n" + RUN)
    with pytest.raises(BadInput, match=r"mine\.run:1: metadata: ir_metadata.start without ir_metadata.end"):
        list(import_runs(conn, [run], options=ImportOptions(replace=True)))
    run.write_text(RUN + "# ir_metadata.start\n# tag: x\n# ir_metadata.end\n")
    assert in_header(run) == (None, [])


def test_which_file_counts(conn: psycopg.Connection, tmp_path: Path) -> None:
    run, other = tmp_path / "mine.run.gz", tmp_path / "other.yaml"
    run.write_bytes((as_header({"tag": "head"}) + RUN).encode())
    other.write_text("ir_metadata.start\ntag: given\nir_metadata.end\n")

    def tag(**options: Any) -> str:
        list(import_runs(conn, [run], options=ImportOptions(replace=True, **options)))
        return str(metadata_of(conn, "mine")["tag"])

    assert tag() == "head"
    (tmp_path / "mine.yaml").write_text("tag: beside\n")
    assert sidecar(run) == tmp_path / "mine.yaml"
    assert tag() == "beside"
    assert tag(metadata=other) == "given"
    with pytest.raises(BadArgument, match="one metadata file for 2 runs"):
        list(import_runs(conn, [run, run], options=ImportOptions(metadata=other)))
    with pytest.raises(BadArgument, match=r"no file .*nowhere\.yml"):
        tag(metadata=tmp_path / "nowhere.yml")


def test_other_readers(tmp_path: Path) -> None:
    """The header of the file is not the default, because pytrec_eval does not accept comments."""
    with pytest.raises(ValueError):
        pytrec_eval.parse_run(io.StringIO(as_header({"tag": "x"}) + RUN))
    assert pytrec_eval.parse_run(io.StringIO(RUN)) == {"q": {"d1": 2.0, "d2": 1.0}}


def test_what_is_known_of_our_own_runs(conn: psycopg.Connection) -> None:
    conn.execute(
        "INSERT INTO st1_runs (run, team, tag, family, params) VALUES"
        """ ('mine', 'ours', 'mine', 'bm25', '{"system": "bm25", "depth": 7, "indexes": {"text": {"k1": 1.2}}}')"""
    )
    told = known(conn, "mine")
    assert told["method"]["retrieval"] == [{"name": "mine", "method": "bm25", "depth": 7, "indexes": {"text": {"k1": 1.2}}}]
    assert told["actor"] == {"team": "ours"}
    assert parse(dump(told)) == (told, [])
    assert metadata_of(conn, "mine") == told

    conn.execute("SELECT stc.record_run(id) FROM st1_runs")
    [[stored]] = conn.execute("SELECT metadata FROM st1_runs").fetchall()
    assert metadata_of(conn, "mine") == stored == told
    assert any(one.startswith("postgresql==") for one in stored["platform"]["software"]["libraries"]["postgresql"])
    assert stored["implementation"]["source"]["commit"].startswith("revision 00")
    with pytest.raises(UnknownObject, match="no run 'mina'"):
        metadata_of(conn, "mina")
    with pytest.raises(UnknownObject, match="no run 'mina'"):
        store(conn, "mina", {})


def test_a_run_made_here_says_how(settings: Settings, conn: psycopg.Connection) -> None:
    from tests.groups import retrieval

    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'voice assistants')")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'voice')")
    done = CliRunner().invoke(retrieval, ["run", "boolean", "--team", "ours"], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    told = metadata_of(conn, "boolean")
    assert told["actor"] == {"team": "ours"}
    assert {"platform", "implementation", "method", "data"} <= told.keys()


def test_the_commands(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    def stc(*arguments: str) -> str:
        return CliRunner().invoke(runs, list(arguments), obj=settings, catch_exceptions=False).stdout

    run, given = tmp_path / "mine.run", tmp_path / "how.yml"
    run.write_text(RUN)
    given.write_text(WHOLE)
    stc("import", str(run), "--metadata", str(given))
    assert parse(stc("metadata", "mine")) == (whole(), [])
    out = tmp_path / "out.run"
    stc("export", "mine", "--out", str(out), "--with-metadata", "file")
    assert parse((tmp_path / "out.yml").read_text()) == (whole(), [])
    assert out.read_text() == RUN.replace("tag", "mine")
    assert pytrec_eval.parse_run(io.StringIO(out.read_text())) == {"q": {"d1": 2.0, "d2": 1.0}}
    headed = stc("export", "mine", "--with-metadata", "header")
    assert headed == as_header(whole()) + out.read_text()
    assert CliRunner().invoke(runs, ["export", "mine", "--with-metadata", "file"], obj=settings).exit_code == 2
    for name, start in {"x.json": "[", "x.json.gz": "[", "x.run": "q"}.items():
        stc("export", "mine", "--out", str(tmp_path / name))
        assert read_text(tmp_path / name).startswith(start)
    refused = CliRunner().invoke(runs, ["export", "mine", "--with-metadata", "header", "--format", "simpletext"], obj=settings)
    assert refused.exit_code == 2
    given.write_text("tag: new\n")
    assert stc("metadata", "mine", "--set", str(given)) == "tag: new\n"
    (tmp_path / "mine.yml").write_text("tag: x\nactors: y\n")
    done = CliRunner().invoke(runs, ["check", str(run)], obj=settings)
    assert f"{tmp_path}/mine.yml:2: metadata: unknown section 'actors'" in done.stdout
    assert isinstance(done.exception, BadInput)


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**17), 10**17) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b c", "1", "yes", "é"]), inner, max_size=3),
    max_leaves=8,
)


@example(value="\x85 and \u2028", section="platform")
@given(value=VALUES, section=st.sampled_from([name for name, spec in SECTIONS.items() if isinstance(spec, dict)]))
def test_what_is_written_is_read_again(value: Any, section: str) -> None:
    metadata = {section: {"an unknown key": value}}
    assert parse(dump(metadata)) == (metadata, [])
    lines = as_header(metadata).split("\n")
    assert all(line.startswith("# ") for line in lines[:-1])
