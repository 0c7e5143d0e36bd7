"""Fixtures of the routes for programs: those of the page, which the same server serves."""

from __future__ import annotations

from tests.explore.conftest import boss, demo, demo_conn, empty, explorer, pool, signed, store, walled  # noqa: F401
