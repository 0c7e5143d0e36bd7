"""The diagram of the tables shows what the database has."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import psycopg
from click.testing import CliRunner

from stcollection.analysis.records import ForeignKey, SchemaColumn, SchemaTable
from stcollection.analysis.schema import published_tables
from stcollection.cli.db.schema import command
from stcollection.db.settings import Settings
from stcollection.plots.schema import draw_schema

_SVG = "{http://www.w3.org/2000/svg}"
_KEYS = """
SELECT count(*) FROM pg_constraint k JOIN pg_class t ON t.oid = k.confrelid, unnest(k.conkey)
 WHERE k.contype = 'f' AND k.conrelid = ANY (%(tables)s::regclass[])
   AND (t.oid = ANY (%(tables)s::regclass[]) OR t.oid = 'stc_all.qrels_editions'::regclass)
"""


def column(name: str, *refers: tuple[str, str], key: bool = False) -> SchemaColumn:
    return SchemaColumn(name, "bigint", key, False, [ForeignKey(*one) for one in refers], f"the <{name}>")


def test_the_diagram_shows_each_column_and_foreign_key(conn: psycopg.Connection) -> None:
    tables = published_tables(conn)
    assert {"dblp", "stc.st1_queries", "qrels_judgments"} <= {one.name for one in tables}
    assert all(one.comment and column.comment for one in tables for column in one.columns)
    root = ElementTree.fromstring(draw_schema(tables))  # noqa: S314
    [(keys,)] = conn.execute(_KEYS.encode(), {"tables": [one.name for one in tables]}).fetchall()
    assert root.get("aria-label") == f"{len(tables)} tables, {sum(len(one.columns) for one in tables)} columns, {keys} foreign keys"
    assert len(root.findall(f".//{_SVG}circle")) == keys
    texts = [text.text for text in root.iter(f"{_SVG}text")]
    assert all(texts.count(one.name) >= 1 for one in tables)
    assert "source_doc" in texts


def test_cycles_and_foreign_tables_are_named_in_tooltips() -> None:
    tables = [
        SchemaTable("a", "", [column("id", key=True), column("b", ("b", "id")), column("up", ("a", "id"))]),
        SchemaTable("b", "", [column("id", key=True), column("a", ("a", "id")), column("far", ("stc.files", "id"))]),
        SchemaTable("lone", "", []),
    ]
    drawn = draw_schema(tables)
    assert "the &lt;up&gt;; refers to a.id" in drawn
    assert "refers to stc.files.id" in drawn
    assert drawn.count("<circle") == 1
    assert "0 tables" in draw_schema([])


def test_the_command(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    run = CliRunner().invoke
    drawn = run(command, ["--out", str(tmp_path / "s.svg"), "--out", str(tmp_path / "s.csv")], obj=settings)
    assert drawn.exit_code == 0, drawn.output
    assert (tmp_path / "s.svg").read_text() == draw_schema(published_tables(conn))
    assert "dblp_text,id,bigint,True,False,dblp.id," in (tmp_path / "s.csv").read_text()
    wrong = run(command, ["--out", str(tmp_path / "s.png")], obj=settings)
    assert "unknown kind of figure '.png'" in str(wrong.exception)
