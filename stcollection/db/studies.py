"""The studies of a collection: their revisions, and their tables.

The migrations of a study are a separate chain of revisions in its folder. The table ``stc.studies`` records the last one that
ran. A branch of Alembic's revisions would be in ``alembic_version`` instead, where Alembic fails on a revision whose file is
missing: a collection with a study that is not installed could not be upgraded. The upgrade runs pending revisions of studies in
its transaction, after its own. The tables, rights and SQL objects of a study that is not installed do not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.db.objects import SqlFile, catalogue_digests, study_of
from stcollection.db.step import chain, revision
from stcollection.errors import StateError, translate
from stcollection.plugins import GROUP, Study, problems, studies

if TYPE_CHECKING:
    from sqlalchemy import Connection

STUDIES_SINCE = "0045"  # earlier revisions have the tables of three studies
_SEQUENCES = """
SELECT pg_get_serial_sequence(t.name, a.attname), a.attname FROM (SELECT %s::text) AS t (name)
  JOIN pg_attribute a ON a.attrelid = t.name::regclass WHERE a.attidentity <> ''
"""
PARTS = ("", "_hidden")  # of a partitioned table: its visible rows have its name


class StoredStudy(NamedTuple):
    """A study that a collection records. :param rights: its tables, with the rights of each role."""

    revision: str
    rights: list[dict[str, str]]

    @property
    def tables(self) -> list[str]:
        return list(dict.fromkeys(right["relation"] for right in self.rights))


def recorded(conn: psycopg.Connection) -> dict[str, StoredStudy]:
    """Return the studies that the collection has, by name; none before revision 0045."""
    if conn.execute("SELECT to_regclass('stc.studies') IS NULL").fetchone() == (True,):
        return {}
    rows = conn.execute("SELECT study, revision, rights FROM stc.studies ORDER BY study").fetchall()
    return {name: StoredStudy(at, rights) for name, at, rights in rows}


def installed() -> set[str]:
    """Return the names of the installed studies."""
    return {study.name for study in studies()}


def steps(study: Study) -> tuple[tuple[str, Path], ...]:
    """Return the revisions of a study with their files, oldest first."""
    return tuple(reversed(chain(study.folder / "migrations")))


def head(study: Study) -> str:
    """Return the newest revision of a study; empty if it has no tables."""
    return next((number for number, _ in reversed(steps(study))), "")


def pending(study: Study, at: str | None) -> list[tuple[str, Path]]:
    """Return the revisions of a study that follow one. :param at: None: all of them."""
    numbers = [number for number, _ in steps(study)]
    return list(steps(study)[numbers.index(at) + 1 if at in numbers else 0 :])


def lacking(study: Study, stored: Mapping[str, StoredStudy]) -> list[tuple[str, Path]]:
    """Return the revisions of a study that a collection lacks, oldest first."""
    return pending(study, stored[study.name].revision if study.name in stored else None)


def of_collection(files: Iterable[SqlFile], stored: Mapping[str, StoredStudy]) -> list[SqlFile]:
    """Return the files of sql/ without those of studies that the collection does not have."""
    return [file for file in files if (study := study_of(file.path)) is None or study in stored]


def in_step(stored: Mapping[str, StoredStudy]) -> bool:
    """Return True if the studies of a collection that are installed match their descriptions."""
    return all(stored[study.name] == _described(study) for study in studies() if study.name in stored)


def _described(study: Study) -> StoredStudy:
    """Return the row of an installed study, as a collection in step records it."""
    return StoredStudy(head(study), [table.rights() for table in study.tables])


def check_upgradable(stored: Mapping[str, StoredStudy], db: str) -> None:
    """Check that the installed studies can upgrade those of a collection.

    :raises StateError: a newer version of a study made its tables, a migration follows no other, or a study lists a table that its
        migrations do not create.
    """
    for study in studies():
        made = stored.get(study.name)
        if made is not None and made.revision not in ("", *(number for number, _ in steps(study))):
            raise StateError(
                f"the study {study.name!r} of {db!r} was made by a newer version (its revision {made.revision})",
                hint=f"Install that version of {study.package.partition('.')[0]}. Nothing was changed.",
            )
        paths = {path for _, path in steps(study)}
        if loose := sorted(path.name for path in (study.folder / "migrations").glob("*.py") if path not in paths):
            raise StateError(
                f"the study {study.name!r} has migrations that follow no other: {', '.join(loose)}",
                hint='Each needs the lines revision = "0002" and down_revision = "0001", with its numbers. Nothing was changed.',
            )
        text = "\n".join(path.read_text(encoding="utf-8") for _, path in steps(study))
        if foreign := [table.name for table in study.tables if f"CREATE TABLE {table.schema}.{table.name} " not in text]:
            raise StateError(
                f"the study {study.name!r} lists {', '.join(foreign)}, which its migrations do not create",
                hint=f"Correct the study, or uninstall {study.package.partition('.')[0]}. Nothing was changed.",
            )


def upgrade(connection: Connection, conn: psycopg.Connection) -> list[str]:
    """Bring all installed studies to their newest revision, in the caller's transaction. :returns: notes for the user."""
    stored = recorded(conn)
    notes = []
    for study in studies():
        if kept := _kept(conn, study):
            create(connection, study, stored[study.name].revision)
            notes.append(_put_back(conn, study, kept))
        revisions = lacking(study, stored)
        theirs = bool(revisions) and not study.package.startswith(f"{GROUP}.")
        before = catalogue_digests(conn) if theirs else {}
        _run(connection, revisions)
        _check_unchanged(conn, study, before)
        described = _described(study)
        if stored.get(study.name) != described:
            conn.execute(
                "INSERT INTO stc.studies (study, revision, rights) VALUES (%s, %s, %s)"
                " ON CONFLICT (study) DO UPDATE SET revision = excluded.revision, rights = excluded.rights",
                [study.name, described.revision, Jsonb(described.rights)],
            )
    return [*notes, *problems()]


def _check_unchanged(conn: psycopg.Connection, study: Study, before: Mapping[str, str]) -> None:
    """Check that the migrations of a study left the functions and views of others. :param before: digests by file; empty: none.

    :raises StateError: they did not. The upgrade is rolled back.
    """
    after = catalogue_digests(conn) if before else {}
    if changed := sorted(
        path for path, digest in after.items() if before.get(path, digest) != digest and study_of(path) != study.name
    ):
        raise StateError(
            f"a migration of the study {study.name!r} changes objects that it did not create: {', '.join(changed)}",
            hint=f"Correct the study, or uninstall {study.package.partition('.')[0]}. Nothing was changed.",
        )


def create(connection: Connection, study: Study, to: str) -> None:
    """Create the tables of a revision of a study."""
    later = pending(study, to)
    _run(connection, [step for step in steps(study) if step not in later])


def _run(connection: Connection, revisions: Iterable[tuple[str, Path]]) -> None:
    from alembic.migration import MigrationContext  # slow to import, and only upgrades need it
    from alembic.operations import Operations

    with Operations.context(MigrationContext.configure(connection)):
        for number, path in revisions:
            _module(path, number).upgrade()


def _module(path: Path, number: str) -> Any:
    spec = spec_from_file_location(f"stc_revision_{number}", path)
    assert spec is not None  # noqa: S101
    assert spec.loader is not None  # noqa: S101
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def keep_rows(conn: psycopg.Connection, study: str, table: str, columns: Sequence[str], blocks: Iterable[bytes]) -> int:
    """Store the rows of a table whose study is not installed. :param blocks: in the text format of COPY. :returns: their number."""
    count = 0
    for place, block in enumerate(blocks):
        count += block.count(b"\n")
        conn.execute(
            "INSERT INTO stc_all.study_rows (study, relation, place, columns, content) VALUES (%s, %s, %s, %s, %s)",
            [study, table, place, list(columns), block],
        )
    return count


def _kept(conn: psycopg.Connection, study: Study) -> list[str]:
    """Return the tables of a study whose rows were kept, in the order in which they refer to each other."""
    rows = conn.execute("SELECT DISTINCT relation FROM stc_all.study_rows WHERE study = %s", [study.name]).fetchall()
    known = dict.fromkeys(f"{table.name}{part}" for table in study.tables for part in PARTS)
    return [name for name in known if (name,) in rows]


def _put_back(conn: psycopg.Connection, study: Study, tables: Sequence[str]) -> str:
    """Move kept rows to the tables of their study. :returns: a note."""
    count = 0
    for table in tables:
        schema = next((part.schema for part in study.tables if part.name == table), "stc_all")
        target = sql.Identifier(schema, table)
        rows = conn.execute(
            "SELECT columns, content FROM stc_all.study_rows WHERE (study, relation) = (%s, %s) ORDER BY place", [study.name, table]
        ).fetchall()
        with conn.cursor() as cursor:
            statement = sql.SQL("COPY {} ({}) FROM STDIN").format(target, sql.SQL(", ").join(map(sql.Identifier, rows[0][0])))
            with cursor.copy(statement) as copied:
                for _, block in rows:
                    copied.write(block)
            count += cursor.rowcount
        for sequence, column in conn.execute(_SEQUENCES, [target.as_string(conn)]).fetchall():
            last = sql.SQL("SELECT setval(%s, max({})) FROM {}").format(sql.Identifier(column), target)
            conn.execute(last, [sequence])
    conn.execute("DELETE FROM stc_all.study_rows WHERE study = %s", [study.name])
    return f"put back {counted(count, 'row')} of the study {study.name!r}"


class StudyState(NamedTuple):
    """A study, as 'stc show studies' lists it. :param state: in the collection."""

    study: str
    version: str
    tables: int
    state: str
    summary: str


@translate()
def list_studies(conn: psycopg.Connection | None) -> list[StudyState]:
    """Return the studies that are installed or that the collection has, by name. :param conn: None: of no collection."""
    stored = recorded(conn) if conn is not None and revision(conn) is not None else {}
    rows = []
    for study in studies():
        made = stored.get(study.name)
        state = (
            ("not in this collection: 'stc db upgrade' adds it" if conn is not None else "")
            if made is None
            else "up to date"
            if in_step({study.name: made})
            else "outdated: run 'stc db upgrade'"
        )
        rows.append(StudyState(study.name, study.version, len({table.name for table in study.tables}), state, study.summary))
    for name, left in stored.items():
        if name not in installed():
            rows.append(StudyState(name, "", len(left.tables), "not installed: its rows are kept", ""))
    return sorted(rows)


def table_names(conn: psycopg.Connection) -> Iterator[str]:
    """Yield the names of the tables of all studies that the collection records."""
    for study in recorded(conn).values():
        yield from study.tables
