"""The measures that organisers add to a collection, with ``add_measure`` or from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from stcollection.counts import counted
from stcollection.db.settings import Settings
from stcollection.declared import Option
from stcollection.errors import BadInput, StcError, translate
from stcollection.evaluation.kinds import PRODUCT
from stcollection.evaluation.learning import learn_from, note_unread
from stcollection.evaluation.measures import Measure

if TYPE_CHECKING:
    import psycopg


@dataclass(frozen=True, kw_only=True)
class OwnMeasure:
    """A measure, with the keys of a table ``[[measures]]``; the top of sql/evaluation/measures.toml explains them.

    :param ir: Its name. :param value: Its formula.
    """

    ir: str
    value: str
    takes: Literal["nothing", "cutoff"] | None = None
    defaults: Sequence[float] | None = None
    parameters: Sequence[Any] | None = None
    mean: str | None = None
    range: str | None = None
    definition: str | None = None
    documents: str | None = None
    gain: str | None = None
    source: str | None = None

    def named(self) -> dict[str, Any]:
        """Return what Python reads names with: the keys of a measure of the product."""
        given = {key: value for key, value in asdict(self).items() if value is not None}
        cut = {"kind": self.ir.lower() + "_cut", "defaults": [10.0]} if self.takes == "cutoff" else {"kind": self.ir.lower()}
        uses = ["subtopics"] if self.documents == "subtopics" else []
        return {"definition": self.value, "source": "", **cut, "uses": uses} | given


_KEYS = tuple(field.name for field in fields(OwnMeasure))
_ADD = """
SELECT add_measure(%(ir)s, %(value)s, coalesce(%(takes)s, 'nothing'), %(definition)s, %(documents)s, %(gain)s, %(parameters)s,
                   %(defaults)s::double precision[], coalesce(%(mean)s, 'mean'), coalesce(%(range)s::numrange, '[0,1]'), %(source)s)
"""
_GIVEN = """
SELECT m.kind, jsonb_strip_nulls(to_jsonb(m) - '{kind,place,added,cutoff}'::text[]
                                 || jsonb_build_object('range', m.range::text, 'takes', CASE WHEN m.cutoff THEN 'cutoff' END))
  FROM stc.own_measures m ORDER BY m.place
"""
_READ = """
SELECT jsonb_strip_nulls(to_jsonb(o) || jsonb_build_object('range', o.range::text, 'source', o.reference))
  FROM stc.own_kinds() o WHERE o.fault IS NULL
"""


@translate()
def add_measures(conn: psycopg.Connection, path: Annotated[Path, Option("FILE")]) -> list[str]:
    """Add the measures of a file to the collection, and return their names; those that were added before are replaced.

    :param path: TOML with tables ``measures``, as sql/evaluation/measures.toml has them.
    :raises BadInput: the file cannot be read. :raises BadArgument: a measure cannot be added; then none is.
    :raises StateError: the role may not add measures.
    """
    rows = _rows(path)
    with conn.transaction():
        add_rows(conn, rows)
    return [row["ir"] for row in rows]


def add_rows(conn: psycopg.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add measures, given with the keys of a file of measures."""
    from psycopg.types.json import Jsonb  # here, because scoring of files needs no driver

    for row in rows:
        parameters = row.get("parameters")
        values = dict.fromkeys(_KEYS) | dict(row) | {"parameters": None if parameters is None else Jsonb(parameters)}
        conn.execute(_ADD, values)


@translate()
def stored_rows(settings: Settings, measures: Iterable[Measure]) -> list[dict[str, Any]]:
    """Return the rows of the measures that organisers added to the collection, to score files with them.

    :returns: none, without a connection, if all are of the product.
    """
    own = sorted({measure.kind.name for measure in measures} - {*PRODUCT})
    if not own:
        return []
    from stcollection.db.connection import connect

    with connect(settings, check=False) as conn:
        return [row for (row,) in conn.execute("SELECT to_jsonb(m) FROM stc.own_measures m WHERE m.kind = ANY (%s)", [own])]


def added_rows(conn: psycopg.Connection) -> dict[str, dict[str, Any]]:
    """Return the measures that organisers added as they gave them, by kind, with the keys of a file of measures."""
    return dict(conn.execute(_GIVEN).fetchall())


def _rows(path: Path) -> list[dict[str, Any]]:
    import tomllib

    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("measures", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not TOML: {error}", hint="Write a table [[measures]] for each measure.") from error
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{path} has no measure", hint="Write a table [[measures]] with ir and value for each measure.")
    for number, row in enumerate(rows, 1):
        wrong = sorted(row.keys() - {*_KEYS}) or [f"without {key}" for key in ("ir", "value") if key not in row]
        if wrong:
            hint = f"The keys are {', '.join(_KEYS)}; ir is the name."
            raise BadInput(f"{path}: measure {number} of {counted(len(rows), 'measure')}: {', '.join(wrong)}", hint=hint)
    return rows


@translate()
def drop_measure(conn: psycopg.Connection, measure: str) -> int:
    """Remove a measure that an organiser added, and return the number of imported scores with its name, which stay.

    :raises UnknownObject: no such measure was added. :raises StateError: the role may not remove it.
    """
    with conn.transaction():
        conn.execute("SELECT stc.drop_measure(%s)", [measure])
        [(scores,)] = conn.execute(
            "SELECT count(*) FROM st1_scores WHERE lower(measure) ~ ('^' || lower(%s) || '(_[0-9]+)?$')", [measure]
        ).fetchall()
    return int(scores)


def own_measures(conn: psycopg.Connection) -> list[dict[str, Any]]:
    """Return the measures that organisers added, as rows of measures.toml."""
    return [row for (row,) in conn.execute(_READ)]


def learn_measures(settings: Settings) -> None:
    """Let names of measures be those of this collection too."""
    learn_from(settings, partial(read_measures, settings))


def read_measures(settings: Settings) -> Iterable[Mapping[str, Any]]:
    """Return the measures that organisers added; none if the collection cannot be read, which the error for a name explains."""
    import psycopg

    from stcollection.db.connection import connect
    from stcollection.db.embedded import EmbeddedServer

    note_unread("")
    if settings.embedded and not EmbeddedServer(settings.home).data.exists():
        note_unread("Measures that were added are in a collection, and there is none: --db NAME.")
        return []
    try:
        with connect(settings, check=False) as conn:
            return own_measures(conn)
    except (psycopg.Error, StcError, OSError) as error:
        reason = str(error).splitlines()[0]
        note_unread(f"Those that were added to the collection {settings.db!r} could not be read: {reason}.")
        return []
