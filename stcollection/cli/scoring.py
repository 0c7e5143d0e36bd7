"""``stc evaluation import | compare-output | zscores`` and ``stc qrels import-preferences``.

Scores of others, and the other forms of judgments that trec_eval knows.
"""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.measuring import edition_option, measure_option, rules_option
from stcollection.cli.output import format_option, render
from stcollection.cli.runs import FILE, unknown, unknown_docs_option, unknown_queries_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.compare import Comparison, compare_output
from stcollection.evaluation.imported import import_scores, read_families
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.score import Rules
from stcollection.evaluation.zscores import zscore_norms, zscores
from stcollection.qrels.preferences import import_preferences

_EXIT_DIFFERENT = 1


@click.command("import-preferences")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--edition", required=True, help="The edition they go to; made if it is not there.")
@unknown_docs_option
@unknown_queries_option
@click.pass_obj
def import_preferences_(
    settings: Settings, files: tuple[Path, ...], edition: str, unknown_documents: str, unknown_queries: str
) -> None:
    """Add the preferences of FILES to an edition, as trec_eval -R prefs reads them: query, group, subgroup, document, level a line.

    Each file is stored wholly or not at all. What is stored already changes nothing; another level is an error.
    """
    with connect(settings) as conn:
        for file in files:
            done = import_preferences(
                conn, file, edition=edition, unknown_documents=unknown_documents, unknown_queries=unknown_queries
            )
            told = [f"{file}: {done.levels:,} levels in {done.groups:,} groups on {done.queries:,} queries, {done.added:,} added"]
            if done.unchanged:
                told.append(f"{done.unchanged:,} stored already")
            if done.duplicates:
                told.append(f"{done.duplicates:,} duplicates dropped")
            click.echo("; ".join([*told, *unknown(done)]))


@click.command("zscores")
@click.argument("runs", nargs=-1)
@edition_option
@measure_option(*OFFICIAL)
@click.option("--reference", multiple=True, metavar="RUN", help="A run that mean and deviation are of; repeat it.  [default: all]")
@click.option("--norms", is_flag=True, help="Print query, measure, mean and deviation, as trec_eval -Z reads them, instead.")
@click.option("-q", "--per-query", is_flag=True, help="A row for each query, not the mean alone.")
@click.option(
    "--complete/--retrieved", default=True, show_default=True,
    help="Count a query a run has nothing for as 0 (trec_eval -c), or leave it out.",
)  # fmt: skip
@format_option
@click.pass_obj
def zscores_(
    settings: Settings, runs: tuple[str, ...], edition: str, measures: list[Measure], reference: tuple[str, ...], norms: bool,
    per_query: bool, complete: bool, style: str,
) -> None:  # fmt: skip
    """Standardise the scores of RUNS (all that have something for the edition, if none is named), query by query.

    They are told in deviations from the mean of all runs, so that a hard query and an easy one weigh alike. A score has no z (–)
    where the reference runs all have one and the same score and this one is another; the mean leaves it out.
    """
    names = [measure.trec_eval for measure in measures]
    with connect(settings) as conn:
        if norms:
            for norm in zscore_norms(conn, edition=edition, measures=measures, runs=reference, complete=complete):
                click.echo(f"{norm.query} {norm.measure} {norm.mean:.6f} {norm.deviation:.6f}")
            return
        found = zscores(conn, edition=edition, measures=measures, runs=runs, reference=reference, complete=complete)
    table: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for one in found:
        row = table.setdefault((one.run, one.query) if per_query else (one.run,), {name: [] for name in names})
        row[one.measure] += [] if one.value is None else [one.value]
    means = [(key, [sum(row[name]) / len(row[name]) if row[name] else None for name in names]) for key, row in table.items()]
    if not per_query:
        means.sort(key=lambda one: (one[1][0] is None, -(one[1][0] or 0.0), one[0]))
    rows = [(*key, *values) for key, values in means]
    click.echo(render(rows, ["run", *(["query"] if per_query else []), *map(str, measures)], style=style))


@click.command("import")
@click.argument("file", type=FILE)
@edition_option
@click.option("--run", help="The run's name; of a file of several systems, the only one to take.  [default: as the file says]")
@click.option("--family", help="The kind of system, as sparse or dense, of the runs it makes.")
@click.option("--families", type=FILE, help="A table with a header that names the family of each: system, family, …")
@unknown_queries_option
@click.option("--replace", is_flag=True, help="Put a value in the place of a stored one, which is an error otherwise.")
@click.pass_obj
def import_(
    settings: Settings, file: Path, edition: str, run: str | None, family: str | None, families: Path | None, unknown_queries: str,
    replace: bool,
) -> None:  # fmt: skip
    """Store the scores of FILE, computed by others: the output of trec_eval -q, or lines of system, measure, query, value.

    The runs are made, without rankings; analyses read these scores as if they were computed here. FILE is stored wholly or not at
    all. What is stored already changes nothing.
    """
    by_name = None if families is None else read_families(families)
    with connect(settings) as conn:
        done = import_scores(
            conn, file, edition=edition, run=run, family=family, families=by_name, unknown_queries=unknown_queries,
            replace_stored=replace,
        )  # fmt: skip
    told = [f"{file}: {done.scores:,} scores of {done.runs:,} runs on {done.queries:,} queries, {done.added:,} added"]
    for count, what in (
        (done.replaced, "replaced"), (done.unchanged, "stored already"), (done.duplicates, "duplicates dropped"),
        (done.aside, "lines of summaries or text left aside"), (done.new_runs, "new runs, without rankings"),
    ):  # fmt: skip
        if count:
            told.append(f"{count:,} {what}")
    click.echo("; ".join([*told, *unknown(done)]))


@click.command("compare-output")
@click.argument("file", type=FILE)
@click.option("--run", required=True, help="The stored run; of a file of several systems, also whose lines are read.")
@edition_option
@click.option(
    "--judgments", type=click.Choice(["prefs", "qrels_prefs"]), default="prefs", show_default=True,
    help="What trec_eval was given with -R, if the file has measures of preferences.",
)  # fmt: skip
@click.option(
    "--complete/--retrieved", default=False, show_default=True,
    help="The file was made with trec_eval -c: its means count a query the run has nothing for as 0.",
)  # fmt: skip
@rules_option
@click.option(
    "--tolerance", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Differences up to this do not count."
)
@format_option
@click.pass_context
def compare_output_(
    context: click.Context,
    file: Path,
    run: str,
    edition: str,
    judgments: str,
    complete: bool,
    rules: str,
    tolerance: float,
    style: str,
) -> None:
    """Compare FILE, what trec_eval printed for a stored run, with what is computed here, and name every difference.

    Our values are rounded as theirs are. Exits with 1 where there is a difference.
    """
    with connect(context.obj) as conn:
        found = compare_output(
            conn, file, run=run, edition=edition, judgments=judgments, complete=complete, rules=Rules(version=rules),
            tolerance=tolerance,
        )  # fmt: skip
    rows = [(one.line, one.measure, one.query, one.theirs, one.ours) for one in found.differences]
    if rows or style != "table":
        click.echo(render(rows, ["line", "measure", "query", "theirs", "ours"], style=style))
    click.echo(_told(found), err=style != "table")
    if rows:
        context.exit(_EXIT_DIFFERENT)


def _told(found: Comparison) -> str:
    told = [f"{found.run}: {found.equal:,} values equal, {len(found.differences):,} different"]
    if found.uncompared:
        told.append(f"{sum(found.uncompared.values()):,} lines not compared: {', '.join(found.uncompared)}")
    return "; ".join(told)
