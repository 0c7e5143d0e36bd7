"""``stc qrels seal``, ``verify``, ``describe``, ``derive``, ``files`` and ``check``: what becomes of an edition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from stcollection.cli.output import format_option, marked, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.evaluation.score import judge
from stcollection.io.qrels.judgments import read_grades
from stcollection.qrels.derive import RULES, derive
from stcollection.qrels.editions import describe, seal, verify
from stcollection.qrels.load import ORIGINS
from stcollection.qrels.rules import check
from stcollection.qrels.sources import EDITION, Source, sources, state

_SHOWN = 5  # names of offenders in a table

# What each rule of the organisers asks; sql/qrels/edition_rules.sql says it precisely.
_ASKS = {
    "relevant": "each query reaches {relevant} documents of grade {rel} or better",
    "unseen": "no query of a test edition was judged in an earlier edition",
    "documents": "each judged document is in the corpus",
    "queries": "each query has a text and a topic",
    "grades": "each grade is on the scale",
    "annotators": "annotators of a document are of one mind, or settled by 'derive'",
}


def facts(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what an edition is."""
    for option in (
        click.option("--year", type=click.IntRange(1900, 2999), help="The year of the track it is of."),
        click.option("--split", type=click.Choice(["train", "test"]), help="Whether it is to train on or to test on."),
        click.option("--description", help="What it is, in words."),
    ):
        command = option(command)
    return command


map_option = click.option(
    "--map", "mapping", metavar="GRADES",
    help="The grade to store for each one of the source, as 1=4,2=3,3=2,4=1,-1=0 for Cranfield's degrees; simpletext-2022 is"
         " 0=0,1=0,2=1,3=1,4=2,5=2.  [default: as they are]",
)  # fmt: skip


@click.command("seal")
@click.argument("edition")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def seal_(settings: Settings, edition: str, yes: bool) -> None:
    """Close an EDITION for good, before it is published: nothing is added to it any more, by whatever way.

    Keeps the SHA-256 of what it says, which is that of the file 'stc qrels export' writes: sha256sum checks it.
    """
    if not yes:
        click.confirm(f"Seal the edition {edition!r}? It cannot be opened again.", abort=True)
    with connect(settings) as conn:
        done = seal(conn, edition)
        judge(conn, edition=edition)
    told = f"sealed already on {done.sealed:%F}" if done.already else "sealed"
    click.echo(f"{edition}: {told}, {done.judgments:,} judgments, SHA-256 {done.fingerprint}")


@click.command("verify")
@click.argument("edition", required=False)
@format_option
@click.pass_obj
def verify_(settings: Settings, edition: str | None, style: str) -> None:
    """Whether the sealed editions, or EDITION, still say what they said when they were sealed. Exit code 3 if one does not.

    The SHA-256 is of what it says now, for open editions too: that of 'stc qrels export'.
    """
    with connect(settings) as conn:
        found = verify(conn, edition)
    words = {True: "sealed, intact", False: "sealed, CHANGED", None: "open"}
    rows = [(one.edition, words[one.intact], one.sealed and f"{one.sealed:%F %R}", one.judgments, one.computed) for one in found]
    click.echo(render(rows, ["edition", "state", "sealed", "judgments", "sha256"], style=style))
    if broken := [one.edition for one in found if one.intact is False]:
        raise BadInput(
            f"{', '.join(broken)}: not what was sealed",
            hint="Names of queries or documents were changed, or the triggers were off. A published file tells: stc qrels diff.",
        )


@click.command("describe")
@click.argument("edition")
@facts
@click.option(
    "--scale", metavar="GRADES", help="The mapping its grades came by, if they were mapped before they were imported; as for --map."
)
@click.pass_obj
def describe_(settings: Settings, /, edition: str, scale: str | None, **said: Any) -> None:
    """Say of an EDITION what it is. No grade changes; of a sealed edition the description alone."""
    if scale is None and all(value is None for value in said.values()):
        raise click.UsageError("say something: --description, --split, --year or --scale")
    with connect(settings) as conn:
        describe(conn, edition, scale=None if scale is None else read_grades(scale), **said)
    click.echo(f"{edition}: described")


@click.command("derive")
@click.argument("name")
@click.argument("editions", nargs=-1, required=True)
@click.option(
    "--rule", type=click.Choice(RULES), default="first", show_default=True,
    help="What several annotators of a document come to; of equal majorities and of two medians the lower.",
)  # fmt: skip
@map_option
@click.option("--origin", "origins", type=click.Choice(ORIGINS), multiple=True, help="Judgments of this origin alone; repeat it.")
@click.option("--annotator", "annotators", multiple=True, help="Judgments of this annotator alone; repeat it.")
@facts
@click.pass_obj
def derive_(
    settings: Settings, /, name: str, editions: tuple[str, ...], rule: str, mapping: str | None, origins: tuple[str, ...],
    annotators: tuple[str, ...], **said: Any,
) -> None:  # fmt: skip
    """Make the edition NAME from EDITIONS: one judgment a query and document; they stay as they are.

    Human before llm before knn, whatever edition a judgment is in; then the rule. An annotator has one vote a document, that in the
    edition named first. A mapping of grades is done before the rule. So a published edition is made of raw double annotation.
    """
    grades = None if mapping is None else read_grades(mapping)
    with connect(settings) as conn:
        done = derive(
            conn, name, editions, rule=rule, grades=grades, origins=origins or None, annotators=annotators or None, **said
        )
    told = f"{name}: {done.judgments:,} judgments on {done.queries:,} queries from {', '.join(editions)}"
    if done.combined:
        told += f"; {done.combined:,} of several annotators, {done.differing:,} of them not of one mind: {rule}"
    click.echo(told)


@click.command("files")
@click.argument("edition", required=False)
@click.option("--check", "check_", is_flag=True, help="Read the sources again. Exit code 3 if one is gone or changed.")
@format_option
@click.pass_obj
def files_(settings: Settings, edition: str | None, check_: bool, style: str) -> None:
    """Where the judgments of the editions, or of EDITION, came from: each file, with its SHA-256 and counts when it was imported.

    An edition derived from others has those as edition:NAME.
    """
    with connect(settings) as conn:
        found = sources(conn, edition)
    headers = ["edition", "source", "judgments", "added", "sha256", "imported"]
    cut = 64 if style in ("json", "csv") else 12
    rows = [
        (one.edition, one.path, one.judgments, one.added, one.sha256 and one.sha256[:cut], f"{one.imported:%F %R}") for one in found
    ]
    if not check_:
        click.echo(render(rows, headers, style=style))
        return
    states = [state(one) for one in found]
    click.echo(render([(*row, now) for row, now in zip(rows, states, strict=True)], [*headers, "today"], style=style))
    if bad := [_told(one, now) for one, now in zip(found, states, strict=True) if now in ("changed", "gone")]:
        raise BadInput("; ".join(bad), hint="Import the file into another edition: 'stc qrels diff' then tells what changed.")


def _told(source: Source, now: str) -> str:
    name = source.path.removeprefix(EDITION) if source.path.startswith(EDITION) else Path(source.path).name
    return f"{name} of {source.edition!r} is {now}"


@click.command("check")
@click.argument("edition")
@click.option(
    "--relevant", type=click.IntRange(min=1), default=5, show_default=True, help="Relevant documents that each query must reach."
)
@click.option("--rel", type=int, default=1, show_default=True, help="The lowest grade that is relevant.")
@click.option(
    "--highest", type=int, default=2, show_default=True,
    help="The highest grade of the scale, which begins with 0; for an edition whose grades were not mapped.",
)  # fmt: skip
@format_option
@click.pass_obj
def check_(settings: Settings, edition: str, relevant: int, rel: int, highest: int, style: str) -> None:
    """Check an EDITION by the rules of the track's organisers; name what breaks them. Exit code 3 if a rule is broken.

    JSON names every offender.
    """
    with connect(settings) as conn:
        verdicts = check(conn, edition, relevant=relevant, rel=rel, highest=highest)
    asked = [(one, _ASKS[one.rule].format(relevant=relevant, rel=rel)) for one in verdicts]
    headers = ["rule", "asks that", "verdict", "checked", "offend"]
    if style == "json":
        told = [
            {"rule": one.rule, "asks": asks, "verdict": one.verdict, "checked": one.checked, "offenders": list(one.offenders)}
            for one, asks in asked
        ]
        click.echo(orjson.dumps([marked(one) for one in told], option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(
            render([(one.rule, asks, one.verdict, one.checked, len(one.offenders)) for one, asks in asked], headers, style=style)
        )
    broken = [one for one in verdicts if one.verdict == "fail"]
    if style == "table":
        for one in broken:
            click.echo(f"\n{one.rule}: {_some(one.offenders)}")
    if broken:
        raise BadInput(
            f"the edition {edition!r} breaks {len(broken)} of {len(verdicts)} rules: {', '.join(one.rule for one in broken)}",
            hint="--format json names all that offend.",
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return "; ".join(names[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")
