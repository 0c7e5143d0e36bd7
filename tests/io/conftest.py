"""Fixture that writes files for tests."""

from __future__ import annotations

from tests.corpus.conftest import Write, write

__all__ = ["Write", "write"]
