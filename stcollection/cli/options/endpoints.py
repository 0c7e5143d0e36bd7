"""The options of a command that asks a language model: where it is, what it may cost, how it is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from stcollection.cli.options import together
from stcollection.llm.budget import Budget
from stcollection.llm.endpoint import read_endpoint

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


def read_asking(given: Mapping[str, Any], *, temperature: float, seed: int | None) -> dict[str, Any]:
    """Endpoint, members of the request, budget, concurrency, retries and timeout, as the options say.

    :raises BadArgument: no endpoint, or a key that may not be sent there.
    """
    options = {"temperature": temperature, "seed": seed, "max_tokens": given["max_tokens"], **given["further"]}
    endpoint = read_endpoint(
        given["endpoint"], key_variable=given["key_variable"], send_key=not given["no_key"], plain_http=given["plain_http"]
    )
    budget = Budget(
        tokens=given["budget_tokens"],
        calls=given["budget_calls"],
        seconds=given["budget_seconds"],
        completion=options.get("max_completion_tokens") or options["max_tokens"],
    )
    return {
        "endpoint": endpoint, "options": options, "budget": budget,
        "concurrency": given["concurrency"], "retries": given["retries"], "timeout": given["timeout"],
    }  # fmt: skip


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


judged_edition_option = click.option("--edition", required=True, help="The edition that is judged.")
