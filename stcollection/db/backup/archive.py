"""Read dumps of version 0.1, in pg_dump's directory format, as data.

pg_restore lists the archive and writes the rows of tables as text. It never connects to a server, and no statement of the archive
is executed. Other objects in the archive (other schemas, their functions) are refused by name, or skipped.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from stcollection.counts import counted
from stcollection.db.backup import inventory, programs, text_search
from stcollection.db.backup.manifest import OURS, Manifest
from stcollection.db.backup.programs import ArchiveEntry
from stcollection.errors import BadInput

_DISTRUST = "Do not trust this dump."
_BLOCK = 2**18
_NAMED = 20  # maximum number of unknown objects in a message

# COPY public.dblp (id, docno, doc, stub) FROM stdin;
_COPY = re.compile(r"COPY public\.(\"(?:[^\"]|\"\")+\"|\w+) \((.*)\) FROM stdin;\n")
_SETVAL = re.compile(r"SELECT pg_catalog\.setval\('public\.(\w+)', (\d+), (true|false)\);")
_DICTIONARY = re.compile(
    r"CREATE TEXT SEARCH DICTIONARY public\.(\w+) \(\s*TEMPLATE = pg_catalog\.(\w+)\s*(?:,\s*(.*?))?\s*\);", re.DOTALL
)
_CONFIGURATION = re.compile(r"CREATE TEXT SEARCH CONFIGURATION public\.(\w+) \(\s*PARSER = pg_catalog\.\"default\"\s*\);")
_MAPPING = re.compile(r"ALTER TEXT SEARCH CONFIGURATION public\.(\w+)\s+ADD MAPPING FOR (\w+) WITH ([\w., ]+);")
_COMMENT = re.compile(r"COMMENT ON TEXT SEARCH CONFIGURATION public\.(\w+) IS '((?:[^']|'')*)';")

# Entries that belong to a table and start with its name.
_OF_TABLE = frozenset(
    {"TABLE", "TABLE DATA", "TABLE ATTACH", "CONSTRAINT", "FK CONSTRAINT", "CHECK CONSTRAINT", "TRIGGER", "POLICY", "ROW SECURITY",
     "DEFAULT", "STATISTICS DATA"}
)  # fmt: skip
_SEQUENCES = frozenset({"SEQUENCE", "SEQUENCE SET", "SEQUENCE OWNED BY"})
_ROUTINES = frozenset({"FUNCTION", "PROCEDURE", "AGGREGATE", "VIEW"})
_TYPES = frozenset({"ranked"})  # types that migrations create
_TEXT_SEARCH = frozenset({"TEXT SEARCH CONFIGURATION", "TEXT SEARCH DICTIONARY"})
_SETTINGS = frozenset({"ENCODING", "STDSTRINGS", "SEARCHPATH", "EXTENSION"})


class Archive:
    """Rows and settings of a collection in an archive.

    :ivar columns: columns of each table with rows. :ivar sequences: name to last value. :ivar text_search: configurations.
    """

    def __init__(self, program: str, path: Path, entries: Sequence[ArchiveEntry], described: Manifest) -> None:
        self._program, self._path, self._described = program, path, described
        self._entries = entries
        self._data = {
            one.name: one for one in entries if one.kind == "TABLE DATA" and one.schema == "public" and inventory.ours(one.name)
        }
        for name in OURS:
            self._data.pop(name.removeprefix("public."), None)
        self.columns: dict[str, Sequence[str]] = {name: self._columns(name) for name in self._data}
        self.sequences = self._sequences()
        self.text_search = self._text_search()

    def check(self, *, skip_unknown: bool) -> list[str]:
        """Check for objects in the archive that do not belong to the collection.

        :returns: a note with their names, if they are skipped.
        :raises BadInput: there are such objects and ``skip_unknown`` is not set.
        """
        created = self._created()
        extensions = {one["schema"] for one in self._described.extensions.values()}
        unknown = [one for one in self._entries if not self._known(one, created, extensions)]
        if not unknown:
            return []
        names = [f"{one.kind} {one.name if one.schema == '-' else f'{one.schema}.{one.name}'}" for one in unknown]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        listed = "; ".join(dict.fromkeys(names[:_NAMED])) + more
        if not skip_unknown:
            raise BadInput(
                f"the dump contains {counted(len(unknown), 'object')} that do not belong to the collection: {listed}",
                hint="Use --skip-unknown to restore the collection without them.",
            )
        return [f"skipped {counted(len(unknown), 'object')} that do not belong to the collection: {listed}"]

    def _known(self, entry: ArchiveEntry, created: frozenset[str], extensions: set[str]) -> bool:
        if entry.kind == "COMMENT":  # on an object with a separate entry
            return entry.schema in ("public", "-") or entry.schema in extensions
        if entry.kind in _SETTINGS:
            return True
        if entry.kind == "SCHEMA":
            return entry.name in extensions or entry.name == "public"
        if entry.schema != "public":
            return False
        if entry.kind in _OF_TABLE:
            return inventory.ours(entry.name.split(" ")[0])
        if entry.kind in _SEQUENCES:
            return _sequence(entry.name)
        if entry.kind in ("INDEX", "INDEX ATTACH"):
            return entry.name in self._described.rebuilt or any(inventory.ours(start) for start in _starts(entry.name))
        if entry.kind == "TYPE":
            return entry.name in _TYPES
        if entry.kind in _ROUTINES:
            return re.split(r"\W", entry.name, maxsplit=1)[0] in created
        return entry.kind in _TEXT_SEARCH

    def _created(self) -> frozenset[str]:
        """Return functions and views listed in stc_objects. They are not restored: this version creates its own."""
        found = [one for one in self._entries if one.kind == "TABLE DATA" and one.schema == "public" and one.name == "stc_objects"]
        text = b"".join(self._rows(found[0])).decode(errors="replace") if found else ""
        return frozenset(re.findall(r"(?:function|procedure|view|aggregate) (\w+)", text))

    def blocks(self, table: str) -> Iterator[bytes]:
        """Yield the rows of a table in the text format of COPY."""
        return self._rows(self._data[table])

    def _script(self, entries: Sequence[ArchiveEntry]) -> Generator[bytes]:
        """Yield the lines that pg_restore would send to a server for these entries; they are only read."""
        with programs.chosen(entries) as chosen:
            process = subprocess.Popen(
                [self._program, f"--use-list={chosen}", "--no-owner", "--no-privileges", "--file=-", str(self._path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            assert process.stdout is not None  # noqa: S101
            assert process.stderr is not None  # noqa: S101
            try:
                yield from process.stdout
                errors = process.stderr.read().decode(errors="replace").splitlines()
                if process.wait() != 0:
                    raise BadInput(f"pg_restore cannot read the dump: {' '.join(errors[:2])}", hint=_DISTRUST)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
                process.stderr.close()

    def _columns(self, table: str) -> list[str]:
        script = self._script([self._data[table]])
        try:
            for line in script:
                match = _COPY.fullmatch(line.decode(errors="replace"))
                if match and match[1] == table:
                    return [one.strip('"') for one in match[2].split(", ")]
        finally:
            script.close()
        raise BadInput(f"the rows of public.{table} in the dump are not in the format of pg_dump", hint=_DISTRUST)

    def _rows(self, entry: ArchiveEntry) -> Iterator[bytes]:
        lines = self._script([entry])
        for line in lines:
            if _COPY.fullmatch(line.decode(errors="replace")):
                break
        block = bytearray()
        for line in lines:
            if line == b"\\.\n":
                break
            block += line
            if len(block) >= _BLOCK:
                yield bytes(block)
                block = bytearray()
        yield bytes(block)
        for _ in lines:  # read to the end to detect errors of pg_restore
            pass

    def _sequences(self) -> dict[str, int]:
        entries = [one for one in self._entries if one.kind == "SEQUENCE SET" and one.schema == "public" and _sequence(one.name)]
        if not entries:
            return {}
        text = b"".join(self._script(entries)).decode(errors="replace")
        return {name: int(value) for name, value, called in _SETVAL.findall(text) if called == "true"}

    def _text_search(self) -> text_search.Described:
        entries = [
            one
            for one in self._entries
            if one.schema == "public"
            and (one.kind in _TEXT_SEARCH or (one.kind == "COMMENT" and one.name.startswith("TEXT SEARCH")))
        ]
        if not entries:
            return {"dictionaries": [], "configurations": []}
        text = b"".join(self._script(entries)).decode(errors="replace")
        comments = {name: comment.replace("''", "'") for name, comment in _COMMENT.findall(text)}
        mappings: dict[str, list[list[object]]] = {}
        for config, token, dictionaries in _MAPPING.findall(text):
            mappings.setdefault(config, []).append([token, [one.strip() for one in dictionaries.split(",")]])
        return {
            "dictionaries": [
                {"name": name, "template": template, "options": text_search.options(given)}
                for name, template, given in _DICTIONARY.findall(text)
            ],
            "configurations": [
                {"name": name, "comment": comments.get(name), "mappings": mappings.get(name, [])}
                for name in _CONFIGURATION.findall(text)
            ],
        }


def read(folder: Path, described: Manifest, *, major: int) -> Archive:
    """Open the archive of a dump of version 0.1. :param major: major version of the target server."""
    program = programs.find("pg_restore", server=major)
    path = folder / "data"
    programs.check_archive(folder, "data", described.files, large_objects=True)
    return Archive(program, path, programs.contents(program, path), described)


def ours(qualified: str) -> bool:
    """Return True if ``schema.table`` is a table of a collection."""
    schema, _, name = qualified.partition(".")
    return schema in ("public", "stc") and inventory.ours(name)


def _sequence(name: str) -> bool:
    return name == "dblp_id_seq" or (name.endswith("_id_seq") and inventory.ours(name.removesuffix("_id_seq")))


def _starts(name: str) -> Iterator[str]:
    """Yield the names an index may be named after: its name without the last words."""
    while "_" in name:
        name = name.rpartition("_")[0]
        yield name
