"""Draw how the chosen queries of a study match the target."""

from __future__ import annotations

from typing import Annotated

import psycopg

from stcollection.db.simulated import simulated_note
from stcollection.declared import Option, declare
from stcollection.plots.canvas import Figure, Width
from stcollection.studies.synth.choose import Match, match
from stcollection.studies.synth.match_drawing import ChosenQueries, draw_match


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


@declare
def plot_match(conn: psycopg.Connection, study: Annotated[str, Option("STUDY")], *, width: Width = None) -> Figure:
    """Plot how the chosen queries of STUDY match their target, before and after: length, words found, and both together.

    :raises UnknownObject: the study does not exist.
    :raises StateError: nothing was chosen in it.
    """
    return draw_match(chosen_queries(conn, match(conn, study)), width=width)
