"""Export a bundle to the folder layouts that other tools read. No database is needed.

Documents without text in the bundle have an empty text.
"""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson
import yaml

from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.io.bundle.archive import Bundle, make_distinct, unpacked
from stcollection.io.bundle.shape import ASK, DOCUMENT, QUERY, REFERENCE, REFERENCES, TEXTS, read_columns, read_records
from stcollection.io.writing import new_folder


class ExportedBundle(NamedTuple):
    """A folder that was written. :param without_text: documents whose text the bundle does not contain."""

    folder: Path
    documents: int
    without_text: int
    queries: int
    editions: list[str]


class _Exporting:
    """The contents of a bundle, and the folder to fill."""

    def __init__(self, bundle: Bundle, folder: Path, editions: list[str]) -> None:
        self.bundle, self.folder, self.editions = bundle, folder, editions
        self.without_text = 0
        self._stems = _stems([edition["edition"] for edition in bundle.manifest["editions"]])

    @property
    def name(self) -> str:
        return re.sub(r"[^A-Za-z0-9]+", "-", self.bundle.manifest["collection"]).strip("-").lower() or "collection"

    def lines(self, name: str, shape: Any) -> Iterator[dict[str, Any]]:
        path = self.bundle.at(name)
        if path.exists():
            yield from read_records(path, shape, f"{self.bundle.path.name}/{name}")

    def documents(self) -> Iterator[tuple[str, str, str]]:
        """Yield docno, title and text of each document."""
        seen = set()
        for document in self.lines(TEXTS, DOCUMENT):
            seen.add(document["docno"])
            yield document["docno"], document.get("title") or "", document.get("abstract") or ""
        for reference in self.lines(REFERENCES, REFERENCE):
            if reference["docno"] not in seen:
                self.without_text += 1
                yield reference["docno"], "", ""

    def queries(self) -> list[tuple[str, str]]:
        return [(query["query"], query["text"]) for query in self.lines("queries.jsonl", QUERY)]

    def qrels(self, edition: str) -> list[tuple[str, str, str]]:
        """Return query, docno and grade of each judgment of an edition."""
        name = self.files(edition)["qrels"]
        where = f"{self.bundle.path.name}/{name}"
        rows = read_columns(self.bundle.at(name), where, columns=4, between=" ")
        for number, row in enumerate(rows, 1):
            if not re.fullmatch(r"-?[0-9]{1,9}", row[3]):
                raise BadInput(f"{where}, line {number:,}: {row[3]!r} is not a grade", hint=ASK)
        return [(query, doc, rel) for query, _, doc, rel in rows]

    def files(self, edition: str) -> dict[str, str]:
        return next(entry["files"] for entry in self.bundle.manifest["editions"] if entry["edition"] == edition)

    def stem(self, edition: str) -> str:
        """Return the name of the files of an edition: letters, digits and underscores, as Hugging Face allows for splits."""
        return self._stems[edition]

    def write(self, name: str, lines: Iterator[str]) -> int:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        count = 0
        with path.open("wb") as file, _packed(file) if name.endswith(".gz") else contextlib.nullcontext(file) as out:
            for line in lines:
                out.write(f"{line}\n".encode())
                count += 1
        return count

    def records(self, name: str, records: Iterator[dict[str, Any]]) -> int:
        return self.write(name, (orjson.dumps(record).decode() for record in records))


def _packed(file: BinaryIO) -> gzip.GzipFile:
    """Return a stream that compresses to a file; without time and name, so that the same content gives the same bytes."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


def _stems(editions: list[str]) -> dict[str, str]:
    """Return a name for the files of each edition, unique where upper and lower case are equal: train_1, train_1_2 …

    They depend on all editions of the bundle, so an edition has the same name whether it is exported alone or with others.
    """
    taken: set[str] = set()
    return {edition: make_distinct(re.sub(r"\W+", "_", edition), taken, between="_") for edition in editions}


def _beir(export: _Exporting) -> int:
    for edition in export.editions:
        rows = (f"{query}\t{doc}\t{rel}" for query, doc, rel in export.qrels(edition))
        export.write(f"qrels/{export.stem(edition)}.tsv", iter(["query-id\tcorpus-id\tscore", *rows]))
    return _texts(export)


def _texts(export: _Exporting) -> int:
    export.records("queries.jsonl", ({"_id": query, "text": text} for query, text in export.queries()))
    return export.records("corpus.jsonl", ({"_id": doc, "title": title, "text": text} for doc, title, text in export.documents()))


def _huggingface(export: _Exporting) -> int:
    splits = [{"split": export.stem(edition), "path": f"qrels/{export.stem(edition)}.jsonl"} for edition in export.editions]
    head = {
        "task_categories": ["text-retrieval"],
        "configs": [
            {"config_name": "default", "data_files": splits},
            {"config_name": "corpus", "data_files": [{"split": "corpus", "path": "corpus.jsonl"}]},
            {"config_name": "queries", "data_files": [{"split": "queries", "path": "queries.jsonl"}]},
        ],
    }
    readme = export.bundle.at("README.md").read_text(encoding="utf-8").split("\n| file")[0]
    export.write("README.md", iter(["---", yaml.safe_dump(head, sort_keys=False).rstrip(), "---", "", readme.rstrip()]))
    for edition in export.editions:  # one format for all files: datasets reads a repository with one reader
        rows = ({"query-id": query, "corpus-id": doc, "score": int(rel)} for query, doc, rel in export.qrels(edition))
        export.records(f"qrels/{export.stem(edition)}.jsonl", rows)
    return _texts(export)


_TASK = '''"""A retrieval task of MTEB on the files beside this module: mteb.evaluate(model, tasks=[{name}()])."""

from pathlib import Path

from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata


class {name}(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="{name}",
        description="Test collection {collection}",
        dataset={{"path": str(Path(__file__).parent), "revision": "{digest}"}},
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        eval_splits={splits!r},
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
    )
'''


def _mteb(export: _Exporting) -> int:
    name = "".join(part.capitalize() for part in export.name.split("-"))
    name = name if name[0].isalpha() else f"Task{name}"
    splits = [export.stem(edition) for edition in export.editions]
    task = _TASK.format(name=name, collection=export.name, digest=export.bundle.digest, splits=splits)
    export.write("task.py", iter(task.rstrip("\n").split("\n")))
    return _huggingface(export)


_MODULE = '''"""The test collection {name} for ir_datasets. Import this module, then ir_datasets.load("{name}/EDITION")."""

from pathlib import Path

import ir_datasets

_HERE = Path(__file__).parent

for _edition in {editions!r}:
    ir_datasets.registry.register(
        f"{name}/{{_edition}}",
        ir_datasets.create_dataset(
            docs_tsv=str(_HERE / "docs.tsv"),
            queries_tsv=str(_HERE / "queries.tsv"),
            qrels_trec=str(_HERE / "qrels" / f"{{_edition}}.qrels"),
        ),
    )
'''


def _ir_datasets(export: _Exporting) -> int:
    stems = [export.stem(edition) for edition in export.editions]
    export.write(
        f"{export.name.replace('-', '_')}.py", iter(_MODULE.format(name=export.name, editions=stems).rstrip("\n").split("\n"))
    )
    for edition in export.editions:
        export.write(f"qrels/{export.stem(edition)}.qrels", (f"{query} 0 {doc} {rel}" for query, doc, rel in export.qrels(edition)))
    export.write("queries.tsv", (f"{query}\t{' '.join(text.split())}" for query, text in export.queries()))
    return export.write("docs.tsv", (f"{doc}\t{' '.join(f'{title} {text}'.split())}" for doc, title, text in export.documents()))


def _tira(export: _Exporting) -> int:
    for edition in export.editions:
        rows = (f"{query} 0 {doc} {rel}" for query, doc, rel in export.qrels(edition))
        export.write(f"truths/{export.stem(edition)}/qrels.txt", rows)
    export.records("inputs/queries.jsonl", ({"qid": query, "query": text} for query, text in export.queries()))
    documents = ({"docno": doc, "text": f"{title}\n{text}".strip()} for doc, title, text in export.documents())
    count = export.records("inputs/corpus.jsonl.gz", documents)
    for run in export.bundle.manifest["runs"]:
        if run["files"]:
            stem = Path(run["files"]["run"]).stem
            (export.folder / "runs" / stem).mkdir(parents=True)
            shutil.copy(export.bundle.at(run["files"]["run"]), export.folder / "runs" / stem / "run.txt")
            shutil.copy(export.bundle.at(run["files"]["metadata"]), export.folder / "runs" / stem / "ir-metadata.yml")
    return count


def _crate(export: _Exporting) -> int:
    for name in (*export.bundle.files, "checksums.txt"):
        if (source := export.bundle.at(name)).exists():
            (export.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, export.folder / name)
    export.without_text = export.bundle.manifest["documents"]["references"] - export.bundle.manifest["documents"]["texts"]
    return int(export.bundle.manifest["documents"]["references"])


LAYOUTS: dict[str, Callable[[_Exporting], int]] = {
    "beir": _beir,
    "hf": _huggingface,
    "ir_datasets": _ir_datasets,
    "mteb": _mteb,
    "ro-crate": _crate,
    "tira": _tira,
}


def export_bundle(path: Path, folder: Path, *, layout: str, edition: str | None = None) -> ExportedBundle:
    """Write the content of a bundle into a new folder, which appears when it is complete.

    :param layout: a name of :data:`LAYOUTS`. :param edition: only these judgments; None writes all editions that have some.
    :raises BadArgument: the folder exists, or the layout does not. :raises UnknownObject: the bundle has no such edition.
    :raises BadInput: the bundle is not intact.
    """
    if layout not in LAYOUTS:
        raise BadArgument(f"there is no layout {layout!r}", hint=f"Use one of {', '.join(LAYOUTS)}.")
    if folder.exists():
        raise BadArgument(f"{folder} exists", hint="Name a folder that does not exist.")
    with unpacked(path) as bundle:
        editions = [entry["edition"] for entry in bundle.manifest["editions"] if "qrels" in entry["files"]]
        if edition is not None and edition not in editions:
            raise UnknownObject(
                f"the bundle has no judgments of an edition {edition!r}",
                hint=f"It has {', '.join(editions) or 'none'}.",
                sqlstate="IR102",
            )
        with new_folder(folder) as target:
            export = _Exporting(bundle, target, editions if edition is None else [edition])
            documents = LAYOUTS[layout](export)
        queries = int(bundle.manifest["queries"])
    return ExportedBundle(folder, documents, export.without_text, queries, export.editions)
