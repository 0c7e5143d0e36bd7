"""Report sections on rankings: agreement between origins of queries, and the number of queries needed."""

from __future__ import annotations

import psycopg

from stcollection.analysis.reliability import Draws, growth_curves, reliability, set_means
from stcollection.counts import counted
from stcollection.plots.reliability import draw_growth, draw_scatter
from stcollection.studies.synth.report.parts import Section, StudySources, apart, picture, shown, table_of

_CLOSE = 0.9
_SIZES = (1, 2, 5, 10, 20, 50, 100)  # points of a curve that are shown, besides its end


def report_rankings(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section with Kendall's tau, tau_ap and Pearson's r between the rankings by pairs of origins."""
    rows = reliability(conn, **study.ranked, bootstrap=study.resamples, seed=study.seed)
    drawn = [
        picture(
            f"scatter-{at}",
            f"Each system by its mean {study.measure} on {row.a} queries (across) and {row.b} queries (up); equal on the dashes.",
            lambda row=row: draw_scatter(  # type: ignore[misc]
                set_means(conn, **study.ranked, pair=(row.a, row.b))
            ),
        )
        for at, row in enumerate(rows, 1)
        if row.a != "all"
    ]
    figures, missing = apart(drawn)
    sets = "a: set | b: against | "
    of_tau = sets + (
        "queries_a: queries | queries_b: against them | shared | systems | tau | tau_low: from | tau_high: to | "
        "max_shift: largest move | shifted: of"
    )
    others = sets + "tau_ap | tau_ap_low: from | tau_ap_high: to | pearson: r | pearson_low: from | pearson_high: to"
    sentences = tuple(
        f"Rankings of {counted(row.systems, 'system')} by {row.b} queries ({row.queries_b:,}) and by {row.a} queries"
        f" ({row.queries_a:,}) agree"
        f" with tau {shown(row.tau)}, 95% from {shown(row.tau_low)} to {shown(row.tau_high)}."
        for row in rows
    )
    return Section(
        paragraphs=sentences,
        tables=(
            table_of("tau", "Kendall's tau of two rankings of the systems; 95% intervals from resampled queries.", rows, of_tau),
            table_of(
                "others", "Agreement by tau_ap, which gives the top more weight, and by Pearson's r of the means.", rows, others
            ),
        ),
        figures=figures,
        missing=missing,
        notes=(
            f"The literature treats rankings with a tau of {_CLOSE} or more as equivalent (Voorhees, 1998). Few queries, or"
            " systems that are nearly equal, lower tau whatever the origin of the queries. The next section shows how well"
            " rankings by human queries agree with each other.",
            "tau_ap treats the first set as the truth. The largest move is in ranks, negative upwards.",
        ),
    )


def report_growth(conn: psycopg.Connection, study: StudySources) -> Section:
    """Section with mean tau with the ranking by human queries, by the number of queries drawn from each origin."""
    curves = growth_curves(conn, **study.ranked, draws=Draws(study.resamples, study.seed))
    rows = curves.points
    drawn = picture(
        "curves",
        f"Mean tau with the ranking by human queries, by the number of queries drawn from each origin ({study.measure}).",
        lambda: draw_growth(curves),
    )
    figures, missing = apart([drawn])
    columns = "of | against | size: drawn | against_size: of those | shared | draws | tau | low | high"
    last = {row.of: row.size for row in rows}  # rows of each origin are sorted by size
    brief = tuple(at for at, row in enumerate(rows) if row.size in _SIZES or row.size == last[row.of])
    return Section(
        tables=(
            table_of(
                "growth",
                "Kendall's tau by the number of queries drawn; 95 % of the draws lie between low and high.",
                rows,
                columns,
                brief=brief,
            ),
        ),
        figures=figures,
        missing=missing,
        notes=("Drawn queries are left out of the set they are compared with: a ranking agrees with any ranking it is part of.",),
    )
