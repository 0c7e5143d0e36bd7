"""The demo with synthetic queries, and the whole study of them, as docs/howto/synthetic-queries.md has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.conftest import Stc

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_the_demo_with_synthetic_queries_is_studied(stc: Stc, tmp_path: Path) -> None:
    done = stc("demo", "--synthetic")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "8 gpt-4, 8 t5" in done.stdout
    done = stc("synth", "report", "study", "--sparse", "sparse", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert "no edition with a language model's labels is given" in done.stdout + done.stderr
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "24 queries: 8 human, 8 gpt-4 and 8 t5" in page
    assert {path.name for path in (tmp_path / "report").iterdir()} == {"report.html", "report.md", "figures", "tables"}
    again = stc("synth", "report", "study", "--sparse", "sparse", "--out", tmp_path / "again")
    assert again.returncode == 0
    assert (tmp_path / "again" / "report.html").read_text(encoding="utf-8") == page
    told = stc("analysis", "reliability", "study", "--format", "json", "--resamples", "50")
    assert {(one["a"], one["b"]) for one in json.loads(told.stdout)} >= {("human", "t5"), ("human", "gpt-4")}
    plain = stc("synth", "report", "train", "--out", tmp_path / "train")
    assert plain.returncode != 0 or "one origin" in (tmp_path / "train" / "report.md").read_text(encoding="utf-8")
