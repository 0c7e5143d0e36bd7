"""Export a bundle to the folder layouts that other tools read. No database is needed.

Documents without text in the bundle have an empty text.
"""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson
import yaml

from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.io.bundle.archive import Bundle, distinct, unpacked
from stcollection.io.bundle.shape import ASK, DOCUMENT, QUERY, REFERENCE, REFERENCES, TEXTS, read_columns, read_records


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
        self._stems = _stems([one["edition"] for one in bundle.manifest["editions"]])

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
        for one in self.lines(TEXTS, DOCUMENT):
            seen.add(one["docno"])
            yield one["docno"], one.get("title") or "", one.get("abstract") or ""
        for one in self.lines(REFERENCES, REFERENCE):
            if one["docno"] not in seen:
                self.without_text += 1
                yield one["docno"], "", ""

    def queries(self) -> list[tuple[str, str]]:
        return [(one["query"], one["text"]) for one in self.lines("queries.jsonl", QUERY)]

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
        return next(one["files"] for one in self.bundle.manifest["editions"] if one["edition"] == edition)

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
        return self.write(name, (orjson.dumps(one).decode() for one in records))


def _packed(file: BinaryIO) -> gzip.GzipFile:
    """Return a stream that compresses to a file; without time and name, so that the same content gives the same bytes."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


def _stems(editions: list[str]) -> dict[str, str]:
    """Return a name for the files of each edition, unique where upper and lower case are equal: train_1, train_1_2 …

    They depend on all editions of the bundle, so an edition has the same name whether it is exported alone or with others.
    """
    taken: set[str] = set()
    return {edition: distinct(re.sub(r"\W+", "_", edition), taken, between="_") for edition in editions}


def _beir(given: _Exporting) -> int:
    for edition in given.editions:
        rows = (f"{query}\t{doc}\t{rel}" for query, doc, rel in given.qrels(edition))
        given.write(f"qrels/{given.stem(edition)}.tsv", iter(["query-id\tcorpus-id\tscore", *rows]))
    return _texts(given)


def _texts(given: _Exporting) -> int:
    given.records("queries.jsonl", ({"_id": query, "text": text} for query, text in given.queries()))
    return given.records("corpus.jsonl", ({"_id": doc, "title": title, "text": text} for doc, title, text in given.documents()))


def _huggingface(given: _Exporting) -> int:
    splits = [{"split": given.stem(one), "path": f"qrels/{given.stem(one)}.jsonl"} for one in given.editions]
    head = {
        "task_categories": ["text-retrieval"],
        "configs": [
            {"config_name": "default", "data_files": splits},
            {"config_name": "corpus", "data_files": [{"split": "corpus", "path": "corpus.jsonl"}]},
            {"config_name": "queries", "data_files": [{"split": "queries", "path": "queries.jsonl"}]},
        ],
    }
    readme = given.bundle.at("README.md").read_text(encoding="utf-8").split("\n| file")[0]
    given.write("README.md", iter(["---", yaml.safe_dump(head, sort_keys=False).rstrip(), "---", "", readme.rstrip()]))
    for edition in given.editions:  # one format for all files: datasets reads a repository with one reader
        rows = ({"query-id": query, "corpus-id": doc, "score": int(rel)} for query, doc, rel in given.qrels(edition))
        given.records(f"qrels/{given.stem(edition)}.jsonl", rows)
    return _texts(given)


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


def _mteb(given: _Exporting) -> int:
    name = "".join(part.capitalize() for part in given.name.split("-"))
    name = name if name[0].isalpha() else f"Task{name}"
    splits = [given.stem(one) for one in given.editions]
    task = _TASK.format(name=name, collection=given.name, digest=given.bundle.digest, splits=splits)
    given.write("task.py", iter(task.rstrip("\n").split("\n")))
    return _huggingface(given)


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


def _ir_datasets(given: _Exporting) -> int:
    stems = [given.stem(one) for one in given.editions]
    given.write(
        f"{given.name.replace('-', '_')}.py", iter(_MODULE.format(name=given.name, editions=stems).rstrip("\n").split("\n"))
    )
    for edition in given.editions:
        given.write(f"qrels/{given.stem(edition)}.qrels", (f"{query} 0 {doc} {rel}" for query, doc, rel in given.qrels(edition)))
    given.write("queries.tsv", (f"{query}\t{' '.join(text.split())}" for query, text in given.queries()))
    return given.write("docs.tsv", (f"{doc}\t{' '.join(f'{title} {text}'.split())}" for doc, title, text in given.documents()))


def _tira(given: _Exporting) -> int:
    for edition in given.editions:
        rows = (f"{query} 0 {doc} {rel}" for query, doc, rel in given.qrels(edition))
        given.write(f"truths/{given.stem(edition)}/qrels.txt", rows)
    given.records("inputs/queries.jsonl", ({"qid": query, "query": text} for query, text in given.queries()))
    documents = ({"docno": doc, "text": f"{title}\n{text}".strip()} for doc, title, text in given.documents())
    count = given.records("inputs/corpus.jsonl.gz", documents)
    for one in given.bundle.manifest["runs"]:
        if one["files"]:
            stem = Path(one["files"]["run"]).stem
            (given.folder / "runs" / stem).mkdir(parents=True)
            shutil.copy(given.bundle.at(one["files"]["run"]), given.folder / "runs" / stem / "run.txt")
            shutil.copy(given.bundle.at(one["files"]["metadata"]), given.folder / "runs" / stem / "ir-metadata.yml")
    return count


def _crate(given: _Exporting) -> int:
    for name in (*given.bundle.files, "checksums.txt"):
        if (source := given.bundle.at(name)).exists():
            (given.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, given.folder / name)
    given.without_text = given.bundle.manifest["documents"]["references"] - given.bundle.manifest["documents"]["texts"]
    return int(given.bundle.manifest["documents"]["references"])


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
        there = [one["edition"] for one in bundle.manifest["editions"] if "qrels" in one["files"]]
        if edition is not None and edition not in there:
            raise UnknownObject(
                f"the bundle has no judgments of an edition {edition!r}",
                hint=f"It has {', '.join(there) or 'none'}.",
                sqlstate="IR102",
            )
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.absolute().parent) as part:
            target = Path(part) / "export"
            target.mkdir()
            given = _Exporting(bundle, target, there if edition is None else [edition])
            documents = LAYOUTS[layout](given)
            target.rename(folder)
        queries = int(bundle.manifest["queries"])
    return ExportedBundle(folder, documents, given.without_text, queries, given.editions)
