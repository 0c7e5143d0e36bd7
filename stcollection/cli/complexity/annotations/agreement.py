"""The command ``stc complexity annotations agreement``."""

from __future__ import annotations

import click

from stcollection.analysis import annotations as analysis
from stcollection.analysis.annotations import ALL, AnnotationBootstrap
from stcollection.cli.complexity.annotations._text import MACHINE, interval, interval_header
from stcollection.cli.options.annotations import bootstrap_options, group_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.complexity.annotations import ASPECTS, overview
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("agreement")
@click.option(
    "--aspect", "aspects", multiple=True, type=click.Choice(ASPECTS), help="Aspect that was graded. Repeatable.  [default: both]"
)
@group_option
@click.option("--annotators", "by_annotator", is_flag=True, help="Compare each pair of annotators, without intervals.")
@bootstrap_options
@format_option
@click.pass_obj
def command(
    settings: Settings,
    /,
    aspects: tuple[str, ...],
    groups: tuple[str, ...],
    by_annotator: bool,
    style: str,
    bootstrap: AnnotationBootstrap,
) -> None:
    """Measure agreement within each group of annotators, between each two groups, and of all annotators together.

    kappa is Cohen's, averaged over pairs of annotators on the documents that both graded. alpha is Krippendorff's for ordinal
    grades; its interval is a bootstrap over documents.
    """
    with connect(settings) as conn:
        graded_ones = aspects or [name for name in ASPECTS if any(one.aspect == name for one in overview(conn))] or ASPECTS[:1]
        if by_annotator:
            pairs = [one for aspect in graded_ones for one in analysis.annotator_agreement(conn, aspect=aspect, groups=groups)]
            click.echo(render(pairs, analysis.AnnotatorPair._fields, style=style))
            if not pairs:
                aside("no document is graded by two annotators")
            return
        rows = [
            one for aspect in graded_ones for one in analysis.agreement(conn, aspect=aspect, groups=groups, bootstrap=bootstrap)
        ]
    several = len({one.aspect for one in rows}) > 1 or style in MACHINE
    headers = [
        *(["aspect"] * several),
        "group",
        "with",
        *analysis.AnnotationAgreement._fields[3:-2],
        *interval_header("", bootstrap, style),
    ]
    lines = [
        [*([one.aspect] * several), one.group_a or ALL, one.group_b or ALL, *one[3:-2], *interval(one.low, one.high, style)]
        for one in rows
    ]
    click.echo(render(lines, headers, style=style))
