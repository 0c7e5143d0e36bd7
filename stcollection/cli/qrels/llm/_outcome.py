"""What ``stc judge --llm`` prints: an estimate before it starts, the time left, and the outcome."""

from __future__ import annotations

import time

import click

from stcollection.cli.options.endpoints import print_ended
from stcollection.cli.output import ProgressBar
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.llm.template import Template
from stcollection.qrels.llm.judge import JudgeCounts, Plan

FEW = 10  # grades from which on a single one is suspicious
_GUESSED_ANSWER = 5  # tokens of an answer that follows the prompt


class Pace:
    """Progress of judging that estimates the time for the rest once, from the first answers."""

    def __init__(self, bar: ProgressBar, concurrency: int) -> None:
        self._bar, self._first, self._began = bar, 2 * concurrency, time.monotonic()

    def __call__(self, done: int, total: int, note: str) -> None:
        self._bar(done, total, note)
        if self._first and self._first <= done < total:
            seconds = time.monotonic() - self._began
            rest = (total - done) * seconds / done
            time_left = f"{rest / 60:,.0f} min" if rest >= 120 else f"{rest:,.0f} s"
            aside(f"{counted(done, 'answer')} in {seconds:,.1f} s: about {time_left} for the other {total - done:,}")
            self._first = 0


def print_plan(planned: Plan, template: Template, price: tuple[float, float] | None) -> None:
    for query, docno, messages in planned.first:
        click.secho(f"── query {query}, document {docno}", bold=True)
        for message in messages:
            click.echo(f"{message['role']}:\n{message['content']}\n")
    click.echo(f"prompt {template.name} {template.sha256[:8]}, grades {' '.join(map(str, template.grades))}")
    click.echo(f"{before(planned)}{planned.to_ask:,} to judge")
    click.echo(estimate_cost(planned, price))


def estimate_cost(planned: Plan, price: tuple[float, float] | None) -> str:
    answered = planned.to_ask * _GUESSED_ANSWER
    cost = f"; estimated cost {(planned.prompt_tokens * price[0] + answered * price[1]) / 1e6:,.2f}" if price else ""
    return f"about {counted(planned.prompt_tokens, 'token')} in prompts, {answered:,} in answers of one digit{cost}"


def before(done: Plan | JudgeCounts) -> str:
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


def print_outcome(done: JudgeCounts, edition: str, *, retried: bool) -> None:
    rate = f", {done.sent / done.seconds:,.1f} a second" if done.seconds >= 1 and done.sent else ""
    click.echo(f"{done.annotator} in {edition}: {before(done)}{done.sent:,} sent{rate}")
    grades = "  ".join(f"{grade}: {count:,}" for grade, count in sorted(done.grades.items()))
    told = [f"{done.judged:,} judged" + (f" ({grades})" if grades else ""), f"{done.malformed:,} malformed"]
    if done.failed:
        told.append(f"{done.failed:,} failed, the last one: {done.last_error}")
    click.echo(f"{'; '.join(told)}; {counted(done.calls, 'request')}, {counted(done.tokens, 'token')}")
    print_ended(done)
    if len(done.grades) == 1 and done.judged >= FEW:
        [grade] = done.grades
        same = f"each of {counted(done.judged, 'grade')} is {grade}"
        aside(f"warning: {same}; these labels tell no document from another. Check the prompt.")
    if done.cut:
        aside(f"{counted(done.cut, 'answer was', 'answers were')} cut off: --max-tokens is too small for this model")
    elif done.malformed_before + done.malformed and not retried:
        aside(f"'stc show llm-answers --edition {edition}' shows malformed answers, --retry-malformed repeats the requests")
