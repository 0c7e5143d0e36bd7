"""Create the databases in tests/db/releases: one per release, with the code of its last commit.

    python tools/releases.py 0035 a4179b61     # one revision; without arguments all in COMMITS

In a worktree of the commit, the demo is loaded by that commit's own 'stc demo', with the dependencies of this environment, and made
smaller. The output of pg_dump is stored in databases.tar.xz, the scores by the release's SQL in
<revision>.json; an upgraded database must return the same scores. All texts are the demo's, written for this project.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import psycopg

from stcollection.db.embedded import EmbeddedServer, binaries

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "tests" / "db" / "releases"
ARCHIVE = OUT / "databases.tar.xz"
COMMITS = {"0035": "a4179b61"}  # version 0.2.0
# Less to keep in the repository: the first ranks, and vectors of some documents.
SMALLER = (
    "SET session_replication_role = replica; DELETE FROM st1_rankings WHERE rank > 12;"
    "DELETE FROM dblp_v WHERE id NOT IN (SELECT id FROM dblp_v ORDER BY id LIMIT 12); RESET session_replication_role"
)


def make(revision: str, commit: str, work: Path) -> None:
    """Create the files of one revision."""
    tree, home = work / "tree", work / "home"
    subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--detach", str(tree), commit], check=True, capture_output=True)
    env = {**os.environ, "PYTHONPATH": str(tree), "STC_HOME": str(home)}
    try:
        subprocess.run([sys.executable, "-m", "stcollection", "demo"], cwd=tree, env=env, check=True, stdout=subprocess.DEVNULL)
        server = EmbeddedServer(home)
        with psycopg.connect("", **server.conninfo(), dbname="demo", autocommit=True) as conn:  # type: ignore[arg-type]
            [[at]] = conn.execute("SELECT version_num FROM alembic_version").fetchall()
            if at != revision:
                raise SystemExit(f"{commit} makes revision {at}")
            conn.execute("SELECT seal_edition('train')")
            conn.execute(SMALLER)
            said = expected(conn)
        dump = subprocess.run(
            [str(binaries() / "pg_dump"), "--host", str(server.socket_folder), "-U", "postgres", "demo"],
            check=True,
            capture_output=True,
        )
    finally:
        subprocess.run([sys.executable, "-m", "stcollection", "db", "stop"], cwd=tree, env=env, check=False, capture_output=True)
        subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(tree)], check=True)
    OUT.mkdir(exist_ok=True)
    (OUT / f"{revision}.json").write_text(json.dumps({"commit": commit, **said}, indent=1) + "\n")
    store(f"{revision}.sql", dump.stdout)
    print(f"{revision}: {len(dump.stdout) / 1000:.0f} kB of {ARCHIVE.stat().st_size / 1000:.0f} kB packed")


def store(name: str, content: bytes) -> None:
    """Add a file to the archive. One archive compresses best, since the databases share most functions."""
    there = {}
    if ARCHIVE.exists():
        with tarfile.open(ARCHIVE) as archive:
            there = {one.name: archive.extractfile(one).read() for one in archive}  # type: ignore[union-attr]
    with lzma.open(ARCHIVE, "wb", preset=9) as file, tarfile.open(fileobj=file, mode="w") as archive:
        for member, text in sorted({**there, name: content}.items()):
            info = tarfile.TarInfo(member)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))


def expected(conn: psycopg.Connection) -> dict[str, Any]:
    """Return values that an upgrade must not change: scores by query, and row counts of tables that cannot be recomputed."""
    tables = ("dblp", "dblp_text", "dblp_v", "query_v", "st1_topics", "st1_queries", "st1_runs", "st1_rankings", "qrels_judgments")
    return {
        "rows": {table: conn.execute(b"SELECT count(*) FROM " + table.encode()).fetchall()[0][0] for table in tables},
        "ndcg": {
            edition: [
                [run, query, round(value, 12)]
                for run, query, value in conn.execute(
                    "SELECT run, query, value FROM ndcg('{}', %s, 10) ORDER BY 1, 2", [edition]
                ).fetchall()
            ]
            for edition in ("train", "test")
        },
    }


def main() -> None:
    chosen = {sys.argv[1]: sys.argv[2]} if len(sys.argv) == 3 else COMMITS
    for revision, commit in chosen.items():
        with tempfile.TemporaryDirectory(prefix="stc-release-") as work:
            Path(work).chmod(0o755)
            make(revision, commit, Path(work))


if __name__ == "__main__":
    main()
