"""The command ``stc synth generate``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import click

from stcollection.cli.options import packed
from stcollection.cli.options.endpoints import AskedModel, asking_options, endpoint_option
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.synth import generate as generating
from stcollection.studies.synth.ask import Asker, AskOptions
from stcollection.studies.synth.commands.client import asker_of, exit_if_interrupted, print_candidates, print_outcome
from stcollection.studies.synth.commands.options import generation_options
from stcollection.studies.synth.commands.subtopics import TopicOptions, generate_subtopics
from stcollection.studies.synth.study import MIN_SCORE
from stcollection.studies.synth.t5 import Doc2Query, load


@dataclass(frozen=True, kw_only=True)
class _Writer:
    """Settings of the sequence-to-sequence model that writes queries."""

    t5: str | None
    many: int | None


@dataclass(frozen=True, kw_only=True)
class _Sources:
    """Which documents to generate queries from; or basis topics, which has its own options."""

    basis: str
    min_score: float | None
    unscored: bool

    @property
    def least(self) -> float | None:
        return None if self.unscored else MIN_SCORE if self.min_score is None else self.min_score


_OF_T5: dict[str, Any] = {"top_k": int, "prefix": str, "batch": int}  # --option with --t5
_FOR_T5 = {"many": "per-document"}
_FOR_TOPICS = {"topics": "topic", "nearness": "near"}
_FOR_DOCUMENTS = {**_FOR_T5, "t5": "t5", "min_score": "min-score", "unscored": "unscored", "simulated": "simulated"}
_FOR_PROMPT = {"prompt": "prompt", "limit": "limit", "endpoint": "endpoint", "retry_malformed": "retry-malformed"}


@click.command("generate")
@click.argument("study", required=False)
@click.option("--t5", metavar="NAME|PATH", help="Sequence-to-sequence model (doc2query) on this machine.")
@click.option("--model", metavar="NAME", help="Language model, as the endpoint names it.")
@endpoint_option
@generation_options
@asking_options
@packed(_Writer, "writer")
@packed(AskedModel, "asked")
@packed(AskOptions, "options")
@packed(_Sources, "sources")
@packed(TopicOptions, "articles")
@click.pass_obj
def command(
    settings: Settings,
    /,
    study: str | None,
    origin: str | None,
    writer: _Writer,
    asked: AskedModel,
    options: AskOptions,
    sources: _Sources,
    articles: TopicOptions,
) -> None:
    """Generate queries from the documents of STUDY: several per document with --t5, or one with a language model (--model).

    With --from topics, a language model lists up to five long queries for the article of each topic. Near-duplicates are set aside,
    and 'stc synth review' has a person review the others.

    Documents must have been scored, except with --unscored. Empty and malformed answers, duplicates and near-copies of the
    document are kept and marked. Run the same command again to continue it; a larger --per-document adds queries.

    With --t5, --option sets top_k (candidates for the next word, 0 for all; default 10), prefix (text before each passage) and
    batch (queries per forward pass; default 32, on a GPU 256).
    """
    _check(study, writer, asked, options, sources, articles)
    if study is None:
        generate_subtopics(settings, asked, _needed(origin), articles, options)
    elif writer.t5:
        further = _read_options(asked.further)
        wanted: dict[str, Any] = {"many": writer.many, "seed": asked.seed, "temperature": asked.temperature}
        model = load(writer.t5, batch=further.pop("batch", None))
        writing = generating.WritingOptions(**{name: value for name, value in wanted.items() if value is not None}, **further)
        _by_model(settings, study, model, origin or "t5", writing, sources.least, simulated=options.simulated)
    else:
        asker = asker_of(asked, generating.PROMPT)
        _by_prompt(settings, study, asker, _needed(origin), options, sources.least)


def _read_options(further: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a sequence-to-sequence model that --option gives. :raises BadArgument: one is not a setting."""
    for name, value in further.items():
        if type(value) is not _OF_T5.get(name, type(None)) or (name == "batch" and value < 1):
            raise BadArgument(
                f"--option {name}={value} is not for --t5",
                hint="Use top_k (candidates for the next word, 0 for all), prefix (text before each passage), "
                "or batch (queries per forward pass, 1 or more).",
            )
    return dict(further)


def _needed(origin: str | None) -> str:
    if origin is None:
        raise BadArgument("generate --model needs --as", hint="Name the origin of these queries, for example --as gpt-4.")
    return origin


def _check(
    study: str | None, writer: _Writer, asked: AskedModel, options: AskOptions, sources: _Sources, articles: TopicOptions
) -> None:
    """Reject options of one method that were given with the other."""
    given = vars(writer) | vars(asked) | vars(options) | vars(sources) | vars(articles)
    of_topics = sources.basis == "topics"
    for name, option in (_FOR_DOCUMENTS if of_topics else _FOR_TOPICS).items():
        if given[name] not in (None, False, ()):
            raise BadArgument(
                f"--{option} is not for --from {sources.basis}",
                hint="'stc synth generate --help' shows which options belong together.",
            )
    if of_topics != (study is None):
        raise BadArgument(
            f"--from topics takes no study; got {study!r}" if of_topics else "generate needs the name of a study",
            hint="'stc show study' lists the studies; --from topics generates from the articles of topics.",
        )
    if (writer.t5 is None) == (asked.model is None):
        raise BadArgument(
            "generate needs --t5 or --model" if writer.t5 is None else "generate takes --t5 or --model, not both",
            hint="--t5 names a sequence-to-sequence model on this machine, --model one at an endpoint.",
        )
    for name, option in (_FOR_PROMPT if writer.t5 else _FOR_T5).items():
        if given[name] not in (None, False):
            raise BadArgument(
                f"--{option} is not for --{'t5' if writer.t5 else 'model'}",
                hint="'stc synth generate --help' shows which options belong together.",
            )
    if sources.unscored and sources.min_score is not None:
        raise BadArgument(
            "--unscored and --min-score", hint="Give one of them: documents with any score, or with at least a score."
        )


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
            f"{origin} in {study}: {counted(done.documents, 'document')}, {options.many} each{before}:"
            f" {counted(done.made, 'query')} made on {model.device}{rate}"
        )
        print_candidates(conn, study, origin)
    if done.cut:
        click.echo(f"{counted(done.cut, 'document was', 'documents were')} longer than the model reads, and cut", err=True)
    if done.textless:
        click.echo(f"{counted(done.textless, 'document has', 'documents have')} lost their text since they were sampled", err=True)
    if done.held:
        click.echo(f"{counted(done.held, 'document is', 'documents are')} in work by another process", err=True)
    if done.interrupted:
        click.echo(f"interrupted: {done.to_make - done.made:,} left; run the same command again to continue", err=True)
        sys.exit(130)


def _by_prompt(settings: Settings, study: str, asker: Asker, origin: str, options: AskOptions, min_score: float | None) -> None:
    with connect(settings, autocommit=True) as conn:
        with ProgressBar("generate", unit="queries") as bar:
            done = generating.by_prompt(conn, study, asker=asker, origin=origin, min_score=min_score, options=options, progress=bar)
        print_outcome(
            done,
            f"{origin} in {study}: {counted(done.documents, 'document')}, {done.before:,} answered before",
            "with a query",
            retried=options.retry_malformed,
        )
        print_candidates(conn, study, origin)
    exit_if_interrupted(done)
