"""The mean scores of systems by two editions, such as sparse and full judgments of the same queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import psycopg

from stcollection.analysis.collection_records import EditionMeans
from stcollection.db.simulated import note_simulated
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.topics.sets import ALL, titled

_SYSTEMS = """
SELECT run, family, queries, value_human, value_other, kendall_tau, tau_ap, pearson
  FROM stc.label_systems(%s, %s, %s, %s::text[], %s) WHERE origin = 'all' ORDER BY run COLLATE "C"
"""


@note_simulated("a", "b")
@translate()
def edition_means(
    conn: psycopg.Connection,
    a: str,
    b: str,
    *,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    queries: str = ALL,
) -> EditionMeans:
    """Return the mean scores of systems by two editions, over the queries that both judge, as a record to draw.

    :param a: the edition that tau_ap treats as the truth.
    :param runs: names; all if empty.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: an edition, a run, the measure or the set does not exist.
    :raises BadArgument: an edition is compared with itself.
    :raises StateError: no system has a score by both editions.
    """
    if a == b:
        raise BadArgument(f"cannot compare {a!r} with itself", hint="'stc show editions' lists the editions.")
    rows = conn.execute(_SYSTEMS, [a, b, str(measure.checked()), list(runs), queries]).fetchall()
    paired = [row for row in rows if row[3] is not None and row[4] is not None]
    if not paired:
        lack = f"no system has a value of {measure} on a query that both {a!r} and {b!r} judge"
        raise StateError(lack, hint="'stc show runs' and 'stc show editions' show what is stored.", sqlstate="IR405")
    return EditionMeans(
        measure=titled(str(measure), queries),
        a=a,
        b=b,
        queries=max(row[2] for row in paired),
        runs=[row[0] for row in paired],
        families=[row[1] for row in paired],
        unpaired=len(rows) - len(paired),
        means_a=np.array([row[3] for row in paired], dtype=np.float64),
        means_b=np.array([row[4] for row in paired], dtype=np.float64),
        kendall_tau=paired[0][5],
        tau_ap=paired[0][6],
        pearson=paired[0][7],
    )
