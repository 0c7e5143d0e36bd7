"""Metrics of a service in Prometheus' text format. Each service has a separate registry."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class ServiceMetrics:
    """Counters and histograms of one service; the observer of its batcher."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._ready = Gauge("stc_serve_ready", "1 once the models are loaded", registry=self.registry)
        self._requests = Counter("stc_serve_requests", "Requests by path and status", ["path", "status"], registry=self.registry)
        self._seconds = Histogram(
            "stc_serve_request_seconds",
            "Seconds from request to response, for embeddings",
            registry=self.registry,
            buckets=_SECONDS,
        )
        self._texts = Counter("stc_serve_texts", "Texts embedded", ["model", "input_type"], registry=self.registry)
        self._batches = Histogram("stc_serve_batch_texts", "Texts per batch", ["model"], registry=self.registry, buckets=_TEXTS)
        self._encoding = Histogram(
            "stc_serve_batch_seconds", "Seconds in the model per batch", ["model"], registry=self.registry, buckets=_SECONDS
        )
        self._queue = Gauge("stc_serve_queue_texts", "Waiting texts", registry=self.registry)

    def ready(self) -> None:
        self._ready.set(1)

    def answered(self, *, path: str, status: int, seconds: float) -> None:
        """Count a finished request. :param path: the route, not the requested path, of which there are infinitely many."""
        self._requests.labels(path, str(status)).inc()
        if path == "/v1/embeddings":
            self._seconds.observe(seconds)

    def queued(self, texts: int) -> None:
        self._queue.set(texts)

    def embedded(self, *, model: str, query: bool, texts: int, seconds: float) -> None:
        self._texts.labels(model, "query" if query else "passage").inc(texts)
        self._batches.labels(model).observe(texts)
        self._encoding.labels(model).observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)
