"""Options of commands that call a language model: its address, budget and request parameters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import click

from stcollection.cli.options import together
from stcollection.llm.asker import Asker
from stcollection.llm.budget import Budget
from stcollection.llm.endpoint import read_endpoint
from stcollection.llm.template import Template

TOKENS = 512
_LIMITS: dict[str, type[int] | type[float]] = {"tokens": int, "calls": int, "seconds": float}


def _options(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{value!r} is not NAME=VALUE")
        if name in ("model", "messages", "stream", "n"):
            raise click.BadParameter(f"{name} is set by the command")
        try:
            options[name] = json.loads(text)
        except ValueError:
            options[name] = text
    return options


def _budget(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    budget: dict[str, float] = {}
    for value in values:
        name, _equals, limit = value.partition("=")
        try:
            budget[name] = _LIMITS[name](limit)
        except (KeyError, ValueError):
            raise click.BadParameter(f"{value!r} is not tokens=N, calls=N or seconds=NUMBER") from None
        if not 0 < budget[name] < inf:
            raise click.BadParameter(f"{value!r} is not above 0")
    return budget


endpoint_option = click.option(
    "--endpoint",
    metavar="URL",
    help="Address of the endpoint, such as http://localhost:8000/v1.  [env: STC_LLM_ENDPOINT, OPENAI_BASE_URL]",
)

asking_options = together(
    click.option("--concurrency", type=click.IntRange(1, 256), default=8, show_default=True, help="Number of concurrent requests."),
    click.option(
        "--budget",
        multiple=True,
        metavar="NAME=N",
        callback=_budget,
        help="Stop before N tokens, N calls (requests, including retries) or N seconds: tokens=100000. Repeatable.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        default=TOKENS,
        show_default=True,
        help="Largest number of tokens of an answer. Reasoning models need more.",
    ),
    click.option(
        "--option",
        "further",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_options,
        help="Extra field of the request, with a JSON value; null removes a field: max_tokens=null. Repeatable.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=60.0,
        show_default=True,
        help="Timeout of a request, in seconds.",
    ),
    click.option(
        "--retries", type=click.IntRange(0, 50), default=5, show_default=True, help="Number of retries of a failed request."
    ),
    click.option(
        "--key-variable",
        metavar="NAME",
        help="Environment variable with the API key.  [default: STC_LLM_API_KEY, else OPENAI_API_KEY]",
    ),
    click.option("--no-key", is_flag=True, help="Send no API key."),
    click.option("--plain-http", is_flag=True, help="Allow sending the key unencrypted over a network."),
)


@dataclass(frozen=True, kw_only=True)
class AskedModel:
    """The language model that a command calls, and how, from its options.

    :param model: None if the command uses another kind of model.
    """

    model: str | None
    endpoint: str | None
    prompt: str | None
    temperature: float | None
    seed: int | None
    concurrency: int
    budget: dict[str, Any]
    max_tokens: int
    further: dict[str, Any]
    timeout: float
    retries: int
    key_variable: str | None
    no_key: bool
    plain_http: bool

    def asker(self, template: Template) -> Asker:
        """Return the client of the endpoint.

        :raises BadArgument: there is no endpoint, or the key must not be sent to it.
        """
        options = {"temperature": self.temperature or 0.0, "seed": self.seed, "max_tokens": self.max_tokens, **self.further}
        endpoint = read_endpoint(
            self.endpoint, key_variable=self.key_variable, send_key=not self.no_key, plain_http=self.plain_http
        )
        budget = Budget(
            **self.budget,
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


class EndedCounts(Protocol):
    """Counts of requests that may have ended early. :ivar ended: why; None: they did not."""

    @property
    def ended(self) -> str | None: ...
    @property
    def left(self) -> int: ...
    @property
    def dropped(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def held(self) -> int: ...


def print_ended(done: EndedCounts) -> None:
    """Print on stderr why the requests ended early, and what repeating the command would do."""
    if done.ended == "interrupted":
        click.echo(
            f"interrupted: {done.left:,} left, {done.dropped:,} of them in flight; run the same command again to continue", err=True
        )
    elif done.ended:
        click.echo(f"the budget of {done.ended} is spent: {done.left:,} left; run the same command again to continue", err=True)
    elif done.failed:
        click.echo("run the same command again to retry those that failed", err=True)
    if done.held:
        click.echo(f"{done.held:,} are in work by another process", err=True)
