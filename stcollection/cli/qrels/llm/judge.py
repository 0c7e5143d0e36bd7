"""The command ``stc judge --llm``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import needed_edition_option
from stcollection.cli.options.endpoints import AskedModel, asking_options, endpoint_option
from stcollection.cli.options.published import published_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import ProgressBar
from stcollection.cli.qrels.llm._outcome import Pace, before, estimate_cost, print_outcome, print_plan
from stcollection.cli.qrels.llm._pairs import compare_pairs
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.llm.template import Template, check_slots, find_template
from stcollection.published import JUDGING
from stcollection.qrels.llm.judge import Wanted, judge, plan, with_article
from stcollection.qrels.llm.store import ARTICLE, ARTICLE_CHARACTERS, PROMPTS, SLOTS

_PROMPT = "journalist"


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


_prompt_option = click.option(
    "--prompt",
    default=_PROMPT,
    show_default=True,
    metavar="NAME|FILE",
    help="Name of an included prompt, or a prompt file.",
)
_price_option = click.option(
    "--price",
    metavar="IN/OUT",
    callback=_price,
    help="Price of a million input and output tokens, such as 0.15/0.60. Adds the cost to the estimate.",
)


@click.command("judge")
@needed_edition_option("Edition to add the judgments to; created if it does not exist.")
@click.option("--model", required=True, metavar="NAME", help="Model, as the endpoint names it.")
@endpoint_option
@click.option("--pairs", is_flag=True, help="Compare pairs of the documents of --pool and store preferences, instead of grading.")
@_prompt_option
@published_option(JUDGING)
@_context
@_pairs
@click.option("--temperature", type=click.FloatRange(min=0), default=0.0, show_default=True, help="Temperature of the model.")
@click.option("--seed", type=int, help="Seed of the model, if the endpoint supports one.")
@click.option("--retry-malformed", is_flag=True, help="Repeat requests whose answer contained no grade.")
@click.option("--simulated", is_flag=True, help="Mark the judge and the edition as simulated: the endpoint is not a real model.")
@asking_options
@_price_option
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
        if context.context is not None:
            raise click.UsageError("--context is for grades: with --pairs, use the slot {article} in a prompt file.")
        prompt, article = None if asked.prompt == _PROMPT else asked.prompt, context.context_characters
        compared = compare_pairs(settings, edition, asked, wanted, prompt=prompt, article=article, dry_run=dry_run)
        sys.exit(130 if compared is not None and compared.ended == "interrupted" else 0)
    template = _template(asked.prompt or _PROMPT, context)
    common: dict[str, Any] = {"edition": edition, "selection": wanted, "retry_malformed": retry_malformed}
    common["article"] = context.context_characters
    asker = None if dry_run else asked.asker(template)
    with connect(settings, autocommit=True) as conn:
        planned = plan(conn, model=asked.model or "", template=template, shown=2 if dry_run else 0, **common)
        if asker is None:
            print_plan(planned, template, price)
            return
        aside(f"{before(planned)}{planned.to_ask:,} to judge; {estimate_cost(planned, price)}")
        with ProgressBar("judge", unit="pairs") as bar:
            done = judge(conn, asker=asker, simulated=simulated, progress=Pace(bar, asker.concurrency), **common)
    print_outcome(done, edition, retried=retry_malformed)
    if done.ended == "interrupted":
        sys.exit(130)


def _template(name: str, context: _Context) -> Template:
    template = find_template(name, slots=SLOTS, folder=PROMPTS, needed=("query",), appended=("query", "title", "abstract"))
    check_slots(template.slots, any_of=("title", "abstract"), where=f"the prompt {template.name}")
    return with_article(template, context.context_characters) if context.context == ARTICLE else template
