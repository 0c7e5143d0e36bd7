"""Draw how the chosen queries of a study match the target."""

from __future__ import annotations

import psycopg

from stcollection.db.simulated import simulated_note
from stcollection.plots.canvas import Figure
from stcollection.plots.match import ChosenQueries, draw_match
from stcollection.studies.synth.choose import Match, match


def chosen_queries(conn: psycopg.Connection, choice: Match) -> ChosenQueries:
    """Return a match as a record to draw."""
    joint = choice.distances()[2]
    return ChosenQueries(
        study=choice.study,
        origin=choice.origin,
        like=choice.like,
        tv_before=joint.tv_before,
        tv_after=joint.tv_after,
        target=choice.target,
        before=choice.before,
        after=choice.after,
        simulated=simulated_note(conn, [choice.like]),
    )


def plot_match(conn: psycopg.Connection, study: str, *, width: float | None = None) -> Figure:
    """Draw how the chosen queries of a study match the target; see :func:`~stcollection.plots.match.draw_match`.

    :raises UnknownObject: the study does not exist.
    :raises StateError: nothing was chosen in it.
    """
    return draw_match(chosen_queries(conn, match(conn, study)), width=width)
