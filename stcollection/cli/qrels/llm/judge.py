"""The command ``stc judge --llm``."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import needed_edition_option
from stcollection.cli.options.endpoints import AskedModel, asking_options, endpoint_option, print_ended
from stcollection.cli.options.published import published_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.llm.template import Template, check_slots, find_template
from stcollection.published import JUDGING
from stcollection.qrels.llm.judge import JudgeCounts, Plan, Wanted, judge, plan, with_article
from stcollection.qrels.llm.pairs import PROMPTS as PAIR_PROMPTS
from stcollection.qrels.llm.pairs import SLOTS as PAIR_SLOTS
from stcollection.qrels.llm.pairs import ComparisonCounts, compare_all, questions, waiting
from stcollection.qrels.llm.store import ARTICLE, ARTICLE_CHARACTERS, PROMPTS, SLOTS

_PROMPT, _PAIR_PROMPT = "journalist", "pairs"
FEW = 10  # grades from which on a single one is suspicious
_GUESSED_ANSWER = 5  # tokens of an answer that follows the prompt


def _price(_: click.Context, __: click.Parameter, value: str | None) -> tuple[float, float] | None:
    if value is None:
        return None
    try:
        given, answered = (float(one) for one in value.split("/"))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not IN/OUT; for example 0.15/0.60") from None
    return given, answered


def _runs(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> list[str] | None:
    if "all" in names and len(names) > 1:
        raise BadArgument("--runs all and the name of a run", hint="Name runs, or use --runs all for every stored run.")
    return None if not names else [] if names == ("all",) else list(names)


@dataclass(frozen=True, kw_only=True)
class _Context:
    """What the prompt shows in addition. :param context: ``article``, or None."""

    context: str | None
    context_characters: int


_context = together(
    click.option(
        "--context", type=click.Choice([ARTICLE]), help="Show the model also the press article that the query's topic comes from."
    ),
    click.option(
        "--context-characters",
        type=click.IntRange(100, 1_000_000),
        default=ARTICLE_CHARACTERS,
        show_default=True,
        help="Maximum length of the article in the prompt.",
    ),
    packed(_Context, "context"),
)

_pairs = together(
    click.option("--pool", help="Judge the documents of this pool."),
    click.option(
        "--rejudge", "like", metavar="EDITION", help="Judge the pairs judged in EDITION, which can be the target edition."
    ),
    click.option(
        "--runs",
        multiple=True,
        metavar="RUN",
        callback=_runs,
        help="Judge the top documents of this run. Repeatable; 'all' means every run.",
    ),
    click.option(
        "--depth", type=click.IntRange(min=1), default=10, show_default=True, help="Number of documents per run and query."
    ),
    click.option(
        "--unjudged",
        "missing",
        is_flag=True,
        help="Judge only pairs without a judgment in the edition; alone, the unjudged documents of all runs for its queries.",
    ),
    queries_option,
    click.option("--limit", type=click.IntRange(min=1), help="Judge at most N pairs, spread evenly over the queries."),
)


@click.command("judge")
@needed_edition_option("Edition to add the judgments to; created if it does not exist.")
@click.option("--model", required=True, metavar="NAME", help="Model, as the endpoint names it.")
@endpoint_option
@click.option("--pairs", is_flag=True, help="Compare pairs of the documents of --pool and store preferences, instead of grading.")
@click.option(
    "--prompt",
    default=_PROMPT,
    show_default=True,
    metavar="NAME|FILE",
    help="Name of an included prompt, or a prompt file.",
)
@published_option(JUDGING)
@_context
@_pairs
@click.option("--temperature", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Temperature of the model.")
@click.option("--seed", type=int, help="Seed of the model, if the endpoint supports one.")
@click.option("--retry-malformed", is_flag=True, help="Repeat requests whose answer contained no grade.")
@click.option("--simulated", is_flag=True, help="Mark the judge and the edition as simulated: the endpoint is not a real model.")
@asking_options
@click.option(
    "--price",
    metavar="IN/OUT",
    callback=_price,
    help="Price of a million input and output tokens, such as 0.15/0.60. Adds the cost to the estimate.",
)
@click.option("--dry-run", is_flag=True, help="Send no request: show the first prompts and estimate the cost.")
@click.pass_obj
@packed(AskedModel, "asked")
@packed(Wanted, "wanted")
def command(
    settings: Settings,
    /,
    edition: str,
    asked: AskedModel,
    wanted: Wanted,
    context: _Context,
    retry_malformed: bool,
    simulated: bool,
    price: tuple[float, float] | None,
    pairs: bool,
    dry_run: bool,
) -> None:
    """Let a language model judge pairs of query and document, and store every answer unchanged.

    Running the same command again continues it: pairs that the model has judged in the edition with the same prompt are skipped.
    """
    if pairs:
        compared = _compare(settings, edition, asked, wanted, context, dry_run=dry_run)
        sys.exit(130 if compared is not None and compared.ended == "interrupted" else 0)
    template = _template(asked.prompt or _PROMPT, context)
    common: dict[str, Any] = {"edition": edition, "selection": wanted, "retry_malformed": retry_malformed}
    common["article"] = context.context_characters
    asker = None if dry_run else asked.asker(template)
    with connect(settings, autocommit=True) as conn:
        planned = plan(conn, model=asked.model or "", template=template, shown=2 if dry_run else 0, **common)
        if asker is None:
            _print_plan(planned, template, price)
            return
        aside(f"{_before(planned)}{planned.to_ask:,} to judge; {_estimate(planned, price)}")
        with ProgressBar("judge", unit="pairs") as bar:
            done = judge(conn, asker=asker, simulated=simulated, progress=_Pace(bar, asker.concurrency), **common)
    _print_outcome(done, edition, retried=retry_malformed)
    if done.ended == "interrupted":
        sys.exit(130)


def _compare(
    settings: Settings, edition: str, asked: AskedModel, wanted: Wanted, context: _Context, *, dry_run: bool
) -> ComparisonCounts | None:
    """Compare the documents of a pool, or show the first pair. :returns: None if it was only shown."""
    if wanted.pool is None or wanted != Wanted(pool=wanted.pool, queries=wanted.queries):
        raise click.UsageError("--pairs compares the documents of a pool: give --pool, and of the selections only --queries.")
    if context.context is not None:
        raise click.UsageError("--context is for grades: with --pairs, use the slot {article} in a prompt file.")
    name = _PAIR_PROMPT if asked.prompt == _PROMPT else asked.prompt or _PAIR_PROMPT
    template = find_template(name, slots=PAIR_SLOTS, folder=PAIR_PROMPTS, needed=("query", *PAIR_SLOTS[3::2]))
    with connect(settings, autocommit=True) as conn:
        if dry_run:
            pairs = waiting(conn, wanted.pool, asked.model or "", wanted.queries)
            for message in questions(conn, pairs[:1], template, article=context.context_characters)[0].messages if pairs else ():
                click.echo(f"{message['role']}:\n{message['content']}\n")
            most = sum(pair.remaining for pair in pairs)
            click.echo(f"{counted(len(pairs), 'query')}: at most {counted(most, 'comparison')}, two requests each")
            return None
        with ProgressBar("compare", unit="pairs") as bar:
            done = compare_all(
                conn,
                pool=wanted.pool,
                edition=edition,
                asker=asked.asker(template),
                queries=wanted.queries,
                article=context.context_characters,
                progress=bar,
            )
    counts = f"{counted(done.compared, 'comparison')}, {done.equal:,} equal ({done.contradicting:,} because the order decided)"
    used = f"{counted(done.calls, 'request')}, {counted(done.tokens, 'token')}"
    click.echo(f"{done.annotator} in {wanted.pool}: {counts}, {done.undecided:,} undecided; {used}")
    if done.submitted is not None:
        click.echo(f"{edition}: {counted(done.submitted.added, 'preference level')} added, {done.submitted.unchanged:,} unchanged")
    if done.failed:
        click.echo(f"{counted(done.failed, 'request')} failed, the last one: {done.last_error}", err=True)
    print_ended(done)
    return done


def _template(name: str, context: _Context) -> Template:
    template = find_template(name, slots=SLOTS, folder=PROMPTS, needed=("query",), appended=("query", "title", "abstract"))
    check_slots(template.slots, any_of=("title", "abstract"), where=f"the prompt {template.name}")
    return with_article(template, context.context_characters) if context.context == ARTICLE else template


def _print_plan(planned: Plan, template: Template, price: tuple[float, float] | None) -> None:
    for query, docno, messages in planned.first:
        click.secho(f"── query {query}, document {docno}", bold=True)
        for message in messages:
            click.echo(f"{message['role']}:\n{message['content']}\n")
    click.echo(f"prompt {template.name} {template.sha256[:8]}, grades {' '.join(map(str, template.grades))}")
    click.echo(f"{_before(planned)}{planned.to_ask:,} to judge")
    click.echo(_estimate(planned, price))


def _estimate(planned: Plan, price: tuple[float, float] | None) -> str:
    answered = planned.to_ask * _GUESSED_ANSWER
    cost = f"; estimated cost {(planned.prompt_tokens * price[0] + answered * price[1]) / 1e6:,.2f}" if price else ""
    return f"about {counted(planned.prompt_tokens, 'token')} in prompts, {answered:,} in answers of one digit{cost}"


class _Pace:
    """Progress of judging that estimates the time for the rest once, from the first answers."""

    def __init__(self, bar: ProgressBar, concurrency: int) -> None:
        self._bar, self._first, self._began = bar, 2 * concurrency, time.monotonic()

    def __call__(self, done: int, total: int, note: str) -> None:
        self._bar(done, total, note)
        if self._first and self._first <= done < total:
            seconds = time.monotonic() - self._began
            rest = (total - done) * seconds / done
            time_left = f"{rest / 60:,.0f} min" if rest >= 120 else f"{rest:,.0f} s"
            aside(f"{done:,} answers in {seconds:,.1f} s: about {time_left} for the other {total - done:,}")
            self._first = 0


def _before(done: Plan | JudgeCounts) -> str:
    told = [counted(done.pairs, "pair")]
    if done.judged_before:
        told.append(f"{done.judged_before:,} judged before")
    if done.malformed_before:
        told.append(f"{done.malformed_before:,} malformed before")
    if done.textless:
        told.append(f"{done.textless:,} without text")
    if done.without_article:
        told.append(f"{done.without_article:,} without article")
    return ", ".join(told) + ": "


def _print_outcome(done: JudgeCounts, edition: str, *, retried: bool) -> None:
    rate = f", {done.sent / done.seconds:,.1f} a second" if done.seconds >= 1 and done.sent else ""
    click.echo(f"{done.annotator} in {edition}: {_before(done)}{done.sent:,} sent{rate}")
    grades = "  ".join(f"{grade}: {count:,}" for grade, count in sorted(done.grades.items()))
    told = [f"{done.judged:,} judged" + (f" ({grades})" if grades else ""), f"{done.malformed:,} malformed"]
    if done.failed:
        told.append(f"{done.failed:,} failed, the last one: {done.last_error}")
    click.echo(f"{'; '.join(told)}; {counted(done.calls, 'request')}, {counted(done.tokens, 'token')}")
    print_ended(done)
    if len(done.grades) == 1 and done.judged >= FEW:
        [grade] = done.grades
        aside(f"warning: all {done.judged:,} grades are {grade}; these labels tell no document from another. Check the prompt.")
    if done.cut:
        aside(f"{counted(done.cut, 'answer was', 'answers were')} cut off: --max-tokens is too small for this model")
    elif done.malformed_before + done.malformed and not retried:
        aside(f"'stc show llm-answers --edition {edition}' shows malformed answers, --retry-malformed repeats the requests")
