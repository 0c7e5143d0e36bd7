"""The command ``stc status``."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

import click

from stcollection.analysis.contents import CollectionStatus, collection_status
from stcollection.build.build import build, stored_recipe
from stcollection.cli.build import print_plan
from stcollection.cli.output import printable
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.editions import EditionOverview
from stcollection.qrels.simulated import collection_note
from stcollection.vectors.audit import Status

_LISTED = 6  # editions, pools and steps that one line names


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--diff", is_flag=True, help="Show which steps of the collection's recipe are out of date, and why.")
@click.pass_obj
def command(settings: Settings, as_json: bool, diff: bool) -> None:
    """Show what the collection contains, what is out of date, and the commands to run next.

    With --diff, compares it with the recipe that it was last built from: 'stc build RECIPE' would run the steps listed as to build.
    'stc db status' describes the server, and 'stc db check' looks for contradictory rows.
    """
    if diff:
        steps = build(settings, stored_recipe(settings), dry_run=True)
        click.echo(json.dumps([vars(step) for step in steps], ensure_ascii=False, indent=2)) if as_json else print_plan(steps)
        return
    with connect(settings) as conn:
        contents, note = collection_status(conn), collection_note(conn)
    if as_json:
        click.echo(json.dumps(_record(contents, note), default=str, ensure_ascii=False, indent=2))
        return
    for subject, sentence in _lines(contents, settings.db):
        click.echo(f"{subject:<13}{printable(sentence)}")
    if note:
        click.echo(f"\n{note}")


def _lines(contents: CollectionStatus, name: str) -> Iterator[tuple[str, str]]:
    """Yield a line for each stage, and the next steps."""
    size, (first, last) = contents.size, contents.years
    about = "about " if size.estimated else ""
    years = "" if first is None else f", {first}" if first == last else f", {first} to {last}"
    abstracts = f"{about}{size.abstracts:,} with an abstract"
    yield "collection", f"{name}: {counted(size.documents, 'document')}, {abstracts}{years}; {contents.disk / 1e6:,.0f} MB on disk"
    if contents.text.get("built") is not None:
        state = "current" if contents.text.get("sound") else "stale" if contents.text.get("stale") else "inconsistent"
        yield "text index", f"{contents.text['engine']}, {state}"
    if contents.vectors:
        yield "vectors", "; ".join(map(_index, contents.vectors))
    if contents.readable:
        yield "readability", f"measured for {counted(contents.readable, 'abstract')}"
    yield "topics", f"{counted(contents.queries, 'query')} on {counted(contents.topics, 'topic')}"
    if contents.editions:
        yield "judgments", _some([_edition(edition) for edition in contents.editions])
    if contents.latest:
        yield "runs", f"{counted(contents.runs, 'run')}, the newest {contents.latest[0].run}, {contents.latest[0].made:%Y-%m-%d}"
    if contents.judged:
        shares = [f"{share:.2f} on {edition} ({run})" for edition, (run, share) in contents.judged.items()]
        yield "", f"smallest Judged@10: {_some(shares)}"
    if contents.pools:
        yield "pools", _some([f"{pool.pool} {pool.judged:,} of {pool.documents:,} judged" for pool in contents.pools])
    for place, step in enumerate(contents.next[:_LISTED]):
        yield "" if place else "next", f"{step} Run '{step.action}'." if step.action else str(step)


def _index(index: Status) -> str:
    kind = index.kind or "without an index"
    return f"{counted(index.rows_now, index.field)} by {index.model}, {kind}{', stale' if index.stale else ''}"


def _edition(edition: EditionOverview) -> str:
    states = ", ".join(word for is_so, word in ((edition.hidden, "hidden"), (edition.sealed, "sealed")) if is_so)
    return f"{edition.edition} {edition.judgments:,} on {counted(edition.queries, 'query')}{f' ({states})' if states else ''}"


def _some(parts: list[str]) -> str:
    """Join the first parts, and say how many more there are."""
    return "; ".join([*parts[:_LISTED], *([f"{len(parts) - _LISTED:,} more"] if len(parts) > _LISTED else [])])


def _record(contents: CollectionStatus, note: str | None) -> dict[str, object]:
    """Return the overview for JSON, with texts instead of placeholders."""
    record = {field.name: getattr(contents, field.name) for field in dataclasses.fields(contents)}
    record |= {name: [part._asdict() for part in record[name]] for name in ("editions", "latest", "judges", "pools")}
    record |= {"size": contents.size._asdict(), "vectors": [dataclasses.asdict(index) for index in contents.vectors]}
    steps = {name: [{"what": str(step), "command": step.action} for step in record[name]] for name in ("problems", "next")}
    return record | steps | {"simulated": note}
