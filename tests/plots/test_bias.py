"""The figure of bias draws the computed values, with reproducible bytes; a single origin cannot be drawn."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection import figures
from stcollection.analysis.bias import bias
from stcollection.errors import StateError
from stcollection.plots.canvas import write
from tests.analysis.bias_worlds import store
from tests.analysis.test_bias import FAMILIES, ORIGINS, VALUES
from tests.plots.look import part


@pytest.mark.slow
def test_it_draws_the_shifts_of_families_and_systems(conn: psycopg.Connection, tmp_path: Path) -> None:
    store(conn, tmp_path, VALUES, origins=ORIGINS, families=FAMILIES)
    found = bias(conn, edition="e")
    figure = figures.bias(conn, edition="e")
    for at, family in enumerate(("GPT", "Other")):
        for place, origin in enumerate(("gpt", "t5")):
            [one] = [row for row in found.families if row.family == family and row.origin == origin]
            assert list(part(figure, f"mean-{at}-{place}").get_xdata()) == [one.relative]
            systems = [row.relative for row in found.systems if row.family == family and row.origin == origin]
            assert list(part(figure, f"systems-{at}-{place}").get_xdata()) == systems
    for kind in ("svg", "png"):
        files = [tmp_path / f"{number}.{kind}" for number in (1, 2)]
        for file in files:
            write(figures.bias(conn, edition="e"), file)
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_single_origin_cannot_be_drawn(conn: psycopg.Connection, tmp_path: Path) -> None:
    store(conn, tmp_path, {"a": {"q1": 0.5}}, origins={"q1": "human"}, families={})
    with pytest.raises(StateError, match="only queries of the origin human"):
        figures.bias(conn, edition="e")
