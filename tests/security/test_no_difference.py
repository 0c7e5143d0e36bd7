"""What members see does not depend on hidden rows: results, errors, plans, counters, sizes and locks of every statement.

Three copies of a collection differ only in hidden rows (tests/security/model/hidden.py). Every login runs the same statements in
each: probes of every column of every relation under a grid of settings, calls of every function, and PostgreSQL's own statistics.
``make long`` tries all settings and functions, CI a quarter of them in each run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import psycopg
import pytest

from tests.examples import draw
from tests.security.model.arguments import calls
from tests.security.model.catalogue import Catalogue
from tests.security.model.compared import collect, prepare, same
from tests.security.model.hidden import Change, Probe, change_hidden, hidden_tables
from tests.security.model.settings import Point, grid
from tests.security.model.statements import SESSION, probing, published, reachable
from tests.security.model.walls import Walls

pytestmark = pytest.mark.long

CHANGES: tuple[Change, ...] = ("none", "other", "more")
# Members, by what may differ for them. Organisers read everything.
MEMBERS = {"participant": "stc_participant", "reader": "stc_reader", "stranger": ""}
MIXED = ("defaults", "no pruning")
_SHOWN = 10
# A session that was told to forget its caches reads a page of an index once more: what differs must differ each time.
_TRIES = 3


@dataclass(frozen=True)
class Copies:
    """The three copies, by what was changed in them."""

    walls: Walls
    names: dict[Change, str]
    probes: Sequence[Probe]
    points: list[Point]

    @property
    def catalogue(self) -> Catalogue:
        return self.walls.catalogue


@pytest.fixture(scope="module")
def copies(walls: Walls) -> Copies:
    names: dict[Change, str] = {}
    probes: Sequence[Probe] = ()
    points: list[Point] = []
    for change in CHANGES:
        names[change] = walls.copy()
        with walls.connect(names[change]) as conn:
            probes = change_hidden(conn, walls.catalogue, change)
        with walls.connect(names[change], "participant") as conn:
            points = grid(conn, walls.catalogue)
    return Copies(walls, names, probes, points)


def compare(
    copies: Copies,
    role: str,
    points: Sequence[Point],
    statements: Sequence[str],
    *,
    undo: bool = False,
    changes: Sequence[Change] = CHANGES,
    warm: bool = True,
) -> Iterator[str]:
    """Run statements in each copy under each point. Yield the route to each difference.

    :param warm: run all once before, so that no answer depends on what the session has read before.
    """
    connections = [copies.walls.connect(copies.names[change], role) for change in changes]

    def run(conn: psycopg.Connection, point: Point) -> list[str]:
        # Names, folders and transactions of copies differ, and the function that runs the statements.
        [(function,)] = conn.execute("SELECT 'pg_temp.collect'::regproc::oid").fetchall()
        own = re.compile(
            rf"{conn.info.dbname}|base/[0-9]+/|:funcid {function}\b|:hashValue -?[0-9]+|xid/subid/cid: [0-9]+"
            r"|children: [0-9 ]+"
        )
        return [own.sub("copy", answer) for answer in collect(conn, point, statements, undo=undo)]

    with ThreadPoolExecutor(len(changes)) as threads:
        list(threads.map(prepare, connections))
        for point in [*(points[:1] if warm else ()), *points]:
            found: set[str] | None = None
            for _ in range(_TRIES):
                first, *others = threads.map(run, connections, [point] * len(connections))
                routes = set()
                for change, other in zip(changes[1:], others, strict=True):
                    routes |= set(_differences(role, point, change, [*statements, "(notices)"], first, other))
                there = {_route(one) for one in routes}
                found = routes if found is None else {one for one in found if _route(one) in there}
                if not found:
                    break
            yield from found or ()
    for conn in connections:
        conn.close()


def _route(difference: str) -> tuple[str, ...]:
    return tuple(difference.splitlines()[:2])


def _differences(
    role: str, point: Point, change: Change, statements: Sequence[str], before: Sequence[str], after: Sequence[str]
) -> Iterator[str]:
    for statement, one, other in zip(statements, before, after, strict=len(before) == len(statements)):
        if not same(one, other):
            lines = [f"{role}: {point.statements() or 'default settings'}; hidden rows: {change}", f"  {statement}"]
            differing = [pair for pair in zip(one.splitlines(), other.splitlines(), strict=False) if pair[0] != pair[1]]
            shown = differing[0] if differing else (one[-200:], other[-200:])
            yield "\n".join([*lines, f"    before: {shown[0][:300]}", f"    after:  {shown[1][:300]}"])


def report(found: Iterator[str]) -> None:
    """Fail with the first differences, shortest settings first."""
    routes = sorted(set(found), key=len)
    assert not routes, f"{len(routes)} differences, among them\n" + "\n".join(routes[:_SHOWN])


Property = Callable[[str, object], None]


def test_every_hidden_table_has_a_row_that_changes(copies: Copies) -> None:
    changed = {probe.relation for probe in copies.probes if probe.before != probe.after}
    assert {one.name for one in hidden_tables(copies.catalogue) if not one.name.endswith("_open")} - changed == set()
    assert len(copies.points) > 100


def test_no_statistic_of_the_server_differs(copies: Copies) -> None:
    """The first test: the copies have had the same statements. Totals that PostgreSQL publishes of every relation may differ for
    a relation that members have no right on, and for no other.
    """
    for role in MEMBERS:
        statements = [statement for one in reachable(copies.catalogue, MEMBERS[role]) for statement in probing(one, copies.probes)]
        report(compare(copies, role, copies.points[:1], statements))
    with copies.walls.connect(copies.names["none"]) as conn:
        relations = conn.execute(
            "SELECT c.oid, c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'p', 'i', 'I', 't', 'm', 'S')"
            " AND c.oid >= 16384 ORDER BY 1"
        ).fetchall()
    excepted = closed(copies)
    others = [one for one in relations if one[0] not in excepted]
    report(compare(copies, "stranger", copies.points[:1], published(others), warm=False))


def closed(copies: Copies) -> set[int]:
    """Relations that members have no right on, with their indexes and TOAST tables: the only exceptions."""
    tables = [one.oid for one in copies.catalogue.relations if not one.read_by_members()]
    with copies.walls.connect(copies.names["none"]) as conn:
        rows = conn.execute(
            "WITH RECURSIVE own (oid) AS (SELECT unnest(%s::oid[]) UNION"
            " SELECT x.oid FROM own o JOIN LATERAL (SELECT indexrelid AS oid FROM pg_index WHERE indrelid = o.oid UNION ALL"
            " SELECT reltoastrelid FROM pg_class WHERE oid = o.oid AND reltoastrelid <> 0) x ON true) SELECT oid FROM own",
            [tables],
        ).fetchall()
    return {row[0] for row in rows}


@pytest.mark.parametrize("role", MEMBERS)
def test_no_relation_differs_under_any_setting(copies: Copies, role: str, record_property: Property) -> None:
    relations = reachable(copies.catalogue, MEMBERS[role])
    statements = [statement for one in relations for statement in probing(one, copies.probes)]
    others = [one for one in copies.catalogue.relations if one not in relations]
    statements += [f"SELECT * FROM {one.sql}" for one in others]
    statements += SESSION
    first = [point for point in copies.points if point.name in MIXED]
    mixed = draw(point for point in copies.points if point.name.startswith("mixture"))
    single = draw(point for point in copies.points if point not in first and not point.name.startswith("mixture"))
    size = f"{len(copies.catalogue.relations)} relations, {len(statements)} statements, {len([*first, *mixed, *single])} settings"
    record_property(f"{role}", size)
    print(f"\n{role}: {size}")

    def found() -> Iterator[str]:
        yield from compare(copies, role, [*first, *mixed], statements)
        if role == "participant":
            yield from compare(copies, role, single, statements, changes=("none", "other"))

    report(found())


@pytest.mark.parametrize("role", MEMBERS)
def test_no_function_differs(copies: Copies, role: str, record_property: Property) -> None:
    functions = draw(copies.catalogue.callable)
    statements = [call.statement for function in functions for call in calls(function)]
    size = f"{len(functions)} functions, {len(statements)} calls"
    record_property(role, size)
    print(f"\n{role}: {size}")
    report(compare(copies, role, copies.points[:1], statements, undo=True))
