"""Report sections on the data studied, and on systems by origin of the queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg

from stcollection.cells import on_one_line
from stcollection.counts import counted
from stcollection.db.backup.manifest import made_by
from stcollection.db.rows import only_row
from stcollection.db.simulated import simulated_note
from stcollection.plots.origins import OriginMeans, draw_by_origin
from stcollection.studies.synth.report.parts import (
    Cell,
    Missing,
    ReportTable,
    Section,
    StudySources,
    apart,
    listed,
    picture,
)
from stcollection.topics.sets import ALL

HUMAN = "human"
SYNTHETIC = "stc load --as origins FILE"  # the command that sets origins
_EDITION = "SELECT queries, judgments, grades, origins, split, year, sealed IS NOT NULL FROM edition_overview WHERE edition = %s"
_ORIGINS = """
SELECT q.origin, count(*) FROM st1_queries q WHERE q.id = ANY (stc.edition_queries(%s, %s)) GROUP BY q.origin
 ORDER BY q.origin <> 'human', q.origin COLLATE "C"
"""
_FAMILIES = """
SELECT f.family, array_agg(r.run ORDER BY r.run COLLATE "C") FROM st1_runs r, stc.family_name(r.family) f (family)
 WHERE r.run = ANY (stc.edition_runs(%s)) AND (%s::text[] = '{}' OR r.run = ANY (%s::text[]))
 GROUP BY f.family ORDER BY f.family IS NULL, f.family COLLATE "C"
"""
_EXTENSIONS = "SELECT extname, extversion FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname"
# Means sum values in the order of query names, so that they are reproducible to the last bit.
_BOARD = """
SELECT s.run, s.family, s.origin, avg(s.value ORDER BY s.query COLLATE "C"), count(*)
  FROM origin_scores(%s, %s, %s::text[], %s) s GROUP BY GROUPING SETS ((s.run, s.family, s.origin), (s.run, s.family))
"""


class OriginStanding(NamedTuple):
    """A run's mean and rank on the queries of each origin and on all (``all``); rank = 1 + number of runs with a higher mean."""

    run: str
    family: str | None
    values: dict[str, float]
    ranks: dict[str, int]


def origins_of(conn: psycopg.Connection, edition: str, queries: str = ALL) -> dict[str, int]:
    """Return the number of judged queries of an edition by origin, human first. :param queries: the set they belong to."""
    return dict(conn.execute(_ORIGINS, [edition, queries]).fetchall())


def families_of(conn: psycopg.Connection, study: StudySources) -> dict[str | None, list[str]]:
    """Return the names of the runs of each family, those without a family last."""
    return dict(conn.execute(_FAMILIES, [study.ranking, list(study.runs), list(study.runs)]).fetchall())


def standings(
    conn: psycopg.Connection, *, edition: str, measure: str, runs: Sequence[str] = (), queries: str = ALL
) -> list[OriginStanding]:
    """Return the runs with means by origin of the queries, best on all queries first.

    :raises UnknownObject: a run, the edition or the measure does not exist.
    """
    values: dict[tuple[str, str | None], dict[str, float]] = {}
    for run, family, origin, mean, _ in conn.execute(_BOARD, [edition, measure, list(runs), queries]):
        values.setdefault((run, family), {})["all" if origin is None else origin] = mean
    ranks = {
        key: {of: 1 + sum(other[of] > mean for other in values.values()) for of, mean in means.items()}
        for key, means in values.items()
    }
    rows = [OriginStanding(run, family, means, ranks[run, family]) for (run, family), means in values.items()]
    return sorted(rows, key=lambda row: (-row.values["all"], row.run.encode()))


def report_data(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section on collection, editions, runs, versions and random draws."""
    rows: list[tuple[Cell, ...]] = []
    for role, edition in (("judged by people", study.edition), ("by a language model", study.llm), ("sparse", study.sparse)):
        row = None if edition is None else conn.execute(_EDITION, [edition]).fetchone()
        if row is not None:
            queries, judgments, grades, by, split, year, sealed = row
            by_grade = listed([f"{grade}: {number:,}" for grade, number in sorted(grades.items(), key=lambda pair: int(pair[0]))])
            rows.append((edition, role, queries, judgments, by_grade, listed(sorted(by)), split, str(year or "–"), bool(sealed)))
    database = only_row(
        conn,
        "SELECT current_database(), count(*) FILTER (WHERE NOT stub), current_setting('server_version'),"
        " count(*) FILTER (WHERE stub) FROM dblp",
    )
    stubs = f" and {counted(database[3], 'stub')}" if database[3] else ""
    origins = origins_of(conn, study.edition, study.queries)
    families = families_of(conn, study)
    runs = sum(map(len, families.values()))
    extensions = [f"{name} {of}" for name, of in conn.execute(_EXTENSIONS)]
    under = f", with the labels of {study.scored}, because none has scores under {study.edition}" if study.scored else ""
    of_set = "" if study.queries == ALL else f" of the set {on_one_line(study.queries)}"
    by_origin = listed([f"{number:,} {origin}" for origin, number in origins.items()])
    return Section(
        paragraphs=(
            f"The collection {database[0]} has {counted(database[1], 'document')}{stubs}. The edition {study.edition} judges"
            f" {counted(sum(origins.values()), 'query')}{of_set}: {by_origin or 'none'}."
            f" {counted(runs, 'system')} {'is' if runs == 1 else 'are'} scored by {study.measure}{under}.",
            f"Random draws use the seed {study.seed} and {counted(study.resamples, 'resample')}."
            f" stcollection {made_by()}, PostgreSQL {database[2].split()[0]}"
            f"{', ' if extensions else ''}{', '.join(extensions)}.",
        ),
        tables=(
            ReportTable(
                name="editions",
                caption="The editions of the judgments, with one judgment per query and document; all of their queries.",
                headers=("edition", "role", "queries", "judgments", "by grade", "judged by", "split", "year", "sealed"),
                rows=tuple(rows),
            ),
            ReportTable(
                name="families",
                caption="The systems by family; a dash marks systems without a family.",
                headers=("family", "systems"),
                rows=tuple((family, len(members)) for family, members in families.items()),
            ),
        ),
    )


def report_systems(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section with the leaderboard by origin of the queries."""
    origins = origins_of(conn, study.ranking, study.queries)
    runs = standings(conn, edition=study.ranking, measure=str(study.measure.checked()), runs=study.runs, queries=study.queries)
    if not runs:
        return Section(
            missing=(Missing(what=f"no run has documents or scores for the queries of {study.ranking}", command="stc run --all"),),
        )
    columns = ["all", *origins] if len(origins) > 1 else list(origins)
    rows = tuple(
        (run.run, run.family, *(part for of in columns for part in (run.values.get(of), run.ranks.get(of)))) for run in runs
    )
    headers = ("run", "family", *(part for of in columns for part in (of, f"rank, {of}")))
    measure = str(study.measure)
    means = OriginMeans(rows=runs, origins=columns, measure=measure, simulated=simulated_note(conn, [study.ranking]))
    drawn, missing = apart(
        [picture("means", f"Mean {measure} of each system by origin of the queries.", lambda: draw_by_origin(means))]
    )
    sizes = listed([f"{origin}: {counted(number, 'query')}" for origin, number in origins.items()])
    return Section(
        tables=(ReportTable(name="means", caption=f"Mean {measure} and rank by origin ({sizes}).", headers=headers, rows=rows),),
        figures=drawn,
        missing=missing,
        notes=(
            "A rank is 1 + the number of systems with a higher mean; equal means share a rank. Missing queries count 0.",
            "Means by different origins are over different queries: a higher mean indicates easier queries or a larger share of"
            " judged documents, not a better system. Compare the order of systems, not the level of means.",
        ),
    )
