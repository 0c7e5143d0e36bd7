"""The embedding service: OpenAI's ``/v1/embeddings`` over models on this machine.

``app`` speaks HTTP, ``protocol`` is OpenAI's form of requests, answers and errors, ``measures`` what ``/metrics`` tells, ``server``
runs the service and names it to a collection, so that SQL finds it (embed_query). FastAPI, uvicorn and prometheus_client come with
the extra ``serve`` and are imported by ``app``, ``measures`` and ``server`` alone.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a service takes on.

    :param queue: texts that may wait; a request that would pass it is refused (503).
    :param chars: characters a text; the default is as far as a query is read anywhere (sql/retrieval/tidy_query.sql).
    :param texts: texts a request, as OpenAI has it.
    :param body: bytes a request.
    :param batch: texts a forward pass; None is the model's own.
    """

    queue: int = 4096
    chars: int = 10_000
    texts: int = 2048
    body: int = 16 * 2**20
    batch: int | None = None
