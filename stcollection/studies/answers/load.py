"""Load files of answer verification: each split in one transaction, by COPY into staging tables and set operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import psycopg

from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.db.rows import only_value
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import Progress, sha256
from stcollection.studies.answers.files import KINDS, SPLITS, AnswerDocument, AnswerFault, AnswerPair, QueryLine, Record, records

# Import order: pairs and gold refer to documents; a relation may contradict a label.
ORDER = ("documents", "pairs", "relations", "gold", "templates")
SAMPLE = Path(__file__).parent / "data"
_ENDINGS = ("", ".gz", ".zst")
_COPIES = {
    AnswerDocument: "COPY pg_temp.answer_papers FROM STDIN",
    AnswerPair: "COPY pg_temp.answer_lines FROM STDIN",
    QueryLine: "COPY pg_temp.answer_names FROM STDIN",
}
_STAGES: Mapping[str, type[Record]] = {
    "documents": AnswerDocument,
    "pairs": AnswerPair,
    "relations": AnswerPair,
    "gold": QueryLine,
    "templates": QueryLine,
}
_HOPELESS = 100_000  # stop after this many faulty lines without a good one: probably another format


class LoadedAnswers(NamedTuple):
    """A file in the ledger; the fields are columns of answer_files. :param already: it was loaded before; nothing was done."""

    split: str
    kind: str
    path: str
    lines: int
    stored: int
    duplicates: int
    contradictory: int
    unknown: int
    rejects: int
    escaped: int
    seconds: float
    already: bool


def find(folder: Path) -> dict[str, dict[str, Path]]:
    """Find the files of a folder by split and kind from their names: ``dev_query_doc.json``, also with ``.gz`` or ``.zst``.

    :raises BadArgument: the folder does not exist, contains no such file, or contains a file both compressed and uncompressed.
    """
    if not folder.is_dir():
        raise BadArgument(
            f"{folder} is a file" if folder.exists() else f"there is no folder {folder}",
            hint="Give the folder of the files, or name single files with --split, --documents, --pairs, --gold.",
        )
    files: dict[str, dict[str, Path]] = {}
    for split in SPLITS:
        for kind in ORDER:
            paths = [path for ending in _ENDINGS if (path := folder / f"{split}_{KINDS[kind]}{ending}").is_file()]
            if len(paths) > 1:
                raise BadArgument(
                    f"both {paths[0]} and {paths[1].name} exist",
                    hint=f"Remove one, or name the file: --split {split} --{kind} FILE.",
                )
            if paths:
                files.setdefault(split, {})[kind] = paths[0]
    if not files:
        names = ", ".join(f"dev_{name}" for name in KINDS.values())
        raise BadArgument(
            f"{folder} contains no file of answer verification",
            hint=f"Expected names such as {names}, and the same for train and test.",
        )
    return files


@translate()
def load(
    conn: psycopg.Connection,
    *,
    set: str,  # noqa: A002
    split: str,
    files: Mapping[str, Path],
    replace: bool = False,
    progress: Progress | None = None,
) -> list[LoadedAnswers]:
    """Load files of one split of a data set in one transaction: either all files or none.

    A file that is already loaded, by its SHA-256, is skipped. Files of a split may be loaded separately, gold after documents.

    :param conn: outside a transaction, so that loaded data are committed on return.
    :param files: by kind, one of KINDS.
    :param replace: first remove the split with everything derived from it: relations of models, runs.
    :param progress: called with the number of bytes read from disk, and the total.
    :returns: one entry per file, in import order.
    :raises BadArgument: a different file of that kind is loaded, or the split or kind does not exist.
    :raises BadInput: compressed data are truncated, or no line of a file can be stored.
    :raises StateError: gold comes before documents, or templates before queries.
    """
    if split not in SPLITS or not files or not KINDS.keys() >= files.keys():
        raise BadArgument(
            f"cannot load files of the kinds {', '.join(files) or '(none)'} into the split {split!r}",
            hint=f"The splits are {', '.join(SPLITS)}; the kinds are {', '.join(KINDS)}.",
        )
    digests = {kind: sha256(files[kind]) for kind in ORDER if kind in files}
    meter = _Meter(progress, sum(path.stat().st_size for path in files.values()))
    loaded: dict[str, bool] = {}
    with conn.transaction():
        if replace:
            conn.execute("SELECT stc.answer_drop(%s, %s)", [set, split])
        for kind, digest in digests.items():
            loaded[kind] = _load(conn, set, split, kind, files[kind], digest, meter)
        ledger = conn.execute(
            "SELECT split, kind, path, lines, stored, duplicates, contradictory, unknown, rejects, escaped, seconds"
            " FROM stc_all.answer_ledger WHERE set = %s AND split = %s",
            [set, split],
        ).fetchall()
    if any(loaded.values()):
        for table in ("stc.answer_queries", "stc.answer_documents", "stc.answers", "stc_all.answer_pairs", "stc_all.answer_gold"):
            vacuum(conn, table)
    entries = {row[1]: row for row in ledger}
    return [LoadedAnswers._make((*entries[kind], not new)) for kind, new in loaded.items()]


class _Meter:
    """Progress over all files of a load."""

    def __init__(self, call: Progress | None, total: int) -> None:
        self.call, self.total, self.passed = call, total, 0

    def __call__(self, read: int, _: int | None) -> None:
        if self.call is not None:
            self.call(min(self.passed + read, self.total), self.total)

    def passing(self, path: Path) -> None:
        self.passed += path.stat().st_size
        self(0, None)


def _load(conn: psycopg.Connection, name: str, split: str, kind: str, path: Path, digest: str, meter: _Meter) -> bool:
    """Import one file. :returns: False if it is already loaded."""
    file = only_value(
        conn,
        "SELECT stc.answer_begin_file(%s, %s, %s, %s, %s, %s)",
        [name, split, kind, str(path.absolute()), digest, path.stat().st_size],
    )
    if file is not None:
        conn.execute("SELECT stc.answer_stage()")
        faults: list[AnswerFault] = []
        tally = _Tally()
        with conn.cursor().copy(_COPIES[_STAGES[kind]]) as copy:
            for row in tally.rows(records(path, kind, progress=meter), path, faults):
                copy.write_row(row)
        with conn.cursor().copy("COPY pg_temp.answer_faults FROM STDIN") as copy:
            for fault in faults:
                copy.write_row(fault)
        conn.execute("SELECT stc.answer_finish_file(%s, %s)", [file, tally.lines])
        _check(conn, file, path, tally.lines)
    meter.passing(path)
    return file is not None


class _Tally:
    """Counts the lines of a file while they are read."""

    def __init__(self) -> None:
        self.lines = 0

    def rows(
        self, read: Iterator[tuple[int, Sequence[Record], Sequence[AnswerFault]]], path: Path, faults: list[AnswerFault]
    ) -> Iterator[Record]:
        good = False
        for number, batch, wrong in read:
            self.lines += 1
            good = good or bool(batch)
            faults += wrong
            if not good and len(faults) > _HOPELESS:
                raise _no_line(path, number, faults[0].line, faults[0].reason)
            yield from batch


def _check(conn: psycopg.Connection, file: int, path: Path, lines: int) -> None:
    """Check that rows of a file were stored.

    :raises BadInput: nothing of the file was stored.
    """
    if lines == 0:
        raise BadInput(f"{path}: the file is empty", hint="Is it the right file? Leave it out to load the others.")
    first = conn.execute(
        "SELECT r.line, r.reason FROM stc.answer_files f JOIN stc_all.answer_rejects r ON r.file = f.id"
        " WHERE f.id = %s AND f.stored = 0 ORDER BY r.line, r.id LIMIT 1",
        [file],
    ).fetchone()
    if first is not None:
        raise _no_line(path, lines, *first)


def _no_line(path: Path, lines: int, line: int, reason: str) -> BadInput:
    return BadInput(
        f"{path}: nothing can be stored of {counted(lines, 'line')}; line {line}: {reason}",
        hint="Is it the right file? Nothing was stored.",
    )
