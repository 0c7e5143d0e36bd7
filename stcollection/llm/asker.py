"""Whom to ask, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stcollection.llm.budget import Budget
from stcollection.llm.client import Client
from stcollection.llm.endpoint import Endpoint
from stcollection.llm.template import Template


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Whom to ask, and how.

    :param options: members of the request, as temperature and max_tokens. :param concurrency: questions in flight.
    :param retries: further attempts. :param timeout: seconds a request.
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
        """A client of the endpoint."""
        return Client(
            self.endpoint,
            model=self.model,
            options=self.options,
            timeout=self.timeout,
            retries=self.retries,
            connections=self.concurrency,
        )
