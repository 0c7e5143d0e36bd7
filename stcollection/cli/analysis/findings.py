"""The command ``stc analysis findings``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import click

from stcollection.analysis.findings import AGREES, DIFFERS, MOST, UNDETERMINED, Draw, Finding, findings
from stcollection.cli.options import packed, together
from stcollection.cli.options.completion import complete_measures
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import parse_measure


@dataclass(frozen=True, kw_only=True)
class LabelEditions:
    """Three editions with the same queries: judged by people, by a language model, and sparsely."""

    human: str
    llm: str | None
    sparse: str | None


_options = together(
    click.option("--human", required=True, help="Edition with judgments by people.  ['stc qrels editions' lists the editions]"),
    click.option("--llm", help="Edition with judgments by a language model. The study used GPT-4."),
    click.option("--sparse", help="Edition with sparse labels: one relevant document per query."),
    click.option(
        "-m",
        "--measure",
        default="nDCG@10",
        show_default=True,
        shell_complete=complete_measures,
        help="Measure that ranks the systems. The study used nDCG@10.",
    ),
    click.option(
        "--min-grade",
        "level",
        type=click.IntRange(-32768, 32767),
        default=1,
        show_default=True,
        help="Lowest grade that counts as relevant.",
    ),
    queries_option,
    click.option(
        "--resamples", type=click.IntRange(1, MOST), default=10_000, show_default=True, help="Bootstrap resamples of the queries."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap."),
)


@click.command("findings")
@_options
@format_option
@click.pass_obj
@packed(LabelEditions, "editions")
@packed(Draw, "draw")
def command(
    settings: Settings,
    /,
    *,
    editions: LabelEditions,
    measure: str,
    level: int,
    draw: Draw,
    queries: str,
    style: str,
) -> None:
    """Check each published finding on synthetic queries against this collection: it agrees, disagrees or cannot be decided, and
    why.

    Numbers are those of TREC 2023 Deep Learning and are compared only on its queries. The direction of an effect is checked in any
    collection that has human and other queries. docs/howto/check-reliability.md lists the names of the families of systems.
    """
    with connect(settings) as conn:
        found = findings(
            conn,
            human=editions.human,
            llm=editions.llm,
            sparse=editions.sparse,
            measure=parse_measure(measure),
            level=level,
            draw=draw,
            queries=queries,
        )
    if style in ("json", "csv"):
        click.echo(render(found, Finding._fields, style=style))
        return
    rows = [(one.id, one.verdict, _short(one.published), _short(one.ours), _interval(one), one.labels or "–") for one in found]
    click.echo(render(rows, ["finding", "verdict", "published", "ours", "95 %", "labels"], style=style))
    counts = Counter(one.verdict for one in found)
    click.echo("\n" + ", ".join(f"{counts[verdict]} {verdict}" for verdict in (AGREES, DIFFERS, UNDETERMINED)) + "\n")
    for source in dict.fromkeys(one.source for one in found):
        click.echo(f"{source}:")
        for one in found:
            if one.source == source:
                click.echo(f"- {one.id}: {one.verdict}. {one.sentence} Published: {one.claim}. Rule: {one.rule}.")


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}"


def _interval(one: Finding) -> str:
    return "–" if one.low is None or one.high is None else f"{one.low:.3f} … {one.high:.3f}"
