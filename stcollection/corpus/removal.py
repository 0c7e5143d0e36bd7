"""Remove documents from the corpus: those of a file, those with given names, or unreferenced stubs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import psycopg

from stcollection.corpus.ledger import ledger_files
from stcollection.db.ledger import LedgerFile, find_files
from stcollection.db.removal import Removal, check_choice, count_staged
from stcollection.declared import INTERNAL
from stcollection.errors import translate
from stcollection.io.files import lines

_WAYS = "Name documents, files (--file; in Python file=), or stubs (--stubs; stubs=True)."


@translate()
def remove_documents(
    conn: psycopg.Connection,
    docnos: Annotated[Sequence[str], INTERNAL] = (),
    *,
    files: Annotated[Sequence[str], INTERNAL] = (),
    stubs: bool = False,
    dry_run: bool = False,
) -> Removal:
    """Remove documents with their text, embeddings, passages and measures, all or none.

    Documents that judgments, runs or other records refer to become stubs: judgments, rankings and scores do not change. If another
    loaded file contains a document too, the document stays. A removed file can be loaded again.

    :param docnos: names of documents. :param files: loaded files, by path, file name or SHA-256 (``stc show corpus-files``).
    :param stubs: Remove stubs that no run and no judgment refers to.
    :param dry_run: Count only; change nothing.
    :raises UnknownObject: a document or file is not stored. :raises BadArgument: not exactly one selection; an ambiguous file.
    :raises StateError: the role may not remove documents; an earlier version loaded the file and did not record its documents.
    """
    check_choice(docnos, files, stubs, hint=_WAYS)
    chosen = _chosen(conn, files)
    arguments = [[file.id for file in chosen], list(docnos), stubs]
    paths = tuple(file.path for file in chosen)
    with conn.transaction():
        if dry_run:
            [(shared,)] = conn.execute("SELECT stc.stage_document_removal(%s::integer[], %s::text[], %s)", arguments).fetchall()
            removed, kept, dependents = count_staged(conn, "dblp")
            return Removal(removed=removed, kept=kept, shared=shared, files=paths, dependents=dependents)
        [(removed, kept, shared)] = conn.execute(
            "SELECT * FROM stc.remove_documents(%s::integer[], %s::text[], %s)", arguments
        ).fetchall()
        [(stale,)] = conn.execute("SELECT EXISTS (SELECT FROM stc.text_index WHERE stale)").fetchall()
    return Removal(removed=removed, kept=kept, shared=shared, files=paths, stale=stale)


def read_docnos(path: Path) -> list[str]:
    """Read document names from a file, one per line; empty lines are skipped."""
    return list(dict.fromkeys(name for _, line in lines(path) if (name := line.strip())))


def _chosen(conn: psycopg.Connection, names: Sequence[str]) -> list[LedgerFile]:
    stored = ledger_files(conn) if names else []
    selected = [file for name in names for file in find_files(stored, name, listing="stc show corpus-files")]
    return list(dict.fromkeys(selected))
