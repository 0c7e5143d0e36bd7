"""Write the recipe of a collection for a bundle: it names the files of the bundle, and the means that its leaderboard has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg

from stcollection.build.kinds import KINDS, WORDS

RECIPE = "collection.toml"
_SINGLE = {kind.word for kind in KINDS if kind.alone}
_OF_EDITION = ("edition", "split", "year", "description", "simulated")
_KIND_OF_FILE = {"qrels": "judgments", "subtopics": "subtopics", "preferences": "preferences"}
_OF_FILE = ("path", "format", "columns", "metadata")
_MAY = "SELECT has_schema_privilege('stc_all', 'USAGE')"
_STEPS = "SELECT kind, definition, files FROM stc_all.build_steps WHERE finished IS NOT NULL ORDER BY began, step"

Table = dict[str, Any]


def portable_recipe(
    conn: psycopg.Connection, manifest: Mapping[str, Any], means: Mapping[str, Sequence[Sequence[str]]], *, texts: str
) -> str | None:
    """Return the recipe of the collection with the files of a bundle; None if it was not built, or the role may not read it.

    A collection that was opened from a bundle has the recipe of that bundle.

    :param means: by edition, rows of run, measure and mean. :param texts: file of the documents in the bundle.
    """
    if conn.execute(_MAY).fetchone() != (True,):
        return None
    steps: list[tuple[str, Table, Table]] = conn.execute(_STEPS).fetchall()
    if not steps:
        row = conn.execute("SELECT content FROM stc_all.build_recipes").fetchone()
        return None if row is None else str(row[0])
    row = conn.execute("SELECT title FROM stc_all.build_recipes").fetchone()
    lines = ["[collection]", *([f"title = {_value(row[0])}"] if row and row[0] else [])]
    steps.sort(key=lambda step: WORDS.index(step[0]))
    written: set[str] = set()
    for word, definition, files in steps:
        portable = _portable(word, definition, manifest, means, texts)
        if portable is None:
            lines += ["", f"# [[{word}]] of the edition {definition.get('edition')!r} is hidden"]
            continue
        table = [f"{key} = {value if key == 'date' else _value(value)}" for key, value in portable.items()]
        if "\n".join([word, *table]) in written:
            continue
        written.add("\n".join([word, *table]))
        lines += ["", *_absent(portable, files), f"[{word}]" if word in _SINGLE else f"[[{word}]]", *table]
    return "\n".join(lines) + "\n"


def _portable(
    word: str, definition: Table, manifest: Mapping[str, Any], means: Mapping[str, Sequence[Sequence[str]]], texts: str
) -> Table | None:
    """Return a table with the files of the bundle, as far as it has them; None for hidden judgments."""
    documents = manifest["documents"]
    if word == "corpus":
        return {"path": texts} if documents["texts"] == documents["references"] else definition
    if word == "topics":
        return {"path": "queries.jsonl", "format": "jsonl", "map": "query=query,text=text"}
    editions = {edition["edition"]: edition for edition in manifest["editions"]}
    if word in _KIND_OF_FILE:
        if (edition := editions.get(definition["edition"])) is None:
            return None
        facts = {key: definition[key] for key in _OF_EDITION if key in definition}
        facts |= {key: edition[key] for key in ("split", "year", "description", "simulated") if edition[key]}
        kept = facts if word == "qrels" else {"edition": definition["edition"]}
        return {"path": edition["files"][_KIND_OF_FILE[word]], **kept}
    if word == "run" and "path" in definition:
        names = [run for run in manifest["runs"] if run["files"] and run["run"] == definition.get("name", run["run"])]
        stored = next((run for run in names if "name" in definition or _is_named(run["run"], definition["path"])), None)
        own = {key: value for key, value in definition.items() if key not in _OF_FILE}
        return definition if stored is None else {"path": stored["files"]["run"], **own, "name": stored["run"]}
    if word == "score" and "expect" not in definition and (rows := means.get(_scored(definition, editions))) is not None:
        measures = definition.get("measures") or list(dict.fromkeys(measure for _, measure, _ in rows))
        expect: dict[str, dict[str, float]] = {}
        for run, measure, mean in rows:
            if measure in measures and mean != "nan":
                expect.setdefault(run, {})[measure] = round(float(mean), 4)
        return definition | ({"expect": expect} if expect else {})
    hidden = word == "score" and definition.get("edition") is not None and definition["edition"] not in editions
    return None if hidden else definition


def _scored(definition: Table, editions: Mapping[str, Any]) -> str:
    return str(definition.get("edition") or (next(iter(editions)) if len(editions) == 1 else ""))


def _is_named(run: str, path: str) -> bool:
    return path.rpartition("/")[2].startswith(run)


def _absent(portable: Table, files: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Yield a comment for each file that the table names and the bundle lacks."""
    values = [each for value in portable.values() for each in (value if isinstance(value, list) else [value])]
    for name, file in files.items():
        if name in values:
            yield f"# {name} is not in the bundle: SHA-256 {file[0]}"


def _value(value: Any) -> str:
    """Return a value in TOML, whose strings and numbers are those of JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def keep_recipe(conn: psycopg.Connection, name: str, content: str) -> None:
    """Store the recipe of a bundle that was opened, unless the collection has one."""
    conn.execute("INSERT INTO stc_all.build_recipes (path, content) VALUES (%s, %s) ON CONFLICT DO NOTHING", [name, content])
