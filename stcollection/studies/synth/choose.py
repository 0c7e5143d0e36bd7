"""Select generated queries that resemble judged ones: their joint distribution of (length, words found) follows a target edition.

n pairs are allotted to the cells of the target in proportion (:func:`~stcollection.studies.synth.histograms.allot`). Then each pair
gets a separate passage so that the sum of |Δlength| + |Δfound| between allotted and actual cells is minimal. This assignment
problem is solved exactly (Crouse, IEEE Trans. Aerosp. Electron. Syst. 52(4), 2016, by scipy). A cell with too few candidates
takes the nearest ones, and no other selection is closer to the allotment. The method is that of Craswell et al., TREC 2023 Deep
Learning Track; the handling of shortages is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.db.rows import only_row
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.studies.synth.histograms import Histogram, Ints, allot, histogram, variation, wasserstein
from stcollection.studies.synth.parameters import Level, StudyName
from stcollection.topics.sets import ALL

_BEFORE = """
SELECT length, found, count(*) FROM stc_all.synth_candidates
 WHERE study = %s AND origin = %s AND dropped IS NULL AND text IS NOT NULL AND length IS NOT NULL AND found IS NOT NULL
 GROUP BY length, found
"""
_ORIGINS = "SELECT DISTINCT origin FROM stc_all.synth_candidates WHERE study = %s AND dropped IS NULL ORDER BY origin"


class Distance(NamedTuple):
    """Distance of all candidates, and of the chosen ones, from the target, by ``length``, ``found`` or ``joint``.

    :param target, before, after: means, in words; None for the joint distribution.
    :param tv_before, tv_after: total variation distance, in [0, 1].
    :param w1_before, w1_after: Wasserstein-1 distance, in words; None for the joint distribution if the grid is too large.
    """

    of: str
    target: float | None
    before: float | None
    after: float | None
    tv_before: float
    tv_after: float
    w1_before: float | None
    w1_after: float | None


class Taken(NamedTuple):
    """The chosen queries of one origin.

    :param chosen: number of chosen queries.
    :param missing: number of chosen passages without a query of this origin.
    """

    origin: str
    chosen: int
    missing: int


class Match(NamedTuple):
    """How a study's queries were chosen, and how well they match the target.

    :param requested: number of pairs; fewer are chosen if passages run out.
    :param exact: pairs in exactly the allotted cell.
    :param moved: sum of |Δlength| + |Δfound| over the other pairs, in words.
    :param without_text: relevant pairs of the target whose query or document has no text; they are ignored.
    """

    study: str
    like: str
    level: int
    origin: str
    also: list[str]
    seed: int
    requested: int
    exact: int
    moved: int
    without_text: int
    target: Histogram
    before: Histogram
    after: Histogram
    simulated: str | None = None

    def distances(self) -> list[Distance]:
        """Return the distances of both marginals and of the joint distribution."""
        rows = []
        for of, axis in (("length", 0), ("found", 1), ("joint", None)):
            means = (None,) * 3 if axis is None else tuple(part.mean(axis) for part in (self.target, self.before, self.after))
            near = [measure(part, self.target, axis) for measure in _MEASURES for part in (self.before, self.after)]
            rows.append(Distance(of, *means, *near))
        return rows


_MEASURES: tuple[Callable[[Histogram, Histogram, int | None], float | None], ...] = (variation, wasserstein)


class Assigned(NamedTuple):
    """Passages assigned to the cells of the target.

    :param rows: int64[n], rows of the pool, one per passage.
    :param exact, moved: as for :class:`Match`.
    """

    rows: Ints
    exact: int
    moved: int


def assign(target: Histogram, places: Ints, cells: Ints, *, n: int) -> Assigned:
    """Choose n rows of a pool, from n passages, nearest to the target's allotment of n.

    :param places: int64[rows] in ascending order: the passage of each row, in random order of passages.
    :param cells: int64[rows, 2], length and found; of equally near rows of one passage the first is taken.
    :returns: fewer than n rows if there are fewer passages; the allotment is then for that number.
    """
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 1)) if len(places) else np.zeros(0, dtype=np.int64)
    allotted = allot(target, min(n, len(starts)))
    if not allotted.pairs:
        return Assigned(np.zeros(0, dtype=np.int64), 0, 0)
    nearest = np.empty((len(allotted.cells), len(starts)), dtype=np.int64)  # for each allotted cell and passage: a row of the pool
    ways = np.empty(nearest.shape, dtype=np.float64)
    ends = np.append(starts[1:], len(places))
    for at, cell in enumerate(allotted.cells):
        way = np.abs(cells - cell).sum(axis=1)
        ways[at] = np.minimum.reduceat(way, starts)
        hit = np.flatnonzero(way == np.repeat(ways[at], ends - starts))
        nearest[at] = hit[np.searchsorted(hit, starts)]
    slots = np.repeat(np.arange(len(allotted.cells)), allotted.counts)
    from scipy.optimize import linear_sum_assignment  # takes long to load

    slot, passage = linear_sum_assignment(ways[slots])
    way = ways[slots[slot], passage]
    return Assigned(nearest[slots[slot], passage], int((way == 0).sum()), int(way.sum()))


@declare
@note_simulated("like")
@translate()
def select(
    conn: psycopg.Connection,
    study: StudyName,
    *,
    like: Annotated[str, Option("--match", metavar="EDITION")],
    n: Annotated[int, AllowedRange(ge=1, le=1_000_000), Option("--size")] = 250,
    origin: str = "t5",
    also: Annotated[Sequence[str], Option(metavar="ORIGIN")] = (),
    level: Level = 1,
    seed: Annotated[int | None, AllowedRange(ge=-(2**63), le=2**63 - 1), Option(default="the study's")] = None,
    queries: str = ALL,
) -> tuple[Match, list[Taken]]:
    """Choose n generated queries of n passages, and queries of other origins for the same passages; replace an earlier choice.

    The same candidates and seed give the same choice, whatever the physical order of rows.

    :param like: Edition whose relevant judgments the queries should resemble.
    :param n: Number of queries, each from a different passage. :param origin: Origin of the queries to match.
    :param also: Also select the query of this origin for each selected passage, such as gpt-4. Repeatable.
    :param seed: Seed for ties between passages.
    :param queries: the set of queries of ``like`` that is the target (:func:`~stcollection.topics.sets.members`).
    :returns: the match, and the chosen queries of each origin.
    :raises UnknownObject: the study, edition or set does not exist.
    :raises BadArgument: an argument is outside its range, or the choice is already published.
    :raises StateError: the target has no relevant pair with texts, or the origin has no usable candidate.
    """
    also = list(dict.fromkeys(also))
    if origin in also:
        raise BadArgument(f"origin {origin!r} is given twice", hint="Give each origin once.")
    with conn.transaction():
        key, name, field, own = only_row(
            conn, "SELECT id, study, field, seed FROM stc_all.synth_studies WHERE id = stc.synth_study_key(%s) FOR UPDATE", [study]
        )
        seed = own if seed is None else seed
        cells = conn.execute(
            "SELECT length, found, pairs FROM stc.synth_target(%s, %s, %s, %s)", [like, field, level, queries]
        ).fetchall()
        conn.execute("SELECT stc.synth_mark(%s)", [key])  # a killed generation may have left duplicates unmarked
        target = histogram(cell for cell in cells if cell[0] is not None)
        without_text = sum(cell[2] for cell in cells if cell[0] is None)
        if not target.pairs:
            raise _no_target(like, level, field, without_text)
        before = histogram(conn.execute(_BEFORE, [key, origin]).fetchall())
        _check_origins(conn, key, name, [origin, *also])
        pool = np.array(
            conn.execute(
                "SELECT candidate, place, length, found, lot FROM stc.synth_pool(%s, %s, %s)", [key, origin, seed]
            ).fetchall(),
            dtype=np.int64,
        ).reshape(-1, 5)
        pool = pool[np.lexsort((pool[:, 0], pool[:, 4], pool[:, 1]))]
        assigned = assign(target, pool[:, 1], pool[:, 2:4], n=n)
        chosen = pool[assigned.rows]
        after = histogram((*map(int, pair[2:4]), 1) for pair in chosen)
        how = {
            "like": like, "queries": queries, "level": level, "origin": origin, "also": also, "seed": seed, "n": n,
            "exact": assigned.exact, "moved": assigned.moved, "without_text": without_text,
            "target": target.rows(), "before": before.rows(), "after": after.rows(),
        }  # fmt: skip
        taken = conn.execute(
            "SELECT origin, chosen, missing FROM stc.synth_choose(%s, %s::bigint[], %s::text[], %s)",
            [key, chosen[:, 0].tolist(), also, Jsonb(how)],
        ).fetchall()
    return _match(name, how), [Taken(*counts) for counts in taken]


@translate()
def match(conn: psycopg.Connection, study: StudyName) -> Match:
    """Return how a study's queries were chosen, as stored then: later changes of the edition or of candidates have no effect.

    :raises UnknownObject: the study does not exist.
    :raises StateError: nothing was chosen in it.
    """
    name, how = only_row(
        conn, "SELECT study, params -> 'select' FROM stc_all.synth_studies WHERE id = stc.synth_study_key(%s)", [study]
    )
    if how is None:
        hint = f"Choose queries with 'stc synth select {study} --match EDITION'."
        raise StateError(f"no queries of the study {study!r} were chosen", hint=hint, sqlstate="IR405")
    return _match(name, how)


def _match(study: str, how: dict[str, Any]) -> Match:
    """Return a Match from the parameters that select stored in synth_studies.params."""
    histograms: dict[str, Any] = {name: histogram(how[name]) for name in ("target", "before", "after")}
    same = {name: how[name] for name in ("like", "level", "origin", "also", "seed", "exact", "moved", "without_text")}
    return Match(study=study, requested=how["n"], **same, **histograms)


def _no_target(like: str, level: int, field: str, without_text: int) -> StateError:
    if without_text:
        fault = f"{counted(without_text, 'relevant pair')} of the edition {like!r}, none with the text of its query and its {field}"
        return StateError(fault, hint="Load the queries ('stc load --as topics') and the documents they judge.", sqlstate="IR405")
    fault = f"the edition {like!r} has no grade of {level} or more"
    return StateError(fault, hint="Use an edition with relevant documents, or a lower --min-grade.", sqlstate="IR405")


def _check_origins(conn: psycopg.Connection, key: int, study: str, origins: Sequence[str]) -> None:
    usable = [row[0] for row in conn.execute(_ORIGINS, [key])]
    for origin in origins:
        if origin not in usable:
            hint = f"Its origins are {', '.join(usable)}." if usable else "Generate some first: 'stc synth --help'."
            raise StateError(f"the study {study!r} has no usable query of the origin {origin!r}", hint=hint, sqlstate="IR405")
