"""``stc qrels seal``, ``verify``, ``describe``, ``derive``, ``files``, ``diff``, ``impact``, ``check``: what editions say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from stcollection.analysis.impact import Impact, QueryShift, Shift, impact, impact_queries
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.evaluation.measures import parse_measure
from stcollection.qrels.derive import RULES, derive
from stcollection.qrels.diff import CHANGES, Change, by_grade, by_query, changes, diff
from stcollection.qrels.editions import describe, seal, verify
from stcollection.qrels.formats import read_grades
from stcollection.qrels.load import ORIGINS
from stcollection.qrels.rules import check
from stcollection.qrels.sources import EDITION, Source, sources, state

_SHOWN = 5  # names of offenders, and runs that moved most, in a table

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


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--judgments", is_flag=True, help="Each judgment that is not the same.")
@format_option
@click.pass_obj
def diff_(settings: Settings, a: str, b: str, judgments: bool, style: str) -> None:
    """What changed from edition A to edition B: judgments added, removed and changed, by grade and by query.

    JSON holds all three tables; CSV a row for each query and pair of grades, of which they are sums.
    """
    with connect(settings) as conn:
        if judgments:
            click.echo(render(changes(conn, a, b), list(Change._fields), style=style))
            return
        cells = diff(conn, a, b)
    if style == "csv":
        click.echo(render(cells, ["query", "rel_a", "rel_b", "change", "judgments"], style=style))
        return
    totals: Counter[str] = Counter()
    queries = by_query(cells)
    for counts in queries.values():
        totals += counts
    grades = by_grade(cells)
    table = [(query, *(counts[change] for change in CHANGES)) for query, counts in queries.items()]
    if style == "json":
        told = {
            "a": a, "b": b, "totals": {change: totals[change] for change in CHANGES},
            "grades": [{"a": x, "b": y, "judgments": grades[x, y]} for x, y in sorted(grades, key=_places)],
            "queries": [dict(zip(("query", *CHANGES), row, strict=True)) for row in table],
        }  # fmt: skip
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    click.echo(", ".join(f"{totals[change]:,} {change}" for change in CHANGES) + f"; from {a} to {b}")
    if not grades:
        return
    columns = sorted({y for _, y in grades}, key=_place)
    lines = [(_named(x, a), *(grades[x, y] or None for y in columns)) for x in sorted({x for x, _ in grades}, key=_place)]
    click.echo("\n" + render(lines, ["grade", *(_named(y, b) for y in columns)], style=style))
    if moved := [row for row in table if any(row[2:])]:
        click.echo("\n" + render(moved, ["query", *CHANGES], style=style))


def _place(grade: int | None) -> tuple[bool, int]:
    """Grades in their order, none of one edition after them."""
    return grade is None, grade or 0


def _places(grades: tuple[int | None, int | None]) -> tuple[tuple[bool, int], tuple[bool, int]]:
    return _place(grades[0]), _place(grades[1])


def _named(grade: int | None, edition: str) -> str:
    return f"{edition}: {'–' if grade is None else grade}"


@click.command("impact")
@click.argument("a")
@click.argument("b")
@click.option("-m", "--measure", default="nDCG@10", show_default=True, help="What to rank by: nDCG@10 or ndcg_cut_10, AP, P@20 ….")
@click.option("-r", "--run", "runs", multiple=True, help="This run; repeat it.  [default: all]")
@click.option("--all", "every", is_flag=True, help="Means over all queries of each edition.  [default: those that both judge]")
@click.option("-p", "--persistence", "p", default=0.9, show_default=True, help="Of the rank-biased overlap, between 0 and 1.")
@click.option("-q", "--per-query", is_flag=True, help="The shift of each run on each query, the largest first.")
@format_option
@click.pass_obj
def impact_(
    settings: Settings, a: str, b: str, measure: str, runs: tuple[str, ...], every: bool, p: float, per_query: bool, style: str
) -> None:
    """What edition B in the place of A does to scores and to the ranking of systems.

    Every stored run scored on both: shift of its mean and of its rank; Kendall's tau-b, tau_ap (A is the truth) and rank-biased
    overlap of the two rankings.
    """
    by = parse_measure(measure)
    with connect(settings) as conn:
        if per_query:
            shifts = impact_queries(conn, a, b, measure=by, runs=runs, every=every)
            names = [field.replace("value_a", a).replace("value_b", b) for field in QueryShift._fields]
            click.echo(render(shifts, names if style in ("table", "markdown", "latex") else list(QueryShift._fields), style=style))
            return
        done = impact(conn, a, b, measure=by, runs=runs, every=every, p=p)
    if style == "csv":
        click.echo(render(done.runs, list(Shift._fields), style=style))
    elif style == "json":
        told = {
            "a": a, "b": b, "measure": str(by), "kendall_tau": done.kendall_tau, "tau_ap": done.tau_ap, "rbo": done.rbo,
            "runs": [one._asdict() for one in done.runs],
        }  # fmt: skip
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(_impact_text(done, a, b, str(by), style))


def _impact_text(done: Impact, a: str, b: str, measure: str, style: str) -> str:
    rows = [(one.run, one.value_a, one.value_b, one.shift, one.rank_a, one.rank_b, _moved(one)) for one in done.runs]
    headers = ["run", f"{measure} by {a}", f"by {b}", "shift", f"rank by {a}", f"by {b}", "moved"]
    over = sorted({(one.queries_a, one.queries_b) for one in done.runs})
    queries = ", ".join(f"{x:,} queries" if x == y else f"{x:,} and {y:,} queries" for x, y in over)
    values = [("Kendall's tau-b", done.kendall_tau), ("tau_ap", done.tau_ap), ("RBO", done.rbo)]
    figures = ", ".join(f"{name} {'–' if value is None else f'{value:.4f}'}" for name, value in values)
    told = [render(rows, headers, style=style), "", f"{len(rows):,} runs on {queries}: {figures}"]
    movers = sorted((one for one in done.runs if one.rank_a != one.rank_b), key=lambda one: -abs(one.rank_a - one.rank_b))[:_SHOWN]
    if movers:
        told.append("moved most: " + ", ".join(f"{one.run} {one.rank_a} → {one.rank_b}" for one in movers))
    return "\n".join(told)


def _moved(one: Shift) -> str:
    """``+2`` for two ranks better."""
    return f"{one.rank_a - one.rank_b:+d}" if one.rank_a != one.rank_b else ""


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
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
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
