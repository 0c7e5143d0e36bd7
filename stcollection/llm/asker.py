"""Settings of requests to a language model: endpoint, model, prompt, limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stcollection.llm.budget import Budget
from stcollection.llm.client import Client
from stcollection.llm.endpoint import Endpoint
from stcollection.llm.template import Template


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Settings of requests to a language model.

    :param options: members of the request, such as temperature and max_tokens. :param concurrency: concurrent requests.
    :param retries: further attempts. :param timeout: seconds per request.
    """

    endpoint: Endpoint
    model: str
    template: Template
    options: dict[str, Any] = field(default_factory=dict)
    concurrency: int = 8
    retries: int = 5
    timeout: float = 60.0
    budget: Budget = field(default_factory=Budget)

    def client(self) -> Client:
        """Return a client for the endpoint."""
        return Client(
            self.endpoint,
            model=self.model,
            options=self.options,
            timeout=self.timeout,
            retries=self.retries,
            connections=self.concurrency,
        )
