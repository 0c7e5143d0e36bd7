"""Fixtures of the routes for programs: those of the page, which the same server serves."""

from __future__ import annotations

from tests.explore.conftest import demo, demo_conn, empty, explorer, pool, store, walled  # noqa: F401
