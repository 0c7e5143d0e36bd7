from __future__ import annotations

from pathlib import Path

import pytest

from stcollection.vectors.model import Embedder, _locate, load


@pytest.fixture(scope="session")
def model() -> Embedder:
    """The default model, loaded once for all tests."""
    return load()


@pytest.fixture(scope="session")
def weights() -> Path:
    """The folder the default model is loaded from."""
    return Path(_locate("sentence-transformers/all-MiniLM-L6-v2")[0])
