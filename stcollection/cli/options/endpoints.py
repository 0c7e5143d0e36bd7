"""The options of a command that asks a language model: where it is, what it may cost, how it is asked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from stcollection.cli.options import together
from stcollection.llm.asker import Asker
from stcollection.llm.budget import Budget
from stcollection.llm.endpoint import read_endpoint
from stcollection.llm.template import Template

if TYPE_CHECKING:
    from stcollection.qrels.llm.judge import JudgeCounts
    from stcollection.studies.synth.ask import AskCounts

TOKENS = 512


def _options(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{value!r} is no NAME=VALUE")
        if name in ("model", "messages", "stream", "n"):
            raise click.BadParameter(f"{name} is not for the asking")
        try:
            options[name] = json.loads(text)
        except ValueError:
            options[name] = text
    return options


endpoint_option = click.option(
    "--endpoint", metavar="URL", help="Its address, as http://localhost:8000/v1.  [env: STC_LLM_ENDPOINT, OPENAI_BASE_URL]"
)

asking_options = together(
    click.option("--concurrency", type=click.IntRange(1, 256), default=8, show_default=True, help="Questions in flight."),
    click.option("--budget-tokens", type=click.IntRange(min=1), help="End before it has cost more tokens."),
    click.option(
        "--budget-calls", type=click.IntRange(min=1), help="End before it has sent more requests, repeated ones included."
    ),
    click.option("--budget-seconds", type=click.FloatRange(min=0, min_open=True), help="End after this time."),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        default=TOKENS,
        show_default=True,
        help="Of an answer; models that think need more.",
    ),
    click.option(
        "--option",
        "further",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_options,
        help="A further member of the request, as JSON; null leaves one out: max_tokens=null.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=60.0,
        show_default=True,
        help="Seconds a request may take.",
    ),
    click.option("--retries", type=click.IntRange(0, 50), default=5, show_default=True, help="Further attempts where one failed."),
    click.option(
        "--key-variable",
        metavar="NAME",
        help="The environment variable with the key.  [default: STC_LLM_API_KEY, else OPENAI_API_KEY]",
    ),
    click.option("--no-key", is_flag=True, help="Send no key."),
    click.option("--plain-http", is_flag=True, help="Send the key also unencrypted over a network."),
)


@dataclass(frozen=True, kw_only=True)
class AskedModel:
    """The language model that a command asks, and how, as its options say. :param model: None: another kind writes."""

    model: str | None
    endpoint: str | None
    prompt: str | None
    temperature: float | None
    seed: int | None
    concurrency: int
    budget_tokens: int | None
    budget_calls: int | None
    budget_seconds: float | None
    max_tokens: int
    further: dict[str, Any]
    timeout: float
    retries: int
    key_variable: str | None
    no_key: bool
    plain_http: bool

    def asker(self, template: Template) -> Asker:
        """Whom to ask, and how.

        :raises BadArgument: no endpoint, or a key that may not be sent there.
        """
        options = {"temperature": self.temperature or 0.0, "seed": self.seed, "max_tokens": self.max_tokens, **self.further}
        endpoint = read_endpoint(
            self.endpoint, key_variable=self.key_variable, send_key=not self.no_key, plain_http=self.plain_http
        )
        budget = Budget(
            tokens=self.budget_tokens,
            calls=self.budget_calls,
            seconds=self.budget_seconds,
            completion=options.get("max_completion_tokens") or options["max_tokens"],
        )
        return Asker(
            endpoint=endpoint,
            model=self.model or "",
            template=template,
            options=options,
            concurrency=self.concurrency,
            retries=self.retries,
            timeout=self.timeout,
            budget=budget,
        )


def tell_ended(done: AskCounts | JudgeCounts) -> None:
    """Say on stderr why an asking ended before its end, and what another one would do."""
    if done.ended == "interrupted":
        click.echo(f"interrupted: {done.left:,} left, {done.dropped:,} of them in flight; the same command again goes on", err=True)
    elif done.ended:
        click.echo(f"the budget of {done.ended} is spent: {done.left:,} left; the same command again goes on", err=True)
    elif done.failed:
        click.echo("the same command again asks about those that failed", err=True)
    if done.held:
        click.echo(f"{done.held:,} are being asked about by another process", err=True)
