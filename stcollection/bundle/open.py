"""Open a bundle: load it into a database, compute the leaderboard again, and compare it."""

from __future__ import annotations

import contextlib
import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.build.portable import RECIPE, keep_recipe
from stcollection.bundle.make import scores_of
from stcollection.corpus.load import load as load_documents
from stcollection.counts import counted
from stcollection.db.backup import scratch
from stcollection.db.backup.restore import check_free, make_room
from stcollection.db.connection import connect, conninfo, maintenance
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, StcError, translate
from stcollection.evaluation.imported import import_scores
from stcollection.evaluation.learning import learn_from
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.own import add_rows, added_rows, own_measures
from stcollection.io.bundle import archive
from stcollection.io.bundle.archive import Bundle
from stcollection.io.bundle.shape import QUERY, REFERENCE, REFERENCES, TEXTS, TOPIC, read_columns, read_records
from stcollection.io.streams import Source
from stcollection.qrels.editions import EditionFacts, describe
from stcollection.qrels.load import JudgmentOptions, import_qrels, import_strata
from stcollection.qrels.preferences import import_preferences
from stcollection.qrels.subtopics import import_subtopics
from stcollection.runs.export import export_trec
from stcollection.runs.load import ImportOptions, RunSource, import_run
from stcollection.topics.excluded import exclude
from stcollection.topics.load import STORE_TOPICS, call_loader
from stcollection.topics.sets import store_set

_OTHER = "Open the bundle in a new collection: --db NAME."
_NOTHING, _TEXTS_REMAIN = "Nothing was stored.", "Documents of the bundle that were loaded before remain; nothing else was stored."


class ScoreDifference(NamedTuple):
    """A value that differs. :param query: None for a mean. :param stored: in the bundle. :param computed: here; None: missing."""

    edition: str
    run: str
    query: str | None
    measure: str
    stored: str | None
    computed: str | None


class OpenedBundle(NamedTuple):
    """A bundle that was loaded.

    :param created: False if the collection existed. :param means: number of values of leaderboards that were compared.
    :param scores: number of scores by query. :param differences: values that are not equal in all digits.
    """

    bundle: Bundle
    collection: str
    created: bool
    means: int
    scores: int
    differences: list[ScoreDifference]
    notes: list[str]


@translate()
def new_collection(settings: Settings, path: Path) -> Settings:
    """Return settings with the name of a collection that does not exist, from the name of the file: ``mine`` for ``mine.zip``.

    A number is added if a database with this name exists.
    """
    stem = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")[:40] or "bundle"
    with maintenance(settings) as conn:
        databases = {name for (name,) in conn.execute("SELECT datname FROM pg_database")}
    names = (stem if n == 1 else f"{stem}-{n}" for n in count(1))
    return replace(settings, db=next(name for name in names if name not in databases))


def open_bundle(settings: Settings, path: Path, *, digest: str | None = None, existing: bool = False) -> OpenedBundle:
    """Load a bundle into the collection named in ``settings``, and compare its leaderboard.

    A new collection becomes visible when it is complete. In a collection that is not empty, everything is first stored in a
    transaction that is rolled back, so that a contradiction is found before texts of documents are loaded; these are committed in
    parts. Stored objects are kept, and the notes name the parts that could not be added.

    :param digest: expected hash of the bundle; None accepts any.
    :param existing: add the bundle to a collection that is not empty.
    :raises BadInput: the bundle is not intact. :raises BadArgument: the collection is not empty, or has another run, query or
        judgment of the name.
    """
    with archive.unpacked(path, digest=digest) as bundle:
        try:
            check_free(settings)
        except BadArgument as error:
            if not existing:
                error.hint = f"{_OTHER} 'stc load --as bundle --into {settings.db} {path}' adds it to this one."
                raise
            connect(settings).close()  # raises if it is not a collection of this version
            return _into(settings, settings.db, bundle, created=False)
        from stcollection.db.upgrade import upgrade  # slow to import

        with scratch.making(settings, purpose="bundle", collection=settings.db) as (admin, name):
            unfinished = replace(settings, db=name)
            upgrade(unfinished, force=True, restrict=True)
            opened = _into(unfinished, settings.db, bundle, created=True)
            make_room(settings, admin)
            scratch.finish(admin, name, collection=settings.db)
            return opened


class _Texts(Source):
    """The documents of a bundle, which the ledger names after the bundle."""

    def __init__(self, bundle: Bundle) -> None:
        super().__init__(str(bundle.at(TEXTS)))
        self._where = f"{bundle.path.name}/{TEXTS}"

    @property
    def where(self) -> str:
        return self._where


def _into(settings: Settings, collection: str, bundle: Bundle, *, created: bool) -> OpenedBundle:
    notes: list[str] = []
    texts = bundle.manifest["documents"]["texts"] > 0
    with scratch.reach(settings, settings.db) as conn:
        if texts and not created:
            with _hinted(f"{_OTHER} {_NOTHING}"), contextlib.suppress(psycopg.Rollback), conn.transaction():
                _Loading(conn, bundle, lambda _: None).all()
                raise psycopg.Rollback
        after = "" if created else f"{_OTHER} {_TEXTS_REMAIN if texts else _NOTHING}"
        with _hinted(after):
            if texts:
                load_documents(conninfo(settings), [_Texts(bundle)], workers=1)
            with conn.transaction():
                _Loading(conn, bundle, notes.append).all()
        conn.execute("VACUUM (ANALYZE)")
        notes += _compare_documents(conn, bundle, created=created)
        with _hinted(after), conn.transaction():
            notes += _add_measures(conn, bundle)
        means, scores, differences = _compare(conn, bundle)
    return OpenedBundle(bundle, collection, created, means, scores, differences, notes)


@contextlib.contextmanager
def _hinted(hint: str) -> Iterator[None]:
    """Give errors of the block this hint, unless it is empty."""
    try:
        with translate():
            yield
    except StcError as error:
        error.hint = hint if hint and isinstance(error, BadArgument | BadInput) else " ".join(filter(None, (error.hint, hint)))
        raise


class _Loading:
    """Store the files of a bundle, in the caller's transaction."""

    def __init__(self, conn: psycopg.Connection, bundle: Bundle, note: Callable[[str], None]) -> None:
        self._conn, self._bundle, self._note = conn, bundle, note

    def all(self) -> None:
        self._topics()
        if RECIPE in self._bundle.files:
            keep_recipe(self._conn, self._named(RECIPE), self._bundle.at(RECIPE).read_text(encoding="utf-8"))
        manifest = self._bundle.manifest
        for run in manifest["runs"]:
            self._run(run)
        for edition in manifest["editions"]:
            self._edition(edition)
        for edition in manifest["hidden"]:
            seal = f"; its judgments have the SHA-256 {edition['fingerprint']}" if edition.get("fingerprint") else ""
            self._note(f"the edition {edition['edition']} is hidden: the bundle does not contain it{seal}")
        for query_set in manifest["sets"]:
            try:
                with self._conn.transaction():
                    store_set(self._conn, query_set["name"], query_set["expression"], description=query_set["description"])
            except StcError as error:
                self._note(f"the set of queries {query_set['name']} is not stored: {error}")

    def _named(self, name: str) -> str:
        return f"{self._bundle.path.name}/{name}"

    def _lines(self, name: str, shape: Any) -> list[dict[str, Any]]:
        return list(read_records(self._bundle.at(name), shape, self._named(name)))

    def _topics(self) -> None:
        names = ("topic", "text", "url", "abstract_url", "title", "article", "source")
        topics = [
            (
                *(topic.get(name) for name in names),
                date.fromisoformat(topic["published"]) if "published" in topic else None,
                self._named("topics.jsonl"),
            )
            for topic in self._lines("topics.jsonl", TOPIC)
        ]
        call_loader(self._conn, STORE_TOPICS, topics, [False])
        queries = self._lines("queries.jsonl", QUERY)
        for origin in sorted({query["origin"] for query in queries}):
            call_loader(
                self._conn,
                "SELECT * FROM stc.load_queries(%s::text[], %s::text[], %s::text[], %s::text[], %s, %s)",
                [(q["query"], q.get("topic"), q["text"], self._named("queries.jsonl")) for q in queries if q["origin"] == origin],
                [origin, False],
            )
        excluded = [(q["query"], docno, self._named("queries.jsonl")) for q in queries for docno in q.get("excluded", ())]
        if excluded:
            docnos = [docno for _, docno, _ in excluded]
            self._conn.execute("SELECT stc.store_stubs(ARRAY(SELECT unnest(%s::text[]) EXCEPT SELECT docno FROM dblp))", [docnos])
            exclude(self._conn, excluded)
        self._conn.cursor().executemany(
            "UPDATE st1_queries SET model = %s WHERE query = %s AND model IS NULL",
            [(query["model"], query["query"]) for query in queries if "model" in query],
        )

    def _run(self, entry: dict[str, Any]) -> None:
        name = entry["files"].get("run")
        if name is None:  # the run has imported scores only, which _add stores
            new = self._conn.execute(
                "INSERT INTO st1_runs (run, family, source) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                [entry["run"], entry["family"], self._named(archive.MANIFEST)],
            ).rowcount
            if new:
                self._facts(entry)
            return
        if self._same_run(entry["run"], self._bundle.files[name]):
            return
        origin = RunSource(source=self._named(name), sha256=self._bundle.files[name])
        options = ImportOptions(layout="trec", unknown_documents="stub", unknown_queries="stub", family=entry["family"])
        imported = import_run(self._conn, self._bundle.at(name), name=entry["run"], options=options, origin=origin)
        if not imported.already:
            self._facts(entry)

    def _same_run(self, run: str, sha256: str) -> bool:
        """Return whether a run with the name is stored with the same rankings, from any file."""
        if self._conn.execute("SELECT FROM st1_runs WHERE run = %s", [run]).fetchone() is None:
            return False
        with tempfile.TemporaryFile(prefix="stc-bundle-") as out:
            export_trec(self._conn, run, out)
            out.seek(0)
            return hashlib.file_digest(out, "sha256").hexdigest() == sha256

    def _facts(self, entry: dict[str, Any]) -> None:
        """Store what the bundle says of a run that was not stored before."""
        names = ("team", "tag", "manual", "made", "shared")
        values = [*(entry[name] for name in names), Jsonb(entry["params"]), Jsonb(entry["metadata"]), entry["run"]]
        self._conn.execute(
            "UPDATE st1_runs SET team = %s, tag = %s, manual = %s, made = %s, shared = %s, params = %s, metadata = %s"
            " WHERE run = %s",
            values,
        )

    def _edition(self, entry: dict[str, Any]) -> None:
        conn, edition, files = self._conn, entry["edition"], entry["files"]
        facts = EditionFacts(description=entry["description"], split=entry["split"], year=entry["year"])
        stored = conn.execute("SELECT description, fingerprint FROM qrels_editions WHERE edition = %s", [edition]).fetchone()
        if stored is not None and stored[1] is not None:
            if stored[1] != entry["fingerprint"]:
                raise BadArgument(f"the edition {edition} is sealed with other judgments", hint=_OTHER)
            self._add(entry, sealed=True)
            return
        if stored is not None and stored[0] is not None:
            facts = replace(facts, description=None)  # the stored one is kept
        if name := files.get("judgments"):
            options = JudgmentOptions(hidden=False, unknown_documents="stub", unknown_queries="stub", simulated=entry["simulated"])
            import_qrels(conn, self._bundle.at(name), edition=edition, options=options, facts=facts, name=self._named(name))
        else:
            conn.execute("INSERT INTO qrels_editions (edition, hidden) VALUES (%s, false) ON CONFLICT DO NOTHING", [edition])
            describe(conn, edition, description=facts.description, split=facts.split, year=facts.year, anew=False)
        self._add(entry, sealed=False)
        self._seal(entry, new=stored is None)

    def _add(self, entry: dict[str, Any], *, sealed: bool) -> None:
        """Add what an edition has beside judgments; a sealed one accepts nothing that it does not have, which a note says."""
        edition = entry["edition"]
        [computed] = self._conn.execute("SELECT edition_fingerprint(%s)", [edition]).fetchone() or [None]
        imports: list[tuple[str, Callable[[Path], object]]] = [
            (
                "subtopics",
                lambda path: import_subtopics(
                    self._conn, path, edition=edition, unknown_documents="stub", unknown_queries="stub", hidden=False
                ),
            ),
            (
                "preferences",
                lambda path: import_preferences(
                    self._conn, path, edition=edition, unknown_documents="stub", unknown_queries="stub"
                ),
            ),
            ("strata", lambda path: import_strata(self._conn, path, edition=edition)),
            ("imported", lambda path: import_scores(self._conn, path, edition=edition, unknown_queries="stub")),
        ]
        for kind, load in imports:
            if (name := entry["files"].get(kind)) is None or (kind == "strata" and computed == entry.get("sha256")):
                continue
            try:
                with self._conn.transaction():
                    load(self._bundle.at(name))
            except StateError as error:
                if not sealed:
                    raise
                self._note(f"{self._named(name)} is not added: {error}")

    def _seal(self, entry: dict[str, Any], *, new: bool) -> None:
        """Set the dates and the seal of a new edition; those of a stored one are kept.

        :raises BadInput: the judgments do not have the fingerprint of the seal.
        """
        [computed] = self._conn.execute("SELECT edition_fingerprint(%s)", [entry["edition"]]).fetchone() or [None]
        if entry["fingerprint"] not in (None, computed):
            raise BadInput(
                f"the edition {entry['edition']} has the fingerprint {computed}, but was sealed with {entry['fingerprint']}",
                hint="Do not trust this bundle, or open it in a new collection.",
            )
        if not new:
            if entry["sealed"] is not None:
                self._note(
                    f"the edition {entry['edition']} is sealed in the bundle, but not here: stc publish seal {entry['edition']}"
                )
            return
        scale = None if entry["scale"] is None else Jsonb(entry["scale"])
        self._conn.execute(
            "UPDATE qrels_editions SET made = %s, scale = %s, simulated = %s, sealed = %s, fingerprint = %s WHERE edition = %s",
            [entry["made"], scale, entry["simulated"], entry["sealed"], entry["fingerprint"], entry["edition"]],
        )


def _compare_documents(conn: psycopg.Connection, bundle: Bundle, *, created: bool) -> list[str]:
    """Compare the documents of the collection with the references of the bundle; give those of a new one their source."""
    with conn.transaction():
        conn.execute('CREATE TEMP TABLE referenced (docno text COLLATE "C", sha256 text, source text) ON COMMIT DROP')
        with conn.cursor() as cursor, cursor.copy("COPY pg_temp.referenced FROM STDIN") as copy:
            for reference in read_records(bundle.at(REFERENCES), REFERENCE, f"{bundle.path.name}/{REFERENCES}"):
                copy.write_row((reference["docno"], reference["sha256"], reference.get("source")))
        if created:
            conn.execute(
                "UPDATE dblp_facts f SET data_source = r.source FROM pg_temp.referenced r JOIN dblp d ON d.docno = r.docno"
                " WHERE f.id = d.id AND f.data_source IS DISTINCT FROM r.source"
            )
        row = conn.execute(
            "SELECT count(*) FILTER (WHERE d.id IS NULL), count(*) FILTER (WHERE d.id IS NOT NULL AND r.sha256 <>"
            " stc.text_fingerprint(t.title, t.abstract))"
            " FROM pg_temp.referenced r LEFT JOIN dblp d ON d.docno = r.docno AND NOT d.stub LEFT JOIN dblp_text t ON t.id = d.id"
        ).fetchone()
    missing, other = row or (0, 0)
    notes = []
    if missing:
        notes.append(f"{counted(missing, 'document has', 'documents have')} no text here: the bundle refers to them by name")
    if other:
        notes.append(f"{counted(other, 'document has', 'documents have')} another text here than in the bundle")
    return notes


def _add_measures(conn: psycopg.Connection, bundle: Bundle) -> list[str]:
    """Add the measures that organisers of the bundle's collection added. :returns: notes on those that differ here."""
    stored = {(row["ir"], row.get("takes")): row for row in added_rows(conn).values()}
    given = {(row["ir"], row.get("takes")): row for row in bundle.manifest.get("own_measures", [])}
    add_rows(conn, [row for name, row in given.items() if name not in stored])
    known = own_measures(conn)
    learn_from("bundle", lambda: known)
    return [
        f"the measure {name[0]} has another definition here than in the bundle"
        for name, row in given.items()
        if stored.get(name, row) != row
    ]


def _compare(conn: psycopg.Connection, bundle: Bundle) -> tuple[int, int, list[ScoreDifference]]:
    counts, differences = [0, 0], []
    measures = [parse_measure(name) for name in bundle.manifest["measures"]]
    for entry in bundle.manifest["editions"]:
        if "means" not in entry["files"]:
            continue
        stored = []
        for kind, columns in (("means", 3), ("scores", 4)):
            name = entry["files"][kind]
            stored.append(read_columns(bundle.at(name), f"{bundle.path.name}/{name}", columns=columns, between="\t"))
        runs = sorted({row[0] for row in stored[0]})
        computed = scores_of(conn, entry["edition"], measures, runs)
        for place, (theirs, ours) in enumerate(zip(stored, computed, strict=True)):
            counts[place] += len(theirs)
            left, right = ({tuple(row[:-1]): row[-1] for row in rows} for rows in (theirs, ours))
            differences += [
                ScoreDifference(entry["edition"], key[0], key[1] if place else None, key[-1], left.get(key), right.get(key))
                for key in sorted(left.keys() | right.keys())
                if left.get(key) != right.get(key)
            ]
    return counts[0], counts[1], differences
