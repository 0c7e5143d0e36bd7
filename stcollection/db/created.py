"""List the tables that migrations/ creates, by parsing its files without a database."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from stcollection.db.step import chain, revisions, sources
from stcollection.plugins import studies

# The partitions of each partitioned table.
_PARTS = ("_open", "_hidden")
# Tables of earlier revisions that are views now.
VIEWS = frozenset({"st1_rankings"})
# A table of a SQL file, and whether it is partitioned.
_CREATED = re.compile(r"^CREATE TABLE (?:\w+\.)?(\w+) \((?:\n .*)*\n\)( PARTITION BY)?", re.MULTILINE)


@cache
def tables() -> dict[str, tuple[str, ...]]:
    """Return the tables that any revision creates, with the names of their partitions.

    Tables that a later revision drops are included, since older collections and their dumps have them.
    """
    parts: dict[str, tuple[str, ...]] = {"alembic_version": (), "ranked_lists": ()}  # revision 0041 fills the latter and renames it
    of_studies = [path for study in studies() for _, path in chain(study.folder / "migrations")]
    for path in (*(path for _, path in revisions()), *of_studies):
        parts |= _tables(path, parts)
    return parts


def _tables(path: Path, parts: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    new = {
        name: tuple(name + part for part in _PARTS) if parted else parts.get(name, ())
        for name, parted in _CREATED.findall(sources(path))
    }
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "create_table":
            name = ast.literal_eval(call.args[0])
            parted = any(option.arg == "postgresql_partition_by" for option in call.keywords)
            new[name] = tuple(name + part for part in _PARTS) if parted else parts.get(name, ())
    return new
