"""The reference has all that is in the code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stcollection.cli import stc
from stcollection.evaluation.kinds import KINDS
from stcollection.io import registry
from tests.acceptance.test_commands import commands
from tests.docs.pages import REPOSITORY
from tests.docs.pages import pages as hand_written
from tools.reference_python import markdown
from tools.reference_sql import SqlObject, objects

pytestmark = pytest.mark.slow

MOST_WORDS = 90_000  # of the hand-written and generated pages

HEADED = """\
-- first: what it does.
--
--   x = y
CREATE OR REPLACE FUNCTION first(
    query text DEFAULT ')', -- a note (with a bracket
    k integer[] DEFAULT '{1,2}'
)
RETURNS TABLE (doc bigint, score numeric(3, 1))
LANGUAGE sql AS $$ SELECT 1, 1.0 $$;
COMMENT ON FUNCTION first(text, integer[]) IS
'What one''s '
'first is';
"""


def test_each_command_function_table_and_measure_is_in_the_reference(dsn: str) -> None:
    # In a separate process: click keeps the help option of a command as its first context names it, and other tests run commands.
    program = "import json, sys; from tools.reference import *; print(json.dumps(pages(reference_tables.columns(sys.argv[1]))))"
    done = subprocess.run([sys.executable, "-c", program, dsn], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = json.loads(done.stdout)
    nav = set(re.findall(r"- reference/(\w+)\.md", (REPOSITORY / "mkdocs.yml").read_text()))
    assert nav == pages.keys()
    for path, _ in commands(stc):
        assert f"## {' '.join(('stc', *path))}\n" in pages["commands"]
    for one in objects():
        assert not one.public or f"### {one.name}\n" in pages["functions"], one.name
    assert all(f"| `{name}" in pages["measures"] or f"`{kind.family}" in pages["measures"] for name, kind in KINDS.items())
    assert all(f"\n## {name}\n" in pages["tables"] for name in ("dblp", "stc.st1_queries", "qrels_judgments"))
    assert all(f"`{name}`" in pages["index"] for name in ("STC_DSN", "STC_HOME", "IR101", "IR415"))
    assert all(f"### {one.kind}: {one.name}\n" in pages["formats"] for kind in registry.KINDS for one in registry.formats(kind))
    assert "#### leaderboard\n" in pages["python"]
    texts = [*pages.values(), *(page.read_text(encoding="utf-8") for page in hand_written())]
    assert sum(len(text.split()) for text in texts) <= MOST_WORDS


def test_a_file_is_read_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "stage").mkdir()
    (tmp_path / "stage" / "first.sql").write_text(HEADED)
    assert objects(tmp_path) == [
        SqlObject(
            kind="function",
            name="first",
            stage="stage",
            arguments="query text DEFAULT ')', k integer[] DEFAULT '{1,2}'",
            returns="TABLE (doc bigint, score numeric(3, 1))",
            comment="What one's first is",
            head="first: what it does.\n\n  x = y",
        )
    ]


def test_an_object_without_a_comment_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stage").mkdir()
    (tmp_path / "stage" / "first.sql").write_text(HEADED.partition("COMMENT ON")[0])
    with pytest.raises(LookupError, match="first has no COMMENT"):
        objects(tmp_path)


def test_every_function_of_a_collection_is_documented(conn) -> None:  # type: ignore[no-untyped-def]
    made = conn.execute(
        "SELECT proname FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
        " AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')"
    ).fetchall()
    views = conn.execute("SELECT viewname FROM pg_views WHERE schemaname IN ('public', 'stc')").fetchall()
    assert {one.name for one in objects()} >= {name for (name,) in [*made, *views]}
    signatures = {one.name: one.arguments for one in objects() if one.kind == "function"}
    for name, arguments in conn.execute(
        "SELECT proname, pronargs FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
        " AND prokind = 'f'"
    ).fetchall():
        if name in signatures and arguments == 0:
            assert not [part for part in signatures[name].split(",") if part and not part.strip().startswith("OUT ")], name


def test_a_docstring_becomes_markdown() -> None:
    assert markdown(
        "Does ``x`` as :meth:`y`.\n\nMore\nwords.\n\n:param a: one. :param b: two\n    lines.\n:raises Error: when."
    ) == ("Does `x` as `y`.\n\nMore words.\n\n- `a`: one.\n- `b`: two lines.\n- raises `Error`: when.")
