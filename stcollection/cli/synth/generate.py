"""The command ``stc synth generate``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import click

from stcollection.cli.options import packed
from stcollection.cli.options.endpoints import AskedModel, asking_options, endpoint_option
from stcollection.cli.output import ProgressBar
from stcollection.cli.synth._asking import asker_of, leave, tell
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.synth import generate as generating
from stcollection.studies.synth.ask import Asker, AskOptions
from stcollection.studies.synth.study import MIN_SCORE, generated
from stcollection.studies.synth.t5 import Doc2Query, load


@dataclass(frozen=True, kw_only=True)
class _Writer:
    """The sequence-to-sequence model that writes, and how, as the options say."""

    t5: str | None
    many: int | None
    top_k: int | None
    prefix: str | None
    batch: int | None


@dataclass(frozen=True, kw_only=True)
class _Sources:
    """Which documents queries are made from."""

    min_score: float | None
    unscored: bool

    @property
    def least(self) -> float | None:
        return None if self.unscored else MIN_SCORE if self.min_score is None else self.min_score


_FOR_T5 = ("many", "top_k", "batch", "prefix")
_FOR_PROMPT = ("prompt", "limit", "endpoint", "retry_malformed")


@click.command("generate")
@click.argument("study")
@click.option("--t5", metavar="NAME|PATH", help="A sequence-to-sequence model (doc2query) on this machine.")
@click.option("--model", metavar="NAME", help="A language model, by the endpoint's name for it.")
@endpoint_option
@click.option(
    "--as", "origin", metavar="ORIGIN", help="The origin of these queries, as t5 or gpt-4.  [default: t5 with --t5, else needed]"
)
@click.option("--many", type=click.IntRange(min=1), help=f"With --t5: queries a document.  [default: {generating.MANY}]")
@click.option("--prompt", metavar="NAME|FILE", help=f"With --model: a prompt file.  [default: {generating.PROMPT}]")
@click.option("--min-score", type=click.FloatRange(0, 100), help=f"Only from documents with this score.  [default: {MIN_SCORE:g}]")
@click.option("--unscored", is_flag=True, help="From all documents of the study, whatever their score.")
@click.option("--seed", type=int, help="With --t5 of what is drawn, else the study's; with --model sent with the request.")
@click.option("--temperature", type=click.FloatRange(min=0), help="[default: 1 with --t5, 0 with --model]")
@click.option("--top-k", type=click.IntRange(min=0), help="With --t5: words that can come next; 0 is all.  [default: 10]")
@click.option("--prefix", metavar="TEXT", help="With --t5: put before each passage, where the model was trained so.")
@click.option("--batch", type=click.IntRange(min=1), help="With --t5: queries a forward pass.  [default: 32, with a GPU 256]")
@click.option("--limit", type=click.IntRange(min=1), help="With --model: ask about so many documents at most.")
@click.option("--retry-malformed", is_flag=True, help="With --model: ask again where no query could be read from the answer.")
@click.option("--simulated", is_flag=True, help="The model is not a real one: mark the edition that is published.")
@asking_options
@packed(_Writer, "writer")
@packed(AskedModel, "asked")
@packed(AskOptions, "options")
@packed(_Sources, "sources")
@click.pass_obj
def command(
    settings: Settings,
    /,
    study: str,
    origin: str | None,
    writer: _Writer,
    asked: AskedModel,
    options: AskOptions,
    sources: _Sources,
) -> None:
    """Generate queries from the documents of a study: several each by --t5, or one each by a language model, --model.

    Each document has been scored before (--unscored takes all). Empty and malformed answers, duplicates and near-copies of the
    document are kept and marked. The same command again goes on where it ended; a larger --many adds to what there is.
    """
    _check(writer, asked, options, sources)
    if writer.t5:
        drawn = {"seed": asked.seed, "temperature": asked.temperature}
        wanted: dict[str, Any] = {"many": writer.many, "top_k": writer.top_k, "prefix": writer.prefix} | drawn
        writing = generating.WritingOptions(**{name: value for name, value in wanted.items() if value is not None})
        model = load(writer.t5, batch=writer.batch)
        _by_model(settings, study, model, origin or "t5", writing, sources.least, simulated=options.simulated)
    else:
        if origin is None:
            raise BadArgument("generate --model needs --as", hint="The origin of these queries, as --as gpt-4.")
        asker = asker_of(asked, generating.PROMPT)
        _by_prompt(settings, study, asker, origin, options, sources.least)


def _check(writer: _Writer, asked: AskedModel, options: AskOptions, sources: _Sources) -> None:
    """Refuse options of the one way beside those of the other."""
    if (writer.t5 is None) == (asked.model is None):
        raise BadArgument(
            "generate needs --t5 or --model" if writer.t5 is None else "generate takes --t5 or --model, not both",
            hint="--t5 names a sequence-to-sequence model on this machine, --model one at an endpoint.",
        )
    given = vars(writer) | vars(asked) | vars(options)
    for name in _FOR_PROMPT if writer.t5 else _FOR_T5:
        if given[name] not in (None, False):
            raise BadArgument(
                f"--{name.replace('_', '-')} is not for --{'t5' if writer.t5 else 'model'}",
                hint="'stc synth generate --help' tells which is for which.",
            )
    if sources.unscored and sources.min_score is not None:
        raise BadArgument("--unscored and --min-score", hint="Take one: documents of any score, or of a least one.")


def _by_model(
    settings: Settings,
    study: str,
    model: Doc2Query,
    origin: str,
    options: generating.WritingOptions,
    min_score: float | None,
    *,
    simulated: bool,
) -> None:
    with connect(settings, autocommit=True) as conn:
        with ProgressBar("generate", unit="queries") as bar:
            done = generating.by_model(
                conn, study, model=model, origin=origin, min_score=min_score, options=options, simulated=simulated, progress=bar
            )
        rate = f", {done.made / done.seconds:,.1f} a second" if done.seconds >= 1 and done.made else ""
        before = f", {done.before:,} made before" if done.before else ""
        click.echo(
            f"{origin} in {study}: {done.documents:,} documents, {options.many} each{before}:"
            f" {done.made:,} queries made on {model.device}{rate}"
        )
        _tell_candidates(conn, study, origin)
    if done.cut:
        click.echo(f"{done.cut:,} documents were longer than the model reads, and cut", err=True)
    if done.textless:
        click.echo(f"{done.textless:,} documents have lost their text since they were sampled", err=True)
    if done.held:
        click.echo(f"{done.held:,} documents were with another process", err=True)
    if done.interrupted:
        click.echo(f"interrupted: {done.to_make - done.made:,} left; the same command again goes on", err=True)
        sys.exit(130)


def _by_prompt(settings: Settings, study: str, asker: Asker, origin: str, options: AskOptions, min_score: float | None) -> None:
    with connect(settings, autocommit=True) as conn:
        with ProgressBar("generate", unit="queries") as bar:
            done = generating.by_prompt(conn, study, asker=asker, origin=origin, min_score=min_score, options=options, progress=bar)
        tell(
            done,
            f"{origin} in {study}: {done.documents:,} documents, {done.before:,} answered before",
            "with a query",
            retried=options.retry_malformed,
        )
        _tell_candidates(conn, study, origin)
    leave(done)


def _tell_candidates(conn: Any, study: str, origin: str) -> None:
    for one in generated(conn, study):
        if one.origin == origin:
            dropped = ", ".join(
                f"{count:,} {name}"
                for name, count in (
                    ("empty", one.empty),
                    ("malformed", one.malformed),
                    ("failed", one.error),
                    ("duplicates", one.duplicate),
                    ("near-copies", one.copy),
                )
                if count
            )
            click.echo(
                f"so far {one.made:,} of {one.documents:,} documents, {one.usable:,} to use{f'; {dropped}' if dropped else ''}"
            )
