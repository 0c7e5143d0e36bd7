"""Make a bundle of a collection."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, LiteralString, NamedTuple
from urllib.parse import quote

import orjson
import psycopg
from psycopg.rows import dict_row

from stcollection.build.portable import RECIPE, portable_recipe
from stcollection.corpus.export import export_documents
from stcollection.corpus.licences import known_licences
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.judging import judging_runs
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.own import added_rows
from stcollection.evaluation.score import judge, leaderboard, score
from stcollection.io.bundle import archive, description
from stcollection.io.bundle.description import CitationFacts
from stcollection.io.bundle.shape import REFERENCES, TEXTS
from stcollection.qrels.editions import export_qrels
from stcollection.qrels.subtopics import export_subtopics
from stcollection.runs.export import export_trec
from stcollection.runs.made import metadata_of
from stcollection.runs.metadata import dump

# Licences that allow to pass texts on, in the spelling of the view documents.
OPEN = ("cc0", "cc-by", "cc-by-sa", "public-domain", "pd", "odc-by")
_LONGEST = 100  # characters of a file name in the bundle

_DOCUMENTS: LiteralString = (
    "SELECT b.docno, f.licence, f.data_source AS source,"
    " stc.text_fingerprint(t.title, t.abstract) AS sha256"
    " FROM dblp b LEFT JOIN dblp_text t ON t.id = b.id LEFT JOIN dblp_facts f ON f.id = b.id WHERE NOT b.stub"
    ' ORDER BY b.docno COLLATE "C"'
)
_TOPICS: LiteralString = (
    "SELECT topic, text, url, abstract_url, title, CASE WHEN %s THEN article END AS article, source, published::text"
    ' FROM st1_topics ORDER BY topic COLLATE "C"'
)
_QUERIES: LiteralString = (
    "SELECT query, topic, text, origin, model, (SELECT array_agg(e.docno ORDER BY e.docno) FROM excluded_documents e"
    ' WHERE e.query = q.query) AS excluded FROM st1_queries q WHERE text IS NOT NULL ORDER BY query COLLATE "C"'
)
_PREFERENCES: LiteralString = (
    "SELECT q.query, p.annotator, p.subgroup, d.docno, p.rel FROM qrels_preferences p JOIN st1_queries q ON q.id = p.query"
    " JOIN dblp d ON d.id = p.doc WHERE p.edition = stc.edition_key(%s)"
    ' ORDER BY q.query COLLATE "C", p.annotator COLLATE "C", p.subgroup COLLATE "C", d.docno COLLATE "C"'
)
_IMPORTED: LiteralString = (
    "SELECT n.run, s.measure, q.query, s.value FROM st1_scores s JOIN st1_runs n ON n.id = s.run"
    " JOIN st1_queries q ON q.id = s.query WHERE s.edition = stc.edition_key(%s)"
    ' ORDER BY n.run COLLATE "C", s.measure COLLATE "C", q.query COLLATE "C"'
)
_ENVIRONMENT: LiteralString = (
    "SELECT split_part(current_setting('server_version'), ' ', 1),"
    " (SELECT jsonb_object_agg(e.extname, e.extversion) FROM pg_extension e),"
    " (SELECT a.version_num FROM alembic_version a),"
    " (SELECT md5(string_agg(o.fingerprint, '' ORDER BY o.file COLLATE \"C\")) FROM stc_objects o)"
)


@dataclass(frozen=True, kw_only=True)
class BundleOptions:
    """What a bundle contains.

    :param texts: also the texts of documents with an open licence (:data:`OPEN`), or with one of ``licences``.
    :param licences: licences for ``texts``; ``none`` selects documents without one.
    :param articles: also the full texts of press articles that topics come from.
    :param measures: of the leaderboard.
    """

    texts: bool = False
    licences: tuple[str, ...] = ()
    articles: bool = False
    measures: tuple[Measure, ...] = OFFICIAL


class MadeBundle(NamedTuple):
    """A bundle that was written. :param hidden: hidden editions, whose judgments it does not contain."""

    path: Path
    digest: str
    documents: int
    texts: int
    runs: int
    editions: int
    hidden: list[str]


USUAL_BUNDLE = BundleOptions()
UNCITED = CitationFacts()


@translate()
def make_bundle(
    conn: psycopg.Connection, path: Path | str, *, options: BundleOptions = USUAL_BUNDLE, facts: CitationFacts = UNCITED
) -> MadeBundle:
    """Write a bundle of the collection. The same collection, options and software give the same hash.

    Judgments and scores of hidden editions are omitted; the bundle has the fingerprint of those that are sealed. It also omits
    names of annotators, passages and combined scores of runs, embeddings, and the paths of imported files.

    :raises BadArgument: a name contains white space, which TREC's format cannot represent; no document has an open licence.
    :raises UnknownObject: no document has the licence. :raises BadInput: the citation file is not valid.
    """
    path = Path(path)
    if options.licences and not options.texts:
        raise BadArgument("licences without texts", hint="Add --texts: the texts of documents with these licences are included.")
    idle = conn.autocommit and conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    if idle:
        for (edition,) in conn.execute("SELECT edition FROM qrels_editions WHERE NOT hidden ORDER BY id").fetchall():
            judge(conn, edition=edition)
    with tempfile.TemporaryDirectory(prefix="stc-bundle-") as name, conn.transaction():
        if idle:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        folder = Path(name)
        manifest = _Making(conn, folder, options).all()
        cited = description.citation(facts, manifest["collection"])
        sheet = description.datasheet(manifest) if facts.datasheet is None else facts.datasheet.read_text(encoding="utf-8")
        _put(folder, "CITATION.cff", description.as_yaml(cited).encode())
        _put(folder, "datasheet.md", sheet.encode())
        _put(folder, "README.md", description.readme(manifest, str(cited["title"])).encode())
        _put(folder, archive.MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
        names = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        _put(folder, "ro-crate-metadata.json", description.crate(manifest, cited, names))
        digest = archive.write(folder, path)
    documents = manifest["documents"]
    hidden = [edition["edition"] for edition in manifest["hidden"]]
    runs, editions = len(manifest["runs"]), len(manifest["editions"])
    return MadeBundle(path, digest, documents["references"], documents["texts"], runs, editions, hidden)


def _narrowed(value: Any) -> Any:
    """Return JSON with integers beyond 64 bits as floats, since orjson refuses them. PostgreSQL prints 1e20 as such an integer."""
    if isinstance(value, dict):
        return {key: _narrowed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_narrowed(inner) for inner in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return float(value)
    return value


class _Making:
    """The files of one bundle, written to a folder in the snapshot of one transaction."""

    def __init__(self, conn: psycopg.Connection, folder: Path, options: BundleOptions) -> None:
        self._conn, self._folder, self._options = conn, folder, options
        self._taken: set[str] = set()
        self._means: dict[str, list[list[str]]] = {}

    def all(self) -> dict[str, Any]:
        """Write the files, and return the content of bundle.json."""
        manifest: dict[str, Any]
        [[manifest]] = self._conn.execute("SELECT stc.bundle_manifest()").fetchall()
        self._rows(REFERENCES, _DOCUMENTS, None)
        self._rows("topics.jsonl", _TOPICS, [self._options.articles])
        self._rows("queries.jsonl", _QUERIES, None)
        texts = self._texts([row["licence"] for row in manifest["documents"]["licences"]])
        self._environment()
        made = manifest | {
            "format": archive.FORMAT,
            "documents": manifest["documents"] | {"texts": texts},
            "runs": [self._run(run) for run in manifest["runs"]],
            "editions": [self._edition(edition) for edition in manifest["editions"]],
            "measures": [str(measure) for measure in self._options.measures],
        }
        kinds = {measure.kind.name for measure in self._options.measures}
        if own := [row for kind, row in added_rows(self._conn).items() if kind in kinds]:
            made["own_measures"] = own
        if (recipe := portable_recipe(self._conn, made, self._means, texts=TEXTS)) is not None:
            _put(self._folder, RECIPE, recipe.encode())
        return made

    def _rows(self, name: str, query: LiteralString, parameters: Sequence[Any] | None) -> None:
        """Write the rows of a query as JSON lines, without NULLs."""
        with self._file(name).open("wb") as out, self._conn.cursor(name="bundle_rows", row_factory=dict_row) as cursor:
            for row in cursor.execute(query, parameters):
                record = {key: value for key, value in row.items() if value is not None}
                out.write(orjson.dumps(record) + b"\n")

    def _file(self, name: str) -> Path:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _texts(self, stated: list[str | None]) -> int:
        """Write the texts of documents with an open licence. :param stated: the licences. :returns: the number of documents."""
        if not self._options.texts:
            return 0
        licences = known_licences(self._conn, self._options.licences) or [licence for licence in OPEN if licence in stated]
        if not licences:
            raise BadArgument(
                "no document has an open licence, so no text may be included",
                hint="'stc show licences' counts the licences; --licence names those that allow it (none: not stated).",
            )
        with self._file(TEXTS).open("wb") as out:
            return export_documents(self._conn, out, licences=licences).documents

    def _name(self, name: str) -> str:
        """Return a name for files, which is unique where upper and lower case are equal."""
        start = quote(name, safe="")[:_LONGEST].replace("~", "%7E")
        return archive.make_distinct(re.sub(r"^\.", "%2E", start), self._taken, between="~")

    def _run(self, entry: dict[str, Any]) -> dict[str, Any]:
        run = entry["run"]
        metadata = metadata_of(self._conn, run)
        files: dict[str, str] = {}
        if entry["sha256"] is not None:  # otherwise it has imported scores only
            name = self._name(run)
            files = {"run": f"runs/{name}.run", "metadata": f"runs/{name}.yml"}
            with self._file(files["run"]).open("wb") as out:
                export_trec(self._conn, run, out)
            self._file(files["metadata"]).write_text(dump(metadata), encoding="utf-8")
        return {**entry, "params": _narrowed(entry["params"]), "metadata": _narrowed(metadata), "files": files}

    def _edition(self, entry: dict[str, Any]) -> dict[str, Any]:
        edition, name = entry["edition"], self._name(f"{entry['edition']}.qrels").removesuffix(".qrels")
        files: dict[str, str] = {}

        def put(kind: str, path: str, write: Callable[[io.BufferedWriter], object]) -> None:
            files[kind] = path
            with self._file(path).open("wb") as out:
                write(out)

        if entry["judgments"]:
            put("qrels", f"qrels/{name}.qrels", lambda out: export_qrels(self._conn, edition, out))
            put("judgments", f"qrels/{name}.csv", lambda out: export_qrels(self._conn, edition, out, layout="csv"))
        if entry["subtopics"]:
            put("subtopics", f"qrels/{name}.subtopics", lambda out: export_subtopics(self._conn, edition, out))
        if entry["strata"]:
            put("strata", f"qrels/{name}.strata", lambda out: export_qrels(self._conn, edition, out, layout="strata"))
        if entry["preferences"]:
            put("preferences", f"qrels/{name}.prefs", lambda out: _write(out, self._plain(_PREFERENCES, edition), " "))
        if entry["imported"]:
            put("imported", f"scores/{name}.imported.txt", lambda out: _write(out, self._plain(_IMPORTED, edition), " "))
        if entry["judgments"]:
            means, by_query = scores_of(self._conn, edition, self._options.measures)
            self._means[edition] = means
            put("means", f"scores/{name}.means.tsv", lambda out: _write(out, means, "\t"))
            put("scores", f"scores/{name}.queries.tsv", lambda out: _write(out, by_query, "\t"))
        judging = judging_runs(self._conn, edition, measure=self._options.measures[0])
        return entry | {"files": files, "judging": [row._asdict() | {"note": row.note} for row in judging]}

    def _plain(self, query: LiteralString, edition: str) -> Iterable[Sequence[str]]:
        for row in self._conn.execute(query, [edition]).fetchall():
            cells = [repr(cell) if isinstance(cell, float) else str(cell) for cell in row]
            for cell in cells:
                if not cell or re.search(r"\s", cell):
                    raise BadArgument(
                        f"the name {cell!r} contains white space, which the files of trec_eval cannot represent",
                        hint="Rename it, or use 'stc db dump', which keeps every name.",
                    )
            yield cells

    def _environment(self) -> None:
        [server, extensions, revision, functions] = self._conn.execute(_ENVIRONMENT).fetchone() or [None] * 4
        try:
            package = version("stcollection")
        except PackageNotFoundError:
            package = "0"
        environment = {
            "stcollection": package,
            "postgresql": server,
            "extensions": extensions,
            "tables": revision,
            "functions": functions,
        }
        _put(self._folder, archive.ENVIRONMENT, orjson.dumps(environment, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))


def scores_of(
    conn: psycopg.Connection, edition: str, measures: Sequence[Measure], runs: Sequence[str] = ()
) -> tuple[list[list[str]], list[list[str]]]:
    """Return the leaderboard (run, measure, mean) and the scores (run, query, measure, value) with all digits."""
    standings = leaderboard(conn, edition=edition, measures=measures, runs=runs)
    means = [[row.run, str(measure), repr(value)] for row in standings for measure, value in zip(measures, row.values, strict=True)]
    scores = score(conn, runs=runs, edition=edition, measures=measures)
    return means, [[row.run, row.query, str(row.measure), repr(row.value)] for row in scores]


def _write(out: io.BufferedWriter, rows: Iterable[Sequence[str]], between: str) -> None:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    csv.writer(text, delimiter=between, lineterminator="\n").writerows(rows)
    text.flush()
    text.detach()


def _put(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
