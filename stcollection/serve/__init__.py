"""The embedding service: OpenAI's ``/v1/embeddings`` with models on this machine.

``app`` is the HTTP application, ``protocol`` OpenAI's format of requests, responses and errors, ``measures`` the metrics of
``/metrics``. ``server`` runs the service and registers it with a collection, so that SQL can call it (embed_query). The extra
``serve`` installs FastAPI, uvicorn and prometheus_client; only ``app``, ``measures`` and ``server`` import them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a service.

    :param queue: maximum number of waiting texts; a request that exceeds it is refused (503).
    :param chars: characters per text; by default the longest query that any system reads (sql/retrieval/tidy_query.sql).
    :param texts: texts per request, as OpenAI allows.
    :param body: bytes per request.
    :param batch: texts per forward pass; None is the model's default.
    """

    queue: int = 4096
    chars: int = 10_000
    texts: int = 2048
    body: int = 16 * 2**20
    batch: int | None = None
