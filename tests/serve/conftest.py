from __future__ import annotations

import pytest

from stcollection.vectors.model import Embedder, load


@pytest.fixture(scope="session")
def model() -> Embedder:
    """The default model, loaded once for all tests."""
    return load()
