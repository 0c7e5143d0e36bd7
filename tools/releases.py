"""Create the databases in tests/db/releases: one per revision, with the code of the last commit at that revision.

    python tools/releases.py 0003 aa6c654      # one revision; without arguments all in COMMITS

In a worktree of the commit, the demo is reduced to 12 documents and 2 queries and loaded by that commit's own 'stc demo', with the
dependencies of this environment. The output of pg_dump is stored in databases.tar.xz. The scores of its own SQL are stored in
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
COMMITS = {
    "0001": "0617320", "0002": "7caeb96", "0003": "aa6c654", "0004": "e778851", "0005": "e40276d", "0006": "462a8e1",
    "0007": "abaf560", "0008": "afdf43e",
}  # fmt: skip
QUERIES = ("D01.1", "D09.C1")
DOCUMENTS = 12


def cut(data: Path) -> None:
    """Reduce the demo to QUERIES, and to DOCUMENTS of their judged documents."""
    docs: list[str] = []
    for path in sorted(data.glob("*.qrels")):
        lines = [line for line in path.read_text().splitlines() if line.split()[0] in QUERIES]
        if "second" not in path.name:
            for query in QUERIES:
                docs += [line.split()[2] for line in lines if line.split()[0] == query][: DOCUMENTS // len(QUERIES)]
        path.write_text("".join(f"{line}\n" for line in lines))
    kept = set(docs)
    for path in sorted(data.glob("*.qrels")):
        path.write_text("".join(f"{line}\n" for line in path.read_text().splitlines() if line.split()[2] in kept))
    corpus = data / "demo.dblp.v12.json"
    lines = [line.strip().strip(",") for line in corpus.read_text().splitlines()]
    found = [line for line in lines if line.startswith("{") and str(json.loads(line, strict=False)["id"]) in kept]
    corpus.write_text("[\n" + "\n,".join(found) + "\n]\n")
    queries = data / "demo.queries.csv"
    head, *rows = queries.read_text().splitlines()
    queries.write_text("\n".join([head, *(row for row in rows if row.split(";")[3] in QUERIES)]) + "\n")
    annotations = data / "demo.annotations.csv"
    if annotations.exists():
        head, *rows = annotations.read_text().splitlines()
        annotations.write_text("\n".join([head, *(row for row in rows if row.split(",")[0] in kept)]) + "\n")


def make(revision: str, commit: str, work: Path) -> None:
    """Create the files of one revision."""
    tree, home = work / "tree", work / "home"
    subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--detach", str(tree), commit], check=True, capture_output=True)
    env = {**os.environ, "PYTHONPATH": str(tree), "STC_HOME": str(home)}
    try:
        cut(tree / "stcollection" / "demo" / "data")
        subprocess.run([sys.executable, "-m", "stcollection", "demo"], cwd=tree, env=env, check=True, stdout=subprocess.DEVNULL)
        server = EmbeddedServer(home)
        with psycopg.connect("", **server.conninfo(), dbname="demo", autocommit=True) as conn:  # type: ignore[arg-type]
            [[at]] = conn.execute("SELECT version_num FROM alembic_version").fetchall()
            if at != revision:
                raise SystemExit(f"{commit} makes revision {at}")
            if revision >= "0003":
                conn.execute("SELECT seal_edition('train')")
            said = expected(conn)
        dump = subprocess.run(
            [
                str(binaries() / "pg_dump"),
                "--no-owner",
                "--no-privileges",
                "--host",
                str(server.socket_folder),
                "-U",
                "postgres",
                "demo",
            ],
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
