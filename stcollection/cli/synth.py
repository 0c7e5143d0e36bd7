"""``stc analysis synth``: synthetic queries, from a sample of documents to candidates."""

from __future__ import annotations

import json
from typing import Any

import click

from stcollection.cli.filtering import filter_options, read_filter
from stcollection.cli.generating import generate_, score_
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import study as studies
from stcollection.studies.synth.study import DROPPED, FIELDS, MIN_SCORE


@click.group("synth")
def synth() -> None:
    """Make synthetic queries: sample documents, score them, generate, choose."""


@synth.command("sample")
@click.argument("study")
@click.option("--n", "n", type=click.IntRange(1, 2**31 - 1), default=1000, show_default=True, help="Documents of the study.")
@click.option("--seed", type=int, help="Which ones.  [default: 1, or the study's]")
@click.option("--field", type=click.Choice(FIELDS), help="Title and abstract are content.  [default: abstract, or the study's]")
@filter_options
@click.pass_obj
def sample_(settings: Settings, /, study: str, n: int, seed: int | None, field: str | None, **given: Any) -> None:
    """Draw --n documents with a text for STUDY, which is made where it is not there.

    The same corpus, seed and field draw the same documents in the same order; a larger --n extends a smaller one.
    """
    with connect(settings) as conn:
        drawn = studies.sample(conn, study, n=n, seed=seed, field=field, filter=read_filter(conn, **given))
    click.echo(f"{study}: {drawn.drawn:,} drawn now, {drawn.sampled:,} documents of {drawn.eligible:,} with a text")
    if drawn.sampled < n:
        click.echo(f"there are no more: {n:,} were wanted", err=True)


synth.add_command(score_)
synth.add_command(generate_)


@synth.command("status")
@click.argument("study", required=False)
@click.option("--min-score", type=click.FloatRange(0, 100), default=MIN_SCORE, show_default=True, help="Below it counts as under.")
@format_option
@click.pass_obj
def status_(settings: Settings, study: str | None, min_score: float, style: str) -> None:
    """How far the studies are; of STUDY also what each generator made, and what was dropped and why.

    Shares are of the documents that were answered about. With a study and --format csv the generators alone are printed.
    """
    with connect(settings) as conn:
        rows = studies.overview(conn, min_score=min_score)
        made = None if study is None else studies.generated(conn, study)
    rows = [one for one in rows if study in (None, one.study)]
    if made is None:
        click.echo(render(rows, studies.Overview._fields, style=style))
    elif style == "json":
        click.echo(render([(*rows[0], [one._asdict() for one in made])], [*studies.Overview._fields, "generated"], style=style))
    elif style == "csv":
        click.echo(render(made, studies.Generated._fields, style=style))
    else:
        click.echo(render(rows, studies.Overview._fields, style=style))
        click.echo()
        click.echo(render(made, studies.Generated._fields, style=style) if made else "nothing is generated")


@synth.command("scores")
@click.argument("study")
@click.option("--state", type=click.Choice(("scored", "malformed", "failed", "unasked")), help="Only these.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="So many at most.")
@click.option("--whole", is_flag=True, help="Answers in full, not their beginnings.")
@format_option
@click.pass_obj
def scores_(settings: Settings, study: str, state: str | None, limit: int, whole: bool, style: str) -> None:
    """The sampled documents of STUDY with what was said of each, in the order they were drawn in."""
    with connect(settings) as conn:
        rows = studies.scores(conn, study, state=state, limit=limit)
    if style not in ("json", "csv"):
        rows = [one._replace(answer=shown(one.answer, whole), error=shown(one.error, whole)) for one in rows]
    click.echo(render(rows, studies.Scored._fields, style=style))


@synth.command("candidates")
@click.argument("study")
@click.option("--origin", metavar="ORIGIN", help="Only these.")
@click.option("--dropped", is_flag=True, help="Those that were dropped, not those to use.")
@click.option("--reason", type=click.Choice(DROPPED), help="Those that were dropped for this.")
@click.option("--all", "every", is_flag=True, help="Those to use and those that were dropped.")
@click.option("--limit", type=click.IntRange(min=1), help="So many at most.")
@click.option("--whole", is_flag=True, help="Queries and answers in full, not their beginnings.")
@format_option
@click.pass_obj
def candidates_(
    settings: Settings, study: str, origin: str | None, dropped: bool, reason: str | None, every: bool, limit: int | None,
    whole: bool, style: str,
) -> None:  # fmt: skip
    """The generated queries of STUDY: those to use, or with --dropped what was dropped and why."""
    which = "all" if every else reason or ("any" if dropped else None)
    with connect(settings) as conn:
        rows = studies.candidates(conn, study, origin=origin, dropped=which, limit=limit)
    if style not in ("json", "csv"):
        rows = [one._replace(query=shown(one.query, whole), answer=shown(one.answer, whole)) for one in rows]
        if which is None:  # the answer tells little more than the query
            click.echo(render([one[:-1] for one in rows], studies.Candidate._fields[:-1], style=style))
            return
    click.echo(render(rows, studies.Candidate._fields, style=style))


@synth.command("drop")
@click.argument("study")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop_(settings: Settings, study: str, yes: bool) -> None:
    """Remove STUDY with its sample, scores and candidates. Queries that were published from it stay."""
    with connect(settings) as conn:
        there = [one for one in studies.overview(conn) if one.study == study]
        if there and there[0].candidates + there[0].scored + there[0].malformed and not yes:
            click.confirm(
                f"{study} has {there[0].scored:,} scores and {there[0].candidates:,} candidates; remove them?", abort=True
            )
        dropped = studies.drop(conn, study)
    click.echo(f"{study} is removed, with {dropped:,} candidates")


def shown(text: str | None, whole: bool) -> str | None:
    """On one line, and without what a terminal would obey."""
    if text is None:
        return None
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in json.dumps(text, ensure_ascii=False)[1:-1])
    return line if whole or len(line) <= 60 else line[:59] + "…"
