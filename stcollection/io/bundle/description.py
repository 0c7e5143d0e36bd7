"""Files that describe a bundle: CITATION.cff, the data sheet, README.md and the metadata of RO-Crate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io.files import read_text

_CFF = "https://citation-file-format.github.io/ lists the required entries: cff-version, message, title, authors."


@dataclass(frozen=True, kw_only=True)
class CitationFacts:
    """How to cite the bundle.

    :param citation: a CITATION.cff to include; None writes one from the other values.
    :param datasheet: a data sheet to include; None writes one from the counts of the collection.
    """

    title: str | None = None
    authors: tuple[str, ...] = ()
    doi: str | None = None
    citation: Path | None = None
    datasheet: Path | None = None


def citation(facts: CitationFacts, collection: str) -> dict[str, Any]:
    """Return the content of CITATION.cff.

    :raises BadInput: the given file is not a citation file. :raises BadArgument: a file and a title, author or DOI are given.
    """
    if facts.citation is None:
        authors = [{"name": name} for name in facts.authors] or [{"name": f"The authors of the collection {collection}"}]
        content = {
            "cff-version": "1.2.0",
            "message": "If you use this test collection, please cite it as below.",
            "type": "dataset",
            "title": facts.title or f"The test collection {collection}",
            "authors": authors,
        }
        return {**content, "doi": facts.doi} if facts.doi else content
    if facts.title or facts.authors or facts.doi:
        raise BadArgument("a citation file, and also a title, author or DOI", hint="Give either --citation, or the others.")
    try:
        read = yaml.load(read_text(facts.citation, most=2**18), yaml.BaseLoader)  # noqa: S506 - it constructs text only
    except yaml.YAMLError as error:
        raise BadInput(f"{facts.citation}: not YAML: {' '.join(str(error).split())}", hint=_CFF) from error
    lacks = [name for name in ("cff-version", "message", "title", "authors") if not (isinstance(read, dict) and read.get(name))]
    if lacks:
        raise BadInput(f"{facts.citation}: has no {lacks[0]}", hint=_CFF)
    return dict(read)


def as_yaml(content: dict[str, Any]) -> str:
    """Return a citation as YAML."""
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=4096)


def datasheet(manifest: dict[str, Any]) -> str:
    """Return a data sheet in the sections of Gebru et al., Datasheets for Datasets, CACM 64(12), 2021, as far as known."""
    documents, editions, runs = manifest["documents"], manifest["editions"], manifest["runs"]
    text = documents["texts"]
    lines = [f"# Data sheet of {manifest['collection']}", "", "## Composition", ""]
    lines += [
        f"- {counted(documents['references'], 'document')} by name, with the SHA-256 of their text; {text:,} of them with text.",
        f"- {counted(manifest['topics'], 'topic')} and {counted(manifest['queries'], 'query')}.",
        f"- {counted(len(runs), 'run')} of {counted(len({run['team'] for run in runs if run['team']}), 'team')};"
        f" {sum(run['manual'] for run in runs):,} of them manual.",
    ]
    for entry in editions:
        kind = ", simulated" if entry["simulated"] else ""
        lines.append(
            f"- Edition {entry['edition']}: {counted(entry['judgments'], 'judgment')}{kind}; origins: {_counts(entry['origins'])}."
        )
        lines += [f"  - Warning: {row['note']}." for row in entry["judging"]]
    lines += [f"- Edition {entry['edition']}: hidden; its judgments are not in this bundle." for entry in manifest["hidden"]]
    lines += ["", "## Licences of the documents", ""]
    lines += [f"- {row['licence'] or 'not stated'}: {row['documents']:,}" for row in documents["licences"]] or ["- no documents"]
    lines += ["", "## Collection process", ""]
    lines += [f"- {edition['edition']}: {edition['description']}" for edition in editions if edition["description"]] or [
        "- Not described. Add descriptions with 'stc publish describe', or give a data sheet with --datasheet."
    ]
    lines += ["", "## Uses and maintenance", "", "- Not described. Give a data sheet with --datasheet.", ""]
    return "\n".join(lines)


def _counts(origins: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(origins.items())) or "none"


def readme(manifest: dict[str, Any], title: str) -> str:
    """Return README.md, which says what the files are and how to use them."""
    return f"""# {title}

A test collection for information retrieval: {_size(manifest)}.
CITATION.cff says how to cite it, datasheet.md describes it.

| file | content |
|---|---|
| `documents/references.jsonl` | name, licence, source and SHA-256 (title, line feed, abstract) of each document |
| `documents/texts.jsonl` | documents whose text may be shared |
| `topics.jsonl`, `queries.jsonl` | topics and queries |
| `qrels/*.qrels`, `qrels/*.csv` | judgments by edition, in TREC's format, and with their origin |
| `qrels/*.subtopics`, `qrels/*.prefs`, `qrels/*.strata` | judgments by subtopic, preferences, and strata of sampled pools |
| `runs/*.run`, `runs/*.yml` | runs in TREC's format, and how they were made (ir_metadata) |
| `scores/*.means.tsv`, `scores/*.queries.tsv` | leaderboard, and scores by query |
| `collection.toml` | recipe, if the collection was built from one: `stc build collection.toml` builds it from these files |
| `environment.json` | versions of the software that computed the scores |
| `ro-crate-metadata.json` | the same description for programs (RO-Crate) |
| `checksums.txt` | SHA-256 of each file; `sha256sum -c checksums.txt` compares them |

`stc load --as bundle FILE` loads the bundle into a database, computes the leaderboard again and compares it.
"""


def _size(manifest: dict[str, Any]) -> str:
    queries, editions, runs = manifest["queries"], len(manifest["editions"]), len(manifest["runs"])
    return f"{counted(queries, 'query')}, {counted(editions, 'edition')} of judgments and {counted(runs, 'run')}"


def crate(manifest: dict[str, Any], cited: dict[str, Any], names: list[str]) -> bytes:
    """Return the metadata of RO-Crate 1.1 for the files of a bundle."""
    authors = cited["authors"] if isinstance(cited["authors"], list) else []
    people = [_person(place, author) for place, author in enumerate(authors, 1) if isinstance(author, dict)]
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": str(cited["title"]),
        "description": f"Test collection for information retrieval with {counted(len(manifest['runs']), 'run')} and"
        f" {counted(len(manifest['editions']), 'edition')} of judgments",
        "datePublished": manifest["newest"],
        "license": str(cited.get("license") or "see datasheet.md"),
        "author": [{"@id": person["@id"]} for person in people],
        "hasPart": [{"@id": name} for name in names],
    }
    if cited.get("doi"):
        root["identifier"] = f"https://doi.org/{cited['doi']}"
    head = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    files = [{"@id": name, "@type": "File", "name": name, "encodingFormat": _kind(name)} for name in names]
    graph = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [head, root, *people, *files]}
    return orjson.dumps(graph, option=orjson.OPT_INDENT_2)


def _person(place: int, author: dict[str, Any]) -> dict[str, Any]:
    name = author.get("name") or " ".join(str(author[part]) for part in ("given-names", "family-names") if author.get(part))
    return {"@id": str(author.get("orcid") or f"#author-{place}"), "@type": "Person", "name": str(name)}


_KINDS = {".json": "application/json", ".jsonl": "application/jsonl", ".csv": "text/csv", ".md": "text/markdown"}


def _kind(name: str) -> str:
    return _KINDS.get(Path(name).suffix, "text/plain")
